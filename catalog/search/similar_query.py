"""Find tools that are similar to another one, by the distinctive words in its name and description."""

from __future__ import annotations

import math
from typing import Final

from catalog.search import Match, search_index, vocabulary
from catalog.search.boolean_query import EVERY_TOOL, Token
from catalog.search.parser import Query, Word
from catalog.search.plan import Alternative, Plan, Term
from catalog.search.ranking import Ranking
from catalog.search.retrieval import find
from catalog.search.verbs import actions_of
from catalog.search.visibility import ALL_TOOLS, Visibility

WORDS: Final = 12
LEAST_LIKENESS: Final = 0.12  # below it, tools share a word by chance
NAME_SHARE: Final = 2.0  # the weight of words in the name relative to the description


def similar_to(pk: int, *, limit: int, visibility: Visibility = ALL_TOOLS) -> list[int]:
    """Primary keys of the visible tools that are similar to the given one, the closest first; without archived ones.

    Similar is a tool that matches the distinctive words at least `LEAST_LIKENESS` as well as the given one itself does.
    """
    index = search_index()
    text = index.texts([pk]).get(pk)
    if text is None:
        return []
    names = frozenset(text.names.split())
    tokens = names.union(text.about.split())
    counts = vocabulary.counts_of([vocabulary.ALL, *tokens])
    total = counts.pop(vocabulary.ALL, 0)
    terms = sorted(
        (_term(token, documents, total, in_name=token in names) for token, documents in counts.items()),
        key=lambda term: -term.importance,
    )[:WORDS]
    words = tuple(term.word for term in terms)
    plan = Plan(
        Query(words=words, sentence=True), tuple(terms), unknown=True, corrections=(), actions=actions_of(names)
    )
    found = find(index, plan, visibility.among(Match((EVERY_TOOL,), unwanted=(Token("f_archived"),))))
    others = [other for other in found.ranked if other != pk][:limit]
    ranking = Ranking(plan)
    least = LEAST_LIKENESS * ranking.score(text)
    texts = index.texts(others)
    return [other for other in others if ranking.score(texts[other]) >= least]


def _term(token: str, documents: int, total: int, *, in_name: bool) -> Term:
    importance = math.log(1 + (total - documents + 0.5) / (documents + 0.5)) * (NAME_SHARE if in_name else 1)
    return Term(Word(token, token, exact=True), (Alternative(token, 1.0, documents, importance),), (), importance)
