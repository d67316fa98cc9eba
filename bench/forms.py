"""Measure forms: draw, read and check them, with real specs and calls, and with hostile schemas.

    .venv/bin/python -m bench.forms          prints a table; CPU time of one core in ms

"open" draws the form of a new value; "post" reads it back, checks it and draws it again: a request
without Django's share.
"""

from __future__ import annotations

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

Figures = tuple[float, float, int, int]


def read_schemas(corpus: str) -> Iterator[JSON]:
    """The schemas of the parameters of each spec that has some."""
    for line in corpora.lines(corpus):
        definition = reader.loads(line, max_bytes=10_000_000)["definition"]
        if "parameters" in definition:
            yield definition["parameters"]


def time_cpu_ms(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1000


def measure(schema: JSON, value: object) -> Figures:
    """The ms of the first page and of a post, the number of fields sent, the bytes of the page."""
    compiled = compile_schema(schema)
    html = ""

    def open_form() -> None:
        nonlocal html
        html = draw_form(schema_form.begin(compiled, value, name="parameters").form)

    def post_form() -> None:
        draw_form(schema_form.read_submission(compiled, pairs, name="parameters").form)

    open_ms = time_cpu_ms(open_form)
    pairs = Page(html).submit()
    return open_ms, time_cpu_ms(post_form), len(pairs), len(html)


def report(title: str, rows: list[Figures]) -> None:
    line = f"{title:<28}{len(rows):>6}"
    columns = [sorted(column) for column in zip(*rows, strict=True)]
    for times in columns[:2]:
        for share in (0.5, 0.99, 1):
            line += f"{get_quantile(times, share):>8.1f}"
    fields, sizes = columns[2:]
    print(f"{line}{fields[-1]:>8}{get_quantile(sizes, 0.5) / 1024:>9.1f}{sizes[-1] / 1024:>9.0f}")


def get_quantile(values: list[float], share: float) -> float:
    return values[min(int(len(values) * share), len(values) - 1)]


def count_nodes(schemas: list[JSON]) -> Counter[str]:
    """How many nodes of each kind the forms have."""
    counts: Counter[str] = Counter()
    for schema in schemas:
        form = schema_form.begin(compile_schema(schema), {}, name="parameters").form
        waiting: list[Node] = [form.root]
        for node in waiting:
            counts[node.template] += 1
            waiting += children(node)
    return counts


def nest(levels: int) -> JSON:
    value: JSON = 1
    for _ in range(levels):
        value = {"a": value}
    return value


DOUBLING = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(10)}
TREE = {"properties": {"a": {"$ref": "#/$defs/t"}}}
HOSTILE: dict[str, tuple[JSON, JSON]] = {
    "1,900 members declared": (
        {"properties": {f"p{n}": {"type": "string"} for n in range(1_900)}},
        {},
    ),
    "10,000 members there": ({}, {f"p{n}": n for n in range(10_000)}),
    "100,000 rows": ({"items": {"type": "integer"}}, list(range(100_000))),
    "900 branches": (
        {"oneOf": [{"properties": {"k": {"const": n}}} for n in range(900)]},
        {"k": 899},
    ),
    "enum of 2,000, 300 rows": (
        {"items": {"enum": [f"v{n}" for n in range(2_000)]}},
        ["v1"] * 300,
    ),
    "64 levels": ({"$ref": "#/$defs/t", "$defs": {"t": TREE}}, nest(60)),
    "reference to itself": ({"$ref": "#"}, {"a": 1}),
    "required cycle": ({"$ref": "#/$defs/t", "$defs": {"t": TREE | {"required": ["a"]}}}, {}),
    "slow pattern": ({"patternProperties": {"^(a+)+$": {"type": "string"}}}, {"a" * 40 + "!": 1}),
    "anyOf of anyOf, 2^10": (
        {"$defs": DOUBLING | {"d10": {"type": "string"}}, "$ref": "#/$defs/d0"},
        5,
    ),
    "a text of 200 KB": ({"type": "string"}, "x" * 200_000),
}


def main() -> None:
    print(f"{'':<34}{'open, ms CPU':>24}{'post, ms CPU':>24}{'most':>8}{'HTML, KiB':>18}")
    quantiles = f"{'p50':>8}{'p99':>8}{'max':>8}"
    print(f"{'':<28}{'forms':>6}{quantiles * 2}{'fields':>8}{'p50':>9}{'max':>9}")
    measure({"properties": {"a": {}}}, {"a": [1, "b", None, True]})  # loads the templates
    schemas = list(read_schemas("specs_mcp"))
    report("specs_mcp, new", [measure(schema, schema_form.ABSENT) for schema in schemas])
    for name in REAL:
        report(name, [measure(pair.schema, pair.value) for pair in pairs_of(name)])
    for title, (schema, value) in HOSTILE.items():
        report(title, [measure(schema, value)])
    print(f"nodes of specs_mcp: {dict(count_nodes(schemas))}")


if __name__ == "__main__":
    main()
