"""Forms that visitors filled in before signing in, stored while they sign in.

They are stored in the session, encrypted, because any text can contain a secret. The session is
carried over on signing in, by password or by link. The caller leaves out the fields of secrets, and
files. The number, size and lifetime of visitors' sessions are limited, so that nobody can fill the
disk.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from accounts.models import Session
from accounts.next_page import redirect_page
from toolshelf_core.encryption import Unreadable, decrypt, encrypt

LIFETIME: Final = timedelta(hours=1)
MAX_CHARACTERS: Final = 512 * 1024
MAX_STORED: Final = 100
KEY: Final = "unfinished_form"


def ask_to_sign_in(request: HttpRequest, path: str, filled_in: str) -> HttpResponse:
    """Redirect a visitor to sign in, and then to `path`, where the form can be taken again.

    A form is not stored if it is too long or too many are stored already; the sign-in page then
    shows a warning.
    """
    query = {"next": path}
    if len(filled_in) > MAX_CHARACTERS or not (is_stored(request) or has_room()):
        query["unsaved"] = "1"
    else:
        request.session[KEY] = {"path": path, "encrypted": encrypt(filled_in)}
        request.session.set_expiry(int(LIFETIME.total_seconds()))
    address = f"{reverse('accounts:sign_in')}?{urlencode(query)}"
    return redirect_page(request, address)


def has_room() -> bool:
    """Whether another form can be stored.

    Sessions that end this soon are visitors'; users' sessions last for weeks.
    """
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    return Session.objects.filter(expire_date__lt=timezone.now() + LIFETIME).count() < MAX_STORED


def is_stored(request: HttpRequest) -> bool:
    """Whether this browser's session holds a form."""
    return KEY in request.session


def take_unfinished(request: HttpRequest, path: str) -> str | None:
    """The form that the user filled in at `path` before signing in, returned once.

    None if there is none.
    """
    entry = request.session.get(KEY)
    if not request.user.is_authenticated or not entry or entry["path"] != path:
        return None
    del request.session[KEY]
    try:
        return str(decrypt(entry["encrypted"]))
    except (Unreadable, KeyError):  # the key has changed, or an earlier version stored it
        return None
