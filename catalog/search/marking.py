"""Which words of a text were looked for, and a stretch of it that shows them.

Nothing here knows Django or a database.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from catalog.search.words import fold, parts_of_run, places_of_run, runs_of, token_of, tokens_of_run

MAX_TEXT_CHARS: Final = 20_000  # of one text that are looked at


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a text that was hit: `text[start:end]`."""

    start: int
    end: int


class Cut:
    """A text cut into its runs of letters, each with its tokens."""

    __slots__ = ("runs", "text", "tokens")

    def __init__(self, text: str) -> None:
        self.text = text
        self.runs = runs_of(text[:MAX_TEXT_CHARS])
        self.tokens = list(map(tokens_of_run, self.runs))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is marked: words with one of these tokens, and words that begin so."""

    tokens: frozenset[str] = frozenset()
    beginnings: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tokens or self.beginnings)

    def __or__(self, other: Wanted) -> Wanted:
        return Wanted(self.tokens | other.tokens, self.beginnings + other.beginnings)

    def stands_in(self, tokens: Collection[str]) -> bool:
        """Whether any of it is among these tokens."""
        if not self.tokens.isdisjoint(tokens):
            return True
        return bool(self.beginnings) and any(token.startswith(self.beginnings) for token in tokens)

    def runs_in(self, cut: Cut) -> set[str]:
        """The runs of a text that it may stand in."""
        if self.beginnings:
            return set(cut.runs)
        wanted = self.tokens
        if wanted.isdisjoint(chain.from_iterable(cut.tokens)):  # as with most texts
            return set()
        return {run for run, tokens in zip(cut.runs, cut.tokens, strict=True) if not wanted.isdisjoint(tokens)}

    def is_word(self, word: str) -> bool:
        """Whether a run of letters, or a part of one, is wanted as a whole."""
        return token_of(word) in self.tokens or (bool(self.beginnings) and fold(word).startswith(self.beginnings))


def marks(cut: Cut, wanted: Wanted) -> tuple[Mark, ...]:
    """Where a text holds what is wanted, in order, touching ones joined."""
    found: list[Mark] = []
    for start, end in _spans(cut, wanted):
        if found and found[-1].end == start:
            found[-1] = Mark(found[-1].start, end)
        else:
            found.append(Mark(start, end))
    return tuple(found)


def _spans(cut: Cut, wanted: Wanted) -> Iterator[tuple[int, int]]:
    text = cut.text[:MAX_TEXT_CHARS]
    places = ((place, run) for run in wanted.runs_in(cut) for place in places_of_run(run, text))
    for start, word in sorted(places):
        if wanted.is_word(word):
            yield start, start + len(word)
        elif len(tokens_of_run(word)) != 1:
            at = start
            for part in parts_of_run(word):
                if wanted.is_word(part):
                    yield at, at + len(part)
                at += len(part)


def excerpt(text: str, wanted: Wanted, length: int) -> str:
    """One line of at most `length` characters of `text`: its beginning, or what is around a first hit further on."""
    line = " ".join(text[:MAX_TEXT_CHARS].split())
    if len(line) <= length:
        return line
    hit = next(_spans(Cut(line), wanted), None) if wanted else None
    if hit is None or hit[1] <= length - 1:
        return line[: length - 1].rstrip() + "…"
    start = max(line.rfind(" ", 0, hit[0] - length // 3) + 1, hit[0] - length // 2)
    end = start + length - 2
    return "…" + line[start:end].rstrip() + ("…" if end < len(line) else "")
