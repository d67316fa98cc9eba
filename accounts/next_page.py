"""The page to return to after signing in: `next`, checked, and remembered over several pages."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote, unquote, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.encoding import iri_to_uri
from django.utils.http import url_has_allowed_host_and_scheme

from accounts.models import SignInLink

MAX_NEXT_CHARACTERS: Final = 2000


def is_page_of_site(request: HttpRequest, url: str) -> bool:
    """Whether `url` is a page of this site to return to, and none for signing in or out."""
    is_own = url_has_allowed_host_and_scheme(
        url, {request.get_host()}, require_https=request.is_secure()
    )
    if not is_own or len(url) > MAX_NEXT_CHARACTERS:
        return False
    path = urlsplit(url).path
    if path == reverse("accounts:sign_out"):
        return False
    return not path.startswith(reverse("accounts:sign_in"))


def recall_next(request: HttpRequest) -> str:
    """The page that `remember_next` stored in this browser; "" if there is none."""
    url = unquote(request.COOKIES.get(settings.NEXT_COOKIE_NAME, ""))
    return url if is_page_of_site(request, url) else ""


def remember_next(request: HttpRequest, response: HttpResponse, url: str) -> None:
    """Store `url` for the sign-in link that this browser may open next, in another tab.

    "" deletes it.
    """
    if not url and settings.NEXT_COOKIE_NAME not in request.COOKIES:
        return
    response.set_cookie(
        settings.NEXT_COOKIE_NAME,
        quote(url),
        max_age=SignInLink.LIFETIME if url else 0,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def redirect_page(request: HttpRequest, url: str) -> HttpResponse:
    """Lead to `url`: the whole page, even if the request is one of htmx for a part."""
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponse(status=204, headers={"HX-Redirect": iri_to_uri(url)})
    return redirect(url)
