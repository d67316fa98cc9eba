"""Measure hostile input: run the tests that bound its work in lines, and report CPU seconds.

    .venv/bin/python -m bench.hostile

Prints the slowest input of each test beside its bar, in seconds of one core, and exits with 1 if
one is above its bar. The bars assume a machine on which nothing else runs, so they are not part of
the tests.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import work

TESTS = Path(__file__).resolve().parents[1] / "tests"
BARS_S = {
    "toolspec/test_attack_uploads.py": {
        "test_a_hostile_upload_is_answered_as_expected": 1.0,
    },
    "toolspec/schema/validation/test_attacks.py": {
        "test_a_hostile_schema_is_answered_in_short_messages": 2.0,
    },
    "toolspec/diff/test_compare.py": {
        "test_a_comparison_ends_soon": 4.0,
    },
    "toolspec/exports/test_size_limits.py": {
        "test_hostile_schemas_are_exported_with_bounded_work": 1.0,
    },
    "toolspec/schema/test_formats.py": {
        "test_a_format_is_decided_in_linear_time": 2.0,
    },
    "toolspec/schema/test_policy.py": {
        "test_no_schema_within_the_size_limit_takes_long_to_check": 1.0,
    },
    "toolspec/text/test_yaml_reader.py": {
        "test_recognising_yaml_takes_no_long_time": 0.2,
    },
    "toolspec/schema/test_patterns.py": {
        "test_random_patterns_compile_or_are_refused_quickly": 0.5,
    },
    "toolspec/schema/test_documentation.py": {
        "test_a_hostile_schema_is_documented_quickly": 0.5,
    },
    "toolspec/text/test_reader.py": {
        "test_10_megabytes_are_refused_immediately": 0.05,
        "test_hostile_text_is_refused_with_little_work": 1.0,
    },
    "toolshelf_core/rendering/test_text_diff.py": {
        "test_long_lines_and_many_changes_take_no_long_time": 3.0,
        "test_texts_that_have_nothing_in_common_are_compared_quickly": 3.0,
    },
    "catalog/uploads/test_readers.py": {
        "test_no_array_takes_long": 5.0,
    },
    "toolspec/schema/validation/test_validation.py": {
        "test_definitions_that_double_at_each_level_are_evaluated_once_per_value": 0.5,
        "test_multiples_are_exact": 0.1,
        "test_nested_unevaluated_keywords_cost_no_more_than_their_size": 0.5,
        "test_work_beyond_the_budget_ends_unchecked_with_a_reason": 1.5,
    },
    "playground/builtin/test_units_and_times.py": {
        "test_a_unit_that_would_take_forever_is_refused_immediately": 1.0,
    },
    "playground/form/test_cost.py": {
        "test_a_hostile_schema_or_value_is_bounded_and_comes_back": 2.0,
        "test_a_new_value_of_a_hostile_schema_is_bounded": 2.0,
    },
}

slowest: dict[str, tuple[float, str]] = {}


@contextmanager
def time_block(_lines: int) -> Iterator[work.Work]:
    """Replaces `at_most`: measures the block, and records the slowest one of each test."""
    began = time.process_time()
    yield work.Work()
    took_s = time.process_time() - began
    name = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0].removeprefix("tests/")
    test, _, case = name.partition("[")
    slowest[test] = max(slowest.get(test, (0.0, "")), (took_s, case.removesuffix("]")))


def main() -> None:
    work.at_most = time_block  # before the tests import it
    bars = {}
    for file, tests in BARS_S.items():
        for test, bar_s in tests.items():
            bars[f"{file}::{test}"] = bar_s
    status = pytest.main(["-q", "-p", "no:xdist", *(str(TESTS / test) for test in bars)])
    print(f"\n{'CPU s':>8}{'bar':>8}  test, and its slowest input")
    is_above = False
    for test, bar_s in bars.items():
        took_s, case = slowest.get(test, (float("inf"), "was not measured"))
        mark = ""
        if took_s > bar_s:
            is_above, mark = True, " ABOVE"
        print(f"{took_s:>8.2f}{bar_s:>8.2f}  {test.partition('::')[2]} {case[:60]}{mark}")
    sys.exit(1 if status or is_above else 0)


if __name__ == "__main__":
    main()
