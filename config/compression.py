"""Compression of pages, without an attacker learning a secret from the size of a compressed page (BREACH).

Such an attack needs a page that contains both a secret and text of the attacker's choice, from the query string for
example: the page is smaller if the text repeats a part of the secret. A page is therefore compressed only

- for a visitor without a session, if it contains no CSRF token: it then holds no secret;
- or if its view sets `reflects_no_input` on the response, because it repeats nothing of the request.

Django's middleware, which compresses, also adds up to 100 random bytes to each response, and CSRF tokens differ in each
response. Responses of the API stay as they are: their entity tags would become weak, and `If-Match` compares strong
ones. Static files are compressed when they are collected.

Source: Gluck, Harris, Prado, "BREACH: Reviving the CRIME attack", 2013.
"""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware


class CompressionMiddleware(GZipMiddleware):
    """Compresses HTML that holds no secret, or repeats no input, for browsers that accept gzip."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if isinstance(response, HttpResponse) and may_be_compressed(request, response):
            return super().process_response(request, response)
        return response


def may_be_compressed(request: HttpRequest, response: HttpResponse) -> bool:
    """Whether the size of the compressed response tells an attacker nothing about a secret in it."""
    if not response.headers.get("Content-Type", "").startswith("text/html"):
        return False
    if getattr(response, "reflects_no_input", False):
        return True
    has_session = settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers
    return not has_session and not response.cookies  # a page with a CSRF token sets the token's cookie
