"""HTML, charts and differences from data: what templates and view models share."""
