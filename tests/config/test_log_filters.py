"""The site's log."""

import io
import json
import logging
import sys
import time

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client
from django.urls import path
from django.utils.module_loading import import_string

from config.error_pages import permission_denied, server_error
from config.log_filters import JsonLine, OneLine, OneTracebackPerFault, WithoutSecrets

pytestmark = pytest.mark.unit

MAX_LOGGED = 8_000  # characters of one error, however deep it is


def logged(error):
    record = logging.LogRecord(
        "x", logging.ERROR, "f", 1, "It broke", None, (type(error), error, error.__traceback__)
    )
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
handler403 = permission_denied
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


def at_fault(request):
    raise ValueError(f"no such thing in {request.path}")


def another_fault(request):
    return {}["missing"]


def read(request):
    return json.loads("{")


def read_another(request):
    return json.loads("{")


def not_for_you(request):
    raise PermissionDenied("Only for others.")


urlpatterns += [
    path("fault/", at_fault),
    path("fault/<int:number>/", lambda request, number: at_fault(request)),
    path("another/", another_fault),
    path("read/", read),
    path("read-another/", read_another),
    path("api/refused/", not_for_you),
]


@pytest.fixture(params=["text", "json"])
def log(request, monkeypatch, settings):
    """Returns what the site's handler writes for requests to these paths."""
    configuration = settings.LOGGING
    handler = logging.StreamHandler(io.StringIO())
    for name in configuration["handlers"]["stderr"]["filters"]:
        handler.addFilter(import_string(configuration["filters"][name]["()"])())
    handler.setFormatter(
        JsonLine() if request.param == "json" else OneLine("%(levelname)s %(message)s")
    )
    logger = logging.getLogger("django.request")
    monkeypatch.setattr(logger, "handlers", [handler])
    monkeypatch.setattr(logger, "propagate", False)

    def written(*paths):
        client = Client(raise_request_exception=False)
        ids = [client.get(each)["X-Request-ID"] for each in paths]
        return handler.stream.getvalue(), ids

    return written


@pytest.mark.urls(__name__)
@pytest.mark.filterwarnings("default")
def test_a_fault_writes_its_traceback_once_and_each_request_one_line(db, log):
    text, ids = log("/fault/", *["/fault/"] * 5)

    assert text.count("Traceback") == 1
    assert text.count("no such thing in /fault/") == 6
    assert all(each in text for each in ids)
    assert text.count(f"traceback with request {ids[0]}") == 5


@pytest.mark.urls(__name__)
@pytest.mark.filterwarnings("default")
def test_another_fault_has_a_traceback_of_its_own(db, log):
    text, _ = log("/fault/", "/another/", "/fault/", "/another/")

    assert text.count("Traceback") == 2


@pytest.mark.urls(__name__)
@pytest.mark.filterwarnings("default")
def test_two_faults_at_one_line_of_the_standard_library_have_a_traceback_each(db, log):
    text, _ = log("/read/", "/read-another/", "/read/")

    assert text.count("Traceback") == 2
    assert "in read_another" in text


@pytest.mark.urls(__name__)
@pytest.mark.filterwarnings("default")
def test_addresses_that_meet_the_same_fault_share_its_traceback(db, log):
    text, _ = log(*[f"/fault/{number}/" for number in range(20)])

    assert text.count("Traceback") == 1
    assert "no such thing in /fault/19/" in text


@pytest.mark.urls(__name__)
@pytest.mark.filterwarnings("default")
def test_a_refusal_is_no_fault_and_has_no_traceback(db, log):
    text, _ = log("/api/refused/", "/api/refused/")

    assert "Traceback" not in text
    assert text.count("/refused/") >= 2


def test_a_traceback_is_logged_again_after_an_hour(monkeypatch):
    tracebacks = OneTracebackPerFault()
    error = raised(lambda: down(2))

    def is_whole():
        line = record("It broke", error=(type(error), error, error.__traceback__))
        return tracebacks.filter(line) and line.exc_info is not None

    first, second = is_whole(), is_whole()
    later = time.monotonic() + 3601
    monkeypatch.setattr(time, "monotonic", lambda: later)

    assert (first, second, is_whole()) == (True, False, True)


def test_the_fault_logged_longest_ago_is_forgotten_first():
    tracebacks = OneTracebackPerFault()
    kinds = [type(f"Fault{number}", (Exception,), {}) for number in range(1_000)]

    def is_whole(kind):
        line = record("It broke", error=(kind, kind(), None))
        return tracebacks.filter(line) and line.exc_info is not None

    assert all(is_whole(kind) for kind in kinds)
    assert not is_whole(kinds[-1])
    assert is_whole(kinds[0])


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
