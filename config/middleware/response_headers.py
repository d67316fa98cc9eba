"""Headers of responses: policies for browsers, and caching."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control, patch_vary_headers
from whitenoise.middleware import WhiteNoiseFileResponse  # type: ignore[import-untyped]

from config.middleware.base import Middleware


class BrowserPoliciesMiddleware(Middleware):
    """Adds two policies that Django has no setting for.

    A static file needs no Permissions-Policy, which is only for pages: it would be a quarter of the
    file's headers.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault(
            "Cross-Origin-Resource-Policy", settings.CROSS_ORIGIN_RESOURCE_POLICY
        )
        if not isinstance(response, WhiteNoiseFileResponse):
            response.headers.setdefault("Permissions-Policy", settings.PERMISSIONS_POLICY)
        return response


class CacheControlMiddleware(Middleware):
    """Forbids caching of responses to signed-in users and to visitors who have run a tool.

    Public responses must be revalidated before reuse.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        patch_vary_headers(response, ["Cookie"])
        is_personal = (
            settings.SESSION_COOKIE_NAME in request.COOKIES
            or settings.VISITOR_COOKIE_NAME in request.COOKIES
            or "Authorization" in request.headers
        )
        if is_personal:
            patch_cache_control(response, no_store=True, private=True)
        elif "Cache-Control" not in response:
            patch_cache_control(response, no_cache=True)
        return response
