import asyncio
import gc
import os
import shutil
import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path

import httpx
import pytest
from django.apps import apps
from django.conf import settings as django_settings
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connections, transaction
from django.db.backends.base.operations import BaseDatabaseOperations
from django.test import Client
from hypothesis import HealthCheck, settings
from whitenoise import WhiteNoise

from accounts import cell_rate
from catalog.index import search_index
from config.static_files import collect_static
from tests.factories import make_token, make_user
from tests.site import Site
from toolshelf_core.audit import AuditEvent
from toolshelf_core.db.append_only import protect, unprotect

BROWSER_TESTS = Path(__file__).parent / "browser"

# Timings are benchmarks, not tests. In CI the draws are the same each time; elsewhere they go on looking.
settings.register_profile(
    "toolshelf",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("toolshelf")


def pytest_configure(config):
    """Name the folder of the site that `tests.site` prepares once for all processes of this session.

    Passwords of accounts in the tests' own process are hashed by MD5: Argon2, which is slow by design, took half the
    time of the tests that sign in. Sites that the tests start use Argon2.

    They do not import the built-in tools before the first run, which took 2.4 s of CPU time at each start, and starting
    all the rest 1.5 s. Those of `test_main_job.py` and `sdk/test_write_a_tool.py` do.
    """
    Site.default_settings = {"PRELOAD_TOOLS": False}
    django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    if not getattr(config.option, "numprocesses", None) or hasattr(config, "workerinput"):
        gc.disable()  # until the tests are collected, which the process that only starts workers does not
    if "TOOLSHELF_PREPARED_SITE" not in os.environ:
        config.prepared_sites = Path(tempfile.mkdtemp(prefix="toolshelf-site-"))
        os.environ["TOOLSHELF_PREPARED_SITE"] = str(config.prepared_sites / "prepared")


def pytest_collection_modifyitems(items):
    """Begin with the tests marked `slow`: at the end, the other processes would be idle while one finishes."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_collection_finish():
    """Look for garbage less often: 12,000 collected tests stay anyway.

    While they are collected, looking for it takes a sixth of the CPU time (11.7 s with, 9.8 s without); afterwards a
    tenth, and half of that with these thresholds.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


def pytest_unconfigure(config):
    if hasattr(config, "prepared_sites"):
        shutil.rmtree(config.prepared_sites)
        del os.environ["TOOLSHELF_PREPARED_SITE"]


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory):
    """A file of this session's own: runs are written down by other threads, which a database in memory cannot take.

    Commits do not wait for the disk.
    """
    database = connections["default"].settings_dict
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database["TEST"]["NAME"] = tmp_path_factory.mktemp("database") / "test.sqlite3"
        assert "synchronous=FULL" in database["OPTIONS"]["init_command"]
        database["OPTIONS"]["init_command"] += "PRAGMA synchronous=OFF;"


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup):
    """The test databases. Before they are removed, the event loop that Playwright leaves running is hidden.

    Django refuses to use a database while one runs, and the last test of a process may be one in the browser.
    """
    yield
    asyncio._set_running_loop(None)  # `browser` restores it


