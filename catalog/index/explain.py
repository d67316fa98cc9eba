"""Explain why a tool matches: the texts that match, and the positions.

Computed only for the rows of a page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from catalog.index.document import LETTERS, FieldPart
from catalog.index.highlight import Mark, SearchedWords, cut_excerpt, mark_words
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
    """A result's visible texts with their marks, and the reasons that they do not show."""

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
        self.terms = [_read_term(term) for term in plan.terms]
        self.query_words = _unite([term.itself for term in self.terms])

    def explain(self, tool: Described, read_fields: Callable[[], Mapping[int, str]]) -> Explanation:
        """Mark the visible texts: where a word itself occurs, otherwise an alternative of it.

        If the texts do not explain a word, `read_fields` is called. It returns
        `SearchDocument.fields` of tools.
        """
        line = cut_excerpt(as_text(tool.description), self.query_words, EXCERPT_CHARS)
        words, missing = _find_words(self.terms, "\n".join((tool.name, tool.tool_id, line)))
        return Explanation(
            name=_mark(tool.name, words),
            tool_id=_mark(tool.tool_id, words),
            excerpt=_mark(line, words),
            reasons=_find_reasons(missing, read_fields().get(tool.pk, "")) if missing else (),
        )


@dataclass(frozen=True, slots=True)
class _SearchedTerm:
    """A word of the query.

    Attributes:
        itself: the word itself, its forms, its completions, and the correction of a typo.
        same, relatives: its alternatives, each as a set of tokens: equivalent ones, and those of
            the same subject.
    """

    itself: SearchedWords
    same: list[frozenset[str]]
    relatives: list[frozenset[str]]

    def find_words(self, text: str, tokens: frozenset[str]) -> SearchedWords | None:
        """The words to mark in a text with these tokens.

        Alternatives are marked only if the word itself does not occur.
        """
        if not self.itself.tokens.isdisjoint(tokens):
            return self.itself
        if self.itself.beginnings and self.itself.is_in(text):
            return self.itself
        for alternatives in (self.same, self.relatives):
            present = [tokens_of_one for tokens_of_one in alternatives if tokens_of_one <= tokens]
            if present:
                return SearchedWords(frozenset().union(*present))
        return None


def _read_term(term: Term) -> _SearchedTerm:
    forms = [alternative.token for alternative in term.same if alternative.weight >= ALIKE]
    beginnings = (term.word.text,) if term.word.open_ended else ()
    return _SearchedTerm(
        itself=SearchedWords(frozenset([term.word.token, *forms]), beginnings),
        same=[frozenset(alternative.tokens) for alternative in term.same],
        relatives=[frozenset(alternative.tokens) for alternative in term.relatives],
    )


def _find_words(
    terms: Iterable[_SearchedTerm], text: str
) -> tuple[SearchedWords, list[_SearchedTerm]]:
    """The words to mark in a text, and the words of the query that do not occur in it."""
    tokens = frozenset(tokens_of(text))
    present, missing = [], []
    for term in terms:
        words = term.find_words(text, tokens)
        if words is None:
            missing.append(term)
        else:
            present.append(words)
    return _unite(present), missing


def _find_reasons(missing: list[_SearchedTerm], fields: str) -> tuple[Reason, ...]:
    """Fields that contain the missing words: names before descriptions, at most `MAX_REASONS`."""
    descriptions = [line.split("\t") for line in fields.splitlines()]
    names = [(letter, name, "") for letter, name, _ in descriptions]
    reasons: list[Reason] = []
    for letter, name, description in (*names, *descriptions):
        if not missing or len(reasons) == MAX_REASONS:
            break
        words, still_missing = _find_words(missing, description or name)
        if len(still_missing) < len(missing):
            reasons.append(_explain_field(_PARTS[letter], name, description, words))
            missing = still_missing
    return tuple(reasons)


def _explain_field(part: FieldPart, name: str, description: str, words: SearchedWords) -> Reason:
    if not description:
        return Reason(part, _mark(name, words))
    line = cut_excerpt(as_text(description), words, REASON_CHARS)
    return Reason(part, Marked(name), _mark(line, words))


def _mark(text: str, words: SearchedWords) -> Marked:
    return Marked(text, mark_words(text, words))


def _unite(parts: Iterable[SearchedWords]) -> SearchedWords:
    words = SearchedWords()
    for part in parts:
        words |= part
    return words
