"""Words: how names and sentences are cut for the index, how a query is read, and which words of a text it hits.

Nothing here knows Django or a database. Identifiers are cut where people see words: `getWeather`, `get_weather` and
`get-weather` all hold "get" and "weather", and can be found as "getweather" too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

MAX_QUERY_CHARS = 200
MAX_QUERY_WORDS = 16

# Scripts written without spaces: each character is indexed as a word of its own, and searched as a phrase.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN = re.compile(r"[^\W_]+")
_UNSPACED_CHAR = re.compile(f"[{_UNSPACED}]")
_SCRIPTS = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
# Where a capital starts a new word: aB | ABcd. "URLs" stays one word.
_HUMP = re.compile(r"(?<=[a-z0-9ß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_SEGMENT = re.compile(r"[^\s./:]+")


def parts_of(text: str) -> list[str]:
    """The words in `text`, cut at humps: "getHTTPUrl_v2" -> ["get", "HTTP", "Url", "v2"]."""
    return [part for run in _RUN.findall(text) for part in _HUMP.split(run) if part]


def prose_for_index(text: str) -> str:
    """`text` with the words added that stand inside its words, for an index that cuts at what is not a letter or digit."""
    if _HUMP.search(text):
        text = _RUN.sub(_with_parts, text)
    if _UNSPACED_CHAR.search(text):
        text = _UNSPACED_CHAR.sub(r" \g<0> ", text)
    return text


def identifier_for_index(text: str) -> str:
    """As `prose_for_index`, and each segment of several words also as one: "get_weather" -> "get_weather getweather"."""
    joined = ["".join(parts) for segment in _SEGMENT.findall(text) if len(parts := parts_of(segment)) > 1]
    return " ".join([prose_for_index(text), *joined])


def _with_parts(run: re.Match[str]) -> str:
    parts = _HUMP.split(run[0])
    return run[0] if len(parts) == 1 else " ".join([run[0], *parts])


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    """`word` without case and accents, as the index compares words."""
    if word.isascii():
        return word.lower()
    return "".join(c for c in unicodedata.normalize("NFD", word.casefold()) if not unicodedata.combining(c))


def inflections(word: str) -> tuple[str, ...]:
    """`word`, and its plural or singular as English makes them: "cities" -> ("cities", "city")."""
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return (word,)
    lower = word.lower()
    if lower.endswith("ies") and len(lower) > 4:
        return (word, lower[:-3] + "y")
    if lower.endswith(("ches", "shes", "sses", "xes", "zes")):
        return (word, lower[:-2])
    if lower.endswith("s"):
        return (word,) if lower.endswith(("ss", "us", "is")) else (word, lower[:-1])
    if lower.endswith("y") and lower[-2] not in "aeiou":
        return (word, lower[:-1] + "ies")
    return (word, lower + ("es" if lower.endswith(("x", "z", "ch", "sh")) else "s"))


@dataclass(frozen=True, slots=True)
class Part:
    """One word to look for: its inflections, or a phrase of an unspaced script. `open_ended`: more letters may follow."""

    forms: tuple[str, ...]
    open_ended: bool = False

    def hits(self, folded: str) -> bool:
        return folded in self.forms or (self.open_ended and folded.startswith(self.forms[0]))


@dataclass(frozen=True, slots=True)
class Word:
    """What stood between two spaces of a query: found if all its parts are, or if they stand as one word."""

    parts: tuple[Part, ...]
    joined: Part | None

    @property
    def alternatives(self) -> tuple[Part, ...]:
        return (*self.parts, self.joined) if self.joined else self.parts


@dataclass(frozen=True, slots=True)
class Query:
    """What a person typed, cut into words. `cut`: there was more than is looked for."""

    words: tuple[Word, ...] = ()
    cut: bool = False

    def __bool__(self) -> bool:
        return bool(self.words)

    @classmethod
    def from_text(cls, text: str) -> Query:
        """Read any text; nothing is an error. The last word is open-ended until a space or a sign follows it."""
        kept = text[:MAX_QUERY_CHARS]
        open_ended = bool(kept) and kept[-1].isalnum()
        words: list[Word] = []
        count = 0
        chunks = kept.split()
        for index, chunk in enumerate(chunks):
            parts = [piece for part in parts_of(chunk) for piece in _SCRIPTS.findall(part)][: MAX_QUERY_WORDS - count]
            count += len(parts)
            if parts:
                words.append(_word(parts, open_ended=open_ended and index == len(chunks) - 1))
        return cls(tuple(words), cut=len(text) > MAX_QUERY_CHARS or count >= MAX_QUERY_WORDS)

    def hits(self, word: str) -> bool:
        """Whether `word`, one word of a text, is one that is looked for."""
        folded = fold(word)
        return any(part.hits(folded) for wanted in self.words for part in wanted.alternatives)


def _word(parts: list[str], *, open_ended: bool) -> Word:
    last = len(parts) - 1
    return Word(
        tuple(_part(part, open_ended=open_ended and index == last) for index, part in enumerate(parts)),
        _part("".join(parts), open_ended=open_ended) if len(parts) > 1 else None,
    )


def _part(text: str, *, open_ended: bool) -> Part:
    folded = fold(text)
    if _UNSPACED_CHAR.match(folded):
        return Part((" ".join(folded),), open_ended)
    return Part(inflections(folded), open_ended)


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a text that was hit: `text[start:end]`."""

    start: int
    end: int


def marks(text: str, query: Query) -> tuple[Mark, ...]:
    """Where `query` hits `text`, in order, touching ones joined."""
    found: list[Mark] = []
    for start, end in _spans(text, query):
        if found and found[-1].end == start:
            found[-1] = Mark(found[-1].start, end)
        else:
            found.append(Mark(start, end))
    return tuple(found)


def _spans(text: str, query: Query) -> Iterator[tuple[int, int]]:
    phrases = [part.forms[0].replace(" ", "") for word in query.words for part in word.parts if " " in part.forms[0]]
    for run in _RUN.finditer(text):
        if query.hits(run[0]):
            yield run.span()
            continue
        start = run.start()
        for part in _HUMP.split(run[0]):
            if len(part) < len(run[0]) and query.hits(part):
                yield start, start + len(part)
            start += len(part)
        for phrase in phrases:
            yield from ((run.start() + hit.start(), run.start() + hit.end()) for hit in re.finditer(re.escape(phrase), run[0]))


def excerpt(text: str, query: Query, length: int) -> str:
    """One line of at most `length` characters of `text`: its beginning, or what stands around the first hit further on."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    hit = next(iter(marks(line, query)), None) if query else None
    if hit is None or hit.end <= length - 1:
        return line[: length - 1].rstrip() + "…"
    start = max(line.rfind(" ", 0, hit.start - length // 3) + 1, hit.start - length // 2)
    end = start + length - 2
    return "…" + line[start:end].rstrip() + ("…" if end < len(line) else "")
