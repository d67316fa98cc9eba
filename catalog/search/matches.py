"""Why a tool was found, as JSON: for the API and for MCP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from catalog.index.explain import Marked
from catalog.search.results import Result


def matches_of(result: Result) -> Iterator[dict[str, Any]]:
    """The matching texts of a result, each as `schemas.search.MatchOut` of the API describes it."""
    shown = result.shown
    for field, marked in (
        ("name", shown.name),
        ("id", shown.tool_id),
        ("description", shown.excerpt),
    ):
        if marked.marks:
            yield _match(field, marked)
    for reason in shown.reasons:
        if reason.text is None:
            yield _match(reason.place, reason.parameter, reason.parameter.text)
        else:
            yield _match(f"{reason.place}_description", reason.text, reason.parameter.text)


def _match(field: str, marked: Marked, parameter: str | None = None) -> dict[str, Any]:
    marks = [(mark.start, mark.end) for mark in marked.marks]
    return {"field": field, "parameter": parameter, "text": marked.text, "marks": marks}
