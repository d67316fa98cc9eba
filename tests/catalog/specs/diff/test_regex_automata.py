"""Strings that patterns match, found by automata and checked with the patterns themselves."""

import itertools
from random import Random

import pytest

from catalog.json_schema.regex.match import matches
from catalog.specs.diff.regex_automata import UnsupportedPattern, find_string, literal_pattern
from tests.work import at_most

SHORT_TEXTS = [
    "".join(some) for length in range(4) for some in itertools.product("abx1 \n", repeat=length)
]


def one(matching, missing=(), **bounds):
    return find_string(frozenset(matching), frozenset(missing), **bounds)


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        ("^[a-z]+$", "^[a-z0-9]+$"),
        ("^abc", "^ab"),
        ("^abc", "b"),
        ("^.+$", r"[\s\S]"),
        (r"^\d{4}-\d{2}$", r"^[\d-]+$"),
        ("^(a|b)$", "^(?:a|b|c)$"),
        ("^(?<year>[0-9]{4})$", r"^\d\d\d\d$"),
        ("a{2,3}", "aa"),
        (r"^\u0041\x42$", "^AB$"),
        ("^[^a-z]$", "^[^a]$"),
        ("(ab)*c$", "c"),
        ("^$", ""),
    ],
)
def test_no_string_matches_a_pattern_but_not_a_wider_one(narrow, wide):
    assert one([narrow], [wide]) is None

    beyond = one([wide], [narrow])
    assert beyond is None or (matches(wide, beyond) and not matches(narrow, beyond))


def test_the_found_string_is_one_of_the_shortest():
    assert one(["^a+$"]) == "a"
    assert one(["ab"], ["abc"]) == "ab"
    assert one(["^(?:ab)*$"], ["^$"]) == "ab"


def test_limits_of_length_are_respected():
    assert one(["^[ab]+$"], least=3, most=3) in SHORT_TEXTS
    assert one(["^(?:ab)+$"], least=3, most=3) is None
    assert one([r"^\d{4}$"], least=5) is None


def test_a_pattern_of_alternatives_allows_only_the_listed_strings():
    assert one(["^(asc|desc)$"], [literal_pattern("asc"), literal_pattern("desc")]) is None
    assert one(["^(asc|desc)$"], [literal_pattern("asc")]) == "desc"
    assert matches(literal_pattern("a.b\n€"), "a.b\n€")


@pytest.mark.parametrize(
    "pattern", ["(?=a)a", "(?<!a)b", r"(a)\1", r"\bword", r"\p{L}", "(?i:a)", "(", "a{1,900}"]
)
def test_patterns_that_are_not_regular_or_too_large_are_unsupported(pattern):
    with pytest.raises(UnsupportedPattern):
        one([pattern])


def test_very_great_lengths_are_unsupported():
    with pytest.raises(UnsupportedPattern):
        one(["^a*$"], least=100_000)


def test_patterns_that_distinguish_too_many_characters_are_abandoned_quickly():
    patterns = [
        f"[{''.join(chr(0x4E00 + 2 * (250 * number + at)) for at in range(250))}]"
        for number in range(8)
    ]

    with at_most(150_000), pytest.raises(UnsupportedPattern):
        one(patterns)


def test_patterns_with_too_many_combined_states_are_abandoned_quickly():
    with at_most(2_000_000), pytest.raises(UnsupportedPattern):
        one(["(a|b)*a(a|b){24}$"], ["(a|b)*b(a|b){25}$"])


def a_pattern(random, depth=0):
    choice = random.random()
    if depth > 2 or choice < 0.35:
        return random.choice(["a", "b", "[ab]", "[^a]", ".", r"\d", "x", "[a-c]", r"\w", r"\s"])
    inner = a_pattern(random, depth + 1)
    if choice < 0.5:
        return f"({inner}|{a_pattern(random, depth + 1)})"
    if choice < 0.7:
        return inner + a_pattern(random, depth + 1)
    if choice < 0.9:
        return f"(?:{inner})" + random.choice(
            ["*", "+", "?", "{2}", "{1,3}", "{0,1}", "{2,}", "{0}"]
        )
    return f"^{inner}" if choice < 0.95 else f"{inner}$"


@pytest.mark.parametrize("seed", range(5))
def test_random_patterns_agree_with_an_exhaustive_search(seed):
    random = Random(seed)

    for _ in range(150):
        wanted, barred = (random.choice(["{}", "^{}$"]).format(a_pattern(random)) for _ in range(2))
        least, most = random.choice([0, 0, 1, 3]), random.choice([None, None, 2, 4])
        found = one([wanted], [barred], least=least, most=most)
        for text in SHORT_TEXTS if found is None else [found]:
            fits = matches(wanted, text) and not matches(barred, text)
            fits = fits and len(text) >= least and (most is None or len(text) <= most)
            assert fits is (found is not None), (wanted, barred, least, most, text)
