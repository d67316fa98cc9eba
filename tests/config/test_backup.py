"""Backups: whole or not there, taken while others write."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from tests import site_accounts
from tests.site import ROOT, Site


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("site"))
    yield site
    site.stop()


def spec(number: int) -> str:
    return json.dumps({"definition": {"name": f"tool {number}", "description": "One of many."}})


def content_of(database: Path) -> set[tuple[str, int, str]]:
    with sqlite3.connect(database) as connection:
        return set(
            connection.execute(
                "SELECT catalog_tool.tool_id, number, sha256 FROM catalog_revision"
                " JOIN catalog_tool ON catalog_tool.id = catalog_revision.tool_id"
            )
        )


@pytest.mark.deep
def test_a_backup_under_load_has_all_acknowledged_data_and_can_be_restored(site, tmp_path):
    token = site_accounts.token(site, "writer", "publish", "read")
    stop, stored = threading.Event(), []

    def write() -> None:
        with httpx.Client(
            base_url=site.url, headers={"Authorization": f"Bearer {token}"}, timeout=60
        ) as client:
            number = 0
            while not stop.is_set():
                answer = client.post(
                    "/api/v1/tools",
                    content=spec(number),
                    headers={"content-type": "application/json"},
                )
                assert answer.status_code == 201, answer.text
                stored.append(f"tool {number}")
                number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        while len(stored) < 20:
            assert writer.is_alive()
        before = set(stored)
        done = site.manage("backup", str(tmp_path / "backup.sqlite3"))
    finally:
        stop.set()
        writer.join()

    backed_up = content_of(tmp_path / "backup.sqlite3")
    assert "tools" in done.stderr
    assert before <= {tool_id for tool_id, _, _ in backed_up}
    assert backed_up <= content_of(site.data_dir / "toolshelf.sqlite3")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup.sqlite3"]

    restored = tmp_path / "restored"
    restored.mkdir()
    shutil.copy(tmp_path / "backup.sqlite3", restored / "toolshelf.sqlite3")
    other = Site(restored)
    try:
        assert content_of(restored / "toolshelf.sqlite3") == backed_up
        found = httpx.get(f"{other.url}/api/v1/tools", params={"q": "tool 7"}, timeout=60).json()
        assert "tool 7" in [item["id"] for item in found["items"]]
    finally:
        other.stop()


@pytest.mark.deep
def test_a_backup_that_is_killed_leaves_the_earlier_one_whole(site, tmp_path):
    target = tmp_path / "backup.sqlite3"
    site.manage("backup", str(target))
    earlier = target.read_bytes()

    for pause_s in (0.3, 0.6, 0.9, 1.1):
        process = subprocess.Popen(
            [sys.executable, "manage.py", "backup", str(target)],
            cwd=ROOT,
            env=site.environment,
            stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(pause_s)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        with sqlite3.connect(target) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert connection.execute("SELECT count(*) FROM catalog_tool").fetchone()[0] > 50
    assert earlier[:16] == target.read_bytes()[:16]


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("missing/backup.sqlite3", "does not exist"),
        (".", "a folder"),
        ("own.sqlite3", "the database itself"),
    ],
)
@pytest.mark.django_db
def test_a_backup_that_cannot_be_is_refused_with_the_reason(tmp_path, target, words):
    database = Path(connection.settings_dict["NAME"])
    (tmp_path / "own.sqlite3").symlink_to(database)

    with pytest.raises(CommandError, match=words):
        call_command("backup", str(tmp_path / target))


@pytest.mark.deep
def test_a_full_disk_leaves_the_earlier_backup(site, tmp_path):
    target = tmp_path / "backup.sqlite3"
    target.write_text("an earlier one")

    done = subprocess.run(
        ["prlimit", "--fsize=20000", sys.executable, "manage.py", "backup", str(target)],
        cwd=ROOT,
        env=site.environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert "No copy was made" in done.stderr
    assert target.read_text() == "an earlier one"
    assert [path.name for path in tmp_path.iterdir()] == ["backup.sqlite3"]
