"""Annotate the problems of a response with links to the schema lines that they violate."""

from __future__ import annotations

from catalog.errors import Problem
from catalog.jsontext.positions import locate
from catalog.jsontext.reader import JSON, dumps

SCHEMA_BLOCK = "return-type"  # the id of the block that shows the schema


def pinned(problems: list[Problem], schema: JSON) -> list[dict[str, object]]:
    """The problems as annotations for `{% json_block %}`: {"pointer", "message", "schema_href"?, …}."""
    pointers = {problem.schema_pointer or "" for problem in problems if _is_local(problem.schema_pointer)}
    positions = locate(dumps(schema, indent=2), pointers)
    found: list[dict[str, object]] = []
    for problem in problems:
        annotation: dict[str, object] = dict(problem.as_json())
        if problem.schema_pointer in positions:
            annotation["schema_href"] = f"#{SCHEMA_BLOCK}-L{positions[problem.schema_pointer][0]}"
        found.append(annotation)
    return found


def _is_local(pointer: str | None) -> bool:
    """Whether the rule is in the schema itself, not in another document that it refers to."""
    return pointer is not None and (not pointer or pointer.startswith("/"))
