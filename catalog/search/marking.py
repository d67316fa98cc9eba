"""Which words of a text were looked for, and a stretch of it that shows them.

Nothing here knows Django or a database.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from catalog.search.words import fold, parts_of_run, runs_with_places, token_of, tokens_of_run

MAX_TEXT_CHARS: Final = 20_000  # of one text that are looked at


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a text that was hit: `text[start:end]`."""

    start: int
    end: int


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

    def hits(self, run: str) -> bool:
        """Whether a run of letters is wanted as a whole."""
        token = token_of(run)
        return token in self.tokens or (bool(self.beginnings) and fold(run).startswith(self.beginnings))


def marks(text: str, wanted: Wanted) -> tuple[Mark, ...]:
    """Where `text` holds what is wanted, in order, touching ones joined."""
    found: list[Mark] = []
    for start, end in _spans(text[:MAX_TEXT_CHARS], wanted):
        if found and found[-1].end == start:
            found[-1] = Mark(found[-1].start, end)
        else:
            found.append(Mark(start, end))
    return tuple(found)


def _spans(text: str, wanted: Wanted) -> Iterator[tuple[int, int]]:
    for run, start in runs_with_places(text):
        tokens = tokens_of_run(run)
        if len(tokens) == 1:
            if tokens[0] in wanted.tokens or (wanted.beginnings and fold(run).startswith(wanted.beginnings)):
                yield start, start + len(run)
        elif wanted.hits(run):
            yield start, start + len(run)
        else:
            at = start
            for part in parts_of_run(run):
                if wanted.hits(part):
                    yield at, at + len(part)
                at += len(part)


def excerpt(text: str, wanted: Wanted, length: int) -> str:
    """One line of at most `length` characters of `text`: its beginning, or what is around a first hit further on."""
    line = " ".join(text[:MAX_TEXT_CHARS].split())
    if len(line) <= length:
        return line
    hit = next(iter(_spans(line, wanted)), None) if wanted else None
    if hit is None or hit[1] <= length - 1:
        return line[: length - 1].rstrip() + "…"
    start = max(line.rfind(" ", 0, hit[0] - length // 3) + 1, hit[0] - length // 2)
    end = start + length - 2
    return "…" + line[start:end].rstrip() + ("…" if end < len(line) else "")
