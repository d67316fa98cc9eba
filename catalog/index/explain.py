"""Explain why a tool matches: the texts that match, and the positions. Computed only for the rows of a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from catalog.index.document import LETTERS, FieldPart
from catalog.index.highlight import Mark, SearchedWords, excerpt, marks
from catalog.index.plan import ALIKE, Plan, Term
from catalog.index.tokenizer import tokens_of
from toolshelf_core.rendering.markdown import as_text

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
    """The texts of a tool that a row shows, and its primary key."""

    pk: int
    name: str
    tool_id: str
    description: str


class Explainer:
    """Explains the results of one plan."""

    def __init__(self, plan: Plan) -> None:
        self.terms = [_SearchedTerm.of(term) for term in plan.terms]
        self.all_own = _joined(term.own for term in self.terms)

    def explain(self, tool: Described, read_fields: Callable[[], Mapping[int, str]]) -> Explanation:
        """Mark the visible texts: where a word itself occurs, otherwise where an alternative of it occurs.

        If the texts do not explain a word, `read_fields` is called. It returns
        `SearchDocument.fields` of tools.
        """
        line = excerpt(as_text(tool.description), self.all_own, EXCERPT_CHARS)
        texts = (tool.name, tool.tool_id, line)
        words, missing = _seen(self.terms, "\n".join(texts))
        name, tool_id, text = (Marked(text, marks(text, words)) for text in texts)
        reasons = _reasons(missing, read_fields().get(tool.pk, "")) if missing else ()
        return Explanation(name, tool_id, text, reasons)


@dataclass(frozen=True, slots=True)
class _SearchedTerm:
    """A word of the query.

    Attributes:
        own: the word itself, its forms, its completions, and the correction of a typo.
        others: its alternatives, each as a set of tokens: equivalent ones, and those of the same
            subject.
    """

    own: SearchedWords
    others: tuple[list[frozenset[str]], ...]

    @classmethod
    def of(cls, term: Term) -> _SearchedTerm:
        alike = [one.token for one in term.same if one.weight >= ALIKE]
        beginnings = (term.word.typed,) if term.word.open_ended else ()
        groups = [
            [frozenset(one.token.split(" ")) for one in group]
            for group in (term.same, term.related)
        ]
        return cls(SearchedWords(frozenset([term.word.token, *alike]), beginnings), tuple(groups))

    def seen_in(self, text: str, tokens: frozenset[str]) -> SearchedWords | None:
        """The words to mark in a text with these tokens: alternatives only if the word itself is not in it."""
        if not self.own.tokens.isdisjoint(tokens):
            return self.own
        if self.own.beginnings and self.own.is_in(text):
            return self.own
        for group in self.others:
            present = [each for each in group if each <= tokens]
            if present:
                return SearchedWords(frozenset().union(*present))
        return None


def _seen(terms: Iterable[_SearchedTerm], text: str) -> tuple[SearchedWords, list[_SearchedTerm]]:
    """The words to mark in a text, and the words of the query that do not occur in it."""
    tokens = frozenset(tokens_of(text))
    found, missing = [], []
    for term in terms:
        seen = term.seen_in(text, tokens)
        if seen is None:
            missing.append(term)
        else:
            found.append(seen)
    return _joined(found), missing


def _reasons(missing: list[_SearchedTerm], fields: str) -> tuple[Reason, ...]:
    """Fields that contain the missing words: names before descriptions, at most `MAX_REASONS`."""
    described = [line.split("\t") for line in fields.splitlines()]
    names = [(letter, name, "") for letter, name, _ in described]
    found: list[Reason] = []
    for letter, name, description in (*names, *described):
        if not missing or len(found) == MAX_REASONS:
            break
        words, still_missing = _seen(missing, description or name)
        if len(still_missing) < len(missing):
            found.append(_reason(_PARTS[letter], name, description, words))
            missing = still_missing
    return tuple(found)


def _reason(part: FieldPart, name: str, description: str, words: SearchedWords) -> Reason:
    if not description:
        return Reason(part, Marked(name, marks(name, words)))
    line = excerpt(as_text(description), words, REASON_CHARS)
    return Reason(part, Marked(name), Marked(line, marks(line, words)))


def _joined(all_words: Iterable[SearchedWords]) -> SearchedWords:
    joined = SearchedWords()
    for words in all_words:
        joined |= words
    return joined
