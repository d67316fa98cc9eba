"""Settings from the environment: what is accepted, and how a wrong one is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env
from config.key_files import generated_key
from config.log_filters import OneLine, QuietAboutUnknownHosts


@pytest.mark.parametrize("word", ["1", "true", "YES", "on"])
def test_a_flag_takes_the_usual_words(monkeypatch, word):
    monkeypatch.setenv("FLAG", word)

    assert env.flag("FLAG", default=False) is True


def test_a_wrong_flag_names_what_is_accepted(monkeypatch):
    monkeypatch.setenv("FLAG", "maybe")

    with pytest.raises(ImproperlyConfigured, match=r"FLAG is 'maybe'.*true"):
        env.flag("FLAG", default=False)


@pytest.mark.parametrize("value", ["-1", "ten", "1.5", ""])
def test_a_wrong_number_is_refused(monkeypatch, value):
    monkeypatch.setenv("NUMBER", value)

    with pytest.raises(ImproperlyConfigured, match="NUMBER"):
        env.number("NUMBER", 5, minimum=1)


def test_a_wrong_choice_names_the_right_ones(monkeypatch):
    monkeypatch.setenv("RUNNER", "cloud")

    with pytest.raises(ImproperlyConfigured, match="local"):
        env.choice("RUNNER", "local", {"local"})


def test_a_database_url_names_postgresql(monkeypatch):
    monkeypatch.setenv("DB", "postgresql://ada:p%40ss@db.example:5433/shelf?sslmode=require")

    database = env.database("DB", Path("unused"))

    assert database["NAME"] == "shelf"
    assert database["PASSWORD"] == "p@ss"
    assert database["PORT"] == "5433"
    assert database["OPTIONS"] == {"sslmode": "require"}


def test_a_database_url_names_a_file(monkeypatch):
    monkeypatch.setenv("DB", "sqlite:////srv/shelf.sqlite3")

    assert env.database("DB", Path("unused"))["NAME"] == Path("/srv/shelf.sqlite3")


def test_an_unknown_database_is_refused_without_its_password(monkeypatch):
    monkeypatch.setenv("DB", "mysql://ada:hunter2@db.example/shelf")

    with pytest.raises(ImproperlyConfigured, match="mysql") as refusal:
        env.database("DB", Path("unused"))
    assert "hunter2" not in str(refusal.value)


def test_a_generated_key_stays_and_is_its_owners_alone(tmp_path):
    first = generated_key(tmp_path / "key")

    assert generated_key(tmp_path / "key") == first
    assert len(first) >= 50
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600


def test_a_log_line_stays_one_line():
    import logging

    record = logging.LogRecord("x", logging.ERROR, "f", 1, "bad\nforged line\r\x1b[31m", None, None)

    assert OneLine("%(message)s").format(record) == r"bad\nforged line\r\x1b[31m"


def test_what_a_stranger_does_wrong_is_logged_without_a_traceback():
    import logging

    told = (ValueError, ValueError("x"), None)
    stranger = logging.LogRecord("django.security.TooManyFieldsSent", logging.ERROR, "f", 1, "too many", None, told)
    fault = logging.LogRecord("django.request", logging.ERROR, "f", 1, "broken", None, told)

    assert QuietAboutUnknownHosts().filter(stranger)
    assert QuietAboutUnknownHosts().filter(fault)

    assert OneLine("%(message)s").format(stranger) == "too many"
    assert "ValueError" in OneLine("%(message)s").format(fault)
