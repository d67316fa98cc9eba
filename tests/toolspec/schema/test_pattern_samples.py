import json
from contextlib import suppress
from random import Random

import pytest

from tests.corpora import DATA
from tests.work import at_most
from toolspec.schema.pattern_samples import UnknownPattern, sample_pattern
from toolspec.schema.patterns import matches


@pytest.mark.parametrize(
    "pattern",
    [
        "^[A-Z]{2}\\d{4}$",
        "^(foo|bar)-[^a-z]+$",
        "^https?:\\/\\/.+",
        "^(?:[01]\\d|2[0-3]):[0-5]\\d$",
        "^[\\w.-]+$",
        "^\\p{L}+@[a-z0-9.-]+\\.[a-z]{2,}$",
        "^\\u0041\\x42?$",
        "^(?<year>\\d{4})-(0[1-9]|1[0-2])$",
        "^[^\\s@]+@[^\\s@]+$",
        "a{,3}",
        "^$",
        "\\bword\\b",
        "^[+-]?\\d+(\\.\\d+)?$",
        "^[^\\D]$",
        "^[^\\S]a$",
        "^\\cA$",
        "^(?i:abc)$",
    ],
)
def test_a_sample_matches_its_pattern(pattern):
    for seed in range(20):
        assert matches(pattern, sample_pattern(pattern, Random(seed)))


@pytest.mark.parametrize(
    "pattern", ["(", "[", "a)", "*", "(a)\\1", "\\p{Zyxw}", "[b-a]", "(" * 60 + ")" * 60]
)
def test_an_unsupported_pattern_is_reported(pattern):
    with pytest.raises(UnknownPattern):
        sample_pattern(pattern, Random(0))


def test_nested_repetitions_that_multiply_are_given_up():
    pattern = "(?:" * 40 + "a" + "){8,9}" * 2 + "){0,9}" * 38

    for seed in range(2):
        with at_most(1_000_000), suppress(UnknownPattern):
            sample_pattern(pattern, Random(seed))


def test_the_same_seed_makes_the_same_text():
    assert sample_pattern("^\\w{8}$", Random(7)) == sample_pattern("^\\w{8}$", Random(7))


def patterns_of(value):
    if isinstance(value, dict):
        if isinstance(value.get("pattern"), str):
            yield value["pattern"]
        for member in value.values():
            yield from patterns_of(member)
    elif isinstance(value, list):
        for item in value:
            yield from patterns_of(item)


@pytest.mark.corpora
def test_nine_of_ten_patterns_of_real_specs_are_understood():
    found = set()
    for path in DATA.glob("specs_*.jsonl"):
        for line in path.read_text().splitlines():
            found |= set(patterns_of(json.loads(line)))
    made = 0
    for pattern in found:
        try:
            made += any(
                matches(pattern, sample_pattern(pattern, Random(seed))) for seed in range(8)
            )
        except UnknownPattern:
            continue

    assert found
    assert made >= 0.9 * len(found)
