"""Headers of every response: policies for browsers, and caching."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.django_db, pytest.mark.unit]


def test_every_page_has_the_strict_policy(client):
    policy = client.get("/")["Content-Security-Policy"]

    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


def test_pages_cannot_be_framed_sniffed_or_followed(client):
    answer = client.get("/")

    assert answer["X-Frame-Options"] == "DENY"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"


def test_pages_of_signed_in_users_are_not_cached(browser):
    assert "no-store" in browser.get("/")["Cache-Control"]


def test_a_refusal_must_not_be_cached(client):
    assert "no-cache" in client.get("/tools/?q=" + "a" * 20_000)["Cache-Control"]
