"""Content of the pages and of the API about runs."""
