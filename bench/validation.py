"""Measure checks of the shared corpora, compared with jsonschema.

.venv/bin/python -m bench.validation [ROUNDS]
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from jsonschema.validators import validator_for

from bench.timing import time_ms
from tests import corpora
from toolspec.schema.validation import compile_schema
from toolspec.text.reader import Number

# It would request a server, or fail.
NOT_FOR_THE_STOCK_PACKAGE = (
    "refRemote",
    "localhost:",
    "extendible-dynamic-ref",
    "strict-tree",
    '"metaschema_2020_12":false',
)
CORPORA = ("form_pairs", "toolcall_pairs", "bfcl_pairs")


@dataclass
class Times:
    """The times of the pairs of a corpus, in microseconds."""

    compile: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    check: list[float] = field(default_factory=list)
    is_valid: list[float] = field(default_factory=list)
    stock: list[float] = field(default_factory=list)

    def add(self, line: str, rounds: int) -> None:
        """Measure one pair: {"schema", "instance"}."""
        pair = json.loads(line, parse_float=read_number)
        schema, value = pair["schema"], pair["instance"]
        root = compile_schema(schema)
        self.compile.append(measure(rounds, compile_schema, schema))
        self.first.append(measure(rounds, lambda: compile_schema(schema).check(value)))
        self.check.append(measure(rounds, root.check, value))
        self.is_valid.append(measure(rounds, root.root.is_valid, value))
        self.stock.append(measure(rounds, self._make_stock_check(json.loads(line))))

    @staticmethod
    def _make_stock_check(pair: Any) -> Callable[[], object]:
        validator = validator_for(pair["schema"])(pair["schema"])
        return lambda: list(validator.iter_errors(pair["instance"]))


def read_number(text: str) -> Decimal:
    """Like the strict reader, which refuses a few of the test suite's numbers."""
    try:
        return Number(text)
    except ValueError:
        return Decimal(text)


def measure(rounds: int, work: Callable[..., object], *arguments: object) -> float:
    """The shortest time of `rounds` (µs), which is the least disturbed one."""
    times = []
    for _ in range(rounds):
        times.append(time_ms(work, *arguments))
    return min(times) * 1e3


def main(rounds: int) -> None:
    """Print one line per corpus."""
    header = f"{'median µs':22}{'compile':>9}{'first':>9}{'check':>9}"
    print(f"{header}{'p99':>9}{'is_valid':>9}{'jsonschema':>12}")
    for corpus in CORPORA:
        times = Times()
        for line in corpora.lines(corpus):
            if not any(mark in line for mark in NOT_FOR_THE_STOCK_PACKAGE):
                times.add(line, rounds)
        columns = (times.compile, times.first, times.check, times.is_valid, times.stock)
        cells = [f"{statistics.median(column):9.1f}" for column in columns]
        cells.insert(3, f"{statistics.quantiles(times.check, n=100)[98]:9.1f}")
        print(f"{corpus:22}{''.join(cells)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
