"""Settings from the environment: what is accepted, and how a wrong one is refused."""

from __future__ import annotations

import logging
import runpy
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from accounts.cell_rate import Rate
from config import settings as settings_package
from config.env import ensure_key
from config.log_filters import OneLine, QuietAboutUnknownHosts
from config.removed_variables import describe_removed_variables

pytestmark = pytest.mark.unit

SETTINGS = Path(settings_package.__file__).parent
STRONG_KEY = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def read(monkeypatch):
    """Reads a setting of one module of `config/settings/` with one variable set."""

    def read_setting(module: str, setting: str, variable: str, value: str) -> Any:
        monkeypatch.setenv(variable, value)
        return runpy.run_path(str(SETTINGS / f"{module}.py"))[setting]

    return read_setting


@pytest.fixture
def refusal(read):
    """Reads a setting whose variable has a wrong value: the sentence that stops the start."""

    def refuse(module: str, variable: str, value: str) -> str:
        with pytest.raises(ImproperlyConfigured) as refused:
            read(module, "", variable, value)
        return str(refused.value)

    return refuse


@pytest.mark.parametrize("word", ["1", "true", "YES", " on "])
def test_a_flag_takes_the_usual_words(read, word):
    assert read("security", "HTTPS", "TOOLSHELF_HTTPS", word) is True


@pytest.mark.parametrize(
    ("module", "variable", "value", "sentence"),
    [
        (
            "security",
            "TOOLSHELF_HTTPS",
            "maybe",
            "TOOLSHELF_HTTPS is 'maybe'; use one of 1, true, yes, on, 0, false, no, off.",
        ),
        (
            "runs",
            "TOOLSHELF_WEB_PROCESSES",
            "0",
            "TOOLSHELF_WEB_PROCESSES is '0'; use a whole number of at least 1.",
        ),
        ("runs", "TOOLSHELF_DRAIN_S", "ten", "TOOLSHELF_DRAIN_S is 'ten'; use a whole number."),
        ("runs", "TOOLSHELF_DRAIN_S", "1.5", "TOOLSHELF_DRAIN_S is '1.5'; use a whole number."),
        ("runs", "TOOLSHELF_DRAIN_S", "", "TOOLSHELF_DRAIN_S is ''; use a whole number."),
        (
            "runs",
            "TOOLSHELF_RUNNER",
            "cloud",
            "TOOLSHELF_RUNNER is 'cloud'; use 'celery' or 'local'.",
        ),
        (
            "runs",
            "TOOL_NETWORK_WEATHER",
            "some",
            "TOOL_NETWORK_WEATHER is 'some'; use 'none', 'outward' or 'all'.",
        ),
        (
            "sign_in",
            "TOOLSHELF_DEFAULT_GROUPS",
            "runner, king",
            "TOOLSHELF_DEFAULT_GROUPS contains 'king'; use 'reader', 'runner', 'publisher' or 'administrator'.",
        ),
        (
            "limits",
            "TOOLSHELF_API_RATE",
            "fast",
            "TOOLSHELF_API_RATE is 'fast'; use a number and a time, such as 6000/min or 6000/10min",
        ),
        (
            "security",
            "ALLOWED_HOSTS",
            "a.example *",
            "ALLOWED_HOSTS is '*'; use the exact host names of the site.",
        ),
    ],
)
def test_a_wrong_value_is_refused_with_the_accepted_ones(
    refusal, module, variable, value, sentence
):
    assert refusal(module, variable, value).startswith(sentence)


def test_a_token_is_read_unchanged(read):
    token = read("security", "METRICS_TOKEN", "TOOLSHELF_METRICS_TOKEN", "0123456789abcdef")

    assert token == "0123456789abcdef"


@pytest.mark.parametrize("value", ["0123456789abcde", "0123456789 abcdef", "0123456789abcdefü"])
def test_a_token_that_could_be_guessed_or_not_be_sent_is_refused_without_quoting_it(refusal, value):
    sentence = refusal("security", "TOOLSHELF_METRICS_TOKEN", value)

    assert sentence.startswith("TOOLSHELF_METRICS_TOKEN must have at least 16 printable")
    assert value not in sentence


@pytest.mark.parametrize("variable", ["SECRET_KEY", "TOOLSHELF_CONFIGURATION_KEYS"])
@pytest.mark.parametrize(
    "value", ["s3cret", "x" * 64, "abcabc" * 8, "0123456789abcdef0123456789abcde"]
)
def test_a_key_that_could_be_guessed_is_refused_without_quoting_it(refusal, variable, value):
    sentence = refusal("security", variable, value)

    assert sentence.startswith(variable)
    assert "must have at least 32 characters" in sentence
    assert value not in sentence


