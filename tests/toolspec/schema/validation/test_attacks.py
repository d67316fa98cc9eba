"""Every hostile schema of the shared attack cases, checked without the limits of `policy`: in time, with a verdict."""

import base64
import gzip
import json
import resource
from decimal import Decimal

import pytest

from tests.corpora import ATTACKS
from tests.work import at_most
from toolspec.schema.validation import compile_schema
from toolspec.schema.validation.budget import Budget

MAX_LINES = 5_000_000  # nearly all take a hundredth
MAX_GROWTH_KIB = 64 * 1024
A_LONG_TIME_S = 600  # counting lines slows a check down; here its steps end it, not its CPU time


def hostile_schemas():
    """(name, schema, value) of each case whose document can be read at all by a reader without limits."""
    for line in ATTACKS.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if not case["group"].startswith("schema.") or "body_gz_b64" not in case:
            continue
        try:
            spec = json.loads(unpacked(case["body_gz_b64"]), parse_float=Decimal)
            value = (
                json.loads(unpacked(case["instance_gz_b64"]), parse_float=Decimal)
                if "instance_gz_b64" in case
                else {}
            )
        except (ValueError, RecursionError):
            continue
        for part, schema in schemas_of(spec):
            yield pytest.param(schema, value, id=f"{case['id']}-{part}")


def unpacked(text):
    return gzip.decompress(base64.b64decode(text))


def schemas_of(spec):
    definition = spec.get("definition", {}) if isinstance(spec, dict) else {}
    for part in ("parameters", "returnType"):
        if part in definition and definition[part] != {"type": "object"}:
            yield part, definition[part]
    if "configuration" in spec:
        yield "configuration", spec["configuration"]


@pytest.mark.parametrize(("schema", "value"), list(hostile_schemas()))
def test_a_hostile_schema_is_answered_in_short_messages(schema, value):
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    with at_most(MAX_LINES):
        compiled = compile_schema(schema)
        first, again = (
            compiled.check(value, budget=Budget(seconds=A_LONG_TIME_S)) for _ in range(2)
        )

    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib < MAX_GROWTH_KIB
    assert again == first
    assert first.verdict in {"conforms", "violates", "unchecked"}
    assert (first.reason is not None) or first.verdict != "unchecked"
    assert len(first.problems) <= 50
    assert all(len(problem.message) <= 200 for problem in first.problems)
