"""Sign-in links without their secrets, before anything logs or reports a path."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.middleware.base import Middleware
from toolshelf_core.secret_paths import HIDDEN_PATH, find_link_secret, hide_secrets, link_path


class HideSecretsMiddleware(Middleware):
    """Removes the secret of a sign-in link from a request.

    To the rest of the site, and to Django's log messages and error reports, the path is
    `/sign-in/link/`; the view finds the secret in `request.sign_in_secret`.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        path = request.path_info
        secret = find_link_secret(path)
        if path.casefold().lstrip("/").startswith("sign-in/"):
            safe_path = HIDDEN_PATH if secret else hide_secrets(path)
            request.sign_in_secret = secret or ""  # type: ignore[attr-defined]
            request.path = request.path.removesuffix(path) + safe_path
            request.path_info = request.META["PATH_INFO"] = safe_path
        if "HTTP_REFERER" in request.META:
            request.META["HTTP_REFERER"] = hide_secrets(request.META["HTTP_REFERER"])
        response = self.get_response(request)
        if secret and HIDDEN_PATH in response.get("Location", ""):  # a redirect from HTTP to HTTPS
            response["Location"] = response["Location"].replace(HIDDEN_PATH, link_path(secret))
        return response
