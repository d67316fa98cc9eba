"""The middleware that counts requests and their durations, for `/metrics`."""

from __future__ import annotations

import time
from typing import Final

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.middleware.base import Middleware
from config.request_counters import request_counters
from playground.mcp.protocol import is_mcp

NOT_COUNTED: Final = ("/metrics", "/healthz", "/readyz")


class RequestMetricsMiddleware(Middleware):
    """Measures the duration of requests by kind (page, API, MCP, static file) and status."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info in NOT_COUNTED:
            return self.get_response(request)
        began = time.perf_counter()
        response = self.get_response(request)
        seconds = time.perf_counter() - began
        request_counters().add(kind_of(request.path_info), response.status_code, seconds)
        return response


def kind_of(path: str) -> str:
    if path.startswith("/api/"):
        return "api"
    if is_mcp(path):
        return "mcp"
    return "static" if path.startswith(settings.STATIC_URL) else "page"
