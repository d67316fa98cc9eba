"""The headers of static files."""

from wsgiref.headers import Headers


def add_static_headers(headers: Headers, path: str, url: str) -> None:  # noqa: ARG001 - WhiteNoise passes them
    """Add the policy for a static file that is opened as a page: it loads nothing."""
    headers["Content-Security-Policy"] = "default-src 'none'; frame-ancestors 'none'"
