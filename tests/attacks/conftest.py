"""One whole site for all attacks, what they are sent with, and what is watched meanwhile."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx
import pytest

from tests.attacks.watching import Canary, forget_peaks, peak_mib, servers_of
from tests.site import Site, sign_in
from tests.site_accounts import person, sign_in_link, token

HERE = Path(__file__).parent
LOG_LINE = re.compile(
    r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} |    |Traceback |\S+Error|Toolshelf is at |Sign in as |Another one: |$)"
)


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(items):
    """Everything in this folder is `deep`."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.deep)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("attacked"))
    yield site
    site.stop()


@pytest.fixture(scope="session")
def canary():
    canary = Canary()
    yield canary
    canary.close()


class Program(httpx.Client):
    """A program that calls the site's API with a token."""

    def __init__(self, site: Site, token: str | None) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        super().__init__(base_url=f"{site.url}/api/v1", headers=headers, timeout=60)

    def publish(self, body: bytes, content_type: str = "application/json") -> httpx.Response:
        return self.post("/tools", content=body, headers={"Content-Type": content_type})

    def run(self, slug: str, instance: bytes = b"{}", **more: object) -> httpx.Response:
        rest = json.dumps({"mode": "mock", **more})[1:].encode()
        body = b'{"parameters": ' + instance + b", " + rest
        return self.post(
            f"/tools/{slug}/runs", content=body, headers={"Content-Type": "application/json"}
        )


class Browser(httpx.Client):
    """A person's browser."""

    def __init__(self, site: Site) -> None:
        super().__init__(base_url=site.url, timeout=60)

    def sign_in(self, link: str) -> None:
        assert sign_in(self, link).status_code == 302

    def csrf_token(self, page: str = "/add/") -> str:
        return re.search(r'name="csrfmiddlewaretoken"\s+value="([^"]+)"', self.get(page).text)[1]


@pytest.fixture(scope="session")
def program(site):
    with Program(site, token(site, "tester")) as program:
        yield program


@pytest.fixture(scope="session")
def stranger(site):
    """A program without a token."""
    with Program(site, None) as stranger:
        yield stranger


@pytest.fixture(scope="session")
def browser(site):
    with Browser(site) as browser:
        browser.sign_in(sign_in_link(site, person(site, "tester")))
        yield browser


@pytest.fixture(autouse=True)
def _unharmed(request):
    """After each attack on the shared site: it is up, has taken no more memory than it may, and its log is whole."""
    if "site" not in request.fixturenames:
        yield
        return
    site = request.getfixturevalue("site")
    servers = servers_of(site.process.pid)
    before, logged = peak_mib(servers), len(site.log())
    forget_peaks(servers)
    yield
    assert site.is_up()
    assert servers_of(site.process.pid) == servers, "a server process ended"
    assert peak_mib(servers) < max(before + 200, 500)
    new = site.log()[logged:]
    assert "Traceback" not in new, new
    assert [line for line in new.splitlines() if not LOG_LINE.match(line)] == []
