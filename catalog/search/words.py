"""Words: how names and sentences are cut for the index, how a query is read, and which words of a text it hits.

Nothing here knows Django or a database. Identifiers are cut where people see words: `getWeather`, `get_weather` and
`get-weather` all hold "get" and "weather", and can be found as "getweather" too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

MAX_QUERY_CHARS = 200
MAX_QUERY_WORDS = 16
MAX_WORD_CHARS = 100  # of a word that is looked into

# Scripts written without spaces: each character is indexed as a word of its own, and searched as a phrase.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN = re.compile(r"[^\W_]+")
_UNSPACED_CHAR = re.compile(f"[{_UNSPACED}]")
_SCRIPTS = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
# Where a capital starts a new word: aB | ABcd. "URLs" stays one word.
_HUMP = re.compile(r"(?<=[a-z0-9ß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_SEGMENT = re.compile(r"[^\s./:]+")


# What says little in a question; kept where there is nothing else, and while it may become another word.
_STOP_WORDS = frozenset(
    "a an and are as at be by can could do does for from how i in into is it its me my of on or our please should some "  # noqa: SIM905
    "that the their them there this to us want was we what when where which who will with would you your".split()
)
_SHORTENED = re.compile(r"[\u0027\u2019](?:s|t|re|ve|ll|d|m)$", re.IGNORECASE)


def parts_of(text: str) -> list[str]:
    """The words in `text`, cut at humps: "getHTTPUrl_v2" -> ["get", "HTTP", "Url", "v2"]."""
    return [part for run in _RUN.findall(text) for part in _HUMP.split(run) if part]


def kin_of(text: str) -> str:
    """What an index that cuts at what is no letter or digit would miss in `text`, apart by spaces.

    The words within its words, the singulars of its plurals, and each character of a script without spaces.
    """
    kin = [word for run in _RUN.findall(text) if (word := _kin(run))]
    if _UNSPACED_CHAR.search(text):
        kin += _UNSPACED_CHAR.findall(text)
    return " ".join(kin)


def identifier_kin_of(text: str) -> str:
    """As `kin_of`, and each segment of several words as one: "actions_get" -> "action actionsget"."""
    joined = ["".join(parts) for segment in _SEGMENT.findall(text) if len(parts := parts_of(segment)) > 1]
    return " ".join([kin, *joined]) if (kin := kin_of(text)) else " ".join(joined)


@lru_cache(maxsize=65_536)
def _short_words_kin(word: str) -> str:
    parts = _HUMP.split(word)
    kin = dict.fromkeys(parts if len(parts) > 1 else ())
    for part in parts:
        if part[-1:] in "sS" and (one := singular(folded := fold(part))) != folded:
            kin[one] = None
    return " ".join(kin)


def _kin(word: str) -> str:
    return _short_words_kin(word) if len(word) <= MAX_WORD_CHARS else ""


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    """`word` without case and accents, as the index compares words."""
    if word.isascii():
        return word.lower()
    return "".join(c for c in unicodedata.normalize("NFD", word.casefold()) if not unicodedata.combining(c))


def singular(folded: str) -> str:
    """The singular of an English plural, as far as its ending tells: "cities" -> "city". Other words stay."""
    if len(folded) < 4 or folded[-1] != "s" or folded.endswith(("ss", "us", "is")):
        return folded
    if folded.endswith("ies") and len(folded) > 4:
        return folded[:-3] + "y"
    if folded.endswith(("ches", "shes", "sses", "xes", "zes")):
        return folded[:-2]
    return folded[:-1]


@dataclass(frozen=True, slots=True)
class Part:
    """One word to look for, folded and in the singular; or a phrase of an unspaced script, apart by spaces.

    `open_ended`: more letters may follow.
    """

    text: str
    open_ended: bool = False

    def hits(self, folded: str) -> bool:
        """Whether `folded`, a word of a text, is this one."""
        if self.open_ended and folded.startswith(self.text):
            return True
        return folded == self.text or (folded.endswith("s") and singular(folded) == self.text)


@dataclass(frozen=True, slots=True)
class Word:
    """What stood between two spaces of a query: found if all its parts are, or if they stand as one word."""

    parts: tuple[Part, ...]
    joined: Part | None

    @property
    def alternatives(self) -> tuple[Part, ...]:
        return (*self.parts, self.joined) if self.joined else self.parts


@dataclass(frozen=True)
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
        chunks = [_SHORTENED.sub("", chunk) for chunk in kept.split()]
        telling = [chunk for chunk in chunks[: -1 if open_ended else None] if chunk.lower() not in _STOP_WORDS]
        if open_ended:
            telling.append(chunks[-1])
        words: list[Word] = []
        count = 0
        for index, chunk in enumerate(telling or chunks):
            parts = [piece for part in parts_of(chunk) for piece in _SCRIPTS.findall(part)][: MAX_QUERY_WORDS - count]
            count += len(parts)
            if parts:
                words.append(_word(parts, open_ended=open_ended and index == len(telling) - 1))
        return cls(tuple(words), cut=len(text) > MAX_QUERY_CHARS or count >= MAX_QUERY_WORDS)

    def hits(self, word: str) -> bool:
        """Whether `word`, one word of a text, is one that is looked for."""
        folded = fold(word)
        if folded in self._whole or folded.startswith(self._beginnings):
            return True
        return folded[-1:] == "s" and singular(folded) in self._whole

    def candidates(self, text: str) -> Iterator[tuple[int, str]]:
        """(start, run) of each run of letters and digits in `text` that may be looked for, or hold what is."""
        if not text.isascii():
            yield from ((run.start(), run[0]) for run in _RUN.finditer(text))
            return
        end = 0
        for glimpse in self._glimpse.finditer(text.lower()):
            start = glimpse.start()
            if start < end:
                continue
            while start > end and text[start - 1].isalnum():
                start -= 1
            run = _RUN.match(text, start)
            if run:
                end = run.end()
                yield start, run[0]

    @cached_property
    def _parts(self) -> tuple[Part, ...]:
        return tuple(part for word in self.words for part in word.alternatives)

    @cached_property
    def _whole(self) -> frozenset[str]:
        return frozenset(part.text for part in self._parts)

    @cached_property
    def _beginnings(self) -> tuple[str, ...]:
        return tuple(part.text for part in self._parts if part.open_ended)

    @cached_property
    def _glimpse(self) -> re.Pattern[str]:
        """What every hit contains: its word without the last letter, which a plural may change."""
        starts = {part.text[:-1] if len(part.text) > 2 else part.text for part in self._parts}
        return re.compile("|".join(map(re.escape, sorted(starts))))

    @cached_property
    def phrases(self) -> tuple[str, ...]:
        """The parts in a script without spaces."""
        return tuple(part.text.replace(" ", "") for part in self._parts if " " in part.text)


def _word(parts: list[str], *, open_ended: bool) -> Word:
    last = len(parts) - 1
    return Word(
        tuple(_part(part, open_ended=open_ended and index == last) for index, part in enumerate(parts)),
        _part("".join(parts), open_ended=open_ended) if len(parts) > 1 else None,
    )


def _part(text: str, *, open_ended: bool) -> Part:
    folded = fold(text)
    if _UNSPACED_CHAR.match(folded):
        return Part(" ".join(folded), open_ended)
    one = singular(folded)
    # Documents with "cities" hold "city" too; but nothing that begins with "city" is what "cities…" is about to become.
    return Part(one, open_ended and folded.startswith(one))


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
    if not query:
        return
    for start, run in query.candidates(text):
        if query.hits(run):
            yield start, start + len(run)
            continue
        at = start
        for part in _HUMP.split(run):
            if len(part) < len(run) and query.hits(part):
                yield at, at + len(part)
            at += len(part)
        for phrase in query.phrases:
            yield from ((start + hit.start(), start + hit.end()) for hit in re.finditer(re.escape(phrase), run))


def excerpt(text: str, query: Query, length: int) -> str:
    """One line of at most `length` characters of `text`: its beginning, or what is around a first hit further on."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    hit = next(iter(marks(line, query)), None) if query else None
    if hit is None or hit.end <= length - 1:
        return line[: length - 1].rstrip() + "…"
    start = max(line.rfind(" ", 0, hit.start - length // 3) + 1, hit.start - length // 2)
    end = start + length - 2
    return "…" + line[start:end].rstrip() + ("…" if end < len(line) else "")
