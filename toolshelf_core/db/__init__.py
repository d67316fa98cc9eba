"""What databases need besides the ORM: append-only tables, compiled queries, fast migrations."""
