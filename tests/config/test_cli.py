"""The commands where the database is not ready for them: one sentence says what to do."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib import import_module
from pathlib import Path

import pytest

from tests.site import Site, copy_started_site

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = "playground/samples"
APPS = {"accounts": "accounts", "catalog": "catalog", "playground": "playground"}


@pytest.fixture(scope="module")
def migrated(tmp_path_factory):
    """The database of a site that was started once; tests copy it."""
    folder = tmp_path_factory.mktemp("migrated")
    copy_started_site(folder)
    return folder / "toolshelf.sqlite3"


def manage(data_dir, *words):
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env={**os.environ, "TOOLSHELF_DATA_DIR": str(data_dir), "DATABASE_URL": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "words",
    [
        ["load_specs", SAMPLES],
        ["createsuperuser", "--noinput", "--username", "ada", "--email", "ada@example.org"],
    ],
    ids=["its own", "Django's"],
)
def test_a_command_on_an_empty_database_explains_what_to_do(tmp_path, words):
    ended = manage(tmp_path, *words)

    assert ended.returncode == 1
    assert ended.stderr == (
        "The database has not been set up yet: run `manage.py migrate` first (`manage.py serve` does so by itself).\n"
    )


def test_an_export_without_a_database_leaves_no_file(tmp_path):
    manage(tmp_path, "export_catalog", str(tmp_path / "catalog.ndjson"))

    assert not list(tmp_path.glob("catalog.*"))


def test_a_database_of_an_older_version_is_to_be_migrated_too(tmp_path):
    manage(tmp_path, "migrate", "accounts")

    ended = manage(tmp_path, "load_specs", SAMPLES)

    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert ended.stderr.startswith(
        "The database was created by an older version of Toolshelf: run `manage.py migrate` first"
    )


@pytest.mark.parametrize(
    "words",
    [["load_specs", SAMPLES], pytest.param(["serve", "--port", "0"], marks=pytest.mark.deep)],
    ids=["load_specs", "serve"],
)
def test_a_database_of_an_early_version_is_refused_and_left_alone(tmp_path, migrated, words):
    shutil.copy(migrated, tmp_path)
    with closing(sqlite3.connect(tmp_path / "toolshelf.sqlite3")) as database, database:
        database.execute("ALTER TABLE catalog_tool RENAME COLUMN score TO rating")
        database.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('catalog', '0008_upload_carrier', '2026-11-20')"
        )
    before = (tmp_path / "toolshelf.sqlite3").read_bytes()

    ended = manage(tmp_path, *words)

    assert ended.returncode == 1
    assert ended.stderr.removeprefix("CommandError: ").startswith(
        "The database was created by an early version of Toolshelf"
    )
    assert (tmp_path / "toolshelf.sqlite3").read_bytes() == before


def test_a_new_database_gives_the_space_of_deleted_rows_back(migrated):
    with closing(sqlite3.connect(migrated)) as database:
        assert database.execute("PRAGMA auto_vacuum").fetchone() == (2,)


# The migrations of a database of 2026-11-20, from before the first squash.
OF_THE_FIRST_DAYS = {
    "accounts": ["0001_initial"],
    "catalog": [
        "0001_initial", "0002_search_index", "0003_tool_takes", "0004_search_vocabulary", "0005_organising",
        "0006_judging", "0007_uploads", "0008_upload_carrier",
    ],
    "playground": ["0001_initial", "0002_example_checks", "0003_run_tally"],
}  # fmt: skip


@pytest.mark.parametrize("words", [["migrate"], ["serve", "--port", "0"]], ids=" ".join)
def test_a_database_of_the_first_days_is_refused_with_the_way_and_what_stays_behind(
    tmp_path, migrated, words
):
    shutil.copy(migrated, tmp_path)
    with closing(sqlite3.connect(tmp_path / "toolshelf.sqlite3")) as database, database:
        database.execute(
            "DELETE FROM django_migrations WHERE app IN ('accounts', 'catalog', 'playground')"
        )
        for app, names in OF_THE_FIRST_DAYS.items():
            rows = [(app, name) for name in names]
            database.executemany(
                "INSERT INTO django_migrations (app, name, applied) VALUES (?, ?, '2026-11-20')",
                rows,
            )

    ended = manage(tmp_path, *words)

    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    for part in (
        "manage.py export_catalog FILE",
        "83165c8",
        "manage.py load_specs FILE",
        "this version",
        "accounts",
    ):
        assert part in ended.stderr


def with_replaced_migrations(data_dir, migrated, *, partial=None):
    """A database to which the migrations from before the squash were applied: of the app `partial`, the first two."""
    shutil.copy(migrated, data_dir)
    with closing(sqlite3.connect(data_dir / "toolshelf.sqlite3")) as database, database:
        for app in ["accounts", "catalog", "playground"]:
            replaced = import_module(f"{APPS[app]}.migrations.0001_squashed").Migration.replaces
            for name in ["0001_squashed", *(name for _, name in replaced)]:
                database.execute(
                    "DELETE FROM django_migrations WHERE app = ? AND name = ?", (app, name)
                )
            for _, old in replaced[: 2 if app == partial else None]:
                database.execute(
                    "INSERT INTO django_migrations (app, name, applied) VALUES (?, ?, '2026-11-20')",
                    (app, old),
                )


@pytest.mark.deep
def test_a_database_with_all_replaced_migrations_is_used_as_it_is(tmp_path, migrated):
    with_replaced_migrations(tmp_path, migrated)

    ended = manage(tmp_path, "create_token", "ada", "--create")

    assert (ended.returncode, len(ended.stdout.split())) == (0, 1)
    assert manage(tmp_path, "migrate", "--check").returncode == 0


@pytest.mark.deep
def test_serving_records_the_migrations_that_replace_others(tmp_path, migrated):
    with_replaced_migrations(tmp_path, migrated)

    Site(tmp_path).stop()

    with closing(sqlite3.connect(tmp_path / "toolshelf.sqlite3")) as database:
        recorded = database.execute(
            "SELECT app FROM django_migrations WHERE name = '0001_squashed'"
        ).fetchall()
    assert {app for (app,) in recorded} >= {"accounts", "catalog", "playground"}


@pytest.mark.parametrize(
    ("words", "app"),
    [
        (["serve", "--port", "0"], "catalog"),
        (["migrate"], "playground"),
    ],
)
def test_a_database_with_only_some_of_the_replaced_migrations_is_refused(
    tmp_path, migrated, words, app
):
    with_replaced_migrations(tmp_path, migrated, partial=app)

    ended = manage(tmp_path, *words)

    assert ended.returncode == 1
    assert ended.stderr.removeprefix("CommandError: ").startswith(
        "The database was created by an early version of Toolshelf"
    )


KILLED_WHILE_IT_MIGRATES = """
import os, sys
import django
django.setup()
from django.core.management import call_command
from django.db.migrations.recorder import MigrationRecorder

