"""The lint rules, a module per group; each lists its rules at its end."""
