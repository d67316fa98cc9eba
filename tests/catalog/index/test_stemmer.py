from concurrent.futures import ThreadPoolExecutor

import pytest

from catalog.index.stemmer import stem


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("create creates created creating", "creat"),
        ("city cities", "citi"),
        ("relational relate", "relat"),
        ("weather", "weather"),
        ("été 天气 sha256 js x", None),
    ],
)
def test_words_lose_their_endings(words, expected):
    for word in words.split():
        assert stem(word) == (expected or word)


def test_threads_find_stems_at_the_same_time():
    words = [f"{letter}{ending}" for letter in "abcdefgh" for ending in ("ating", "ness", "ized")]
    expected = [stem(word) for word in words]
    stem.cache_clear()

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: [stem(word) for word in words], range(8)))

    assert found == [expected] * 8


def test_a_very_long_word_is_unchanged():
    assert stem("ing" * 10_000) == "ing" * 10_000
