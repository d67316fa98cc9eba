"""Large uploads on a whole site, with the server's own processes and threads."""

import json
import re
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import httpx
import pytest

from tests.factories import spec_text
from tests.site import Site, sign_in


@pytest.fixture
def browser(site):
    with httpx.Client(base_url=site.url, timeout=120) as browser:
        sign_in(browser, site.sign_in_link)
        yield browser


def specs(count: int) -> bytes:
    """One a line, about as large as 2,000 of an upload can be."""
    properties = {
        f"member{number}": {"type": "string", "description": "Says how it is. " * 5}
        for number in range(25)
    }
    described = {
        "description": "Says how it is. " * 20,
        "parameters": {"type": "object", "properties": properties},
    }
    return "\n".join(
        json.dumps(
            {"definition": {"id": f"many.tool{number}", "name": f"tool {number}", **described}}
        )
        for number in range(count)
    ).encode()


def send(browser: httpx.Client, content: bytes) -> httpx.Response:
    """The response to the form of the upload page."""
    token = re.search(r'name="csrfmiddlewaretoken"\s+value="([^"]+)"', browser.get("/add/").text)[1]
    fields = {"csrfmiddlewaretoken": token}
    return browser.post("/add/", data=fields, files={"files": ("many.ndjson", content)})


def wait_for_first_batch(site: Site) -> None:
    deadline = time.monotonic() + 60
    with closing(sqlite3.connect(site.data_dir / "toolshelf.sqlite3")) as database:
        while not database.execute(
            "SELECT 1 FROM catalog_tool WHERE tool_id = 'many.tool0'"
        ).fetchone():
            assert time.monotonic() < deadline
            time.sleep(0.01)


def stored(client: httpx.Client, tool_id: str) -> bool:
    return client.get("/api/v1/tools", params={"id": tool_id}).json()["count"] == 1


@pytest.mark.deep
def test_others_read_and_write_while_a_large_upload_is_stored(site, browser):
    content = specs(2_000)
    headers = {
        "Authorization": f"Bearer {site.token('other', 'publish', 'read')}",
        "Content-Type": "application/json",
    }
    with (
        ThreadPoolExecutor(1) as thread,
        httpx.Client(base_url=site.url, timeout=60, headers=headers) as other,
    ):
        sending = thread.submit(send, browser, content)
        wait_for_first_batch(site)

        published = other.post("/api/v1/uploads", content=spec_text("between").encode())
        page = other.get("/tools/")
        is_first = not sending.done()
        response = sending.result()

    assert page.status_code == 200
    assert published.json()["counts"]["created"] == 1
    assert is_first
    assert response.status_code == 302
    assert "2,000 new" in browser.get(response.headers["Location"]).text


@pytest.mark.deep
def test_an_upload_that_a_power_cut_stops_leaves_whole_batches_and_its_report_says_how_many(
    site, browser
):
    with ThreadPoolExecutor(1) as thread:
        sending = thread.submit(send, browser, specs(2_000))
        wait_for_first_batch(site)
        site.kill()
        assert isinstance(sending.exception(), httpx.TransportError)

    site.start()

    [address] = re.findall(r'href="(/uploads/\w+/)"', browser.get("/add/").text)
    report = browser.get(address).text
    done = int(re.search(r"Unfinished: ([\d,]+) of 2,000 specs done", report)[1].replace(",", ""))
    assert done % 300 == 0
    assert stored(browser, f"many.tool{done - 1}")
    assert not stored(browser, f"many.tool{done}")

    again = send(browser, specs(2_000))

    text = browser.get(again.headers["Location"]).text
    assert f"{2_000 - done:,} new, {done:,} unchanged" in text
