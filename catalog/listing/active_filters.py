"""The active filters of a list, each with the address of the list without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from catalog.listing.catalog_search import CatalogSearch
from catalog.search.parser import without_filters
from catalog.specs.exporters import FORMATS
from catalog.specs.lint.assessment import GRADES

_CHOICES: Final = {
    "runnable": ("Runnable", "Not runnable"),
    "configurable": ("Needs configuration", "No configuration"),
    "examples": ("Has examples", "No examples"),
    "examples_hold": ("Examples pass", "Examples do not pass"),
    "returns": ("Has a return type", "No return type"),
    "deprecated": ("Deprecated", "Not deprecated"),
    "starred": ("Starred by you", "Not starred by you"),
}
WORDS_SHOWN: Final = 60  # characters


@dataclass(frozen=True, slots=True)
class ActiveFilter:
    """One filter: a label, and the URL's query that removes it."""

    label: str
    without: str


def active_filters(search: CatalogSearch) -> list[ActiveFilter]:
    """The filters in the query of `search`, its other words, and its chosen facets."""
    found: list[ActiveFilter] = []

    def add(label: str, **without: Any) -> None:
        found.append(ActiveFilter(label, replace(search, cursor=None, **without).address()))

    for label, words in _parts_of_query(search):
        add(label, words=words)
    for name, (yes, no) in _CHOICES.items():
        choice = getattr(search, name)
        if choice is not None:
            add(yes if choice else no, **{name: None})
    if search.toolkit is not None:
        add(f"Toolkit: {search.toolkit}", toolkit=None)
    for tag in search.tags:
        add(f"Tag: {tag}", tags=tuple(one for one in search.tags if one != tag))
    for key in search.usable:
        add(
            f"Works with {FORMATS[key].label}",
            usable=tuple(one for one in search.usable if one != key),
        )
    if search.grade is not None:
        add(f"Score {dict(GRADES)[search.grade]}", grade=None)
    if search.score is not None:
        add(f"Score {search.score} or more", score=None)
    if search.owner is not None:
        add(f"Owner: {search.owner}", owner=None)
    if search.archived:
        add("With archived tools", archived=False)
    return found


def _parts_of_query(search: CatalogSearch) -> Iterator[tuple[str, str]]:
    """Each filter in the query, and its other words; each with the query without it."""
    for written in search.query.filters:
        yield _shortened(written), without_filters(search.words, written)
    if words := without_filters(search.words, *search.query.filters):
        yield f"“{_shortened(words)}”", " ".join(search.query.filters)


def _shortened(text: str) -> str:
    return f"{text[:WORDS_SHOWN]}…" if len(text) > WORDS_SHOWN else text
