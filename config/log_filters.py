"""Log formatting and filters: one line per message, shortened tracebacks, no secrets."""

from __future__ import annotations

import json
import logging
import math
import re
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from textwrap import indent
from traceback import walk_tb
from typing import Any, Final

from django.conf import settings

from toolshelf_core import log_context
from toolshelf_core.secret_paths import hide_secrets

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


def get_message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError):  # the arguments do not fit the message
        return str(record.msg)


class OneLine(logging.Formatter):
    """Escapes control characters of a message, and indents its traceback: nobody can forge a line.

    The line of an error names the request, as the page for errors does.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name is logging's
        text = CONTROL.sub(lambda match: repr(match[0])[1:-1], super().formatMessage(record))
        if record.levelno < logging.ERROR:
            return text
        request_id = log_context.collect_facts().get("request_id")
        return f"{text} (request {request_id})" if request_id else text

    def formatException(self, ei: object) -> str:  # noqa: N802
        text = hide_secrets(super().formatException(ei))  # type: ignore[arg-type]
        return indent("\n".join(shorten(text.splitlines())), "    ", lambda _: True)


class JsonLine(logging.Formatter):
    """Formats a record as one line of JSON, with the facts of its request or run.

    {"time", "level", "logger", "message", "request_id"?, "run_id"?, "person_id"?, "method"?,
     "path"?, "status"?, "duration_ms"?, "exception"?}

    Secrets are removed from the whole line, and a traceback is cut, as in the text log.
    """

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": get_message(record),
            **log_context.collect_facts(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            lines = hide_secrets(self.formatException(record.exc_info)).splitlines()
            line["exception"] = "\n".join(shorten(lines))
        return hide_secrets(json.dumps(line, default=str))


def shorten(lines: list[str]) -> list[str]:
    """Keep the first and last of `lines`, truncated, and the number of those between them."""
    lines = [_truncate(line) for line in lines]
    first = _count_fitting(lines, MAX_FIRST_CHARACTERS)
    last = _count_fitting(lines[first:][::-1], MAX_LAST_CHARACTERS)
    if omitted := len(lines) - first - last:
        notice = f"[{omitted:,} lines of the traceback are left out]"
        lines[first : first + omitted] = [notice]
    return lines


def _truncate(line: str) -> str:
    return line if len(line) <= MAX_LINE_CHARACTERS else f"{line[:MAX_LINE_CHARACTERS]}…"


def _count_fitting(lines: list[str], characters: int) -> int:
    """The number of first `lines` that fit into `characters` together."""
    count = 0
    for line in lines:
        characters -= len(line) + 1
        if characters < 0:
            break
        count += 1
    return count


class QuietAboutUnknownHosts(logging.Filter):
    """Logs security refusals without tracebacks: a client that causes many cannot fill the disk."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security"):
            record.exc_info = record.exc_text = None
        return True


class OneTracebackPerFault(logging.Filter):
    """Logs the traceback of a fault once an hour; other requests with the fault get one line each.

    A fault is an error of one type, raised by one line, and reached through one line of the site's
    own code. A refused request (a warning) has no traceback: nothing of the site is at
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
        first_request = self._find_first_request(identify_fault(error))
        if first_request is not None:
            where = f" with request {first_request}" if first_request else " above"
            reason = f"{type(error).__name__}: {str(error)[:MAX_LINE_CHARACTERS]}"
            record.msg = f"{get_message(record)} ({reason}; traceback{where})"
            record.args, record.exc_info, record.exc_text = (), None, None
        return True

    def _find_first_request(self, fault: Fault) -> str | None:
        """The request whose log has the traceback ("" outside of one); None if it is due now."""
        now = time.monotonic()
        with self._lock:
            last_time, request_id = self._logged.get(fault, (-math.inf, ""))
            if now - last_time < TRACEBACK_EVERY_S:
                return request_id
            self._logged.pop(fault, None)
            if len(self._logged) >= MAX_FAULTS:
                self._logged.pop(next(iter(self._logged)))  # the one logged first
            self._logged[fault] = now, str(log_context.collect_facts().get("request_id") or "")
        return None


def identify_fault(error: BaseException) -> Fault:
    """Its type, the line that raised it, and the last line of the site's own code."""
    line = own_line = ("", 0)
    for frame, number in walk_tb(error.__traceback__):
        line = frame.f_code.co_filename, number
        if _is_own(line[0]):
            own_line = line
    return type(error), line, own_line


def _is_own(file: str) -> bool:
    """Whether a file is the site's, and not of the standard library or an installed package."""
    path = Path(file)
    if not path.is_relative_to(settings.BASE_DIR):
        return False
    return "site-packages" not in path.relative_to(settings.BASE_DIR).parts


class WithoutSecrets(logging.Filter):
    """Removes the secrets of sign-in links, and API tokens in URLs, from every line.

    It is a filter of handlers, so it covers every logger. `config.middleware.hidden_secrets`
    removes the secret from requests before Django's views see them, but servers write their access
    logs from the original request.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        text = get_message(record)
        safe_text = hide_secrets(text)
        if safe_text != text:
            record.msg, record.args = safe_text, ()
        return True


class WithoutAdviceOnThreads(logging.Filter):
    """Drops the server's warning of too many threads for the cores: most of them wait for runs."""

    def filter(self, record: logging.LogRecord) -> bool:
        return "which seems quite high" not in record.getMessage()
