"""Faults of files, disk and database stop the start: one sentence, exit code 1, no traceback."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.site import ROOT, copy_started_site


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    folder = tmp_path_factory.mktemp("started")
    copy_started_site(folder)
    return folder


@pytest.fixture
def data_dir(started, tmp_path):
    """A folder as a started site leaves it."""
    shutil.copytree(started, tmp_path / "site")
    return tmp_path / "site"


def manage(data_dir: Path, *words: str, prefix: tuple[str, ...] = (), **options):
    return subprocess.run(
        [*prefix, sys.executable, "manage.py", *words],
        cwd=ROOT,
        env={
            **os.environ,
            "TOOLSHELF_DATA_DIR": str(data_dir),
            "DATABASE_URL": "",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )


def assert_one_sentence(ended, *words: str) -> None:
    assert ended.returncode == 1, ended.stderr
    assert "Traceback" not in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1, ended.stderr
    for word in words:
        assert word in ended.stderr


@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["sign_in_link"]], ids=" ".join)
def test_an_empty_database_beside_the_keys_of_a_site_is_no_new_site(data_dir, command):
    database = data_dir / "toolshelf.sqlite3"
    for left in data_dir.glob("toolshelf.sqlite3-*"):
        left.unlink()
    database.write_bytes(b"")

    ended = manage(data_dir, *command)

    assert_one_sentence(
        ended, str(database), "is empty (0 bytes)", "secret_key", "Restore a backup"
    )
    assert database.read_bytes() == b""


@pytest.mark.deep
@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["sign_in_link"]], ids=" ".join)
@pytest.mark.parametrize(
    ("damage", "words"),
    [(b"This is no database. " * 500, "not an SQLite database"), (None, "is damaged")],
    ids=["text", "overwritten-pages"],
)
def test_a_damaged_database_stops_the_start(data_dir, command, damage, words):
    database = data_dir / "toolshelf.sqlite3"
    whole = database.read_bytes()
    for left in data_dir.glob("toolshelf.sqlite3-*"):
        left.unlink()
    database.write_bytes(damage or whole[:100] + b"\xff" * (len(whole) - 100))

    assert_one_sentence(manage(data_dir, *command), str(database), words, "Restore a backup")


@pytest.mark.deep
def test_a_database_that_cannot_be_written_stops_the_start(data_dir):
    for path in (*data_dir.rglob("*"), data_dir):
        path.chmod(0o555 if path.is_dir() else 0o444)
    # Root may write everywhere, unless it gives up that capability.
    prefix = (
        ("setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override")
        if os.getuid() == 0
        else ()
    )

    try:
        ended = manage(data_dir, "serve", "--port", "0", prefix=prefix)
    finally:
        data_dir.chmod(0o755)

    assert_one_sentence(ended, str(data_dir), "access")


@pytest.mark.deep
def test_a_full_disk_stops_the_start(data_dir):
    """A limit on the size of files stands for the full disk, as in the tests of backups."""
    ended = manage(data_dir, "serve", "--port", "0", prefix=("prlimit", "--fsize=1000"))

    assert_one_sentence(ended, "disk")


def test_a_folder_for_data_that_cannot_be_one_stops_the_start(tmp_path):
    (tmp_path / "file").write_text("")

    assert_one_sentence(
        manage(tmp_path / "file" / "site", "sign_in_link"),
        str(tmp_path / "file"),
        "TOOLSHELF_DATA_DIR",
    )


def test_a_wrong_setting_is_reported_without_a_traceback(tmp_path):
    ended = subprocess.run(
        [sys.executable, "manage.py", "serve"],
        cwd=ROOT,
        env={**os.environ, "TOOLSHELF_DATA_DIR": str(tmp_path), "TOOLSHELF_RUNNER": "cloud"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert_one_sentence(ended, "TOOLSHELF_RUNNER is 'cloud'", "local")
