"""Log formatting and filters: one line per message, shortened tracebacks, no secrets."""

from __future__ import annotations

import json
import logging
import re
import threading
import time
from datetime import UTC, datetime
from itertools import accumulate, takewhile
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from catalog import log_context
from catalog.accounts.secret_paths import hidden

# For a traceback: chained errors in deep recursion write 250 KB, but its beginning and end explain
# everything.
MAX_LINE_CHARACTERS: Final = 300
MAX_FIRST_CHARACTERS: Final = 2_000
MAX_LAST_CHARACTERS: Final = 4_000

TRACEBACK_EVERY_S: Final = 3600
MAX_FAULTS: Final = 256
Line = tuple[str, int]
Fault = tuple[type[BaseException], Line, Line]

CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\x85\u2028\u2029]")


class OneLine(logging.Formatter):
    """Escapes control characters of the message. A traceback is cut, and indented so that no line forges one.

    The line of an error names the request, as the page for errors does.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name is logging's
        text = CONTROL.sub(lambda match: repr(match[0])[1:-1], super().formatMessage(record))
        request_id = (
            log_context.facts().get("request_id") if record.levelno >= logging.ERROR else None
        )
        return f"{text} (request {request_id})" if request_id else text

    def formatException(self, ei: object) -> str:  # noqa: N802
        text = hidden(super().formatException(ei))  # type: ignore[arg-type]
        return "\n".join(f"    {line}" for line in shortened(text.splitlines()))


class JsonLine(logging.Formatter):
    """Formats a record as one line of JSON, with the facts of the request or run that it belongs to.

    {"time", "level", "logger", "message", "request_id"?, "run_id"?, "person_id"?, "method"?,
     "path"?, "status"?, "duration_ms"?, "exception"?}

    Secrets are removed from the whole line, and a traceback is cut, as in the text log.
    """

    def format(self, record: logging.LogRecord) -> str:
        try:
            message = record.getMessage()
        except (TypeError, ValueError, KeyError):  # the arguments do not fit the message
            message = str(record.msg)
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": message,
            **log_context.facts(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            lines = hidden(self.formatException(record.exc_info)).splitlines()
            line["exception"] = "\n".join(shortened(lines))
        return hidden(json.dumps(line, default=str))


def shortened(lines: list[str]) -> list[str]:
    """The first and the last of `lines`, each truncated, with the number of omitted lines between them."""
    lines = [
        line if len(line) <= MAX_LINE_CHARACTERS else f"{line[:MAX_LINE_CHARACTERS]}…"
        for line in lines
    ]
    first = _as_many_as_fit(lines, MAX_FIRST_CHARACTERS)
    last = _as_many_as_fit(lines[first:][::-1], MAX_LAST_CHARACTERS)
    left_out = len(lines) - first - last
    if not left_out:
        return lines
    return [
        *lines[:first],
        f"[{left_out:,} lines of the traceback are left out]",
        *lines[len(lines) - last :],
    ]


def _as_many_as_fit(lines: list[str], characters: int) -> int:
    """The number of first `lines` that fit into `characters` together."""
    sizes = accumulate(len(line) + 1 for line in lines)
    return sum(1 for _ in takewhile(lambda size: size <= characters, sizes))


class QuietAboutUnknownHosts(logging.Filter):
    """Logs security refusals without a traceback, so that a client that causes many cannot fill the disk."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security"):
            record.exc_info = record.exc_text = None
        return True


class OneTracebackPerFault(logging.Filter):
    """Logs the traceback of a fault once an hour; further requests that meet the fault get one line each.

    A fault is an error of one type, raised at one place, and reached through one place of the
    site's own code. A refused request (a warning) has no traceback: nothing of the site is at
    fault.
    """

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self._logged: dict[Fault, tuple[float, str]] = {}  # when, and in which request
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return True
        if record.levelno < logging.ERROR:
            if record.name == "django.request":
                record.exc_info = record.exc_text = None
            return True
        before = self._first_request(fault_of(error))
        if before is not None:
            try:
                text = record.getMessage()
            except (TypeError, ValueError, KeyError):  # the arguments do not fit the message
                text = str(record.msg)
            where = f" with request {before}" if before else " above"
            record.msg = f"{text} ({type(error).__name__}: {str(error)[:MAX_LINE_CHARACTERS]}; traceback{where})"
            record.args, record.exc_info, record.exc_text = (), None, None
        return True

    def _first_request(self, fault: Fault) -> str | None:
        """The id of the request with which the traceback was logged ("" outside of one); None if it is due now."""
        now = time.monotonic()
        with self._lock:
            logged = self._logged.get(fault)
            if logged is not None and now - logged[0] < TRACEBACK_EVERY_S:
                return logged[1]
            self._logged.pop(fault, None)
            if len(self._logged) >= MAX_FAULTS:
                self._logged.pop(next(iter(self._logged)))  # the one logged first
            self._logged[fault] = now, str(log_context.facts().get("request_id") or "")
        return None


def fault_of(error: BaseException) -> Fault:
    """What identifies the fault: the type, the line that raised it, and the last line of the site's own code."""
    raised_at = own = ("", 0)
    trace = error.__traceback__
    while trace is not None:
        raised_at = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        if _is_own(raised_at[0]):
            own = raised_at
        trace = trace.tb_next
    return type(error), raised_at, own


def _is_own(file: str) -> bool:
    """Whether a file is of the site, and not of the standard library or of a package that is installed beside it."""
    path = Path(file)
    if not path.is_relative_to(settings.BASE_DIR):
        return False
    return "site-packages" not in path.relative_to(settings.BASE_DIR).parts


class WithoutSecrets(logging.Filter):
    """Removes secrets of sign-in links, and API tokens that someone put into a URL, from every line.

    It is a filter of handlers, so it covers every logger. `config.middleware.hidden_secrets`
    removes the secret from requests before Django's views see them, but servers write their access
    logs from the original request.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            text = record.getMessage()
        except (
            TypeError,
            ValueError,
            KeyError,
        ):  # the arguments do not fit the message; the handler reports that
            return True
        if text != (shown := hidden(text)):
            record.msg, record.args = shown, ()
        return True


class WithoutAdviceOnThreads(logging.Filter):
    """Drops the server's warning that sixteen threads are many for two cores: most of them wait for runs."""

    def filter(self, record: logging.LogRecord) -> bool:
        return "which seems quite high" not in record.getMessage()
