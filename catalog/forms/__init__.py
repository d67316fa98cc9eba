"""The forms of the catalog's pages, by subject."""
