"""The site: settings, URLs, the API, middleware, the server, help pages and its commands."""
