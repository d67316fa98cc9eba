"""The active filters of a list, each with the address of the list without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from catalog.listing.catalog_search import CatalogSearch
from catalog.search.parser import without_filters

WORDS_SHOWN: Final = 60  # characters


@dataclass(frozen=True, slots=True)
class ActiveFilter:
    """One filter: a label, and the URL's query that removes it."""

    label: str
    without: str


def active_filters(search: CatalogSearch) -> Iterator[ActiveFilter]:
    """The filters in the query of `search`, and its other words."""
    for written in search.query.filters:
        without = replace(search, words=without_filters(search.words, written))
        yield ActiveFilter(_shortened(written), without.address())
    if words := search.words_alone:
        filters_alone = replace(search, words=" ".join(search.query.filters))
        yield ActiveFilter(f"“{_shortened(words)}”", filters_alone.address())
    if search.archived:
        yield ActiveFilter("With archived tools", replace(search, archived=False).address())


def _shortened(text: str) -> str:
    return f"{text[:WORDS_SHOWN]}…" if len(text) > WORDS_SHOWN else text
