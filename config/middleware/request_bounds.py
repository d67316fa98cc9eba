"""What any request may contain: methods, addresses, headers and sizes."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.error_pages import failure
from config.middleware.base import SAFE_METHODS, Middleware, is_api

KNOWN_METHODS = (*SAFE_METHODS, "POST", "PUT", "PATCH", "DELETE")
MAX_QUERY_CHARACTERS = 16_384
MAX_HEADER_CHARACTERS = 32_768  # of all headers together


class RequestBoundsMiddleware(Middleware):
    """Refuses requests that no part of the site can handle, before anything reads them."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method not in KNOWN_METHODS:
            response = failure(request, 405, f"This site supports {', '.join(KNOWN_METHODS)}.")
            response["Allow"] = ", ".join(KNOWN_METHODS)
            return response
        refusal = check_url(request) or check_headers(request)
        if refusal:
            return failure(request, *refusal)
        if request.method == "HEAD" and is_api(request):
            request.method = "GET"  # the server leaves out the body of the response
        return self.get_response(request)


def check_url(request: HttpRequest) -> tuple[int, str] | None:
    """The status and the reason if a request for this URL is refused."""
    try:
        request.get_host()
    except DisallowedHost:
        detail = (
            "This host name is not one of the site's; administrators set them in ALLOWED_HOSTS."
        )
        return 400, detail
    query = request.META.get("QUERY_STRING", "")
    if len(query) > MAX_QUERY_CHARACTERS:
        return 414, f"A query string can have at most {MAX_QUERY_CHARACTERS:,} characters."
    if "\0" in request.path_info or "%00" in query:
        return 400, "A URL cannot contain NUL characters."
    return None


def check_headers(request: HttpRequest) -> tuple[int, str] | None:
    """The status and the reason if a request with these headers is refused."""
    length = 0
    for name, value in request.META.items():
        if name.startswith("HTTP_"):
            length += len(name) + len(value)
    if length > MAX_HEADER_CHARACTERS:
        detail = f"The headers of a request can have at most {MAX_HEADER_CHARACTERS:,} characters."
        return 431, detail
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        return 415, "Send the body uncompressed, without a Content-Encoding."
    if "Transfer-Encoding" in request.headers:
        return 411, "Send the length of the body as Content-Length."
    size = request.META.get("CONTENT_LENGTH") or "0"
    if not (size.isascii() and size.isdecimal()):
        return 400, "Content-Length must be a whole number."
    if int(size[:20]) > settings.MAX_REQUEST_BYTES:
        return 413, f"A request can have at most {settings.MAX_REQUEST_BYTES:,} bytes."
    return None
