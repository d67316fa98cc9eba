"""The site's log."""

import logging
import sys

import pytest
from django.test import Client
from django.urls import path

from config.error_pages import server_error
from config.log_filters import OneLine, WithoutSecrets

pytestmark = pytest.mark.unit

MAX_LOGGED = 8_000  # characters of one error, however deep it is


def logged(error):
    record = logging.LogRecord("x", logging.ERROR, "f", 1, "It broke", None, (type(error), error, error.__traceback__))
    return OneLine("%(message)s").format(record)


def down(levels):
    """Mutual recursion, of which Python's own tracebacks collapse nothing."""
    return up(levels - 1) if levels else int("x")


def up(levels):
    return down(levels)


def raised(do):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever it is
        do()
    return caught.value


def test_a_short_traceback_is_logged_whole():
    text = logged(raised(lambda: down(2)))

    assert text.startswith("It broke\n    Traceback (most recent call last):\n")
    assert text.endswith("    ValueError: invalid literal for int() with base 10: 'x'")
    assert text.count(", in down") == 3
    assert "left out" not in text


def test_a_deep_traceback_is_logged_by_its_beginning_and_its_end():
    text = logged(raised(lambda: down(400)))

    assert len(text) < MAX_LOGGED
    assert ", in <lambda>" in text
    assert "lines of the traceback are left out]\n" in text
    assert text.endswith("    ValueError: invalid literal for int() with base 10: 'x'")


def test_a_chain_of_deep_tracebacks_is_cut_as_a_whole():
    def chained(times):
        try:
            down(300)
        except ValueError as error:
            if times:
                chained(times - 1)
            raise LookupError(times) from error

    text = logged(raised(lambda: chained(5)))

    assert len(text) < MAX_LOGGED
    assert text.endswith("    LookupError: 0")


def test_a_long_message_of_an_error_is_cut():
    text = logged(ValueError("x" * 100_000))

    assert text.startswith("It broke\n    ValueError: xxx")
    assert len(text) < MAX_LOGGED


def too_deep(request):
    return deeper_still(request)


def deeper_still(request):
    return too_deep(request)


urlpatterns = [path("too-deep/", too_deep)]
handler500 = server_error


@pytest.mark.urls(__name__)
@pytest.mark.filterwarnings("default")
def test_a_page_that_recurses_for_ever_writes_a_few_kilobytes(db, capsys, monkeypatch):
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine("%(message)s"))
    logger = logging.getLogger("django.request")
    monkeypatch.setattr(logger, "handlers", [handler])

    answer = Client(raise_request_exception=False).get("/too-deep/")

    written = capsys.readouterr().err
    assert answer.status_code == 500
    assert "RecursionError" in written
    assert 0 < len(written) < MAX_LOGGED
    request_id = answer["X-Request-ID"]
    assert written.splitlines()[0] == f"Internal Server Error: /too-deep/ (request {request_id})"
    assert f"<code>{request_id}</code>" in answer.text


def record(message, *arguments, error=None):
    return logging.LogRecord("toolshelf", logging.ERROR, __file__, 1, message, arguments, error)


def test_a_message_whose_arguments_do_not_fit_is_left_to_the_handler():
    assert WithoutSecrets().filter(record("%s and %s", "one"))


def test_neither_a_message_nor_a_traceback_contains_a_token():
    token = ValueError("tsk_" + "a" * 43)
    shown = record("Refused %s", "tsk_" + "b" * 43, error=(ValueError, token, None))

    assert WithoutSecrets().filter(shown)
    text = OneLine().format(shown)

    assert "Refused tsk_…" in text
    assert "ValueError: tsk_…" in text
    assert "aaaa" not in text
    assert "bbbb" not in text


@pytest.mark.parametrize("name", ["httpx2", "httpcore2"])
def test_outgoing_requests_are_not_logged_with_their_addresses_whatever_the_level(name):
    assert logging.getLogger(name).level == logging.WARNING
