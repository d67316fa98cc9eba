"""Explain why a tool matches: the texts that match, and the positions. Computed only for the rows of a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final, Protocol

from catalog.rendering.markdown import as_text
from catalog.search.document import LETTERS, FieldPart
from catalog.search.highlight import Mark, SearchedWords, Text, excerpt, marks
from catalog.search.plan import ALIKE, Alternative, Plan, Term

EXCERPT_CHARS: Final = 240
REASON_CHARS: Final = 140
MAX_REASONS: Final = 3

_PARTS: Final = {letter: part for part, letter in LETTERS.items()}


@dataclass(frozen=True, slots=True)
class Marked:
    """A text and its matching spans."""

    text: str
    marks: tuple[Mark, ...] = ()

    @property
    def pieces(self) -> Iterator[tuple[str, bool]]:
        """The text in pieces, each with whether it matches."""
        at = 0
        for mark in self.marks:
            if at < mark.start:
                yield self.text[at : mark.start], False
            yield self.text[mark.start : mark.end], True
            at = mark.end
        if at < len(self.text):
            yield self.text[at:], False

    def split(self, at: int) -> tuple[Marked, Marked]:
        """The text before and after position `at`; a mark around it is in both."""
        before = tuple(
            Mark(mark.start, min(mark.end, at)) for mark in self.marks if mark.start < at
        )
        after = tuple(
            Mark(max(mark.start - at, 0), mark.end - at) for mark in self.marks if mark.end > at
        )
        return Marked(self.text[:at], before), Marked(self.text[at:], after)


@dataclass(frozen=True, slots=True)
class Reason:
    """A matching text that a row does not show: a field's name, or its description (`text`).

    `place`: the schema that has the field: "parameter", "return" or "configuration".
    """

    place: FieldPart
    parameter: Marked
    text: Marked | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """A result's visible texts with their marks, and the reasons that a row does not show by itself."""

    name: Marked
    tool_id: Marked
    excerpt: Marked
    reasons: tuple[Reason, ...] = ()


class Described(Protocol):
    """The texts of a tool that a row shows."""

    name: str
    tool_id: str
    description: str


@dataclass(frozen=True, slots=True)
class Explained:
    """An explanation so far, and the words of the query that it does not explain."""

    explanation: Explanation
    unexplained: tuple[Term, ...]


class Explainer:
    """Explains the results of one plan."""

    def __init__(self, plan: Plan) -> None:
        self.terms = plan.terms
        self.own = {term.word: _own(term) for term in plan.terms}
        self.others = {
            term.word: tuple(map(_in_parts, (term.same, term.related))) for term in plan.terms
        }
        self.all_own = _joined(self.own.values())
        self._words: dict[tuple[SearchedWords, ...], SearchedWords] = {}  # the same for many tools

    def explain(self, tool: Described) -> Explained:
        """Mark the visible texts: where a word itself occurs, otherwise where an alternative of it occurs."""
        line = excerpt(as_text(tool.description), self.all_own, EXCERPT_CHARS)
        if not self.terms:
            return Explained(Explanation(Marked(tool.name), Marked(tool.tool_id), Marked(line)), ())
        texts = (tool.name, tool.tool_id, line)
        together = Text("\n".join(texts))
        words, unexplained = self._seen(self.terms, together)
        name, tool_id, text = _shared_out(marks(together, words), texts)
        return Explained(Explanation(name, tool_id, text), tuple(unexplained))

    def reasons(self, unexplained: Iterable[Term], fields: str) -> tuple[Reason, ...]:
        """Fields that contain the unexplained words: names before descriptions, at most `MAX_REASONS`.

        Args:
            unexplained: from `explain`.
            fields: as in `SearchDocument.fields`.
        """
        found: list[Reason] = []
        missing = tuple(unexplained)
        lines = [line.split("\t") for line in self._likely_lines(missing, fields)]
        for by_name in (True, False):
            for letter, name, description in lines:
                if not missing or len(found) == MAX_REASONS:
                    return tuple(found)
                text = name if by_name else description
                words, still_missing = self._seen(missing, Text(text))
                if len(still_missing) < len(missing):
                    found.append(_reason(_PARTS[letter], name, None if by_name else text, words))
                    missing = tuple(still_missing)
        return tuple(found)

    def _likely_lines(self, terms: Iterable[Term], text: str) -> Iterator[str]:
        """The lines that contain one of the words or an alternative, in order."""
        searched = Text(text)
        offsets: set[int] = set()
        for term in terms:
            own = self.own[term.word]
            offsets.update(offset for offset, _ in own.runs_in(searched))
            parts = set(chain.from_iterable(chain.from_iterable(self.others[term.word])))
            offsets.update(
                offset for part in parts - own.tokens for offset, _ in searched.runs_with(part)
            )
        end = -1
        for offset in sorted(offsets):
            if offset > end:
                start, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
                end = len(text) if end < 0 else end
                yield text[start:end]

    def _seen(self, terms: Iterable[Term], text: Text) -> tuple[SearchedWords, list[Term]]:
        """The tokens to mark in a text, and the words without a match there."""
        found, missing = [], []
        for term in terms:
            own = self.own[term.word]
            if own.is_in(text):
                found.append(own)
            elif others := _present(self.others[term.word], text):
                found.append(SearchedWords(others))
            else:
                missing.append(term)
        key = tuple(found)
        if key not in self._words:
            self._words[key] = _joined(found)
        return self._words[key], missing


def _shared_out(found: Iterable[Mark], texts: Iterable[str]) -> Iterator[Marked]:
    """The marks of the joined texts (one per line), distributed over the single texts."""
    at = 0
    for text in texts:
        end = at + len(text)
        yield Marked(
            text,
            tuple(Mark(one.start - at, one.end - at) for one in found if at <= one.start < end),
        )
        at = end + 1


def _reason(part: FieldPart, name: str, description: str | None, words: SearchedWords) -> Reason:
    if description is None:
        return Reason(part, Marked(name, marks(Text(name), words)))
    line = excerpt(as_text(description), words, REASON_CHARS)
    return Reason(part, Marked(name), Marked(line, marks(Text(line), words)))


def _own(term: Term) -> SearchedWords:
    """The word itself, its forms, its completions, and the correction of a typo."""
    alike = {one.token for one in term.same if one.weight >= ALIKE}
    beginnings = (term.word.typed,) if term.word.open_ended else ()
    return SearchedWords(frozenset({term.word.token, *alike}), beginnings)


def _in_parts(alternatives: Iterable[Alternative]) -> list[list[str]]:
    return [one.token.split(" ") for one in alternatives]


def _present(groups: Iterable[list[list[str]]], text: Text) -> frozenset[str]:
    """The alternatives of a word that occur in a text: those of the closest group only."""
    for group in groups:
        if found := [parts for parts in group if all(map(text.has, parts))]:
            return frozenset(chain.from_iterable(found))
    return frozenset()


def _joined(all_words: Iterable[SearchedWords]) -> SearchedWords:
    joined = SearchedWords()
    for words in all_words:
        joined |= words
    return joined
