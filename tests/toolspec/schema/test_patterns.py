"""Patterns have the meaning of ECMA-262, end in time, and never raise, whatever an uploaded schema contains."""

import random
from contextlib import suppress

import pytest

from tests.work import at_most
from toolspec.schema.patterns import (
    MAX_PATTERN_CHARACTERS,
    Pattern,
    PatternError,
    compile_pattern,
    matches,
)


def pattern(source):
    compiled = compile_pattern(source)
    assert isinstance(compiled, Pattern), compiled
    return compiled


@pytest.mark.parametrize(
    ("source", "text", "found"),
    [
        ("^a$", "a\n", False),  # `$` is the end and nothing before it
        (r"^\d$", "\u07c0", False),
        (r"^\w$", "é", False),
        (r"^\s$", "\ufeff", True),
        (r"^\S$", "\u2003", False),
        (r"\bfoo\b", "éfoo é", True),  # é is no word character
        ("^.$", "\u2028", False),
        ("^.$", "😀", True),  # one character, not two halves
        (r"^\x41\u0042\u{43}$", "ABC", True),
        (r"^\ud83d\ude00$", "😀", True),
        (r"^[\ud83d\ude00-\u{1F64F}]$", "😃", True),
        (r"^\0$", "\0", True),
        (r"^[\b]$", "\b", True),
        (r"\p{Lu}\p{Script=Greek}\P{L}", "A\u03b11", True),
        (r"^\p{digit}+$", "৪২", True),
        (r"^[^\p{L}\d]$", "x", False),
        ("^[]$", "", False),
        ("^[^]$", "\n", True),
        (r"^(?:(a)|b)\1c$", "bc", True),  # a group that took no part matches the empty text
        (r"^\1(a)$", "a", True),
        (r"^(?<x>a)\k<x>$", "aa", True),
        ("^(?=a)(?!b).(?<=a)(?<!b)$", "a", True),
        ("(?<=a+)b", "aab", True),
        ("^(?i:ABC)d$", "abcd", True),
        ("^(?i:ABC)d$", "abcD", False),
        ("^(?s:.)$", "\n", True),
        ("(?m:^b$)", "a\nb\nc", True),
    ],
)
def test_a_pattern_means_what_ecma_262_says(source, text, found):
    assert pattern(source).found_in(text) is found


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"^[\w-.]+$", "a-b.c"),
        (r"^\@\-\"\_$", '@-"_'),
        ("^{}$", "{}"),
        ("^a{,2}$", "a{,2}"),
        ("^]$", "]"),
        ("(?=a)*b", "b"),
        ("(?<=a)*b", "b"),
    ],
)
def test_common_deviations_from_the_standard_are_accepted(source, text):
    assert pattern(source).found_in(text)


INVALID = r"""
[ ( *a a++ a{2,1} [z-a] \a \Aa\Z \N{DASH} \X \8 \1 \x4 \u12 \u{110000} \p{Foo} \p \k<x> \
(?<1>a) (?<x>a)(?<x>b) (?i)a (?P<x>a) (?#a) (?>a) (?(1)a|b)
"""


@pytest.mark.parametrize("source", INVALID.split())
def test_an_invalid_pattern_is_an_error_with_a_position(source):
    error = compile_pattern(source)

    assert isinstance(error, PatternError)
    assert error.message
    assert 0 <= error.position <= len(source) + 1


@pytest.mark.parametrize(
    ("source", "message", "position"),
    [
        ("ab[c", "unterminated character set.", 4),
        (r"^\u0041(b", "missing ).", 9),
        (r"ab\Z", r"`\Z` is not an escape in ECMA-262.", 2),
        ("a++", "a quantifier (`*`, `+`, `?` or `{n}`) has nothing to repeat.", 2),
    ],
)
def test_an_error_says_what_is_wrong_and_where(source, message, position):
    assert compile_pattern(source) == PatternError(message, position)


@pytest.mark.parametrize(
    "source",
    [
        "(?:a{1000}){1000}",
        "(?:(?:a{999}){999}){999}",
        "(?:a?){2000000000}",
        "a{99999999999}",
        "(?:(?:){9999}){9999}",
    ],
)
def test_a_repetition_that_would_fill_memory_is_refused(source):
    assert compile_pattern(source).message == "it repeats too much."


def test_an_upper_bound_may_be_any_number():
    assert pattern("^[a-z]{1,99999999999}$").found_in("abc")


def test_groups_nested_too_deeply_are_refused():
    assert isinstance(compile_pattern("(" * 51 + "a" + ")" * 51), PatternError)
    assert pattern("(" * 50 + "a" + ")" * 50).found_in("a")


@pytest.mark.parametrize("source", ["(x+x+)+!!", "^(?:x|xx)*$", "^(?:(x)|(x)|(xx))*?$"])
def test_a_search_that_explodes_ends_in_time(source):
    text = "x" * 500_000 + "!"

    with pytest.raises(TimeoutError):
        pattern(source).found_in(text, timeout_s=0.1)

    assert matches(source, text) is False


def test_matches_is_false_for_an_unusable_pattern():
    assert matches("a", "bab") is True
    assert matches("[", "[") is False


def test_random_patterns_compile_or_are_refused_quickly():
    pieces = [
        *"ab0^$.|()[]{}*+?,-:=!<>/",
        "\\",
        "(?:",
        "(?=",
        "(?<=",
        "(?<n>",
        "\\d",
        "\\W",
        "\\b",
        "\\1",
        "\\k<n>",
    ]
    pieces += ["[^", "{2}", "{0,9}", "{3,}", "\\p{L}", "\\u{61}", "(?i:", "a|b", "[a-z]", "😀"]
    generator = random.Random(262)
    for _ in range(600):
        source = "".join(generator.choices(pieces, k=generator.randint(1, 60)))
        with at_most(100_000):
            compiled = compile_pattern(source)
        if isinstance(compiled, Pattern):
            with suppress(TimeoutError):
                compiled.found_in("ab0" * 20, timeout_s=0.1)


@pytest.mark.parametrize(
    "piece",
    ["(", "[", "\\", "(?<a>", "{", "a{", "\\p{", "\\u{", "a{1,", "(?i", "(?<", "[a-", "\\k<"],
)
def test_reading_a_pattern_is_linear(piece):
    with at_most(2_500_000):
        compile_pattern((piece * MAX_PATTERN_CHARACTERS)[:MAX_PATTERN_CHARACTERS])
