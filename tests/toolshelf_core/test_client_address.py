"""Which address counts as the client's, behind a trusted proxy: for limits, the audit log and links on this machine."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.cell_rate import Rate
from toolshelf_core.audit import AuditEvent

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def proxy(settings):
    settings.TRUST_PROXY = True


def recorded_address(*, peer: str = "10.0.0.1", **headers: str) -> str:
    """The address in the audit log of a sign-in that failed."""
    entries = {"username": "nobody", "password": "wrong"}
    Client().post(
        "/sign-in/", entries, REMOTE_ADDR=peer, headers={"X-Forwarded-Proto": "https", **headers}
    )
    return AuditEvent.objects.get(action="sign-in.failed").address


@pytest.mark.parametrize(
    ("header", "address"),
    [
        ("198.51.100.9", "198.51.100.9"),
        ("192.0.2.1, 198.51.100.9", "198.51.100.9"),
        ("198.51.100.9:4711", "198.51.100.9"),
        ("2001:db8::9", "2001:db8::9"),
        ("[2001:db8::9]:4711", "2001:db8::9"),
        ("2001:DB8:0:0::9", "2001:db8::9"),
    ],
)
def test_the_last_address_that_the_proxy_reports_is_the_clients(header, address):
    assert recorded_address(**{"X-Forwarded-For": header}) == address


@pytest.mark.parametrize(
    "header",
    [
        "",
        "unknown",
        "_hidden",
        "198.51.100",
        "198.51.100.9.1",
        "1.2.3.4 forged",
        "<b>x</b>",
        "[::1",
        "198.51.100.9,",
    ],
)
def test_anything_but_an_address_is_ignored(header):
    assert recorded_address(**{"X-Forwarded-For": header}) == "10.0.0.1"


def test_the_zone_of_an_address_cannot_carry_text():
    assert recorded_address(**{"X-Forwarded-For": "fe80::9%<script>"}) == "fe80::9"


def test_addresses_get_limits_of_their_own_and_other_texts_do_not(settings):
    settings.API_RATE = Rate(2, 3600)
    clients = ["client-1", "client-2", "client-3", "192.0.2.7"]

    statuses = [
        Client().get("/api/v1/tools", headers={"X-Forwarded-For": each}).status_code
        for each in clients
    ]

    assert statuses == [200, 200, 429, 200]


def test_the_address_comes_from_the_header_that_the_setting_names(settings):
    settings.ADDRESS_HEADER = "realip"

    address = recorded_address(**{"realip": "198.51.100.9", "X-Forwarded-For": "192.0.2.66"})

    assert address == "198.51.100.9"


def test_an_untrusted_header_is_ignored(settings):
    settings.TRUST_PROXY = False

    assert recorded_address(**{"X-Forwarded-For": "198.51.100.9"}) == "10.0.0.1"