_, killed_app, when = sys.argv
record_applied = MigrationRecorder.record_applied

def record_or_end(recorder, app, name):
    if app == killed_app and when == "before":
        os._exit(9)
    record_applied(recorder, app, name)
    if app == killed_app:
        os._exit(9)

MigrationRecorder.record_applied = record_or_end
call_command("migrate", verbosity=0)
"""


@pytest.mark.deep
@pytest.mark.parametrize(
    ("when", "app"),
    [("before", "auth"), ("after", "catalog")],
)
def test_killed_before_or_after_it_records_a_migration_the_second_time_succeeds(
    tmp_path, when, app
):
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_WHILE_IT_MIGRATES, app, when],
        env={
            **os.environ,
            "TOOLSHELF_DATA_DIR": str(tmp_path),
            "DJANGO_SETTINGS_MODULE": "config.settings",
        },
        cwd=ROOT,
        check=False,
    )

    assert killed.returncode == 9
    again = manage(tmp_path, "migrate")
    assert again.returncode == 0, again.stderr
    assert manage(tmp_path, "migrate", "--check").returncode == 0


def test_after_migrating_the_command_works(tmp_path, migrated):
    shutil.copy(migrated, tmp_path)

    ended = manage(tmp_path, "create_token", "ada", "--create")

    assert (ended.returncode, len(ended.stdout.split())) == (0, 1)


def test_another_fault_of_the_database_is_not_explained_away(tmp_path):
    (tmp_path / "toolshelf.sqlite3").write_bytes(b"This is no database. " * 500)

    ended = manage(tmp_path, "create_token", "ada")

    assert ended.returncode == 1
    assert "file is not a database" in ended.stderr
    assert "migrate" not in ended.stderr.splitlines()[-1]
