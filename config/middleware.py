"""Middleware: hidden secrets, error responses, request limits, protection against cross-site requests, caching."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.core.exceptions import DisallowedHost, RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control, patch_vary_headers
from whitenoise.middleware import WhiteNoiseFileResponse  # type: ignore[import-untyped]

from catalog.accounts.secret_paths import HIDDEN_PATH, hidden, path_of_link, secret_of_link
from catalog.errors import Busy, NotAllowed, Unreachable
from config.error_pages import failure
from config.problem_json import CONTENT_TYPE
from playground.mcp.protocol import is_mcp

GetResponse = Callable[[HttpRequest], HttpResponseBase]

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
KNOWN_METHODS = (*SAFE_METHODS, "POST", "PUT", "PATCH", "DELETE")
MAX_QUERY_CHARACTERS = 16_384
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
MAX_HEADER_CHARACTERS = 32_768  # of all headers together
STYLESHEET = re.compile(rb'<link rel="stylesheet" href="(/static/[\w./-]+)">')  # only this site's static files
HEAD_BYTES = 4096  # of a page, in which it links to its stylesheets
# Types that a page of another site can send without a preflight (a "simple" request), so the API refuses them.
FOREIGN_FORM_TYPES = {"text/plain", "application/x-www-form-urlencoded", ""}
PLAIN_DETAILS = {
    401: "Sign in, or send 'Authorization: Bearer' with a token of this site.",
    403: "You do not have permission to do this.",
    404: "Not found, or no access. Check the URL, or sign in.",
    405: "This URL does not support that method.",
    500: "Something went wrong. The error has been logged.",
}


def is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/")


class Middleware:
    """The start of a middleware: `get_response` is the rest of the site."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response


class HideSecretsMiddleware(Middleware):
    """Removes the secret of a sign-in link from a request, before anything logs or reports its path.

    To the rest of the site, and to Django's log messages and error reports, the path is `/sign-in/link/`; the view
    finds the secret in `request.sign_in_secret`.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        path, secret = request.path_info, secret_of_link(request.path_info)
        if path.casefold().lstrip("/").startswith("sign-in/"):
            shown = HIDDEN_PATH if secret else hidden(path)
            request.sign_in_secret = secret or ""  # type: ignore[attr-defined]
            request.path = request.path.removesuffix(path) + shown
            request.path_info = request.META["PATH_INFO"] = shown
        if "HTTP_REFERER" in request.META:
            request.META["HTTP_REFERER"] = hidden(request.META["HTTP_REFERER"])
        response = self.get_response(request)
        if secret and HIDDEN_PATH in response.get("Location", ""):  # a redirect from HTTP to HTTPS
            response["Location"] = response["Location"].replace(HIDDEN_PATH, path_of_link(secret))
        return response


class BrowserPoliciesMiddleware(Middleware):
    """Adds two policies that Django has no setting for: Cross-Origin-Resource-Policy and Permissions-Policy.

    A static file needs no Permissions-Policy, which is only for pages: it would be a quarter of the file's headers.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Cross-Origin-Resource-Policy", settings.CROSS_ORIGIN_RESOURCE_POLICY)
        if not isinstance(response, WhiteNoiseFileResponse):
            response.headers.setdefault("Permissions-Policy", settings.PERMISSIONS_POLICY)
        return response


class StylesheetHintsMiddleware(Middleware):
    """Names a page's stylesheets in a Link header, so that a browser requests them before it parses the page.

    On a phone's network and processor (`bench.page_speed`), pages were painted 10 to 50 ms earlier (two pages, first
    and second visit, medians of 8).
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if isinstance(response, HttpResponse) and response.headers.get("Content-Type", "").startswith("text/html"):
            addresses = STYLESHEET.findall(response.content, 0, HEAD_BYTES)
            if addresses:
                hints = (f"<{address.decode()}>; rel=preload; as=style" for address in addresses)
                response.headers["Link"] = ", ".join(hints)
        return response


class ErrorResponsesMiddleware(Middleware):
    """Gives every error one format: a page for browsers, `application/problem+json` under /api/."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code < 400 or not self._is_bare(request, response):
            return response
        answer = failure(request, response.status_code, PLAIN_DETAILS.get(response.status_code, response.reason_phrase))
        for name in ("Allow", "Retry-After", "WWW-Authenticate"):
            if name in response:
                answer[name] = response[name]
        return answer

    @staticmethod
    def _is_bare(request: HttpRequest, response: HttpResponseBase) -> bool:
        """Whether the response does not explain the error yet, in the format of pages or of the API."""
        if is_api(request):
            return not response.headers.get("Content-Type", "").startswith(CONTENT_TYPE)
        return isinstance(response, HttpResponse) and not response.content

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, RequestDataTooBig):
            return failure(request, 413, f"A request can have at most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE:,} bytes.")
        if isinstance(exception, TooManyFieldsSent | TooManyFilesSent):
            fields, files = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS, settings.DATA_UPLOAD_MAX_NUMBER_FILES
            return failure(request, 413, f"A request can have at most {fields:,} fields and {files:,} files.")
        if isinstance(exception, NotAllowed):
            return failure(request, 403, str(exception))
        if isinstance(exception, Busy):
            response = failure(request, 503 if isinstance(exception, Unreachable) else 429, str(exception))
            response["Retry-After"] = str(exception.retry_after_s)
            return response
        if isinstance(exception, OperationalError) or (isinstance(exception, OSError) and exception.errno in NO_ROOM):
            # The disk is full or the database cannot be reached: nothing was stored, and reading may still work.
            done = "read" if request.method in SAFE_METHODS else "stored"
            return failure(request, 503, f"This cannot be {done} at the moment. Nothing was changed; try again.")
        return None


