"""Log lines stay one line, whatever a stranger's text holds."""

from __future__ import annotations

import logging
import re

CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\x85\u2028\u2029]")


class OneLine(logging.Formatter):
    """Escapes control characters of the message; a traceback after it is indented, so it cannot pass for a line."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name is logging's
        return CONTROL.sub(lambda match: repr(match[0])[1:-1], super().formatMessage(record))

    def formatException(self, ei: object) -> str:  # noqa: N802
        return "\n".join("    " + line for line in super().formatException(ei).splitlines())  # type: ignore[arg-type]


class BriefAboutStrangers(logging.Filter):
    """What is refused for the sake of security is one line: whoever sends such requests must not fill the disk."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security"):
            record.exc_info = record.exc_text = None
        return True


class WithoutAdviceOnThreads(logging.Filter):
    """The server finds sixteen threads many for two cores. They are: most of them wait for runs."""

    def filter(self, record: logging.LogRecord) -> bool:
        return "which seems quite high" not in record.getMessage()
