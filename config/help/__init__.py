"""The documents in `docs/` as pages of the site."""
