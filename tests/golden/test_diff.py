"""Semantic diff: cases made by hand, specs of the corpora next to each other, random schemas and changed copies.

The values that prove a change are a subject of their own, since another search may find other values.
"""

from __future__ import annotations

import json
from functools import cache

import pytest

from tests.golden.expected import Case, check, computed_once, short
from tests.golden.inputs import SELECTION, dumps, exact, random_pairs, spec_with, specs
from toolspec.diff import compare
from toolspec.schema.sampling import samples

EVERY = 9  # each of these specs is compared with the next one
READABLE = 12  # changes; more are recorded as a digest


def pairs():
    lines = (SELECTION.parent / "diff_cases.jsonl").read_text(encoding="utf-8").splitlines()
    for number, case in enumerate(map(json.loads, lines)):
        yield (
            f"case {number} {case['change']}",
            spec_of(exact(case["old"])),
            spec_of(exact(case["new"])),
        )
    known = list(specs().items())
    for index in range(0, len(known) - 1, EVERY):
        (name, old), (_, new) = known[index : index + 2]
        yield f"real {name}", old, new
    for number, (old, new) in enumerate(random_pairs(80)):
        yield f"random {number}", spec_of(old), spec_of(new)


def spec_of(schema):
    return spec_with("f", parameters=schema, returnType=schema)


@cache
def compared():
    return [
        (name, None if old is None or new is None else compare(old, new, sample=samples))
        for name, old, new in pairs()
    ]


@computed_once
def differences():
    for name, difference in compared():
        if difference is None:
            yield Case(name, "refused")
            continue
        changes = list(map(facts_of, difference.changes))
        facts = (
            [difference.verdict, *changes]
            if len(changes) <= READABLE
            else [difference.verdict, short(changes)]
        )
        yield Case(name, facts, [change.message for change in difference.changes])


def facts_of(change):
    before, after = (
        pointer and pointer.removeprefix("/definition") for pointer in (change.before, change.after)
    )
    times = [] if change.times == 1 else [change.times]
    return " ".join(
        map(
            str,
            [change.verdict, change.kind, change.part, change.place or "-", before, after, *times],
        )
    )


@computed_once
def proofs():
    for name, difference in compared():
        found = [change.proof for change in difference.changes] if difference else []
        yield Case(
            name,
            [
                proof and [proof.kind, proof.source, proof.pointer, short(dumps(proof.value), 60)]
                for proof in found
            ],
            [proof.message for proof in found if proof],
        )


@pytest.mark.parametrize("field", ["facts", "prose"])
def test_the_changes_between_two_specs_are_as_before(field):
    check("diff", field, differences())


@pytest.mark.parametrize("field", ["facts", "prose"])
def test_the_values_that_prove_a_change_are_as_before(field):
    check("diff_proofs", field, proofs())
