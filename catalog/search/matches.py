"""Why a tool was found, as JSON: for the API and for MCP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from catalog.index.explain import Marked
from catalog.search.results import Result


def list_matches(result: Result) -> Iterator[dict[str, Any]]:
    """The matching texts of a result, each as `schemas.search.MatchOut` of the API describes it."""
    texts = result.shown
    for field, text in (
        ("name", texts.name),
        ("id", texts.tool_id),
        ("description", texts.excerpt),
    ):
        if text.marks:
            yield _dump_match(field, text)
    for reason in texts.reasons:
        if reason.text is None:
            yield _dump_match(reason.place, reason.parameter, reason.parameter.text)
        else:
            yield _dump_match(f"{reason.place}_description", reason.text, reason.parameter.text)


def _dump_match(field: str, text: Marked, parameter: str | None = None) -> dict[str, Any]:
    marks = [(mark.start, mark.end) for mark in text.marks]
    return {"field": field, "parameter": parameter, "text": text.text, "marks": marks}
