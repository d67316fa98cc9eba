"""Read OpenAPI and Swagger documents: an operation becomes a tool with a connection to its API."""
