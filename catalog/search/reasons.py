"""Why a tool was found: which of its texts hit, and where. Computed for the rows of a page alone.

Nothing here knows Django or a database.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from catalog.search.words import Mark, Part, Query, Word, excerpt, fold, marks, parts_of, singular

EXCERPT_CHARS = 240
REASON_CHARS = 140
MAX_REASONS = 3
MAX_TEXT_CHARS = 20_000  # of one text that are looked at


@dataclass(frozen=True, slots=True)
class Marked:
    """A text and the stretches of it that were hit."""

    text: str
    marks: tuple[Mark, ...] = ()

    @property
    def pieces(self) -> Iterator[tuple[str, bool]]:
        """The text in pieces, each with whether it was hit."""
        at = 0
        for mark in self.marks:
            if at < mark.start:
                yield self.text[at : mark.start], False
            yield self.text[mark.start : mark.end], True
            at = mark.end
        if at < len(self.text):
            yield self.text[at:], False


@dataclass(frozen=True, slots=True)
class Reason:
    """A text that is not in sight and was hit: a parameter's name, or its description (then `text` is what it says)."""

    parameter: Marked
    text: Marked | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """A result's visible texts with their hits, and the reasons that are out of sight."""

    name: Marked
    tool_id: Marked
    excerpt: Marked
    reasons: tuple[Reason, ...] = ()


def explain(query: Query, *, name: str, tool_id: str, description: str) -> Explanation:
    """The visible texts, marked. An empty query marks nothing."""
    line = excerpt(description[:MAX_TEXT_CHARS], query, EXCERPT_CHARS)
    if not query:
        return Explanation(Marked(name), Marked(tool_id), Marked(line))
    return Explanation(_marked(name, query), _marked(tool_id, query), _marked(line, query))


def words_out_of_sight(query: Query, explanation: Explanation) -> tuple[Word, ...]:
    """The words of `query` that hit none of the visible texts."""
    seen = _words_in(explanation.name.text, explanation.tool_id.text, explanation.excerpt.text)
    return tuple(word for word in query.words if not _stands_in(word, seen))


def reasons_for(words: Iterable[Word], parameters: Iterable[tuple[str, str]]) -> tuple[Reason, ...]:
    """Parameters, given as (name, description), that hold `words`: names before descriptions, at most `MAX_REASONS`."""
    missing = Query(tuple(words))
    parameters = list(parameters)
    found: list[Reason] = []
    for name, _ in parameters:
        if len(found) < MAX_REASONS and (hits := marks(name[:MAX_TEXT_CHARS], missing)):
            found.append(Reason(Marked(name, hits)))
            missing = _without(missing, name)
    for name, description in parameters:
        if missing and len(found) < MAX_REASONS and marks(description[:MAX_TEXT_CHARS], missing):
            line = excerpt(description[:MAX_TEXT_CHARS], missing, REASON_CHARS)
            found.append(Reason(Marked(name), _marked(line, missing)))
            missing = _without(missing, description)
    return tuple(found)


def _marked(text: str, query: Query) -> Marked:
    return Marked(text, marks(text, query))


def _without(query: Query, text: str) -> Query:
    seen = _words_in(text[:MAX_TEXT_CHARS])
    return Query(tuple(word for word in query.words if not _stands_in(word, seen)))


def _words_in(*texts: str) -> frozenset[str]:
    """The words of `texts`, folded: as they are, in the singular, and put together where several stand as one."""
    found: set[str] = set()
    for text in texts:
        for run in text.split():
            parts = [fold(part) for part in parts_of(run)]
            found.update(parts)
            found.update(map(singular, parts))
            if len(parts) > 1:
                found.add("".join(parts))
    return frozenset(found)


def _stands_in(word: Word, seen: frozenset[str]) -> bool:
    return all(_is_among(part, seen) for part in word.parts) or (
        word.joined is not None and _is_among(word.joined, seen)
    )


def _is_among(part: Part, seen: frozenset[str]) -> bool:
    if part.text in seen or (" " in part.text and any(part.text.replace(" ", "") in word for word in seen)):
        return True
    return part.open_ended and any(word.startswith(part.text) for word in seen)
