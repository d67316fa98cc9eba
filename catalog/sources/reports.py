"""The report of a sync as JSON, for commands."""

from __future__ import annotations

from typing import Final

from catalog.jsontext.reader import JSON
from catalog.models import SourceSync

COUNTS: Final = ("created", "revised", "unchanged", "held", "refused", "gone", "returned")


def report_as_json(record: SourceSync) -> JSON:
    """{"source", "state", "error", "listed", "created", …, "changes": [{"tool_id", "outcome", …}]}."""
    counts: dict[str, JSON] = {name: getattr(record, name) for name in COUNTS}
    changes: list[JSON] = [dict(change) for change in record.changes]
    return {
        "source": record.source.name,
        "state": record.state,
        "error": record.message or None,
        "listed": record.listed,
        **counts,
        "changes": changes,
    }
