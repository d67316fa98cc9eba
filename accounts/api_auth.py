"""Authentication of API requests: a bearer token, or the browser's session with its CSRF token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.views.decorators.debug import sensitive_variables
from ninja.errors import AuthenticationError, HttpError
from ninja.security import APIKeyCookie, HttpBearer

from accounts.models import ApiToken, User
from accounts.tokens import find_token


class Token(HttpBearer):
    """`Authorization: Bearer …` with a usable token that has one of the scopes.

    Without scopes, any usable token.

    An unusable token (unknown, expired, revoked, or of a disabled account) is refused everywhere,
    even where no token is needed: a program whose token has expired must notice.
    """

    def __init__(self, *scopes: str) -> None:
        super().__init__()
        self.scopes = scopes

    def __call__(self, request: HttpRequest) -> ApiToken | None:
        """The token; None if no `Authorization` was sent, so that ninja tries the next method.

        Raises:
            AuthenticationError: the header is not usable. It never falls back to the session.
        """
        header = request.headers.get("Authorization")
        if header is None:
            return None
        kind, _, secret = header.partition(" ")
        if kind.lower() != "bearer":
            raise AuthenticationError
        return self.authenticate(request, secret.strip())

    @sensitive_variables()
    def authenticate(self, request: HttpRequest, token: str) -> ApiToken:
        """The token, which ninja puts into `request.auth`."""
        api_token = find_token(token)
        if api_token is None:
            raise AuthenticationError
        request.user = api_token.user
        if self.scopes and set(self.scopes).isdisjoint(api_token.scopes):
            # For the audit log: ninja sets it only after this method has returned.
            request.auth = api_token  # type: ignore[attr-defined]
            scopes = "' or '".join(self.scopes)
            given = ", ".join(api_token.scopes)
            raise HttpError(403, f"This token lacks the scope '{scopes}'; it has: {given}.")
        return api_token


class Session(APIKeyCookie):
    """A signed-in browser; changes need the CSRF token in `X-CSRFToken` (checked by ninja)."""

    param_name = settings.SESSION_COOKIE_NAME

    def __call__(self, request: HttpRequest) -> User | None:
        """The user, after checking the CSRF token; None if nobody is signed in."""
        if not request.user.is_authenticated:
            return None
        user: User | None = super().__call__(request)
        return user

    def authenticate(self, request: HttpRequest, key: str | None) -> User | None:  # noqa: ARG002
        return request.user if isinstance(request.user, User) else None


class Anybody(APIKeyCookie):
    """Accepts every request, unless visitors may not browse (`ANONYMOUS_BROWSING`).

    Operations that change nothing are open to everyone who can reach the site.
    """

    param_name = settings.SESSION_COOKIE_NAME

    def __call__(self, request: HttpRequest) -> User | AnonymousUser | None:
        return self.authenticate(request, None)

    def authenticate(
        self,
        request: HttpRequest,
        key: str | None,  # noqa: ARG002
    ) -> User | AnonymousUser | None:
        if settings.ANONYMOUS_BROWSING or request.user.is_authenticated:
            return request.user
        return None


def token_or_session(*scopes: str) -> list[Callable[[HttpRequest], Any]]:
    """For `auth=` of an operation that changes, runs, or shows private data.

    A token needs one of the scopes.
    """
    return [Token(*scopes), Session()]


def open_to_all() -> list[Callable[[HttpRequest], Any]]:
    """For `auth=` of an operation that anyone may call, with any usable token or with none."""
    return [Token(), Anybody()]


def actor(request: HttpRequest) -> User:
    """The signed-in user of a request, behind `token_or_session` or `login_required`."""
    if not isinstance(request.user, User):
        raise AuthenticationError
    return request.user
