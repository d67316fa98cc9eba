"""Where an attempt to sign in comes from, for throttling.py."""

from __future__ import annotations

from django.http import HttpRequest

from catalog.accounts.client_address import network_of
from catalog.accounts.known_browsers import known_browser
from catalog.accounts.throttling import Origin


def origin_of(request: HttpRequest, username: str) -> Origin:
    """The origin of an attempt to sign in as `username`: a browser that did so before, else the client's network."""
    browser = known_browser(request, username)
    return Origin(f"browser {browser}", is_known=True) if browser else Origin(network_of(request))
