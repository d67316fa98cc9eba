"""Find tools for a plan: first a limited number of candidates, then their order.

The search starts with tools that contain every word. If there are too many to rank, it ranks those whose names contain
the words and the fewest others; the rest follows unranked, by age, which is enough for the 400,000th hit for "get". If
no tool contains every word, it ranks tools that contain some of them; for a sentence, also if there are only a few.

At most `CANDIDATES` tools of each kind are ranked, and the number of tools read to choose them is limited too, so that
a search over a million tools costs hardly more than one over ten thousand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from catalog.search import Match, SearchIndex
from catalog.search.boolean_query import EVERY_TOOL, Expression, Token, all_of, any_of
from catalog.search.document import LONG_NAME_WORDS
from catalog.search.plan import ALIKE, Alternative, Plan, Term
from catalog.search.ranking import Ranking, best_first

CANDIDATES: Final = 80
ENOUGH: Final = 20  # tools with every word of a sentence; few sentences are meant so literally
MAX_READ: Final = 4_000  # tools with one of the rarer words, from which BM25 chooses candidates
COMMON_WORDS_JOINED: Final = 3
LEAST_SHARE: Final = 0.25  # of the best score; tools with less are not worth a second page


@dataclass(frozen=True, slots=True)
class Hits:
    """The result of a search.

    Attributes:
        ranked: primary keys, the best first.
        rest: matches further tools, to be listed by age without the ranked ones; None if there are none.
        holding_all: the number of `ranked` tools that contain every word.
    """

    ranked: tuple[int, ...] = ()
    rest: Match | None = None
    holding_all: int = 0

    @property
    def loosely(self) -> bool:
        """Whether there are tools that contain only some of the words."""
        return self.holding_all < len(self.ranked)


def find(index: SearchIndex, plan: Plan, chosen: Match) -> Hits:
    """Find tools for `plan` among the chosen ones."""
    strict = strict_match(plan, chosen)
    if not plan.query.words:
        return Hits(rest=strict)
    holding_all = index.matching(strict, limit=CANDIDATES + 1) if strict else []
    if strict and len(holding_all) > CANDIDATES:
        closest = _closest(index, plan, with_conditions(plan, chosen), strict)
        return Hits(_ranked(index, plan, closest), strict, holding_all=CANDIDATES)
    if len(holding_all) >= (ENOUGH if plan.query.sentence else 1):
        return Hits(_ranked(index, plan, holding_all), holding_all=len(holding_all))
    candidates = dict.fromkeys([*holding_all, *_likely(index, plan.terms, with_conditions(plan, chosen))])
    ranked = _ranked(index, plan, candidates, always=frozenset(holding_all))
    return Hits(ranked, holding_all=len(holding_all))


def strict_match(plan: Plan, chosen: Match) -> Match | None:
    """Matches the chosen tools that fulfil the whole query; None if no tool contains one of the words."""
    among = with_conditions(plan, chosen)
    if not plan.query.words:
        return among
    return _also(among, plan.strictly) if plan.strictly else None


def with_conditions(plan: Plan, chosen: Match) -> Match:
    """Matches the chosen tools that fulfil the query apart from its words."""
    return replace(_also(chosen, *plan.wanted), unwanted=(*plan.unwanted, *chosen.unwanted))


def _also(match: Match, *expressions: Expression) -> Match:
    """`match` with further expressions; `EVERY_TOOL` is left out if there is any other expression."""
    wanted = (*expressions, *(one for one in match.wanted if one != EVERY_TOOL))
    return replace(match, wanted=wanted or match.wanted)


def _ranked(
    index: SearchIndex, plan: Plan, candidates: Iterable[int], *, always: frozenset[int] | None = None
) -> tuple[int, ...]:
    """The candidates, the best first. With `always`: these, and others whose score is not far below the best."""
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

    Names are searched in `among`, which has no word conditions: a name implies them, and common words cost most.
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
    return any_of(all_of(Token(f"{key}_{token}") for token in one.token.split(" ")) for one in alike)


# -- candidates that contain some words -------------------------------------------------------------------------------


def _likely(index: SearchIndex, terms: tuple[Term, ...], chosen: Match) -> Iterator[int]:
    """The likeliest tools that contain the rarer words, and some that contain several of the common ones."""
    rarer = list(_rarest(terms))
    if rarer:
        either = any_of(one.expression for one in rarer)
        yield from index.likeliest(_also(chosen, either), limit=CANDIDATES)
    searched = {one.token for one in rarer}
    common = [term for term in terms if any(one.token not in searched for one in term.same)]
    for together in _together(common[:COMMON_WORDS_JOINED]):
        expressions = [any_of(one.expression for one in term.same) for term in together]
        yield from index.matching(_also(chosen, all_of(expressions)), limit=CANDIDATES // 4)


def _rarest(terms: tuple[Term, ...]) -> Iterator[Alternative]:
    left = MAX_READ
    alternatives = {one.token: one for term in terms for one in term.alternatives}
    for one in sorted(alternatives.values(), key=lambda one: one.documents):
        left -= one.documents
        if left < 0:
            return
        yield one


def _together(terms: list[Term]) -> Iterator[tuple[Term, ...]]:
    for size in range(len(terms), 1, -1):
        yield from combinations(terms, size)
