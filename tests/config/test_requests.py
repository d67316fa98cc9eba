"""Rules for every request: where it comes from, what it carries, how it is refused, what headers answers have."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client

from catalog.accounts.models import User
from catalog.accounts.tokens import create_token

pytestmark = [pytest.mark.django_db, pytest.mark.unit]


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def browser(ada) -> Client:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    return client


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


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "*"])
def test_a_foreign_host_name_is_refused(client, host, caplog):
    answer = client.get("/", headers={"host": host})

    assert answer.status_code == 400
    assert b"is not one of the site" in answer.content
    assert all(record.levelname == "WARNING" and not record.exc_info for record in caplog.records)  # strangers do this


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_foreign_pages_change_is_refused(browser, headers):
    answer = browser.post("/api/v1/tools", data="{}", content_type="application/json", headers=headers)

    assert answer.status_code == 403
    assert answer["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
def test_the_api_takes_no_body_that_a_foreign_form_can_send(browser, kind):
    assert browser.post("/api/v1/tools", data="{}", content_type=kind).status_code == 415


def test_a_session_changes_nothing_through_the_api_without_its_csrf_token(browser):
    answer = browser.post("/api/v1/tools", data="{}", content_type="application/json")

    assert answer.status_code == 403
    assert answer["Content-Type"] == "application/problem+json"


def test_an_invalid_token_is_refused_even_by_public_operations(client):
    answer = client.get("/api/v1/tools", headers={"authorization": "Bearer tsk_wrong"})

    assert answer.status_code == 401
    assert answer.json()["status"] == 401
    assert "WWW-Authenticate" in answer


def test_a_token_in_the_url_is_not_accepted(client, ada):
    _, secret = create_token(ada, scopes=["publish"])

    answer = client.post(f"/api/v1/tools?token={secret}", data="{}", content_type="application/json")

    assert answer.status_code == 401


def test_a_token_without_the_scope_is_refused(client, ada):
    _, secret = create_token(ada, scopes=["read"])

    answer = client.post(
        "/api/v1/tools", data="{}", content_type="application/json", headers={"authorization": f"Bearer {secret}"}
    )

    assert answer.status_code == 403
    assert "publish" in answer.json()["detail"]


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v1/tools/none", "/api/"])
def test_the_api_reports_not_found_in_its_own_format(client, path):
    answer = client.get(path)

    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert set(answer.json()) == {"type", "title", "status", "detail"}


def test_the_api_lists_the_methods_of_a_url(client):
    answer = client.put("/api/v1/tools")

    assert answer.status_code == 405
    assert "GET" in answer["Allow"]
    assert answer["Content-Type"] == "application/problem+json"


def test_a_missing_page_has_the_frame_of_the_site(client):
    answer = client.get("/nothing/")

    assert answer.status_code == 404
    assert b"Not found, or no access" in answer.content


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
    answer = client.generic("POST", "/api/v1/tools", b"{}", CONTENT_LENGTH=str(10**12), content_type="application/json")

    assert answer.status_code == 413


def test_headers_beyond_their_bound_are_refused(client):
    assert client.get("/", headers={"x-big": "a" * 40_000}).status_code == 431
    assert client.get("/", headers={f"x-{n}": "a" * 1000 for n in range(40)}).status_code == 431


@pytest.mark.parametrize("coding", ["gzip", "br", "deflate", "gzip, gzip"])
def test_a_packed_body_is_not_unpacked(client, coding):
    answer = client.post("/api/v1/tools", b"\x1f\x8b", "application/json", headers={"content-encoding": coding})

    assert answer.status_code == 415


def test_a_body_of_unknown_length_is_refused(client):
    answer = client.post("/api/v1/tools", b"", "application/json", headers={"transfer-encoding": "chunked"})

    assert answer.status_code == 411


def test_a_refusal_must_not_be_cached(client):
    assert "no-cache" in client.get("/tools/?q=" + "a" * 20_000)["Cache-Control"]


def test_the_api_answers_head_as_it_answers_get(client):
    answer = client.head("/api/v1/tools")

    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("application/json")


def test_too_many_fields_are_refused_as_too_much(browser, ada):
    _, secret = create_token(ada, scopes=["publish"])

    answer = browser.post(
        "/api/v1/uploads", {f"f{n}": "" for n in range(4001)}, headers={"authorization": f"Bearer {secret}"}
    )

    assert answer.status_code == 413
    assert "4,000 fields" in answer.json()["detail"]


def test_operators_can_ask_how_it_is(client):
    assert client.get("/healthz").content == b"ok\n"
    assert client.get("/readyz").content == b"ready\n"


def test_the_api_is_documented_from_its_own_description(client):
    page = client.get("/api/v1/docs").content.decode().replace("<wbr>", "")
    described = client.get("/api/v1/openapi.json").json()

    assert described["openapi"].startswith("3.1")
    for path, operations in described["paths"].items():
        assert path in page
        for operation in operations.values():
            assert operation["summary"] in page


def test_the_documentation_of_the_api_joins_the_lines_of_a_paragraph(client):
    page = client.get("/api/v1/docs").content.decode()

    assert "<br" not in page


def test_every_operation_of_the_api_is_described(client):
    described = client.get("/api/v1/openapi.json").json()

    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            assert operation.get("summary"), (method, path)
            assert operation.get("responses"), (method, path)


def test_a_refused_page_shows_its_status(client: Client):
    answer = client.put("/", data=b"", content_type="text/plain")

    page = answer.content.decode()
    assert answer.status_code == 405
    assert "405" in page
    assert "Method not allowed" in page


def test_a_page_reports_an_unreachable_database(client: Client):
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE catalog_tool RENAME TO out_of_reach")

    answer = client.get("/tools/")

    page = answer.content.decode()
    assert answer.status_code == 503
    assert "Temporarily unavailable" in page
    assert "cannot be read" in page