def test_a_long_random_key_is_read_unchanged(read):
    assert read("security", "SECRET_KEY", "SECRET_KEY", STRONG_KEY) == STRONG_KEY


def test_without_keys_the_site_generates_its_own(read):
    assert len(read("security", "CONFIGURATION_KEYS", "TOOLSHELF_CONFIGURATION_KEYS", "")[0]) >= 50
    assert len(read("security", "SECRET_KEY", "SECRET_KEY", "")) >= 50


def test_an_old_short_key_still_decrypts_after_a_good_one(read):
    keys = read(
        "security", "CONFIGURATION_KEYS", "TOOLSHELF_CONFIGURATION_KEYS", f"{STRONG_KEY}, old"
    )

    assert keys == [STRONG_KEY, "old"]


def test_a_short_key_is_replaced_by_a_rotation(refusal):
    sentence = refusal("security", "TOOLSHELF_CONFIGURATION_KEYS", "old")

    assert "leave the old keys after it, then run manage.py rotate_configurations" in sentence


def test_variables_of_tools_are_listed_by_their_names(read):
    names = read(
        "runs", "TOOL_ENVIRONMENT", "TOOL_ENVIRONMENT", "API_KEY, KEY=OTHER_KEY  region.name"
    )

    assert names == {"API_KEY": "API_KEY", "KEY": "OTHER_KEY", "region.name": "region.name"}


@pytest.mark.parametrize("value", ["API_KEY=sk/hunter22", "A=B=hunter22", "22hunter22", "KEY="])
def test_a_list_of_values_instead_of_names_is_refused_without_quoting_it(refusal, value):
    sentence = refusal("runs", "TOOL_ENVIRONMENT", f"REGION {value}")

    assert "number 2, which must be the name of a variable" in sentence
    assert "hunter22" not in sentence


def test_settings_of_factories_are_found_by_their_beginning(read, monkeypatch):
    monkeypatch.setenv("TOOL_NETWORK", "none")
    monkeypatch.setenv("TOOL_NETWORKS_OTHER", "none")

    networks = read("runs", "TOOL_NETWORK_BY_FACTORY", "TOOL_NETWORK_GET_WEATHER_2", "outward")

    assert networks == {"GET_WEATHER_2": "outward"}


@pytest.mark.parametrize(
    ("factory_id", "right"),
    [
        ("get-weather", "TOOL_NETWORK_GET_WEATHER"),
        ("Greet", "TOOL_NETWORK_GREET"),
        ("", "TOOL_NETWORK_ID"),
        ("ä", "TOOL_NETWORK__"),
    ],
)
def test_a_setting_that_fits_no_factory_is_refused_with_the_right_name(refusal, factory_id, right):
    sentence = refusal("runs", f"TOOL_NETWORK_{factory_id}", "none")

    assert sentence.startswith(f"TOOL_NETWORK_{factory_id}: ")
    assert sentence.endswith(f" {right}.")


def test_networks_are_a_list(read):
    networks = read(
        "security",
        "ALLOWED_NETWORKS",
        "TOOLSHELF_ALLOWED_NETWORKS",
        "10.0.0.0/8, fd00::/8 192.168.1.7",
    )

    assert networks == ["10.0.0.0/8", "fd00::/8", "192.168.1.7"]


@pytest.mark.parametrize("value", ["10.0.0.1/8", "intranet", "10.0.0.0/33"])
def test_what_is_no_network_is_refused(refusal, value):
    sentence = refusal("security", "TOOLSHELF_ALLOWED_NETWORKS", value)

    assert value.split("/")[0] in sentence
    assert sentence.endswith("; use networks such as 10.0.0.0/8 or fd00::/8.")


@pytest.mark.parametrize("url", ["http://ada:secret@proxy.example:3128", ""])
def test_a_proxy_is_a_url(read, url):
    assert read("security", "OUTGOING_PROXY", "TOOLSHELF_OUTGOING_PROXY", url) == url


@pytest.mark.parametrize(
    "value", ["proxy.example:3128", "socks5://proxy", "http://:3128", "http://secret@proxy:x"]
)
def test_what_is_no_proxy_is_refused_without_its_password(refusal, value):
    sentence = refusal("security", "TOOLSHELF_OUTGOING_PROXY", value)

    assert sentence.startswith("TOOLSHELF_OUTGOING_PROXY is not the URL of an HTTP proxy")
    assert "secret" not in sentence


def test_a_database_url_names_postgresql(read):
    url = "postgresql://ada:p%40ss@db.example:5433/shelf?sslmode=require"

    database = read("data", "DATABASES", "DATABASE_URL", url)["default"]

    assert database["NAME"] == "shelf"
    assert database["PASSWORD"] == "p@ss"
    assert database["PORT"] == "5433"
    assert database["OPTIONS"] == {"sslmode": "require"}


