"""Moving a site from SQLite to PostgreSQL: all of it, or nothing."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import httpx
import psycopg
import pytest

from tests.postgres import PostgreSQL
from tests.site import ROOT, Site

pytestmark = pytest.mark.deep


@pytest.fixture(scope="module")
def server():
    with PostgreSQL() as server:
        yield server


@pytest.fixture
def url(server, request):
    """The URL of an empty database."""
    name = "site_" + hashlib.sha256(request.node.name.encode()).hexdigest()[:8]
    server._run("createdb", "--host", server.folder, "--username", "postgres", name)
    return f"postgresql://postgres@/{name}?host={quote(str(server.folder), safe='')}"


@pytest.fixture(scope="module")
def site_data(tmp_path_factory):
    """The data of a stopped site that has samples, a run, a saved configuration and a token."""
    folder = tmp_path_factory.mktemp("site")
    site = Site(folder)
    try:
        headers = {"Authorization": f"Bearer {site.token('ada', 'read', 'publish', 'run')}"}
        made = httpx.post(
            f"{site.url}/api/v1/tools/convert_units/runs",
            json={"parameters": {"value": 1, "from_unit": "km", "to_unit": "m"}},
            headers=headers,
            timeout=60,
        )
        assert made.status_code == 201, made.text
        (folder / "token").write_text(headers["Authorization"])
        (folder / "run").write_text(made.json()["id"])
    finally:
        site.stop()
    return folder


@pytest.fixture
def data(site_data, tmp_path):
    return Path(shutil.copytree(site_data, tmp_path / "data"))


def move(data: Path, url: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "move_to_postgresql", url],
        cwd=ROOT,
        env={**os.environ, "TOOLSHELF_DATA_DIR": str(data), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_site_goes_on_in_postgresql(data, url):
    moved = move(data, url)

    assert moved.returncode == 0, moved.stderr
    assert "counts and hashes are equal" in moved.stderr
    headers = {"Authorization": (data / "token").read_text()}
    before = set(
        sqlite3.connect(data / "toolshelf.sqlite3").execute("SELECT tool_id FROM catalog_tool")
    )
    (data / "toolshelf.sqlite3").unlink()
    site = Site(data, DATABASE_URL=url)
    try:
        with httpx.Client(base_url=f"{site.url}/api/v1", headers=headers, timeout=60) as client:
            run = client.get(f"/runs/{(data / 'run').read_text()}").json()
            found = client.get("/tools", params={"q": "convert units"}).json()
            tools = client.get("/tools", params={"limit": 100}).json()
            added = client.post(
                "/tools", json={"definition": {"name": "new", "description": "After the move."}}
            )
    finally:
        site.stop()
    assert run["response"]["value"] == 1000
    assert found["items"][0]["id"] == "convert_units"
    assert {(tool["id"],) for tool in tools["items"]} == before
    assert added.status_code == 201, added.text


def test_a_row_that_postgresql_refuses_moves_nothing(data, url):
    with sqlite3.connect(data / "toolshelf.sqlite3") as database:
        database.execute(
            "UPDATE catalog_tool SET toolkit = ? WHERE tool_id = 'convert_units'", ["x" * 101]
        )

    moved = move(data, url)

    assert moved.returncode == 1
    assert "Nothing was moved. PostgreSQL refused a row" in moved.stderr
    assert "value too long" in moved.stderr
    assert "COPY catalog_tool, line" in moved.stderr
    with sqlite3.connect(data / "toolshelf.sqlite3") as database:
        database.execute("UPDATE catalog_tool SET toolkit = '' WHERE tool_id = 'convert_units'")
    again = move(data, url)
    assert again.returncode == 0, again.stderr


def test_a_null_character_is_replaced_and_reported(data, url):
    with sqlite3.connect(data / "toolshelf.sqlite3") as database:
        database.execute(
            "UPDATE catalog_tool SET deprecation_note = ? WHERE tool_id = 'convert_units'", ["a\0b"]
        )

    moved = move(data, url)

    assert moved.returncode == 0, moved.stderr
    assert (
        "catalog_tool: U+0000, which PostgreSQL cannot store, was replaced by U+FFFD in 1 rows."
        in moved.stderr
    )


@pytest.mark.slow
def test_what_cannot_be_moved_is_refused(data, url, server):
    full = move(data, url)
    assert full.returncode == 0, full.stderr

    again = move(data, url)
    assert again.returncode == 1
    assert "The PostgreSQL database has tools already" in again.stderr

    from_postgresql = move(data, url, DATABASE_URL=url)
    assert "This site's database is not SQLite" in from_postgresql.stderr

    assert "begin with postgresql://" in move(data, f"sqlite:///{data}/other.sqlite3").stderr
    assert "URL has the scheme 'mysql'" in move(data, "mysql://localhost/x").stderr
    assert (
        "PostgreSQL cannot be reached"
        in move(data, f"postgresql://postgres@/absent?host={server.folder}").stderr
    )


def test_a_database_of_another_program_is_refused_and_unchanged(data, url):
    with psycopg.connect(url) as other:
        other.execute("CREATE TABLE django_migrations (app text)")
        other.execute("CREATE TABLE auth_group (name text)")
        other.execute("CREATE TABLE shop_order (number int)")
        other.execute("INSERT INTO auth_group VALUES ('buyers')")

    moved = move(data, url)

    assert moved.returncode == 1
    assert "has tables that are not those of a Toolshelf site, such as shop_order" in moved.stderr
    with psycopg.connect(url) as other:
        assert other.execute("SELECT name FROM auth_group").fetchall() == [("buyers",)]
