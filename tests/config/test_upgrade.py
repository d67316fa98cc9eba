"""A site of an earlier version, stored as it was, upgrades with everything in it.

`tests/data/upgrade/` has a site of 83165c8 on SQLite and on PostgreSQL, which that version's own API filled: people,
tools with revisions, a source with a held change, runs, a shared configuration with a secret, and a token.
"""

import gzip
import json
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.postgres import PostgreSQL
from tests.site import Site, sign_in
from tests.site_accounts import sign_in_link

STORED = Path("tests/data/upgrade")
FACTS = json.loads((STORED / "facts.json").read_text())
# A large upload of that version was interrupted after two of five files, and another one has ended.
UPLOADS = """
INSERT INTO catalog_upload (id, names, dry_run, "replace", created_at, seen_at, lease_id, ended_at, failed, total,
    "read", created, revised, unchanged, held, rejected, breaking, warned, by_id)
VALUES ('interrupted', 'many.ndjson', FALSE, FALSE, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP, 'a', NULL, FALSE, 5, 2,
    2, 0, 0, 0, 0, 0, 0, (SELECT id FROM accounts_user WHERE username = 'ada')),
    ('ended', 'few.ndjson', FALSE, FALSE, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP, 'b', CURRENT_TIMESTAMP, FALSE, 1, 1,
    0, 0, 3, 0, 0, 0, 0, (SELECT id FROM accounts_user WHERE username = 'ada'));
"""
# Of the choices of a configuration for MCP calls, only that for the toolkit `signing` remains.
CHOICES = "DELETE FROM playground_mcpconfiguration WHERE tool_id IS NOT NULL;\n"


def prepare(folder, name):
    (folder / "configuration_key").write_text(FACTS[name]["configuration_key"])


@pytest.fixture(scope="module")
def on_sqlite(tmp_path_factory):
    folder = tmp_path_factory.mktemp("upgrade")
    prepare(folder, "sqlite")
    database = gzip.decompress((STORED / "site.sqlite3.gz").read_bytes())
    (folder / "toolshelf.sqlite3").write_bytes(database)
    with closing(sqlite3.connect(folder / "toolshelf.sqlite3")) as connection:
        connection.executescript(UPLOADS + CHOICES)
    (folder / "uploads" / "interrupted").mkdir(parents=True)
    site = Site(folder)
    yield site, FACTS["sqlite"]["token"]
    site.stop()


@pytest.fixture(scope="module")
def on_postgresql(tmp_path_factory):
    folder = tmp_path_factory.mktemp("upgrade")
    prepare(folder, "postgresql")
    dump = (
        gzip.decompress((STORED / "site.sql.gz").read_bytes())
        + f"SET search_path = public;\n{UPLOADS}{CHOICES}".encode()
    )
    with PostgreSQL() as database:
        psql = [database.programs / "psql", "-q", "-v", "ON_ERROR_STOP=1", "-U", "postgres"]
        subprocess.run([*psql, "-h", database.folder], input=dump, check=True, capture_output=True)
        site = Site(folder, DATABASE_URL=database.url)
        yield site, FACTS["postgresql"]["token"]
        site.stop()


@pytest.fixture(
    params=["on_sqlite", pytest.param("on_postgresql", marks=pytest.mark.deep)],
)
def upgraded(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def api(upgraded):
    """A client of the API with the token that was created before the upgrade."""
    site, token = upgraded
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"{site.url}/api/v1", headers=headers, timeout=60) as client:
        yield client


@pytest.fixture
def browser(upgraded):
    """The browser of an administrator."""
    site, _ = upgraded
    with httpx.Client(base_url=site.url, follow_redirects=True, timeout=60) as client:
        sign_in(client, sign_in_link(site, "ada"))
        yield client


def get(client, path):
    answer = client.get(path)
    assert answer.status_code == 200, (path, answer.text[:500])
    return answer.json()


