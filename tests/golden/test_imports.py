"""Imports: the specs and losses of each committed document, and of random documents."""

from __future__ import annotations

import json

import pytest

from tests.golden.expected import Case, check, computed_once, digest, short, without_prose
from tests.golden.inputs import SELECTION, dumps, loads, rows
from tests.toolspec.random_documents import Documents
from toolspec.imports import NotKnown, import_document, prefix_for

LARGE = 10_000_000


def documents():
    for folder in ("mcp_lists", "openapi"):
        for path in sorted((SELECTION / folder).iterdir()):
            yield path.name, loads(path.read_bytes(), max_bytes=LARGE)
    for name in ("bfcl_raw_openai", "taubench_raw_openai"):
        yield f"{name}.json", [loads(row)["tool"] for row in rows(name)]
    for seed in range(25):
        yield f"api {seed}.json", loads(json.dumps(Documents(seed).api()), max_bytes=LARGE)
        yield f"tools {seed}.json", loads(json.dumps(Documents(seed).tools()), max_bytes=LARGE)


@computed_once
def imported():
    for name, document in documents():
        prefix = prefix_for(document, name)
        try:
            found = import_document(document, prefix=prefix)
        except NotKnown as error:
            yield Case(name, [prefix, "unknown"], str(error))
            continue
        yield Case(
            name, [prefix, found.format_key, len(found.specs), len(found.notes)], list(found.notes)
        )
        for number, spec in enumerate(found.specs):
            facts = [
                spec.tool_id if len(spec.tool_id) < 100 else digest(spec.tool_id),
                digest(dumps(without_prose(spec.document, document))),
                short([f"{loss.what} {loss.pointer}" for loss in spec.losses]),
                *(
                    [short([f"{problem.rule} {problem.pointer}" for problem in spec.problems])]
                    if spec.problems
                    else []
                ),
            ]
            prose = [
                [loss.reason for loss in spec.losses],
                [problem.message for problem in spec.problems],
                spec.text,
            ]
            yield Case(f"{name} {number}", facts, prose)


@pytest.mark.parametrize("field", ["facts", "prose"])
def test_the_specs_that_are_imported_are_as_before(field):
    check("imports", field, imported())
