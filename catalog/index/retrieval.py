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
from catalog.index.ranking import Ranking, sort_by_score

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
    exact = index.find(strict, limit=CANDIDATES + 1) if strict else []
    among = apply_conditions(plan, chosen, phrases=bool(exact))
    if strict and len(exact) > CANDIDATES:
        closest = _find_closest(index, plan, among, strict)
        return Hits(_rank(index, plan, closest), strict, exact=frozenset(closest))
    if plan.query.sentence or not exact:
        if len(exact) >= ENOUGH:
            return Hits(_rank(index, plan, exact), exact=frozenset(exact))
        candidates = dict.fromkeys([*exact, *find_likely(index, plan.terms, among, CANDIDATES)])
        best = _rank(index, plan, candidates, always=frozenset(exact))
        return Hits(best, exact=frozenset(exact))
    best = _rank(index, plan, exact)
    further = _fill_up(index, plan, among, exact) if len(best) < FILLED_UP_TO else ()
    return Hits((*best, *further), exact=frozenset(best), filled_up=bool(further))


def strict_match(plan: Plan, chosen: Match) -> Match | None:
    """Matches the chosen tools that fulfil the entire query.

    None if no tool contains one of the words.
    """
    among = apply_conditions(plan, chosen, phrases=True)
    if not plan.query.words:
        return among
    return _require(among, plan.every_word) if plan.every_word else None


def apply_conditions(plan: Plan, chosen: Match, *, phrases: bool) -> Match:
    """Matches the chosen tools that fulfil the query apart from its words.

    A sentence does not require its phrases.
    """
    phrases_required = plan.phrases if phrases and not plan.query.sentence else ()
    match = _require(chosen, *plan.required, *phrases_required)
    return replace(match, excluded=(*plan.excluded, *chosen.excluded))


def _require(match: Match, *expressions: Expression) -> Match:
    """`match` with further expressions; `EVERY_TOOL` is left out if there is any other."""
    required = [part for part in (*expressions, *match.required) if part != EVERY_TOOL]
    return replace(match, required=tuple(required) or match.required)


def _fill_up(index: SearchIndex, plan: Plan, among: Match, exact: list[int]) -> tuple[int, ...]:
    """The best tools that contain some of the words, to fill up `exact`, which contain all."""
    if len(plan.terms) == 1 and not plan.terms[0].relatives:
        return ()
    likely = find_likely(index, plan.terms, among, FURTHER_CANDIDATES, MAX_FURTHER_READ)
    best = _rank(index, plan, set(likely).difference(exact), always=frozenset())
    return best[: FILLED_UP_TO - len(exact)]


def _rank(
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
    scores = {pk: ranking.score(text) for pk, text in index.read_texts(list(candidates)).items()}
    pks = sort_by_score(scores)
    if always is None or not pks:
        return tuple(pks)
    least = LEAST_SHARE * scores[pks[0]]
    good = [pk for pk in pks[ENOUGH:] if pk in always or scores[pk] > least]
    return (*pks[:ENOUGH], *good)


# -- candidates among many that contain every word -------------------------------------------------


def _find_closest(index: SearchIndex, plan: Plan, among: Match, strict: Match) -> list[int]:
    """`CANDIDATES` tools that contain every word (`strict`), the closest first.

    Those are the ones whose names contain the words and little else. Names are searched in `among`,
    which has no word conditions: a name implies them, and common words cost most.
    """
    matches = []
    for length in range(min(len(plan.terms), LONG_NAME_WORDS), LONG_NAME_WORDS + 1):
        in_name = [_match_name(term, f"n{length}") for term in plan.terms]
        matches.append(_require(among, *in_name))
    rarest = max(plan.terms, key=lambda term: term.importance)
    matches += [_require(strict, _match_name(rarest, "n")), strict]
    pks: dict[int, None] = {}
    for match in matches:
        pks |= dict.fromkeys(index.find(match, limit=CANDIDATES))
        if len(pks) >= CANDIDATES:
            break
    return list(pks)[:CANDIDATES]


def _match_name(term: Term, key: str) -> Expression:
    """Matches a word of the query as a word of a name.

    Matches its synonyms if the catalog does not contain the word.
    """
    forms = [alternative for alternative in term.same if alternative.weight >= ALIKE]
    expressions = []
    for alternative in forms or term.same:
        expressions.append(all_of(Token(f"{key}_{token}") for token in alternative.tokens))
    return any_of(expressions)


# -- candidates that contain some words ------------------------------------------------------------


def find_likely(
    index: SearchIndex, terms: tuple[Term, ...], chosen: Match, limit: int, max_read: int = MAX_READ
) -> Iterator[int]:
    """The likeliest tools that contain the rarer words, and some with several common ones."""
    rarer = _choose_rarest(terms, max_read)
    if rarer:
        either = any_of(alternative.expression for alternative in rarer.values())
        yield from index.find_likeliest(_require(chosen, either), limit=limit)
    common = [term for term in terms if not rarer.keys() >= term.same_tokens]
    common = common[:COMMON_WORDS_JOINED]
    for size in range(len(common), 1, -1):
        for joint in combinations(common, size):
            every_word = all_of(term.any_equivalent for term in joint)
            yield from index.find(_require(chosen, every_word), limit=limit // 4)


def _choose_rarest(terms: tuple[Term, ...], max_read: int) -> dict[str, Alternative]:
    """The rarest alternatives by token; at most `max_read` tools contain any of them."""
    alternatives = [alternative for term in terms for alternative in term.alternatives]
    alternatives.sort(key=lambda alternative: alternative.documents)
    rarest: dict[str, Alternative] = {}
    rest = max_read
    for alternative in alternatives:
        if alternative.token in rarest:
            continue
        rest -= alternative.documents
        if rest < 0:
            break
        rarest[alternative.token] = alternative
    return rarest
