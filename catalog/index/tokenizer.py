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
    for part in parts if len(parts) > 1 else ():
        start, end = end, end + len(part)
        spans.append(Span(start, end, token_of(part), fold(part)))
    return tuple(spans)


@lru_cache(maxsize=65_536)
def parts_of_run(run: str) -> tuple[str, ...]:
    """The words of a run, and its single characters of scripts without spaces; joined, they are the run."""
    return tuple(piece for part in _cut(run) for piece in _SCRIPTS.findall(part))


def parts_of(text: str) -> list[str]:
    """The words in `text`, split at capitals: "getHTTPUrl_v2" -> ["get", "HTTP", "Url", "v2"]."""
    return [part for run in _RUN.findall(text) for part in _cut(run)]


@lru_cache(maxsize=65_536)
def _cut(run: str) -> tuple[str, ...]:
    """A run split at its capitals."""
    return tuple(part for part in _HUMP.split(run) if part)


@lru_cache(maxsize=65_536)
def tokens_of_run(run: str) -> tuple[str, ...]:
    """The tokens of a run of letters and digits: "getWeathers" -> ("get", "weather", "getweath")."""
    run = run[:MAX_WORD_CHARS]
    tokens = [token for part in parts_of_run(run) if (token := token_of(part))]
    if len(_cut(run)) > 1 and (joined := token_of(run)):
        tokens.append(joined)
    return tuple(tokens)


@lru_cache(maxsize=65_536)
def token_of(word: str) -> str:
    """The token of one word, which is not split further; "" if it has no searchable characters."""
    return stem(fold(word)[:MAX_TOKEN_CHARS])


def tokens_of(text: str) -> list[str]:
    """The tokens of `text`, in order."""
    return [token for run in _RUN.findall(text) for token in tokens_of_run(run)]


@lru_cache(maxsize=65_536)
def identifier_tokens_of(name: str) -> tuple[str, ...]:
    """The tokens of a name: of each word, and of the words joined."""
    tokens = tokens_of(name)
    return (*tokens, *(joined for joined in joined_tokens_of(name) if joined not in tokens))


@lru_cache(maxsize=65_536)
def words_of_run(run: str) -> tuple[tuple[str, str], ...]:
    """The words in a run, without case and accents, each with its token."""
    return tuple((fold(part)[:MAX_TOKEN_CHARS], token_of(part)) for part in _cut(run) if fold(part))


def halves_of(word: str) -> list[str]:
    """The ways to split a word without accents in two, as two tokens with a space: "logfile" -> [..., "log file", ...].

    Each half has at least `MIN_HALF_CHARS` letters.
    """
    if not word.isascii() or not MIN_COMPOUND_CHARS <= len(word) <= MAX_TOKEN_CHARS:
        return []
    cuts = range(MIN_HALF_CHARS, len(word) - MIN_HALF_CHARS + 1)
    return list(dict.fromkeys(f"{token_of(word[:at])} {token_of(word[at:])}" for at in cuts))


def joined_tokens_of(name: str) -> list[str]:
    """For each segment of an identifier with several words, the token of the joined words: "mcp.get_it" -> "getit"."""
    segments = [parts_of(segment) for segment in _SEGMENT.findall(name)]
    return [token for parts in segments if len(parts) > 1 and (token := token_of("".join(parts)))]


def key_of(name: str) -> str:
    """A name without case, accents and signs, for use in conditions: "Temperature-Unit" -> "temperatureunit"."""
    return folded_letters(name)[:MAX_TOKEN_CHARS]
