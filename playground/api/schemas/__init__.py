"""The request and response schemas of the playground's API, by subject."""