def test_all_tools_are_there_with_their_metadata(api):
    tools = {tool["slug"]: tool for tool in get(api, "/tools?limit=100")["items"]}

    assert len(tools) == 16  # the archived one is not listed
    first = tools["github-mcp-server.actions_get"]
    assert (first["toolkit"], sorted(first["tags"])) == ("field notes", ["alpha", "beta"])
    assert {"mcp", "openai", "anthropic"} <= set(first["usable"])
    deprecated = get(api, "/tools/github-mcp-server.add_sub_issue")["deprecation"]
    assert deprecated["note"] == "Use another."


@pytest.mark.parametrize(
    "slug",
    [
        "github-mcp-server.find_duplicate_ff_duplicate_detection",  # of a group
        "github-mcp-server.actions_get",  # in a toolkit for signed-in people
    ],
)
def test_restricted_tools_stay_restricted(api, slug):
    answer = httpx.get(f"{api.base_url}tools/{slug}", timeout=60)

    assert answer.status_code == 404
    assert get(api, f"/tools/{slug}")["slug"] == slug


def test_all_revisions_are_there_and_can_be_compared(api):
    revisions = get(api, "/tools/get-weather-498ebfb0/revisions")["items"]

    changes = get(api, "/tools/get-weather-498ebfb0/diff?from=2&to=3")["changes"]

    assert [revision["number"] for revision in revisions] == [3, 2, 1]
    assert "days" in [change["place"] for change in changes]
    spec = get(api, "/tools/get-weather-498ebfb0/revisions/1/spec")
    published = Path("playground/builtin/specs/get-weather.json").read_text()
    assert spec == json.loads(published)


def test_tools_are_found(api):
    found = get(api, "/tools?q=hash")["items"]

    assert found[0]["slug"] == "hash_text"


def test_all_runs_are_there_and_a_tool_runs(api):
    before = get(api, "/runs?limit=100")["items"]

    answer = api.post(
        "/tools/hash_text/runs", json={"parameters": {"text": "a"}}, headers={"Prefer": "wait=20"}
    )

    runs = [run for run in before if run["tool"]["id"] == "hash_text"]
    assert len(runs) >= 4
    assert answer.json()["verdict"] == "conforms"


def test_a_secret_that_was_saved_is_used(api):
    parameters = {"parameters": {"text": "x"}, "saved_configuration": "team key"}

    answer = api.post("/tools/sign_text/runs", json=parameters, headers={"Prefer": "wait=20"})

    assert answer.json()["response"]["algorithm"] == "sha512"


def test_a_configuration_chosen_for_a_toolkit_is_chosen_for_its_tools(api):
    chosen = get(api, "/tools/sign_text/mcp-configuration")

    assert chosen == {"saved_configuration": "team key"}


def test_the_source_and_its_held_change_are_there(browser):
    page = browser.get("/sources/orders/")
    changes = browser.get("/review/")

    assert page.status_code == changes.status_code == 200
    assert "getOrder" in page.text
    assert "getOrder" in changes.text


def test_an_interrupted_upload_is_ended_and_reports_how_far_it_came(browser):
    interrupted = browser.get("/uploads/interrupted/").text
    ended = browser.get("/uploads/ended/").text

    assert "Unfinished: 2 of the specs done" in " ".join(interrupted.split())
    assert "3 unchanged" in ended
    assert "Unfinished" not in ended


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/tools/hash_text/try/",
        "/tools/get-weather-498ebfb0/changes/1..3/",
        "/runs/",
        "/people/",
        "/audit/",
        "/webhooks/",
        "/toolkits/field notes/settings/",
        "/admin/",
    ],
)
def test_pages_show_what_was_stored(browser, path):
    assert browser.get(path).status_code == 200


def test_passwords_are_those_of_before(upgraded):
    site, _ = upgraded
    with httpx.Client(base_url=site.url, follow_redirects=True, timeout=60) as client:
        page = client.get("/sign-in/")
        token = page.text.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]

        answer = client.post(
            "/sign-in/",
            data={
                "csrfmiddlewaretoken": token,
                "username": "ada",
                "password": "correct horse battery",
            },
        )

        assert "Sign out" in answer.text
