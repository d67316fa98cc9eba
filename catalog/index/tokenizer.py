"""Split names and sentences into the tokens that are indexed and searched.

Identifiers are split into words: `getWeather`, `get_weather` and `get-weather` all contain "get"
and "weather", and can also be found as "getweather". A token is a word without case, accents and
ending; in scripts written without spaces it is a single character. The names of languages and
platforms that end or begin with a sign are words of their own: `C++`, `C#` and `.NET` are
"cplusplus", "csharp" and "dotnet".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from catalog.index.stemmer import stem
from toolspec.catalog_names import fold, folded_letters

MAX_WORD_CHARS: Final = 100  # of a run of letters; a longer one is split, which limits the caches

MAX_TOKEN_CHARS: Final = 40

MIN_COMPOUND_CHARS: Final = 5  # of a word that may be two words

MIN_HALF_CHARS: Final = 2

_UNSPACED: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"

# C++, C#, F#, .NET, but neither "a#b" nor the end of "ASP.NET"
_NAME_WITH_SIGN: Final = (
    r"(?<![^\W_])[A-Za-z](?:\+\+|#)(?![^\W\d_])|(?<![\w.])\.[Nn][Ee][Tt](?![^\W_])"
)

_RUN: Final = re.compile(rf"{_NAME_WITH_SIGN}|[^\W_]{{1,{MAX_WORD_CHARS}}}")

_SCRIPTS: Final = re.compile(f"[{_UNSPACED}]|[^{_UNSPACED}]+")

# The positions where a capital starts a new word: aB | ABcd. "URLs" stays one word.
_HUMP: Final = re.compile(r"(?<=[a-z0-9ß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-Z])(?=[A-Z][a-z]{2})")

_SEGMENT: Final = re.compile(r"[^\s./:]+")

is_unspaced = re.compile(f"[{_UNSPACED}]").match


def runs_of(text: str) -> list[str]:
    """The runs of letters and digits in `text`, as written, and names with a sign (`C++`)."""
    return _RUN.findall(text)


class Span(NamedTuple):
    """A word in a run, at `run[start:end]`: its token, and the word without case and accents."""

    start: int
    end: int
    token: str
    folded: str


def runs_with_offsets(text: str) -> Iterator[tuple[int, str]]:
    """The same as `runs_of`, as (offset, run)."""
    return ((run.start(), run[0]) for run in _RUN.finditer(text))


@lru_cache(maxsize=65_536)
def spans_of_run(run: str) -> tuple[Span, ...]:
    """A run as a whole, followed by the words in it if there are several."""
    spans = [Span(0, len(run), token_of(run), fold(run))]
    parts = parts_of_run(run)
    end = 0
    if len(parts) > 1:
        for part in parts:
            start, end = end, end + len(part)
            spans.append(Span(start, end, token_of(part), fold(part)))
    return tuple(spans)


@lru_cache(maxsize=65_536)
def parts_of_run(run: str) -> tuple[str, ...]:
    """The words of a run, and its single characters of scripts without spaces.

    Joined, they are the run.
    """
    return tuple(chain.from_iterable(map(_SCRIPTS.findall, _split_at_capitals(run))))


def parts_of(text: str) -> list[str]:
    """The words in `text`, split at capitals: "getHTTPUrl_v2" -> ["get", "HTTP", "Url", "v2"]."""
    return list(chain.from_iterable(map(_split_at_capitals, _RUN.findall(text))))


@lru_cache(maxsize=65_536)
def _split_at_capitals(run: str) -> tuple[str, ...]:
    return tuple(filter(None, _HUMP.split(run)))


@lru_cache(maxsize=65_536)
def tokens_of_run(run: str) -> tuple[str, ...]:
    """The tokens of a run of letters and digits: "getWeathers": "get", "weather", "getweath"."""
    run = run[:MAX_WORD_CHARS]
    tokens = list(map(token_of, parts_of_run(run)))
    if len(_split_at_capitals(run)) > 1:
        tokens.append(token_of(run))
    return tuple(filter(None, tokens))


@lru_cache(maxsize=65_536)
def token_of(word: str) -> str:
    """The token of one word, which is not split further; "" if it has no searchable characters."""
    return stem(fold(word)[:MAX_TOKEN_CHARS])


def tokens_of(text: str) -> list[str]:
    """The tokens of `text`, in order."""
    return list(chain.from_iterable(map(tokens_of_run, _RUN.findall(text))))


@lru_cache(maxsize=65_536)
def identifier_tokens_of(name: str) -> tuple[str, ...]:
    """The tokens of a name: of each word, and of the words joined."""
    tokens = tokens_of(name)
    compounds = [token for token in joined_tokens_of(name) if token not in tokens]
    return (*tokens, *compounds)


@lru_cache(maxsize=65_536)
def words_of_run(run: str) -> tuple[tuple[str, str], ...]:
    """The words in a run, without case and accents, each with its token."""
    words = []
    for part in _split_at_capitals(run):
        word = fold(part)
        if word:
            words.append((word[:MAX_TOKEN_CHARS], token_of(part)))
    return tuple(words)


def split_in_two(word: str) -> list[str]:
    """The ways to split a word without accents in two: "logfile" -> [..., "log file", ...].

    Each consists of two tokens with a space between them. Each half has at least `MIN_HALF_CHARS`
    letters.
    """
    if not word.isascii() or not MIN_COMPOUND_CHARS <= len(word) <= MAX_TOKEN_CHARS:
        return []
    cuts = range(MIN_HALF_CHARS, len(word) - MIN_HALF_CHARS + 1)
    return list(dict.fromkeys(f"{token_of(word[:at])} {token_of(word[at:])}" for at in cuts))


def joined_tokens_of(name: str) -> list[str]:
    """The token of the joined words of each segment with several words: "mcp.get_it" -> "getit"."""
    tokens = []
    for segment in _SEGMENT.findall(name):
        parts = parts_of(segment)
        if len(parts) > 1:
            tokens.append(token_of("".join(parts)))
    return list(filter(None, tokens))


def key_of(name: str) -> str:
    """A name without case, accents and signs: "Temperature-Unit" -> "temperatureunit"."""
    return folded_letters(name)[:MAX_TOKEN_CHARS]
