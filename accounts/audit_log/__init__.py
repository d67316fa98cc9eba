"""The audit log as a page, as NDJSON and in the API. `toolshelf_core/audit.py` writes it."""
