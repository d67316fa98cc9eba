"""Validation: the committed pairs of schema and value, random pairs, and the schemas of the attack cases.

The attack cases about slow patterns are left out: matching one ends after a time.
"""

from __future__ import annotations

import json
from decimal import Decimal
from random import Random

import pytest

from tests.attacks.cases import cases
from tests.golden.expected import Case, check, computed_once, digest, short
from tests.golden.inputs import exact, loads, random_pairs, rows
from tests.toolspec.random_values import value, values_like
from toolspec.schema.validation import Budget, compile_schema

LONG_S = 600
PARTS = ("parameters", "returnType")


def pairs():
    for name in ("form_pairs", "toolcall_pairs", "bfcl_pairs"):
        for number, row in enumerate(rows(name)):
            pair = (
                json.loads(row, parse_float=Decimal)
                if "\\u0000" in row
                else loads(row, max_bytes=10_000_000)
            )
            yield f"{name} {number}", pair["schema"], pair["instance"]
    for number, (schema, _) in enumerate(random_pairs(150)):
        random = Random(number)
        for index in range(3):
            made = values_like(random, schema, schema) if index else value(random, 3)
            yield (
                f"random {number}.{index}",
                schema,
                exact(json.loads(json.dumps(made, default=float))),
            )
    for case in cases(target="upload"):
        if not case.group.startswith("schema.") or case.group == "schema.regex":
            continue
        try:
            spec = json.loads(case.body, parse_float=Decimal)
            instance = json.loads(case.instance, parse_float=Decimal)
        except (ValueError, RecursionError):
            continue
        definition = spec.get("definition", {}) if isinstance(spec, dict) else {}
        for part in PARTS:
            if part in definition:
                yield f"attack {case.id} {part}", definition[part], instance


@computed_once
def checked():
    for name, schema, instance in pairs():
        result = compile_schema(schema).check(instance, budget=Budget(seconds=LONG_S))
        problems = [
            f"{problem.keyword} {problem.pointer} {problem.schema_pointer}"
            for problem in result.problems
        ]
        facts = [
            result.verdict,
            *([short(problems)] if problems else []),
            *(["more"] if result.truncated else []),
        ]
        if result.violations:
            facts.append(digest(list(map(tree, result.violations))))
        yield Case(name, facts, [[problem.message for problem in result.problems], result.reason])


def tree(violation):
    branches = [list(map(tree, branch)) for branch in violation.branches]
    return [
        violation.keyword,
        violation.pointer,
        violation.schema_pointer,
        list(violation.names),
        branches,
    ]


@pytest.mark.parametrize("field", ["facts", "prose"])
def test_the_verdict_on_a_value_is_as_before(field):
    check("validation", field, checked())
