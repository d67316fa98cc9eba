"""The JSON log: one object per line, with the facts of the request or run that a line belongs to.

    {"time", "level", "logger", "message", "request_id"?, "run_id"?, "person_id"?, "method"?, "path"?, "status"?,
     "duration_ms"?, "exception"?}

Secrets are removed from the whole line, as from the text log.
"""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any

from catalog import log_context
from catalog.accounts.secret_paths import hidden
from config.log_filters import shortened


class JsonLine(logging.Formatter):
    """Formats a record as one line of JSON. A traceback is cut, as in the text log."""

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
