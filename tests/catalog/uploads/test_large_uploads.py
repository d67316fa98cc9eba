"""Large uploads on a whole site, with the server's own processes and threads."""

import json
import re
import time

import httpx
import pytest

from tests.site import sign_in


@pytest.fixture
def browser(site):
    with httpx.Client(base_url=site.url, timeout=30) as browser:
        sign_in(browser, site.sign_in_link)
        yield browser


def specs(count: int) -> bytes:
    """One a line, which spaces fill up: a thousand are a large upload."""
    described = {
        "description": "Says how it is. " * 20,
        "parameters": {"type": "object", "properties": {"a": {}}},
    }
    return "\n".join(
        json.dumps(
            {"definition": {"id": f"many.tool{number}", "name": f"tool {number}", **described}}
        ).ljust(1_100)
        for number in range(count)
    ).encode()


def send(browser: httpx.Client, content: bytes, **fields: str) -> str:
    """The address of the report."""
    token = re.search(
        r'name="csrfmiddlewaretoken"\s+value="([^"]+)"', browser.get("/upload/").text
    )[1]
    fields["csrfmiddlewaretoken"] = token
    answer = browser.post("/upload/", data=fields, files={"files": ("many.ndjson", content)})
    assert answer.status_code == 302, answer.text[:500]
    return answer.headers["Location"]


def wait_for(browser: httpx.Client, address: str, text: str, *, timeout_s: float = 60) -> str:
    deadline = time.monotonic() + timeout_s
    while text not in (page := browser.get(address).text):
        assert time.monotonic() < deadline, page
        time.sleep(0.05)
    return page


@pytest.mark.deep
def test_a_large_upload_responds_immediately_and_its_page_shows_the_progress(browser):
    address = send(browser, specs(1_000))

    under_way = wait_for(browser, address, "<progress")
    pages = [browser.get("/tools/").status_code for _ in range(5)]
    ended = wait_for(browser, address, "1,000 new")

    assert 'http-equiv="refresh"' in under_way
    assert pages == [200] * 5
    assert "rejected" not in ended
    assert "<progress" not in ended
    assert browser.get("/api/v1/tools", params={"id": "many.tool999"}).json()["count"] == 1


@pytest.mark.deep
def test_specs_reported_before_a_power_cut_are_stored_and_the_rest_can_be_resumed(site, browser):
    address = send(browser, specs(1_000))
    page = wait_for(browser, address, "line 100")
    site.kill()
    names = re.findall(r'class="entry-name" href="/tools/([^/]+)/"', page)

    site.start()

    assert len(names) == 100
    assert all(browser.get(f"/api/v1/tools/{name}").status_code == 200 for name in names)
    stopped = wait_for(browser, address, "The server was stopped")
    read = int(re.search(r"after ([\d,]+) of 1,000 specs", stopped)[1].replace(",", ""))
    assert 0 < read < 1_000
    assert browser.get("/api/v1/tools", params={"id": f"many.tool{read - 1}"}).json()["count"] == 1
    assert browser.get("/api/v1/tools", params={"id": f"many.tool{read}"}).json()["count"] == 0

    token = re.search(r'name="csrfmiddlewaretoken"\s+value="([^"]+)"', stopped)[1]
    browser.post(f"{address}resume/", data={"csrfmiddlewaretoken": token})

    wait_for(browser, address, "1,000 new")
    assert browser.get("/api/v1/tools", params={"id": "many.tool999"}).json()["count"] == 1
