"""Who may send a request: no page of another site, visitors only where the site allows it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from accounts.rate_limits import limit_forms_of_visitors
from accounts.second_factors.requirement import needs_second_factor
from config.error_pages import failure
from config.middleware.base import SAFE_METHODS, Middleware, is_api
from playground.mcp.protocol import is_mcp
from toolshelf_core.errors import Busy
from toolshelf_core.site_url import list_own_origins

# Types that a page of another site can send without a preflight (a "simple" request), so the API
# refuses them.
FOREIGN_FORM_TYPES = {"text/plain", "application/x-www-form-urlencoded", ""}


# The pages that people see before they have the second factor that their role requires.
WITHOUT_SECOND_FACTOR = {
    "accounts:password",
    "accounts:sign_in",
    "accounts:sign_in_by_link",
    "accounts:sign_out",
    "account_login",
    "account_reauthenticate",
    "healthz",
    "mfa_activate_totp",
    "mfa_add_webauthn",
    "mfa_authenticate",
    "mfa_index",
    "mfa_login_webauthn",
    "mfa_reauthenticate",
    "mfa_reauthenticate_webauthn",
    "oidc_callback",
    "oidc_start",
    "readyz",
}


class PlainTokensMiddleware(Middleware):
    """Refuses requests that carry a token over plain HTTP, instead of redirecting them to HTTPS.

    A program follows a redirect without a word, and goes on to send its token over networks that
    can read it.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not settings.HTTPS or request.is_secure() or "Authorization" not in request.headers:
            return self.get_response(request)
        path = request.path.lstrip("/")
        if any(re.search(pattern, path) for pattern in settings.SECURE_REDIRECT_EXEMPT):
            return self.get_response(request)
        detail = (
            "This token was sent over plain HTTP, where others can read it. Use the URL with "
            "https://, revoke the token, and create a new one."
        )
        if is_api(request) or is_mcp(request.path_info):
            return failure(request, 403, detail)
        return HttpResponse(f"{detail}\n", status=403, content_type="text/plain; charset=utf-8")


class CrossSiteGuardMiddleware(Middleware):
    """Refuses changes that a page of another site requested from the user's browser.

    Browsers send the origin of a request (`Sec-Fetch-Site`, `Origin`); programs send neither. Under
    /api/ a body must also have a type that a page of another site cannot send without a preflight.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method in SAFE_METHODS:
            return self.get_response(request)
        sender = request.headers.get("Sec-Fetch-Site", "none")
        if sender not in {"same-origin", "none"} or self.is_foreign(request):
            detail = "This request comes from a page of another site, so it was refused."
            return failure(request, 403, detail)
        has_body = request.META.get("CONTENT_LENGTH") not in {None, "", "0"}
        if is_api(request) and has_body and (request.content_type or "") in FOREIGN_FORM_TYPES:
            return failure(
                request,
                415,
                "Send the body as application/json, or in another format that the operation "
                "documents.",
            )
        return self.get_response(request)

    @staticmethod
    def is_foreign(request: HttpRequest) -> bool:
        origin = request.headers.get("Origin")
        if origin is None:
            return False
        return origin not in list_own_origins(request) or not urlsplit(origin).netloc


class VisitorRatesMiddleware(Middleware):
    """Refuses the forms of an address that sends too many of them without signing in."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: object) -> HttpResponseBase | None:
        if request.method in SAFE_METHODS or is_api(request) or is_mcp(request.path_info):
            return None
        if request.user.is_authenticated:
            return None
        try:
            limit_forms_of_visitors(request)
        except Busy as busy:
            detail = f"{busy} Go back and try again in {busy.retry_after_s} s, or sign in."
            response = failure(request, 429, detail)
            response["Retry-After"] = str(busy.retry_after_s)
            response["HX-Reswap"] = "none"  # a form on the page stays as it is
            return response
        return None


class BrowsingMiddleware(LoginRequiredMiddleware):
    """Redirects visitors to the page to sign in, if they may not browse (`ANONYMOUS_BROWSING`).

    Views that are decorated with `login_not_required` stay open. The API, MCP and the metrics
    answer 401 themselves. Signed-in people who need a second factor are led to the page on which
    they set it up (`SECOND_FACTOR_ROLES`).
    """

    def process_view(
        self,
        request: HttpRequest,
        view_func: Callable[..., Any],
        view_args: tuple[Any, ...],
        view_kwargs: dict[str, Any],
    ) -> HttpResponseBase | None:
        match = request.resolver_match
        view_name = match.view_name if match else ""
        # The documentation of the API is a page at a URL of the API.
        is_call = is_api(request) and view_name != "api_docs"
        is_for_programs = is_call or is_mcp(request.path_info)
        # Only these take a token, and with this header they ignore the session. Pages ignore the
        # header.
        has_token = is_for_programs and "Authorization" in request.headers
        is_open = match is None or view_name in WITHOUT_SECOND_FACTOR
        if not has_token and not is_open and needs_second_factor(request):
            if is_for_programs or request.method not in SAFE_METHODS:
                detail = "Set up a second factor on your page “Sign-in and security” first."
                return failure(request, 403, detail)
            return redirect("mfa_index")
        if settings.ANONYMOUS_BROWSING or is_for_programs:
            return None
        return super().process_view(request, view_func, view_args, view_kwargs)
