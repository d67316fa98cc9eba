"""Processes that migrate one database at the same time: one does, the others wait, and none fails."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.postgres import PostgreSQL
from tests.site import ROOT

PROCESSES = 2


def migrate_at_once(data_dir, **environment: str) -> list[tuple[int, str]]:
    """The exit code and the messages of each process."""
    settings = {
        **os.environ,
        "DATABASE_URL": "",
        "TOOLSHELF_DATA_DIR": str(data_dir),
        **environment,
    }
    words = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    started = [
        subprocess.Popen(
            words,
            cwd=ROOT,
            env=settings,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(PROCESSES)
    ]
    ended = [(process.communicate(timeout=300)[1], process.returncode) for process in started]
    return [(code, messages) for messages, code in ended]


def assert_one_migrated(ended: list[tuple[int, str]]) -> None:
    assert [code for code, _ in ended] == [0] * PROCESSES, ended
    assert not any("Traceback" in messages for _, messages in ended)


def test_processes_that_migrate_a_new_sqlite_database_at_once_all_succeed(tmp_path):
    assert_one_migrated(migrate_at_once(tmp_path))


@pytest.mark.deep
def test_processes_that_migrate_a_new_postgresql_database_at_once_all_succeed(tmp_path):
    with PostgreSQL() as database:
        assert_one_migrated(migrate_at_once(tmp_path, DATABASE_URL=database.url))


def test_a_database_whose_folder_cannot_hold_the_lock_is_explained_as_before(tmp_path):
    (code, messages), *_ = migrate_at_once(
        tmp_path, DATABASE_URL=f"sqlite:///{tmp_path}/missing/toolshelf.sqlite3"
    )

    assert code == 1
    assert "cannot be opened. Check that its folder exists" in messages
    assert "Traceback" not in messages
