"""The catalog's part of the JSON API."""
