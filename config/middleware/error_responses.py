"""One format for every error: a page for browsers, `application/problem+json` under /api/."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from config.error_pages import failure, failure_from
from config.middleware.base import Middleware, is_api
from config.problem_json import CONTENT_TYPE


class ErrorResponsesMiddleware(Middleware):
    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code < 400 or not self._is_bare(request, response):
            return response
        answer = failure(request, response.status_code)
        for name in ("Allow", "Retry-After", "WWW-Authenticate"):
            if name in response:
                answer[name] = response[name]
        return answer

    @staticmethod
    def _is_bare(request: HttpRequest, response: HttpResponseBase) -> bool:
        """Whether the response does not explain the error yet, in the format of its URL."""
        if is_api(request):
            return not response.headers.get("Content-Type", "").startswith(CONTENT_TYPE)
        return isinstance(response, HttpResponse) and not response.content

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return failure_from(request, exception)
