"""Measure forms: draw, read and check them, with real specs, calls and hostile schemas, on one core.

    python -m bench.forms          prints a table; CPU time in ms

"open" draws the form of a new value; "post" reads it back, checks it and draws it again: a request without Django's
share.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from playground import form as schema_form  # noqa: E402
from playground.form.nodes import Node, children  # noqa: E402
from playground.templatetags.forms import draw_form  # noqa: E402
from tests import corpora  # noqa: E402
from tests.playground.form.driver import Page  # noqa: E402
from tests.playground.form.pairs import REAL, pairs_of  # noqa: E402
from toolspec.schema.validation import compile_schema  # noqa: E402
from toolspec.text import reader  # noqa: E402
from toolspec.text.reader import JSON  # noqa: E402


def lines(name: str) -> Iterator[dict[str, JSON]]:
    for line in corpora.lines(name):
        row = reader.loads(line, max_bytes=10_000_000)
        assert isinstance(row, dict)
        yield row


def spent(work: Callable[[], object]) -> float:
    """CPU time of `work` in ms."""
    begin = time.process_time()
    work()
    return (time.process_time() - begin) * 1000


def measure(schema: JSON, value: object) -> tuple[float, float, int, int]:
    """The time of the first page and of a post (ms), the number of fields sent, and the bytes of the page."""
    compiled = compile_schema(schema)
    html = ""

    def first() -> None:
        nonlocal html
        html = draw_form(schema_form.begin(compiled, value, name="parameters").form)

    opened = spent(first)
    pairs = Page(html).submit()
    posted = spent(
        lambda: draw_form(schema_form.read_submission(compiled, pairs, name="parameters").form)
    )
    return opened, posted, len(pairs), len(html)


def report(title: str, rows: list[tuple[float, float, int, int]]) -> None:
    def at(column: int, share: float) -> float:
        values = sorted(row[column] for row in rows)
        return values[min(int(len(values) * share), len(values) - 1)]

    print(
        f"{title:<28}{len(rows):>6}"
        + "".join(f"{at(column, share):>8.1f}" for column in (0, 1) for share in (0.5, 0.99, 1))
        + f"{at(2, 1):>8}{at(3, 0.5) / 1024:>9.1f}{at(3, 1) / 1024:>9.0f}"
    )


def node_kinds(schemas: list[JSON]) -> Counter[str]:
    found: Counter[str] = Counter()
    for schema in schemas:
        waiting: list[Node] = [
            schema_form.begin(compile_schema(schema), {}, name="parameters").form.root
        ]
        for node in waiting:
            found[node.template] += 1
            waiting += children(node)
    return found


def deep(levels: int) -> JSON:
    value: JSON = 1
    for _ in range(levels):
        value = {"a": value}
    return value


DOUBLING = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(10)}
HOSTILE: dict[str, tuple[JSON, JSON]] = {
    "1,900 members "
    "declared": ({"properties": {f"p{n}": {"type": "string"} for n in range(1_900)}}, {}),
    "10,000 members there": ({}, {f"p{n}": n for n in range(10_000)}),
    "100,000 rows": ({"items": {"type": "integer"}}, list(range(100_000))),
    "900 "
    "branches": ({"oneOf": [{"properties": {"k": {"const": n}}} for n in range(900)]}, {"k": 899}),
    "enum of 2,000, 300 rows": ({"items": {"enum": [f"v{n}" for n in range(2_000)]}}, ["v1"] * 300),
    "64 "
    "levels": ({"$ref": "#/$defs/t", "$defs": {"t": {"properties": {"a": {"$ref": "#/$defs/t"}}}}}, deep(60)),
    "reference to itself": ({"$ref": "#"}, {"a": 1}),
    "required cycle": (
        {"$ref": "#/$defs/t", "$defs": {"t": {"required": ["a"], "properties": {"a": {"$ref": "#/$defs/t"}}}}},
        {},
    ),
    "slow pattern": ({"patternProperties": {"^(a+)+$": {"type": "string"}}}, {"a" * 40 + "!": 1}),
    "anyOf of anyOf, "
    "2^10": ({"$defs": DOUBLING | {"d10": {"type": "string"}}, "$ref": "#/$defs/d0"}, 5),
    "a text of 200 KB": ({"type": "string"}, "x" * 200_000),
}  # fmt: skip


def main() -> None:
    print(f"{'':<34}{'open, ms CPU':>24}{'post, ms CPU':>24}{'most':>8}{'HTML, KiB':>18}")
    print(
        f"{'':<28}{'forms':>6}"
        + f"{'p50':>8}{'p99':>8}{'max':>8}" * 2
        + f"{'fields':>8}{'p50':>9}{'max':>9}"
    )
    measure({"properties": {"a": {}}}, {"a": [1, "b", None, True]})  # loads the templates
    schemas = [
        row["definition"]["parameters"]
        for row in lines("specs_mcp")
        if "parameters" in row["definition"]
    ]
    report("specs_mcp, new", [measure(schema, schema_form.ABSENT) for schema in schemas])
    for name in REAL:
        report(name, [measure(pair.schema, pair.value) for pair in pairs_of(name)])
    for title, (schema, value) in HOSTILE.items():
        report(title, [measure(schema, value)])
    print("nodes of specs_mcp, {}:", json.dumps(node_kinds(schemas)))


if __name__ == "__main__":
    main()