class RequestLimitsMiddleware(Middleware):
    """Refuses requests that no part of the site can handle, before anything reads them."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method not in KNOWN_METHODS:
            response = failure(request, 405, f"This site supports {', '.join(KNOWN_METHODS)}.")
            response["Allow"] = ", ".join(KNOWN_METHODS)
            return response
        refusal = refusal_of_address(request) or refusal_of_headers(request)
        if refusal:
            return failure(request, *refusal)
        if request.method == "HEAD" and is_api(request):
            request.method = "GET"  # the server leaves out the body of the response
        return self.get_response(request)


def refusal_of_address(request: HttpRequest) -> tuple[int, str] | None:
    """The status and the reason if a request for this URL is refused."""
    try:
        request.get_host()
    except DisallowedHost:
        return 400, "This host name is not one of the site's; administrators set them in ALLOWED_HOSTS."
    query = request.META.get("QUERY_STRING", "")
    if len(query) > MAX_QUERY_CHARACTERS:
        return 414, f"A query string can have at most {MAX_QUERY_CHARACTERS:,} characters."
    if "\0" in request.path_info or "%00" in query:
        return 400, "A URL cannot contain NUL characters."
    return None


def refusal_of_headers(request: HttpRequest) -> tuple[int, str] | None:
    """The status and the reason if a request with these headers is refused."""
    headers = ((name, value) for name, value in request.META.items() if name.startswith("HTTP_"))
    if sum(len(name) + len(value) for name, value in headers) > MAX_HEADER_CHARACTERS:
        return 431, f"The headers of a request can have at most {MAX_HEADER_CHARACTERS:,} characters."
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        return 415, "Send the body uncompressed, without a Content-Encoding."
    if "Transfer-Encoding" in request.headers:
        return 411, "Send the length of the body as Content-Length."
    size = request.META.get("CONTENT_LENGTH") or "0"
    if not (size.isascii() and size.isdecimal()):
        return 400, "Content-Length must be a whole number."
    if int(size[:20]) > settings.MAX_UPLOAD_BYTES:
        return 413, f"A request can have at most {settings.MAX_UPLOAD_BYTES:,} bytes."
    return None


class CrossSiteGuardMiddleware(Middleware):
    """Refuses changes that a page of another site requested from the user's browser.

    Browsers send the origin of a request (`Sec-Fetch-Site`, `Origin`); programs send neither. Under /api/ a body must
    also have a type that a page of another site cannot send without a preflight.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method in SAFE_METHODS:
            return self.get_response(request)
        if request.headers.get("Sec-Fetch-Site", "none") not in {"same-origin", "none"} or self.is_foreign(request):
            return failure(request, 403, "This request comes from a page of another site, so it was refused.")
        has_body = request.META.get("CONTENT_LENGTH") not in {None, "", "0"}
        if is_api(request) and has_body and (request.content_type or "") in FOREIGN_FORM_TYPES:
            return failure(
                request, 415, "Send the body as application/json, or in another format that the operation documents."
            )
        return self.get_response(request)

    @staticmethod
    def is_foreign(request: HttpRequest) -> bool:
        origin = request.headers.get("Origin")
        if origin is None:
            return False
        own = f"{request.scheme}://{request.get_host()}"
        trusted = {own, *settings.CSRF_TRUSTED_ORIGINS}
        return origin not in trusted or not urlsplit(origin).netloc


class BrowsingMiddleware(LoginRequiredMiddleware):
    """Redirects visitors to the page to sign in, if they may not browse (`ANONYMOUS_BROWSING`).

    Views that are decorated with `login_not_required` stay open. The API, MCP and the metrics answer 401 themselves.
    """

    def process_view(
        self,
        request: HttpRequest,
        view_func: Callable[..., Any],
        view_args: tuple[Any, ...],
        view_kwargs: dict[str, Any],
    ) -> HttpResponseBase | None:
        match = request.resolver_match
        is_documentation = match is not None and match.view_name == "api_docs"  # a page at an address of the API
        if settings.ANONYMOUS_BROWSING or (is_api(request) and not is_documentation) or is_mcp(request.path_info):
            return None
        return super().process_view(request, view_func, view_args, view_kwargs)


class CacheControlMiddleware(Middleware):
    """Forbids caching of responses to signed-in users; public responses must be revalidated before reuse."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        patch_vary_headers(response, ["Cookie"])
        if settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers:
            patch_cache_control(response, no_store=True, private=True)
        elif "Cache-Control" not in response:
            patch_cache_control(response, no_cache=True)
        return response
