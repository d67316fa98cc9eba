import os

import pytest
from django.db import connections
from django.test import Client
from hypothesis import HealthCheck, settings

from catalog.search import search_index
from config.static_files import collect_static
from tests.factories import make_token, make_user

# Timings are benchmarks, not tests. In CI the draws are the same each time; elsewhere they go on looking.
settings.register_profile(
    "toolshelf", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("toolshelf")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory):
    """A file of this session's own: runs are written down by other threads, which a database in memory cannot take."""
    database = connections["default"].settings_dict
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database["TEST"]["NAME"] = tmp_path_factory.mktemp("database") / "test.sqlite3"


@pytest.fixture(scope="session", autouse=True)
def _static_files():
    """Pages name static files by their hash, so these must be known."""
    collect_static()


@pytest.fixture(autouse=True)
def _empty_index(request, django_db_blocker):
    """Tests that commit empty the tables behind them; Django does not know the search index among these."""
    yield
    if {"transactional_db", "live_server"} & set(request.fixturenames):
        with django_db_blocker.unblock():
            search_index().clear()


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
        return self.generic(method, f"/api/v1{path}", data, content_type=content_type, headers=headers)

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
