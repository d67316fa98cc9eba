"""Pages are compressed where their size tells an attacker nothing about a secret."""

import gzip

import pytest
from django.http import HttpResponse

from tests.factories import make_tool

pytestmark = pytest.mark.django_db

GZIP = {"Accept-Encoding": "gzip"}


def is_compressed(response: HttpResponse) -> bool:
    return response.headers.get("Content-Encoding") == "gzip"


@pytest.mark.parametrize(
    "path", ["/", "/tools/", "/tools/?q=greet", "/tools/greet/", "/tools/greet/spec/", "/lint/", "/nothing/"]
)
def test_a_page_for_a_visitor_without_a_session_is_compressed(client, path):
    make_tool("greet")

    response = client.get(path, headers=GZIP)

    assert is_compressed(response)
    assert "Accept-Encoding" in response.headers["Vary"]
    assert "</html>" in gzip.decompress(response.content).decode()


def test_a_browser_that_does_not_accept_gzip_gets_plain_text(client):
    assert not is_compressed(client.get("/lint/"))


@pytest.mark.parametrize("path", ["/sign-in/", "/sign-in/?next=/tools/x/"])
def test_a_page_with_a_csrf_token_is_not_compressed(client, path):
    response = client.get(path, headers=GZIP)

    assert b"csrfmiddlewaretoken" in response.content
    assert not is_compressed(response)


@pytest.mark.parametrize(
    "path", ["/tools/?q=secret", "/runs/?tool=secret", "/account/tokens/", "/upload/", "/tools/greet/try/"]
)
def test_a_page_for_a_signed_in_user_that_may_repeat_input_is_not_compressed(browser, path):
    make_tool("greet")

    assert not is_compressed(browser.get(path, headers=GZIP))


@pytest.mark.parametrize(
    "part",
    ["", "spec/", "compatibility/", "exports/mcp/", "code/python/", "similar/", "lint/", "lint/?rule=examples-missing"],
)
def test_the_pages_about_a_tool_repeat_no_input_and_are_compressed_for_signed_in_users(browser, part):
    make_tool("greet")
    marker = "c0ffee5eed"
    url = f"/tools/greet/{part}{'&' if '?' in part else '?'}q={marker}&next={marker}&revision="

    response = browser.get(url, headers={**GZIP, "Referer": f"http://testserver/{marker}", "X-Marker": marker})

    assert is_compressed(response)
    assert marker not in gzip.decompress(response.content).decode()


def test_a_rejected_waiver_repeats_its_reason_and_is_not_compressed(browser):
    make_tool("greet")

    response = browser.post(
        "/tools/greet/lint/waivers/", {"rule": "examples-missing", "reason": "x" * 501}, headers=GZIP
    )

    assert response.status_code == 422
    assert not is_compressed(response)


def test_a_response_of_the_api_keeps_its_strong_entity_tag(client):
    make_tool("greet")

    response = client.get("/api/v1/tools/greet", headers=GZIP)

    assert not is_compressed(response)
    assert response.headers["ETag"].startswith('"')
