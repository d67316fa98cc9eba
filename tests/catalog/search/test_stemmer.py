import re
import sqlite3

import pytest

from catalog.search.stemmer import stem
from tests import corpora


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("create creates created creating", "creat"),
        ("city cities", "citi"),
        ("relational relate", "relat"),
        ("weather", "weather"),
        ("été 天气 sha256 io x", None),
    ],
)
def test_words_lose_their_endings(words, expected):
    for word in words.split():
        assert stem(word) == (expected or word)


@pytest.mark.corpora
def test_every_word_of_real_specs_has_the_same_stem_in_fts5():
    words = sorted(
        {
            word
            for name in ("specs_mcp", "specs_bfcl", "specs_metatool", "queries")
            for word in re.findall("[a-z]{1,40}", "\n".join(corpora.lines(name)).lower())
        }
    )
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE words USING fts5(word, tokenize = 'porter ascii')")
    database.execute("CREATE VIRTUAL TABLE stems USING fts5vocab(words, instance)")
    database.executemany("INSERT INTO words VALUES (?)", [(word,) for word in words])

    theirs = {
        words[rowid - 1]: term for rowid, term in database.execute("SELECT doc, term FROM stems")
    }

    assert len(words) > 5_000
    assert {word: stem(word) for word in words} == theirs
    database.close()


def test_a_very_long_word_is_unchanged():
    assert stem("ing" * 10_000) == "ing" * 10_000
