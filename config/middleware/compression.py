"""Compression of pages, whose compressed size tells an attacker no secret (BREACH).

Such an attack needs many requests with the visitor's session, pages that repeat text of the
attacker's choice beside a secret, and exact sizes. Browsers do not send the session's cookie with
requests that another site makes unseen (`SameSite=Lax`), Django adds up to 100 random bytes to each
compressed response, and a CSRF token differs in each response. A page whose view forbids to store
it (`no-store`) shows a secret, such as a new token, and stays as it is.

Responses of the API stay as they are, too: their entity tags would become weak, and `If-Match`
compares strong ones. Static files are compressed when they are collected.

Sources: Gluck, Harris, Prado, "BREACH: Reviving the CRIME attack", 2013; Palacios and others, "Heal
the Breach", 2022.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware


class CompressionMiddleware(GZipMiddleware):
    """Compresses HTML that shows no secret, for browsers that accept gzip."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if isinstance(response, HttpResponse) and may_be_compressed(response):
            return super().process_response(request, response)
        return response


def may_be_compressed(response: HttpResponse) -> bool:
    """Whether the response is a page, and its size tells nothing about a secret in it."""
    is_html = response.headers.get("Content-Type", "").startswith("text/html")
    return is_html and "no-store" not in response.headers.get("Cache-Control", "")
