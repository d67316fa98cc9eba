"""The committed data that the golden tests share. It is always the selection, never the full corpora."""

from __future__ import annotations

import json
from functools import cache
from random import Random
from typing import Any

from tests.corpora import GET_WEATHER, SELECTION
from tests.toolspec.random_schemas import DRAFTS, Schemas
from toolspec.errors import SpecError
from toolspec.spec import read_spec
from toolspec.text.reader import dumps, loads

CORPORA = ("specs_mcp", "specs_bfcl", "specs_taubench", "specs_metatool")

__all__ = ["SELECTION", "dumps", "exact", "loads", "random_pairs", "rows", "spec_with", "specs"]


def rows(name: str) -> list[str]:
    return (SELECTION / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()


@cache
def specs() -> dict[str, Any]:
    """Every spec of the corpora, by its file and its id; duplicates of an id have a number."""
    found: dict[str, Any] = {}
    for name in CORPORA:
        for index, row in enumerate(rows(name)):
            spec = read_spec(row)
            key = f"{name.removeprefix('specs_')}:{spec.tool_id}"
            found[f"{key}#{index}" if key in found else key] = spec
    found["get-weather"] = read_spec(GET_WEATHER.read_text(encoding="utf-8"))
    return found


def spec_with(tool_id: str, **members: Any) -> Any:
    """A spec with these members; None where the format does not allow one of them."""
    definition = {"id": tool_id, "name": "f", "description": "A function.", **members}
    try:
        return read_spec(dumps({"definition": definition}))
    except SpecError:
        return None


def exact(value: Any) -> Any:
    """`value` with exact numbers, as the code reads JSON."""
    return loads(json.dumps(value))


@cache
def random_pairs(count: int) -> list[tuple[Any, Any]]:
    """Random schemas of all drafts, each with a changed copy; the same ones each time."""
    found = []
    for seed in range(count):
        random = Random(seed)
        schemas = Schemas(random, random.choice(list(DRAFTS)))
        old = schemas.document()
        found.append((exact(old), exact(schemas.changed(old, random.choice((1, 1, 2, 3))))))
    return found
