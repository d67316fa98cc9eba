"""Headers of every response: policies for browsers, and caching."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.templatetags.static import static

from config.middleware.response_headers import StylesheetHintsMiddleware
from config.static_files import STYLESHEETS

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


def test_a_page_names_its_stylesheets_in_a_header(client, program):
    program.send("POST", "/tools", '{"definition": {"id": "t1", "name": "t1", "description": "d"}}')
    site, playground = (static(name) for name in STYLESHEETS)

    assert client.get("/")["Link"] == f"<{site}>; rel=preload; as=style"
    assert client.get("/nothing/")["Link"] == f"<{site}>; rel=preload; as=style"
    assert client.get("/tools/t1/try/")["Link"].split(", ") == [
        f"<{address}>; rel=preload; as=style" for address in (site, playground)
    ]
    assert "Link" not in client.get("/palette/?q=a")
    assert "Link" not in client.get("/tools/t1/preview/")


@pytest.mark.parametrize(
    "address",
    ["https://evil.example/x.css", "//evil.example/x.css", "/static/a b.css", "/static/\n"],
)
def test_only_static_files_are_named_in_the_header(rf, address):
    page = HttpResponse(f'<head><link rel="stylesheet" href="{address}"></head>')

    answer = StylesheetHintsMiddleware(lambda _request: page)(rf.get("/"))

    assert "Link" not in answer
