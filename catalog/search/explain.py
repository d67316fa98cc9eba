"""Why a tool was found: which of its texts hit, and where. Computed for the rows of a page alone.

Nothing here knows a database.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final, Protocol

from catalog.search.document import LETTERS, Place
from catalog.search.highlight import Mark, Text, Wanted, excerpt, marks
from catalog.search.plan import ALIKE, Alternative, Plan, Term

EXCERPT_CHARS: Final = 240
REASON_CHARS: Final = 140
MAX_REASONS: Final = 3

_PLACES: Final = {letter: place for place, letter in LETTERS.items()}


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
    """A text that is not in sight and was hit: a field's name, or its description (then `text` is what it says).

    `place` says whether it is a parameter, or a field of the return value or of the configuration.
    """

    place: Place
    parameter: Marked
    text: Marked | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """A result's visible texts with their hits, and the reasons that are out of sight."""

    name: Marked
    tool_id: Marked
    excerpt: Marked
    reasons: tuple[Reason, ...] = ()


class Described(Protocol):
    """What is in sight of a tool in a list."""

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
        self.others = {term.word: tuple(map(_in_parts, (term.same, term.related))) for term in plan.terms}
        self.all_own = _joined(self.own.values())
        self._wanted: dict[tuple[Wanted, ...], Wanted] = {}  # it is the same of many tools

    def tell(self, tool: Described) -> Explained:
        """The visible texts, marked: where a word stands itself, else where something stands for it."""
        line = excerpt(tool.description, self.all_own, EXCERPT_CHARS)
        if not self.terms:
            return Explained(Explanation(Marked(tool.name), Marked(tool.tool_id), Marked(line)), ())
        texts = (tool.name, tool.tool_id, line)
        together = Text("\n".join(texts))
        wanted, unexplained = self._seen(self.terms, together)
        name, tool_id, text = _shared_out(marks(together, wanted), texts)
        return Explained(Explanation(name, tool_id, text), tuple(unexplained))

    def reasons(self, unexplained: Iterable[Term], fields: str) -> tuple[Reason, ...]:
        """Fields that hold what is unexplained: names before descriptions, at most `MAX_REASONS`.

        Args:
            unexplained: what `tell` left.
            fields: as `SearchDocument.fields` has them.
        """
        found: list[Reason] = []
        missing = tuple(unexplained)
        lines = [line.split("\t") for line in self._likely_lines(missing, fields)]
        for by_name in (True, False):
            for letter, name, description in lines:
                if not missing or len(found) == MAX_REASONS:
                    return tuple(found)
                text = name if by_name else description
                wanted, still_missing = self._seen(missing, Text(text))
                if len(still_missing) < len(missing):
                    found.append(_reason(_PLACES[letter], name, None if by_name else text, wanted))
                    missing = tuple(still_missing)
        return tuple(found)

    def _likely_lines(self, terms: Iterable[Term], text: str) -> Iterator[str]:
        """The lines in which something stands that may stand for one of the words, in order."""
        looked_in = Text(text)
        places: set[int] = set()
        for term in terms:
            own = self.own[term.word]
            places.update(place for place, _ in own.runs_in(looked_in))
            parts = set(chain.from_iterable(chain.from_iterable(self.others[term.word])))
            places.update(place for part in parts - own.tokens for place, _ in looked_in.runs_with(part))
        end = -1
        for place in sorted(places):
            if place > end:
                start, end = text.rfind("\n", 0, place) + 1, text.find("\n", place)
                end = len(text) if end < 0 else end
                yield text[start:end]

    def _seen(self, terms: Iterable[Term], text: Text) -> tuple[Wanted, list[Term]]:
        """What to mark in a text, and the words of which nothing stands there."""
        found, missing = [], []
        for term in terms:
            own = self.own[term.word]
            if own.stands_in(text):
                found.append(own)
            elif others := _standing(self.others[term.word], text):
                found.append(Wanted(others))
            else:
                missing.append(term)
        key = tuple(found)
        if key not in self._wanted:
            self._wanted[key] = _joined(found)
        return self._wanted[key], missing


def _shared_out(found: Iterable[Mark], texts: Iterable[str]) -> Iterator[Marked]:
    """Each of the texts, which stood in lines of one, with its marks."""
    at = 0
    for text in texts:
        end = at + len(text)
        yield Marked(text, tuple(Mark(one.start - at, one.end - at) for one in found if at <= one.start < end))
        at = end + 1


def _reason(place: Place, name: str, description: str | None, wanted: Wanted) -> Reason:
    if description is None:
        return Reason(place, Marked(name, marks(Text(name), wanted)))
    line = excerpt(description, wanted, REASON_CHARS)
    return Reason(place, Marked(name), Marked(line, marks(Text(line), wanted)))


def _own(term: Term) -> Wanted:
    """The word itself, what it may become, and what was meant by a slip."""
    alike = {one.token for one in term.same if one.weight >= ALIKE}
    beginnings = (term.word.typed,) if term.word.open_ended else ()
    return Wanted(frozenset({term.word.token, *alike}), beginnings)


def _in_parts(alternatives: Iterable[Alternative]) -> list[list[str]]:
    return [one.token.split(" ") for one in alternatives]


def _standing(kinds: Iterable[list[list[str]]], text: Text) -> frozenset[str]:
    """The tokens that stand for a word in a text; the closest kind of them alone."""
    for kind in kinds:
        if found := [parts for parts in kind if all(map(text.has, parts))]:
            return frozenset(chain.from_iterable(found))
    return frozenset()


def _joined(all_wanted: Iterable[Wanted]) -> Wanted:
    joined = Wanted()
    for wanted in all_wanted:
        joined |= wanted
    return joined
