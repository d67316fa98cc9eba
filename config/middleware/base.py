"""The base of the middleware, and which requests are reads or calls of the API."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

GetResponse = Callable[[HttpRequest], HttpResponseBase]

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


def is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/")


class Middleware:
    """The start of a middleware: `get_response` is the rest of the site."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
