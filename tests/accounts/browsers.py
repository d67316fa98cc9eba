"""Browsers in which people sign in, and the codes of their authenticator apps."""

from __future__ import annotations

import re

from allauth.mfa.totp.internal import auth as totp
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.test import Client

PASSWORD = "correct horse battery"
SECURITY = "/account/security/"


def is_signed_in(client: Client) -> bool:
    return client.get("/account/tokens/").status_code == 200


def with_password(name: str = "ada", *, headers: dict[str, str] | None = None, **form: str):
    """A browser that has sent the password of this person."""
    client = Client(headers=headers or {})
    sent = {"username": name, "password": PASSWORD, **form}
    assert client.post("/sign-in/", sent).status_code == 302
    return client


def confirm(client: Client):
    """Enter the password of the person who is signed in again."""
    return client.post(f"{SECURITY}confirm/", {"password": PASSWORD})


def confirmed(name: str = "ada", **options) -> Client:
    client = with_password(name, **options)
    confirm(client)
    return client


def code(secret: str, *, periods: int = 0) -> str:
    """The code of now, by the clock that checks it, or of so many periods of 30 s later."""
    return format_hotp_value(hotp_value(secret, int(totp.time.time()) // 30 + periods))


def wrong_code(secret: str) -> str:
    valid = {code(secret, periods=periods) for periods in range(-3, 4)}
    return next(each for each in map("{:06}".format, range(10)) if each not in valid)


def shown_secret(client: Client) -> str:
    """The secret of an authenticator app that is about to be turned on."""
    page = client.get(f"{SECURITY}app/").content.decode()
    return re.search(r'class="breakable qr-key">([A-Z2-7]+)<', page)[1]


def turn_on_app(client: Client) -> str:
    """Turn on an authenticator app with the code of the period before; gives its secret."""
    secret = shown_secret(client)
    sent = {"code": code(secret, periods=-1)}
    assert client.post(f"{SECURITY}app/", sent).status_code == 302
    return secret
