"""Views that are imported at their first request.

Those of allauth need 0.1 s of CPU time, and most starts of the server never need them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.module_loading import import_string

View = Callable[..., HttpResponseBase]


def lazy_view(dotted_path: str) -> View:
    """The view at `dotted_path`, for a URL."""

    def view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response: HttpResponseBase = import_string(dotted_path)(request, *args, **kwargs)
        return response

    view.__name__ = dotted_path.rpartition(".")[2]
    return view
