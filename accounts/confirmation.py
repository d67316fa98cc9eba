"""Confirm that the person is still there before a change that would outlive their session.

Such as a token, a password or a link.

A sign-in within the last minutes is enough; otherwise the person enters the password, a code or a
passkey again.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlencode

from allauth.account import app_settings
from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.reauthentication import (
    did_recently_reauthenticate,
    get_reauthentication_flows,
)
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from accounts.api_auth import actor
from accounts.next_page import redirect_page
from accounts.session_store import SIGNED_IN_BROWSER

CONFIRMED_FOR: Final = timedelta(seconds=app_settings.REAUTHENTICATION_TIMEOUT)


def is_confirmed(request: HttpRequest) -> bool:
    """Whether the person signed in, or confirmed that they are there, within `CONFIRMED_FOR`."""
    signed_in_at: str = request.session.get(SIGNED_IN_BROWSER, {}).get("at")
    if signed_in_at and timezone.now() - datetime.fromisoformat(signed_in_at) < CONFIRMED_FOR:
        return True
    return bool(get_reauthentication_flows(actor(request))) and did_recently_reauthenticate(request)


def ask_to_confirm(request: HttpRequest, next_url: str) -> HttpResponse:
    """Lead to the page that asks for the password, a code or a passkey; then to `next_url`.

    The request itself is not stored until then, because it may contain a password.

    Raises:
        PermissionDenied: the person has none of these; a new sign-in is the only way to confirm.
    """
    methods = get_adapter(request).get_reauthentication_methods(request.user)
    if not methods:
        minutes = round(CONFIRMED_FOR.total_seconds() / 60)
        raise PermissionDenied(
            f"This needs a sign-in within the last {minutes} minutes. Sign out, and sign in again "
            "with your provider, or ask an administrator for a new sign-in link."
        )
    return redirect_page(request, f"{methods[0]['url']}?{urlencode({'next': next_url})}")
