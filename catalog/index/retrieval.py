"""Find tools for a plan: first a limited number of candidates, then their order.

The search starts with tools that contain every word. If there are too many to rank, it ranks those
whose names contain the words and the fewest others; the rest follows unranked, by age, which is
enough for the 400,000th hit for "get".

If no tool contains every word, it ranks tools that contain some of them. If fewer than
`FILLED_UP_TO` contain every word, the best of those with some of the words follow. A sentence is
rarely meant so literally: if fewer than `ENOUGH` tools contain every word of it, both kinds are
ranked together.

If any tool with every word also has the quoted phrases, tools without them are left out; otherwise
phrases only add to the score.

At most `CANDIDATES` tools of each kind are ranked, and the number of tools read to choose them is
limited too, so that a search over a million tools costs hardly more than one over ten thousand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from catalog.index import Match, SearchIndex
from catalog.index.boolean_query import EVERY_TOOL, Expression, Token, all_of, any_of
from catalog.index.document import LONG_NAME_WORDS
from catalog.index.plan import ALIKE, Alternative, Plan, Term
from catalog.index.ranking import Ranking, best_first

CANDIDATES: Final = 80
ENOUGH: Final = 20  # tools with every word of a sentence
FILLED_UP_TO: Final = 10  # tools
FURTHER_CANDIDATES: Final = 20  # of which the best fill up the tools with every word
# Tools with one of the rarer words, from which BM25 chooses candidates. Among 33,000 with "get" it
# takes 0.3 s.
MAX_READ: Final = 4_000
# The same for tools that fill up the exact ones: with 4,000, a search of 20,000 tools takes 1.5 ms
# more.
MAX_FURTHER_READ: Final = 500
COMMON_WORDS_JOINED: Final = 3
LEAST_SHARE: Final = 0.25  # of the best score; tools with less are not worth a second page


@dataclass(frozen=True, slots=True)
class Hits:
    """The result of a search.

    Attributes:
        ranked: primary keys, the best first.
        rest: matches further tools, to be listed by age without the ranked ones; None if there are
            none.
        exact: those of `ranked` that contain every word; all of `rest` do.
        filled_up: whether the exact ones come first, and less exact ones fill them up.
    """

    ranked: tuple[int, ...] = ()
    rest: Match | None = None
    exact: frozenset[int] = frozenset()
    filled_up: bool = False

    @property
    def holding_all(self) -> int:
        """The number of `ranked` tools that contain every word."""
        return len(self.exact)

    @property
    def loosely(self) -> bool:
        """Whether there are tools that contain only some of the words."""
        return self.holding_all < len(self.ranked)

    def is_exact(self, pk: int) -> bool:
        return self.rest is not None or pk in self.exact


def find(index: SearchIndex, plan: Plan, chosen: Match) -> Hits:
    """Find tools for `plan` among the chosen ones."""
    strict = strict_match(plan, chosen)
    if not plan.query.words:
        return Hits(rest=strict)
    exact = index.matching(strict, limit=CANDIDATES + 1) if strict else []
    among = with_conditions(plan, chosen, phrases=bool(exact))
    if strict and len(exact) > CANDIDATES:
        ranked = _ranked(index, plan, _closest(index, plan, among, strict))
        return Hits(ranked, strict, exact=frozenset(ranked))
    if plan.query.sentence or not exact:
        if len(exact) >= ENOUGH:
            return Hits(_ranked(index, plan, exact), exact=frozenset(exact))
        candidates = dict.fromkeys([*exact, *likely(index, plan.terms, among, CANDIDATES)])
        ranked = _ranked(index, plan, candidates, always=frozenset(exact))
        return Hits(ranked, exact=frozenset(exact))
    ranked = _ranked(index, plan, exact)
    further = _further(index, plan, among, exact) if len(ranked) < FILLED_UP_TO else ()
    return Hits((*ranked, *further), exact=frozenset(ranked), filled_up=bool(further))


def strict_match(plan: Plan, chosen: Match) -> Match | None:
    """Matches the chosen tools that fulfil the whole query; None if no tool contains one of the words."""
    among = with_conditions(plan, chosen, phrases=True)
    if not plan.query.words:
        return among
    return _also(among, plan.strictly) if plan.strictly else None


def with_conditions(plan: Plan, chosen: Match, *, phrases: bool) -> Match:
    """Matches the chosen tools that fulfil the query apart from its words; a sentence does not require its phrases."""
    required = plan.phrases if phrases and not plan.query.sentence else ()
    return replace(
        _also(chosen, *plan.wanted, *required), unwanted=(*plan.unwanted, *chosen.unwanted)
    )


def _also(match: Match, *expressions: Expression) -> Match:
    """`match` with further expressions; `EVERY_TOOL` is left out if there is any other expression."""
    wanted = (*expressions, *(one for one in match.wanted if one != EVERY_TOOL))
    return replace(match, wanted=wanted or match.wanted)


def _further(index: SearchIndex, plan: Plan, among: Match, exact: list[int]) -> list[int]:
    """The best tools that contain some of the words, to fill up `exact`, which contain every word."""
    if len(plan.terms) == 1 and not plan.terms[0].related:
        return []
    known = frozenset(exact)
    candidates = set(likely(index, plan.terms, among, FURTHER_CANDIDATES, MAX_FURTHER_READ)) - known
    ranked = _ranked(index, plan, candidates, always=known)
    return [*ranked[: FILLED_UP_TO - len(exact)]]


def _ranked(
    index: SearchIndex,
    plan: Plan,
    candidates: Iterable[int],
    *,
    always: frozenset[int] | None = None,
) -> tuple[int, ...]:
    """The candidates, the best first.

    With `always`: the first `ENOUGH`; after them only those in `always`, or with a score not far
    below the best.
    """
    ranking = Ranking(plan)
    scores = {pk: ranking.score(text) for pk, text in index.texts(list(candidates)).items()}
    ranked = best_first(scores)
    if always is None or not ranked:
        return tuple(ranked)
    least = LEAST_SHARE * scores[ranked[0]]
    good = [pk for pk in ranked[ENOUGH:] if pk in always or scores[pk] > least]
    return (*ranked[:ENOUGH], *good)


# -- candidates among many that contain every word --------------------------------------------------------------------


def _closest(index: SearchIndex, plan: Plan, among: Match, strict: Match) -> list[int]:
    """`CANDIDATES` tools that contain every word (`strict`): first those whose names contain them and little else.

    Names are searched in `among`, which has no word conditions: a name implies them, and common
    words cost most.
    """
    found: dict[int, None] = {}
    for length in range(min(len(plan.terms), LONG_NAME_WORDS), LONG_NAME_WORDS + 1):
        in_name = [_in_name(term, f"n{length}") for term in plan.terms]
        found |= dict.fromkeys(index.matching(_also(among, *in_name), limit=CANDIDATES))
        if len(found) >= CANDIDATES:
            return list(found)[:CANDIDATES]
    rarest = max(plan.terms, key=lambda term: term.importance)
    for match in (_also(strict, _in_name(rarest, "n")), strict):
        found |= dict.fromkeys(index.matching(match, limit=CANDIDATES))
        if len(found) >= CANDIDATES:
            break
    return list(found)[:CANDIDATES]


def _in_name(term: Term, key: str) -> Expression:
    """Matches a word of the query as a word of a name; its alternatives if the catalog does not contain the word."""
    alike = [one for one in term.same if one.weight >= ALIKE] or term.same
    return any_of(
        all_of(Token(f"{key}_{token}") for token in one.token.split(" ")) for one in alike
    )


# -- candidates that contain some words -------------------------------------------------------------------------------


def likely(
    index: SearchIndex, terms: tuple[Term, ...], chosen: Match, limit: int, max_read: int = MAX_READ
) -> Iterator[int]:
    """The likeliest tools that contain the rarer words, and some that contain several of the common ones."""
    rarer = list(_rarest(terms, max_read))
    if rarer:
        either = any_of(one.expression for one in rarer)
        yield from index.likeliest(_also(chosen, either), limit=limit)
    searched = {one.token for one in rarer}
    common = [term for term in terms if any(one.token not in searched for one in term.same)]
    for together in _together(common[:COMMON_WORDS_JOINED]):
        expressions = [any_of(one.expression for one in term.same) for term in together]
        yield from index.matching(_also(chosen, all_of(expressions)), limit=limit // 4)


def _rarest(terms: tuple[Term, ...], max_read: int) -> Iterator[Alternative]:
    left = max_read
    alternatives = {one.token: one for term in terms for one in term.alternatives}
    for one in sorted(alternatives.values(), key=lambda one: one.documents):
        left -= one.documents
        if left < 0:
            return
        yield one


def _together(terms: list[Term]) -> Iterator[tuple[Term, ...]]:
    for size in range(len(terms), 1, -1):
        yield from combinations(terms, size)