def test_a_database_url_names_a_file(read):
    database = read("data", "DATABASES", "DATABASE_URL", "sqlite:////srv/shelf.sqlite3")["default"]

    assert database["NAME"] == Path("/srv/shelf.sqlite3")


def test_an_unknown_database_is_refused_without_its_password(refusal):
    sentence = refusal("data", "DATABASE_URL", "mysql://ada:hunter2@db.example/shelf")

    assert "mysql" in sentence
    assert "hunter2" not in sentence


@pytest.mark.parametrize(
    ("text", "rate"), [("5/min", Rate(5, 60)), ("6/10min", Rate(6, 600)), ("OFF", None)]
)
def test_a_rate_is_a_number_per_time_or_off(read, text, rate):
    assert read("limits", "API_RATE", "TOOLSHELF_API_RATE", text) == rate


@pytest.mark.parametrize(
    "url", ["http://user:hidden@localhost/", "redis://", "redis+socket://", "redis://hidden@h:many"]
)
def test_what_is_no_redis_server_is_refused_without_its_password(refusal, url):
    sentence = refusal("runs", "TOOLSHELF_REDIS", url)

    assert sentence.startswith("TOOLSHELF_REDIS ")
    assert "hidden" not in sentence


def test_the_former_name_of_the_redis_server_is_still_read(read):
    url = "redis://broker.example"

    assert read("runs", "REDIS_URL", "CELERY_BROKER_URL", url) == url


def test_two_sites_on_one_host_have_different_cookies(read):
    names = {
        read("security", "SESSION_COOKIE_NAME", "SECRET_KEY", key)
        for key in (STRONG_KEY, STRONG_KEY[::-1])
    }

    assert len(names) == 2


@pytest.mark.parametrize(
    ("variable", "value", "level"),
    [("LOG_LEVEL", "WARNING", "NOTSET"), ("TOOLSHELF_LOG_FORMAT", "json", "INFO")],
)
def test_requests_are_logged_at_the_level_of_the_log_and_always_as_json(
    read, variable, value, level
):
    loggers = read("logs", "LOGGING", variable, value)["loggers"]

    assert loggers["toolshelf.requests"]["level"] == level


def test_a_start_with_a_variable_of_an_earlier_version_says_what_holds_now():
    notices = describe_removed_variables({"TOOLSHELF_RUN_QUEUE_MAX": "5", "PATH": "/bin"})

    assert notices == ["TOOLSHELF_RUN_QUEUE_MAX no longer exists. At most 1,000 runs wait."]


def test_celery_needs_a_redis_server(refusal, monkeypatch):
    monkeypatch.delenv("TOOLSHELF_REDIS", raising=False)

    assert "redis://" in refusal("runs", "TOOLSHELF_RUNNER", "celery")


@pytest.mark.parametrize("package", ["celery", "redis"])
def test_without_the_packages_for_a_team_the_start_names_the_command(refusal, monkeypatch, package):
    monkeypatch.setenv("TOOLSHELF_REDIS", "redis://localhost")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == package else name)

    assert "make team" in refusal("runs", "TOOLSHELF_RUNNER", "celery")


@pytest.mark.parametrize("value", ["[]", "{", '{"a": 5}', '{"a": []}', '{"a": "%s"}' % ("x" * 151)])
def test_what_is_no_mapping_of_groups_is_refused(refusal, value):
    sentence = refusal("sign_in", "TOOLSHELF_OIDC_GROUPS", value)

    assert "use a JSON object of groups" in sentence
    assert len(sentence) < 300


def test_a_generated_key_stays_and_is_its_owners_alone(tmp_path):
    first = ensure_key(tmp_path / "key")

    assert ensure_key(tmp_path / "key") == first
    assert len(first) >= 50
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600


def test_a_log_line_stays_one_line():
    record = logging.LogRecord("x", logging.ERROR, "f", 1, "bad\nforged line\r\x1b[31m", None, None)

    assert OneLine("%(message)s").format(record) == r"bad\nforged line\r\x1b[31m"


def test_client_errors_are_logged_without_a_traceback():
    exc_info = (ValueError, ValueError("x"), None)
    stranger = logging.LogRecord(
        "django.security.TooManyFieldsSent", logging.ERROR, "f", 1, "too many", None, exc_info
    )
    fault = logging.LogRecord("django.request", logging.ERROR, "f", 1, "broken", None, exc_info)

    assert QuietAboutUnknownHosts().filter(stranger)
    assert QuietAboutUnknownHosts().filter(fault)

    assert OneLine("%(message)s").format(stranger) == "too many"
    assert "ValueError" in OneLine("%(message)s").format(fault)
