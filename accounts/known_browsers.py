"""Browsers that have signed in to an account before, by a signed cookie.

Failed attempts of other browsers do not delay them.

The cookie proves nothing but that; signing in still needs the password. It holds a random id and
the digests of the accounts, and its own failed attempts are counted by that id.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from accounts.models import User, digest

LIFETIME: Final = timedelta(days=365)
MAX_ACCOUNTS: Final = 5  # that one browser is known to; the oldest is forgotten
_SALT: Final = "catalog.accounts.known_browsers"  # a salt stays when its module moves


def identify_browser(request: HttpRequest, username: str) -> str | None:
    """The id of the browser if it has signed in to the account before.

    None for an unknown browser.
    """
    browser = _read(request)
    return str(browser["id"]) if _mark(username) in browser["accounts"] else None


def remember_browser(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Note in the browser that it has signed in as `user`."""
    browser = _read(request)
    marks = dict.fromkeys([_mark(user.get_username()), *browser["accounts"]])
    browser["accounts"] = list(marks)[:MAX_ACCOUNTS]
    response.set_cookie(
        settings.BROWSER_COOKIE_NAME,
        signing.dumps(browser, salt=_SALT),
        max_age=LIFETIME,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _mark(username: str) -> str:
    return digest(username.casefold())[:16]


def _read(request: HttpRequest) -> dict[str, Any]:
    """{"id", "accounts": [digest]}; a new id without accounts if there is no valid cookie."""
    cookie = request.COOKIES.get(settings.BROWSER_COOKIE_NAME, "")
    try:
        browser: dict[str, Any] = signing.loads(cookie, salt=_SALT, max_age=LIFETIME)
    except signing.BadSignature:
        return {"id": secrets.token_urlsafe(16), "accounts": []}
    return browser
