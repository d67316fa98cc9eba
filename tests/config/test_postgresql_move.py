"""The commands of docs/operations.md move a site from SQLite to PostgreSQL, with every row."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import httpx
import psycopg
import pytest

from tests.postgres import PostgreSQL
from tests.site import ROOT, Site

pytestmark = [pytest.mark.deep, pytest.mark.slow]

DOCUMENT = ROOT / "docs" / "operations.md"
# Rows that are not loaded: what `migrate` makes itself, sessions, and the index, which is built again.
APART = re.compile(
    r"django_(migrations|content_type|session)|auth_permission|accounts_session|tool_\w+|sqlite_\w+"
)


SECRET = {"name": "mine", "configuration": {"key": "not-the-demonstration-key"}}
SIGN = {"parameters": {"text": "hello"}, "saved_configuration": "mine", "wait_s": 30}


def documented_commands() -> list[list[str]]:
    """The words after `manage` in the commands of the section, in order."""
    section = DOCUMENT.read_text("utf-8").partition("## Move to PostgreSQL")[2].partition("```sh\n")
    commands = section[2].partition("```")[0].splitlines()
    return [line.split()[1:] for line in commands if line.startswith("manage ")]


def manage(folder: Path, words: list[str], **environment: str) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *words],
        cwd=folder,
        env={**os.environ, "TOOLSHELF_DATA_DIR": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (words, done.stderr)


@pytest.fixture(scope="module")
def url():
    """The URL of an empty database."""
    with PostgreSQL() as server:
        server._run("createdb", "--host", server.folder, "--username", "postgres", "moved")
        yield f"postgresql://postgres@/moved?host={quote(str(server.folder), safe='')}"


@pytest.fixture(scope="module")
def moved(tmp_path_factory, url):
    """The data of a site that was moved, its API as it was, and what it had: {"headers", "run", "rows"}."""
    folder = tmp_path_factory.mktemp("site")
    site = Site(folder)
    try:
        site.token("gone", "read")
        headers = {"Authorization": f"Bearer {site.token('ada', 'read', 'publish', 'run')}"}
        with httpx.Client(base_url=f"{site.url}/api/v1", headers=headers, timeout=60) as client:
            saved = client.post("/tools/sign_text/configurations", json=SECRET)
            assert saved.status_code == 201, saved.text
            run = client.post("/tools/sign_text/runs", json=SIGN).json()
            assert run["outcome"] == "returned", run
    finally:
        site.stop()
    manage(folder, ["migrate", "catalog", "0004"])  # the last one that stored U+0000
    with closing(sqlite3.connect(folder / "toolshelf.sqlite3")) as database, database:
        gone = "(SELECT id FROM accounts_user WHERE username = 'gone')"
        database.execute(f"DELETE FROM accounts_apitoken WHERE user_id IN {gone}")
        database.execute(f"DELETE FROM accounts_user_groups WHERE user_id IN {gone}")
        database.execute("DELETE FROM accounts_user WHERE username = 'gone'")
        database.execute("UPDATE catalog_tool SET deprecation_note = ?", ["a\0b"])
    manage(folder, ["migrate"])
    rows = rows_of_sqlite(folder)
    for words in documented_commands():
        in_postgresql = words[0] != "dumpdata"
        manage(folder, words, **({"DATABASE_URL": url} if in_postgresql else {}))
    return {"folder": folder, "headers": headers, "run": run, "rows": rows}


def rows_of_sqlite(folder: Path) -> dict[str, int]:
    with closing(sqlite3.connect(folder / "toolshelf.sqlite3")) as database:
        names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
            for (name,) in names
            if not APART.fullmatch(name)
        }


def test_every_table_has_as_many_rows(moved, url):
    with psycopg.connect(url) as database:
        rows = {
            name: database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
            for name in moved["rows"]
        }

    assert rows == moved["rows"]


def test_people_have_the_keys_that_the_audit_log_names(moved, url):
    with psycopg.connect(url) as database:
        [(key,)] = database.execute("SELECT id FROM accounts_user WHERE username = 'ada'")

    with closing(sqlite3.connect(moved["folder"] / "toolshelf.sqlite3")) as database:
        [(before,)] = database.execute("SELECT id FROM accounts_user WHERE username = 'ada'")
    assert key == before


def test_a_character_that_postgresql_refuses_is_replaced(moved, url):
    with psycopg.connect(url) as database:
        notes = database.execute("SELECT DISTINCT deprecation_note FROM catalog_tool").fetchall()

    assert notes == [("a\ufffdb",)]


def test_the_site_goes_on_with_its_tokens_runs_secrets_and_search(moved, url):
    site = Site(moved["folder"], DATABASE_URL=url)
    try:
        with httpx.Client(
            base_url=f"{site.url}/api/v1", headers=moved["headers"], timeout=60
        ) as client:
            run = client.get(f"/runs/{moved['run']['id']}").json()
            found = client.get("/tools", params={"q": "convert units"}).json()
            again = client.post("/tools/sign_text/runs", json=SIGN).json()
            added = client.post(
                "/tools", json={"definition": {"name": "new", "description": "After the move."}}
            )
    finally:
        site.stop()
    assert run["response"] == again["response"] == moved["run"]["response"]
    assert found["items"][0]["id"] == "convert_units"
    assert added.status_code == 201, added.text
