"""Measure `read_spec` and its parts: median µs over the real MCP specs.

python -m bench.read_spec [ROUNDS]
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable

from catalog.json_schema.policy import schema_policy_problems
from catalog.jsontext.reader import loads
from catalog.specs.spec import read_spec
from tests import corpora


def main(rounds: int) -> None:
    lines = [line.encode() for line in corpora.lines("specs_mcp")]
    schemas = [read_spec(line).parameters for line in lines]
    rows: list[tuple[str, Callable[[int], object]]] = [
        ("json.loads", lambda n: json.loads(lines[n])),
        ("reader.loads", lambda n: loads(lines[n])),
        ("gate_schema(parameters)", lambda n: schema_policy_problems(schemas[n])),
        ("read_spec", lambda n: read_spec(lines[n])),
    ]
    print(f"{len(lines)} specs, {sum(map(len, lines)) / len(lines):.0f} bytes on average, {rounds} rounds")
    for name, call in rows:
        took = [_best(call, n, rounds) for n in range(len(lines))]
        print(
            f"{name:<24} median {statistics.median(took):7.1f} µs   mean {statistics.mean(took):7.1f} µs   "
            f"p99 {sorted(took)[len(took) * 99 // 100]:7.1f} µs   {1e6 / statistics.mean(took):8,.0f}/s"
        )


def _best(call: Callable[[int], object], n: int, rounds: int) -> float:
    """The best of `rounds` calls, in µs."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call(n)
        times.append(time.perf_counter() - start)
    return min(times) * 1e6


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
