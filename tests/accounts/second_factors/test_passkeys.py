"""Passkeys: they work on the site's own origin, port included, and whatever a client sends is answered."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client
from fido2.utils import websafe_encode

from tests.accounts import browsers
from tests.accounts.browsers import is_signed_in, with_password
from tests.accounts.second_factors.soft_passkey import SoftPasskey
from toolshelf_core.audit import AuditEvent

pytestmark = pytest.mark.django_db

ADD = "/account/security/passkeys/add/"
HOST = "localhost:8000"
OWN = f"http://{HOST}"
FOREIGN = ["http://localhost:9000", "https://localhost:8000", "http://evil.localhost:8000", "null"]


def confirmed() -> Client:
    return browsers.confirmed(headers={"Host": HOST})


def options_of(page: str) -> dict[str, Any]:
    return json.loads(
        unescape(re.search(r'<script id="passkey-options"[^>]*>(.*?)</script>', page, re.DOTALL)[1])
    )


def add_passkey(client: Client, passkey: SoftPasskey):
    options = options_of(client.get(ADD).content.decode())["creation_options"]
    return client.post(
        ADD, {"credential": passkey.answer_to_creation(options), "passwordless": "on"}
    )


def sign_in_with(passkey: SoftPasskey):
    """The browser, and the site's answer to the passkey."""
    client = Client(headers={"Host": HOST})
    options = client.get("/passkey/", headers={"Accept": "application/json"}).json()[
        "request_options"
    ]
    return client, client.post("/passkey/", {"credential": passkey.answer_to_request(options)})


def test_a_passkey_is_added_signs_in_and_is_recorded(ada):
    passkey = SoftPasskey("localhost", OWN)

    added = add_passkey(confirmed(), passkey)
    client, answer = sign_in_with(passkey)

    assert (added.status_code, answer.status_code) == (302, 302)
    assert is_signed_in(client)
    event = AuditEvent.objects.get(action="factor.add")
    assert (event.person, json.loads(event.after)["kind"]) == ("ada", "passkey")


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_passkey_that_was_used_on_another_origin_does_not_sign_in(ada, origin):
    passkey = SoftPasskey("localhost", OWN)
    add_passkey(confirmed(), passkey)
    passkey.origin = origin

    client, _ = sign_in_with(passkey)

    assert not is_signed_in(client)
    assert AuditEvent.objects.filter(action="passkey.failed").exists()


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_passkey_that_was_made_on_another_origin_is_not_added(ada, origin):
    answer = add_passkey(confirmed(), SoftPasskey("localhost", origin))

    assert answer.status_code == 422
    assert not Authenticator.objects.exists()


def test_a_trusted_origin_may_use_passkeys(ada, settings):
    settings.CSRF_TRUSTED_ORIGINS = ["http://localhost:9000"]
    passkey = SoftPasskey("localhost", "http://localhost:9000")
    add_passkey(confirmed(), passkey)

    client, _ = sign_in_with(passkey)

    assert is_signed_in(client)


# -- what no browser sends --------------------------------------------------------------------------------------------

UNREADABLE = {
    "nested lists": "[" * 100_000,
    "nested lists that end": "[" * 30_000 + "]" * 30_000,
    "nested objects": '{"a":' * 50_000,
    "nested in the response": '{"response":' + "[" * 5_000 + "]" * 5_000 + "}",
    "a number of 5,000 digits": '{"id": ' + "9" * 5_000 + "}",
    "NaN": '{"id": NaN}',
    "twice the same member": '{"id": 1, "id": 2}',
    "a lone surrogate": '{"id": "\\ud800"}',
    "too long": json.dumps({"id": "x" * 100_000}),
}


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
def test_json_that_cannot_be_read_is_a_bad_request(text):
    assert Client(headers={"Host": HOST}).post("/passkey/", {"credential": text}).status_code == 400


@pytest.mark.parametrize("path", [ADD, "/account/security/confirm/passkey/", "/second-step/"])
def test_nested_json_is_a_bad_request_for_every_use_of_a_passkey(ada, path):
    client = confirmed()
    if path != ADD:
        Authenticator.objects.create(
            user=ada, type="webauthn", data={"name": "x", "credential": {}}
        )
        TOTP.activate(ada, generate_totp_secret())
    if path == "/second-step/":
        client = with_password(headers={"Host": HOST})

    assert client.post(path, {"credential": UNREADABLE["nested lists that end"]}).status_code == 400


def client_data(**members: Any) -> str:
    text = {"type": "webauthn.get", "challenge": "AAAA", "origin": OWN, **members}
    return websafe_encode(json.dumps(text).encode())


def signed(**response: Any) -> dict[str, Any]:
    response = {"clientDataJSON": client_data(), **response}
    return {"id": "AAAA", "rawId": "AAAA", "response": response}


ODD = {
    "nothing": {},
    "null": None,
    "a list": [],
    "a response that is a list": {"response": []},
    "no client data": {"response": {}},
    "client data that is a number": {"response": {"clientDataJSON": 7}},
    "client data that is no base64": {"response": {"clientDataJSON": "%%%"}},
    "client data that is a list": {"response": {"clientDataJSON": websafe_encode(b"[]")}},
    "nested client data": {"response": {"clientDataJSON": websafe_encode(b"[" * 40_000)}},
    "an origin that is a list": {"response": {"clientDataJSON": client_data(origin=[OWN])}},
    "a challenge that is a number": {"response": {"clientDataJSON": client_data(challenge=1)}},
    "a user that is a number": signed(
        authenticatorData=websafe_encode(b"x" * 37), signature="AAAA", userHandle=7
    ),
    "cut binary data": signed(authenticatorData="AA", signature="AAAA", userHandle="AAAA"),
    "nested binary data": signed(
        clientDataJSON=client_data(type="webauthn.create"),
        attestationObject=websafe_encode(b"\x81" * 20_000),
    ),
}


@pytest.mark.parametrize("value", ODD.values(), ids=ODD)
def test_an_unexpected_answer_of_a_browser_is_refused(ada, value):
    credential = json.dumps(value)

    sent = Client(headers={"Host": HOST}).post("/passkey/", {"credential": credential})
    client = confirmed()
    client.get(ADD)
    added = client.post(ADD, {"credential": credential})

    assert sent.status_code in {302, 400}
    assert added.status_code in {400, 422}
    assert not Authenticator.objects.exists()
