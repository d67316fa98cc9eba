"""What both databases need besides the ORM: read-only tables, stored queries, fast migrations."""
