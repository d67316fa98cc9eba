"""Requests that no part of the site can handle are refused before anything reads them."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.django_db, pytest.mark.unit]


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "*"]
)
def test_a_foreign_host_name_is_refused(client, host, caplog):
    answer = client.get("/", headers={"host": host})

    assert answer.status_code == 400
    assert b"is not one of the site" in answer.content
    assert all(
        record.levelname == "WARNING" and not record.exc_info for record in caplog.records
    )  # strangers do this


@pytest.mark.parametrize("path", ["/tools/?q=%00", "/a%00b"])
def test_a_nul_in_an_address_is_refused(client, path):
    assert client.get(path).status_code == 400


def test_a_query_beyond_its_bound_is_refused(client):
    assert client.get("/tools/?q=" + "a" * 20_000).status_code == 414


def test_an_unsupported_method_is_refused(client):
    answer = client.generic("TRACE", "/")

    assert answer.status_code == 405
    assert "GET" in answer["Allow"]


def test_a_huge_body_is_refused_before_it_is_read(client):
    answer = client.generic(
        "POST", "/api/v1/tools", b"{}", CONTENT_LENGTH=str(10**12), content_type="application/json"
    )

    assert answer.status_code == 413


def test_headers_beyond_their_bound_are_refused(client):
    assert client.get("/", headers={"x-big": "a" * 40_000}).status_code == 431
    assert client.get("/", headers={f"x-{n}": "a" * 1000 for n in range(40)}).status_code == 431


@pytest.mark.parametrize("coding", ["gzip", "br", "deflate", "gzip, gzip"])
def test_a_packed_body_is_not_unpacked(client, coding):
    answer = client.post(
        "/api/v1/tools", b"\x1f\x8b", "application/json", headers={"content-encoding": coding}
    )

    assert answer.status_code == 415


def test_a_body_of_unknown_length_is_refused(client):
    answer = client.post(
        "/api/v1/tools", b"", "application/json", headers={"transfer-encoding": "chunked"}
    )

    assert answer.status_code == 411


def test_the_api_answers_head_as_it_answers_get(client):
    answer = client.head("/api/v1/tools")

    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("application/json")