@pytest.fixture(scope="session", autouse=True)
def _static_files():
    """Pages name static files by their hash, so these must be known.

    Each test client loads the middleware again, and WhiteNoise would read all static files again: two thirds of the
    time of a client's first request. So a folder is read once.
    """
    collect_static()
    add_files = WhiteNoise.add_files
    known = {}

    def add_files_once(self, root, prefix=None):
        if self.autorefresh:
            add_files(self, root, prefix)
            return
        if (root, prefix) not in known:
            before = dict(self.files)
            add_files(self, root, prefix)
            known[root, prefix] = {
                url: file for url, file in self.files.items() if before.get(url) is not file
            }
        self.files.update(known[root, prefix])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoise, "add_files", add_files_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def _flush_leaves_what_migrations_have_filled():
    """Tests that commit empty the tables behind them, all but those of permissions, and with the groups as at first.

    Django would empty those as well and fill them again, except for the groups, in 90 ms of CPU time, most of the time
    of a short test. The audit log's triggers refuse to be emptied, and make way meanwhile.
    """
    flush = BaseDatabaseOperations.execute_sql_flush
    create_groups = import_module("accounts.migrations.0001_squashed").create_groups
    filled = {ContentType._meta.db_table, Permission._meta.db_table}

    def statements_for(style, connection, **options):
        tables = connection.introspection.django_table_names(
            only_existing=True, include_views=False
        )
        return connection.ops.sql_flush(
            style, [table for table in tables if table not in filled], **options
        )

    def flush_all(operations, statements):
        connection, table = operations.connection, AuditEvent._meta.db_table
        with transaction.atomic(using=connection.alias):
            unprotect(connection, table)
            flush(operations, statements)
            protect(connection, table)
            create_groups(apps, None)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.core.management.commands.flush.sql_flush", statements_for)
        patch.setattr(
            "django.core.management.commands.flush.emit_post_migrate_signal", lambda *_: None
        )
        patch.setattr(BaseDatabaseOperations, "execute_sql_flush", flush_all)
        yield


@pytest.fixture(scope="session", autouse=True)
def _certificates_are_read_once():
    """Each `httpx.get` would read all of the machine's certificates: 35 ms of CPU time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "httpx._transports.default.create_ssl_context", cache(httpx.create_ssl_context)
        )
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Hide the event loop that Playwright leaves running between browser tests from all other tests and their fixtures.

    They could not start one of their own, and Django refuses to use the database while one runs. The fixture `browser`
    shows it again before it closes the browser.
    """
    loop = asyncio._get_running_loop()
    if loop is None or item.path.is_relative_to(BROWSER_TESTS):
        return (yield)
    asyncio._set_running_loop(None)
    try:
        return (yield)
    finally:
        asyncio._set_running_loop(loop if loop.is_running() else None)


@pytest.fixture(autouse=True)
def _no_requests_so_far(monkeypatch):
    """Tests use the same accounts and addresses again, so each begins below every rate limit.

    The clock of the limits stands still, so that a slow machine allows no more requests than a fast one.
    """
    cell_rate.memory_rates.clear()
    monkeypatch.setattr(cell_rate, "monotonic", lambda: 0.0)


@pytest.fixture(autouse=True)
def _empty_index(request, django_db_blocker):
    """Tests that commit empty the tables behind them; Django does not know the search index among these."""
    yield
    if {"transactional_db", "live_server"} & set(request.fixturenames):
        with django_db_blocker.unblock():
            search_index().clear()


@pytest.fixture
def site(tmp_path):
    """A site of the test's own; modules with several tests for one site define another."""
    site = Site(tmp_path)
    yield site
    site.stop()


@pytest.fixture
def own_data_dir(settings, tmp_path):
    """An empty data directory: its files name the site's address and the process that assesses next."""
    settings.DATA_DIR = tmp_path


@pytest.fixture
def ada(db):
    """A person."""
    return make_user("ada")


@pytest.fixture
def browser(ada):
    """A browser in which Ada is signed in."""
    client = Client()
    client.force_login(ada)
    return client


class Program(Client):
    """A program that calls the API with a token; `.error` of an answer is what went wrong, in words."""

    def __init__(self, token: str | None = None) -> None:
        super().__init__(headers={"Authorization": f"Bearer {token}"} if token else {})

    def send(self, method, path, body=b"", content_type="application/json", **headers):
        data = body.encode() if isinstance(body, str) else body
        return self.generic(
            method, f"/api/v1{path}", data, content_type=content_type, headers=headers
        )

    def ask(self, path, **query):
        return self.get(f"/api/v1{path}", query_params=query)


@pytest.fixture
def program(db):
    """A program with a token of all scopes."""
    return Program(make_token(user=make_user("program")))


@pytest.fixture
def stranger(db):
    """A program without a token."""
    return Program()
