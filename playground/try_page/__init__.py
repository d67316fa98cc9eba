"""The page that runs a tool: its input, and what it shows."""
