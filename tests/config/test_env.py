"""Settings from the environment: what is accepted, and how a wrong one is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env
from config.env import generated_key
from config.log_filters import OneLine, QuietAboutUnknownHosts

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("word", ["1", "true", "YES", "on"])
def test_a_flag_takes_the_usual_words(monkeypatch, word):
    monkeypatch.setenv("FLAG", word)

    assert env.flag("FLAG", default=False) is True


def test_an_invalid_flag_is_refused_with_the_accepted_values(monkeypatch):
    monkeypatch.setenv("FLAG", "maybe")

    with pytest.raises(ImproperlyConfigured, match=r"FLAG is 'maybe'.*true"):
        env.flag("FLAG", default=False)


@pytest.mark.parametrize("value", ["-1", "ten", "1.5", ""])
def test_a_wrong_number_is_refused(monkeypatch, value):
    monkeypatch.setenv("NUMBER", value)

    with pytest.raises(ImproperlyConfigured, match="NUMBER"):
        env.number("NUMBER", 5, minimum=1)


def test_a_token_is_read_unchanged(monkeypatch):
    monkeypatch.setenv("TOKEN", "0123456789abcdef")

    assert env.token("TOKEN") == "0123456789abcdef"
    assert env.token("NO_TOKEN") == ""


@pytest.mark.parametrize("value", ["0123456789abcde", "0123456789 abcdef", "0123456789abcdefü"])
def test_a_token_that_could_be_guessed_or_not_be_sent_is_refused_without_quoting_it(
    monkeypatch, value
):
    monkeypatch.setenv("TOKEN", value)

    with pytest.raises(ImproperlyConfigured, match="TOKEN must have at least 16") as refused:
        env.token("TOKEN")

    assert value not in str(refused.value)


@pytest.mark.parametrize(
    "value", ["s3cret", "x" * 64, "abcabc" * 8, "0123456789abcdef0123456789abcde"]
)
def test_a_key_that_could_be_guessed_is_refused_without_quoting_it(monkeypatch, value):
    monkeypatch.setenv("KEY", value)

    for read in (env.key, env.keys):
        with pytest.raises(
            ImproperlyConfigured, match="KEY must have at least 32 characters"
        ) as refused:
            read("KEY")
        assert value not in str(refused.value)


def test_a_long_random_key_is_read_unchanged(monkeypatch):
    monkeypatch.setenv("KEY", "0123456789abcdef0123456789abcdef")

    assert env.key("KEY") == "0123456789abcdef0123456789abcdef"
    assert (env.key("NO_KEY"), env.keys("NO_KEY")) == ("", [])


def test_an_old_short_key_still_decrypts_after_a_good_one(monkeypatch):
    monkeypatch.setenv("KEYS", "0123456789abcdef0123456789abcdef, old")

    assert env.keys("KEYS") == ["0123456789abcdef0123456789abcdef", "old"]


def test_a_short_key_is_replaced_by_a_rotation(monkeypatch):
    monkeypatch.setenv("KEYS", "old")

    with pytest.raises(
        ImproperlyConfigured, match=r"leave the old keys after it, then run manage.py rotate_conf"
    ):
        env.keys("KEYS")


def test_variables_are_listed_by_their_names(monkeypatch):
    monkeypatch.setenv("VARIABLES", "API_KEY, KEY=OTHER_KEY  region.name")

    assert env.variables("VARIABLES") == {
        "API_KEY": "API_KEY",
        "KEY": "OTHER_KEY",
        "region.name": "region.name",
    }
    assert env.variables("NO_VARIABLES") == {}


@pytest.mark.parametrize("value", ["API_KEY=sk/hunter22", "A=B=hunter22", "22hunter22", "KEY="])
def test_a_list_of_values_instead_of_names_is_refused_without_quoting_it(monkeypatch, value):
    monkeypatch.setenv("VARIABLES", f"REGION {value}")

    with pytest.raises(
        ImproperlyConfigured, match="VARIABLES: entry 2 must be the name of a variable"
    ) as refused:
        env.variables("VARIABLES")

    assert "hunter22" not in str(refused.value)


def test_settings_of_factories_are_found_by_their_beginning(monkeypatch):
    monkeypatch.setenv("SETTING", "")
    monkeypatch.setenv("SETTING_GET_WEATHER_2", "")
    monkeypatch.setenv("SETTINGS_OTHER", "")

    assert env.by_factory("SETTING") == {"GET_WEATHER_2": "SETTING_GET_WEATHER_2"}


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("get-weather", "SETTING_GET_WEATHER"),
        ("Greet", "SETTING_GREET"),
        ("", "SETTING_ID"),
        ("ä", "SETTING__"),
    ],
)
def test_a_setting_that_fits_no_factory_is_refused_with_the_right_name(monkeypatch, name, right):
    monkeypatch.setenv(f"SETTING_{name}", "")

    with pytest.raises(ImproperlyConfigured) as refused:
        env.by_factory("SETTING")

    assert str(refused.value).startswith(f"SETTING_{name}: ")
    assert str(refused.value).endswith(f" {right}.")


def test_a_wrong_choice_names_the_right_ones(monkeypatch):
    monkeypatch.setenv("RUNNER", "cloud")

    with pytest.raises(ImproperlyConfigured, match="local"):
        env.choice("RUNNER", "local", {"local"})


def test_networks_are_a_list(monkeypatch):
    monkeypatch.setenv("NETWORKS", "10.0.0.0/8, fd00::/8 192.168.1.7")

    assert env.networks("NETWORKS") == ["10.0.0.0/8", "fd00::/8", "192.168.1.7"]


@pytest.mark.parametrize("value", ["10.0.0.1/8", "intranet", "10.0.0.0/33"])
def test_what_is_no_network_is_refused(monkeypatch, value):
    monkeypatch.setenv("NETWORKS", value)

    with pytest.raises(
        ImproperlyConfigured, match=r"NETWORKS: .*use networks such as 10\.0\.0\.0/8"
    ):
        env.networks("NETWORKS")


def test_a_proxy_is_a_url(monkeypatch):
    monkeypatch.setenv("PROXY", "http://ada:secret@proxy.example:3128")

    assert env.proxy("PROXY") == "http://ada:secret@proxy.example:3128"
    assert env.proxy("NO_SUCH_SETTING") == ""


@pytest.mark.parametrize(
    "value", ["proxy.example:3128", "socks5://proxy", "http://:3128", "http://secret@proxy:x"]
)
def test_what_is_no_proxy_is_refused_without_its_password(monkeypatch, value):
    monkeypatch.setenv("PROXY", value)

    with pytest.raises(
        ImproperlyConfigured, match="PROXY is not the URL of an HTTP proxy"
    ) as refused:
        env.proxy("PROXY")
    assert "secret" not in str(refused.value)


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


def test_client_errors_are_logged_without_a_traceback():
    import logging

    exc_info = (ValueError, ValueError("x"), None)
    stranger = logging.LogRecord(
        "django.security.TooManyFieldsSent", logging.ERROR, "f", 1, "too many", None, exc_info
    )
    fault = logging.LogRecord("django.request", logging.ERROR, "f", 1, "broken", None, exc_info)

    assert QuietAboutUnknownHosts().filter(stranger)
    assert QuietAboutUnknownHosts().filter(fault)

    assert OneLine("%(message)s").format(stranger) == "too many"
    assert "ValueError" in OneLine("%(message)s").format(fault)
