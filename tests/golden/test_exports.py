"""Exports: every format of every third spec, of random schemas, and of schemas made to test form libraries."""

from __future__ import annotations

import pytest

from tests.golden.expected import Case, check, computed_once, digest, short, without_prose
from tests.golden.inputs import dumps, loads, random_pairs, rows, spec_with, specs
from toolspec.exports import FORMATS, export, usable_as_it_is


def inputs():
    yield from list(specs().items())[::3]
    schemas = [(f"random {number}", schema) for number, (schema, _) in enumerate(random_pairs(150))]
    schemas += [
        (f"form {number}", loads(row)["schema"])
        for number, row in enumerate(rows("form_pairs"))
        if number % 3 == 0
    ]
    for name, schema in schemas:
        spec = spec_with("f", parameters=schema, returnType=schema)
        if spec is not None:
            yield name, spec


@computed_once
def exported():
    for name, spec in inputs():
        facts, prose = {"usable": ",".join(usable_as_it_is(spec))}, []
        source = spec.document
        for key in FORMATS:
            found = export(spec, key)
            losses = [
                f"{loss.what} {loss.pointer.removeprefix('/definition')}" for loss in found.losses
            ]
            facts[key] = [
                found.verdict,
                digest(dumps(without_prose(found.document, source))),
                losses,
                dict(found.renamed),
            ]
            prose += [
                dumps(found.document),
                [loss.reason for loss in found.losses],
                list(found.obstacles),
            ]
        yield Case(name, {key: compact(value) for key, value in facts.items()}, prose)


def compact(value):
    """The verdict, the digest of the document with its order of members, the number and digest of losses."""
    if isinstance(value, str):
        return value
    verdict, document, losses, renamed = value
    return [verdict, document, short(losses, 100), *([short(renamed, 60)] if renamed else [])]


@pytest.mark.parametrize("field", ["facts", "prose"])
def test_the_exports_of_a_spec_are_as_before(field):
    check("exports", field, exported())
