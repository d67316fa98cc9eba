"""Suggestions for a query while it is typed.

They are the names of filters, and the values that they take in this catalog.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

from accounts.models import User
from catalog.index import Match, search_index, vocabulary
from catalog.index.boolean_query import EVERY_TOOL, Expression, Token, any_of
from catalog.index.document import FieldPart, GroupKind, list_names
from catalog.index.filter_corrections import find_filter
from catalog.index.filters import FILTERS, JSON_TYPES, write_filter
from catalog.index.tokenizer import key_of, parts_of
from catalog.index.visibility import Visibility
from catalog.search import groups
from toolspec.catalog_names import fold, group_key

MAX_SUGGESTIONS: Final = 8
MAX_QUERY_CHARS: Final = 8_000
MIN_NAME_CHARS: Final = 3  # of the name of a filter: shorter words are rarely meant as one
MAX_NAME_CHARS: Final = 60  # longer names of parameters are not suggested
TOOLS_READ: Final = 100  # for the names of their parameters
OWNERS_READ: Final = 20

_LAST_PIECE: Final = re.compile(
    r"""(?<!\S)(?P<minus>-?)(?P<name>[A-Za-z]+)(?::(?P<value>"[^"]*|[^\s"]*))?$"""
)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """`text` may replace the last piece of the query; if it ends with a colon, a value follows."""

    text: str
    note: str = ""


def suggest(query: str, visibility: Visibility) -> tuple[int, list[Suggestion]]:
    """Suggestions for the last piece of `query`, and the position of this piece.

    They name only toolkits, tags, parameters and owners of tools that `visibility` shows.
    """
    piece = _LAST_PIECE.search(query) if len(query) <= MAX_QUERY_CHARS else None
    if piece is None:
        return len(query), []
    if piece["value"] is None:
        suggestions = _suggest_filters(piece["name"].lower())
    else:
        suggestions = _suggest_values(piece["name"], piece["value"].lstrip('"'), visibility)
    others = []
    for suggestion in islice(suggestions, MAX_SUGGESTIONS):
        text = piece["minus"] + suggestion.text
        if text != piece[0]:
            others.append(Suggestion(text, suggestion.note))
    return piece.start(), others


def _suggest_filters(beginning: str) -> Iterator[Suggestion]:
    """The filters whose names begin so."""
    if len(beginning) < MIN_NAME_CHARS and beginning not in FILTERS:
        return
    for name, query_filter in FILTERS.items():
        if name.startswith(beginning):
            yield Suggestion(f"{name}:", query_filter.about)


def _suggest_values(name: str, beginning: str, visibility: Visibility) -> Iterator[Suggestion]:
    """The values of a filter that begin so; none if nothing is called `name`."""
    filter_name = find_filter(name)
    if filter_name is None:
        return
    for value, note in FILTERS[filter_name].values.items():
        if value.startswith(beginning.lower()):
            yield Suggestion(f"{filter_name}:{value}", note)
    if filter_name in _FINDERS:
        for value, note in _FINDERS[filter_name](beginning, visibility):
            yield Suggestion(write_filter(filter_name, value), note)


Values = Iterator[tuple[str, str]]  # values and notes
Finder = Callable[[str, Visibility], Values]


def _make_group_finder(kind: GroupKind) -> Finder:
    def find(beginning: str, visibility: Visibility) -> Values:
        key = group_key(beginning)
        for group in groups.visible_groups(kind, visibility):
            if group.key.startswith(key):
                note = "1 tool" if group.tools == 1 else f"{group.tools:,} tools"
                yield group.name, note

    return find


def _make_field_finder(part: FieldPart) -> Finder:
    """Finds names of properties in the tools read, the most frequent first; types after a colon."""

    def find(beginning: str, visibility: Visibility) -> Values:
        name, colon, json_type = beginning.rpartition(":")
        if not colon or not key_of(name):
            yield from _find_field_names(part, beginning, visibility)
            return
        for type_name in JSON_TYPES:
            if type_name.startswith(json_type.lower()):
                yield f"{name}:{type_name}", ""

    return find


def _find_field_names(part: FieldPart, beginning: str, visibility: Visibility) -> Values:
    expression: Expression = EVERY_TOOL
    if parts := parts_of(beginning):
        tokens = vocabulary.find_beginnings(fold(parts[0]))
        if not tokens:
            return
        expression = any_of(map(Token, tokens))
    match = visibility.limit(Match((expression,), (Token("f_archived"),)))
    texts = search_index().read_fields(search_index().find(match, limit=TOOLS_READ))
    key_beginning = key_of(beginning)
    counts: Counter[str] = Counter()
    names_by_key: dict[str, str] = {}
    for text in texts.values():
        names = [name for name in list_names(text, part) if len(name) <= MAX_NAME_CHARS]
        keys = {key_of(name): name for name in names}
        counts.update(key for key in keys if key and key.startswith(key_beginning))
        names_by_key = keys | names_by_key
    for key, _ in counts.most_common(MAX_SUGGESTIONS):
        yield names_by_key[key], ""


def _find_owners(beginning: str, visibility: Visibility) -> Values:
    """The owners of visible tools."""
    people = User.objects.filter(username__istartswith=beginning).order_by("username")
    for pk, username in people.values_list("pk", "username")[:OWNERS_READ]:
        if search_index().count(visibility.limit(Match((Token(f"o_{pk}"),))), at_most=1):
            yield username, ""


_FINDERS: Final[Mapping[str, Finder]] = {
    "toolkit": _make_group_finder("toolkit"),
    "tag": _make_group_finder("tag"),
    "takes": _make_field_finder("parameter"),
    "returns": _make_field_finder("return"),
    "needs": _make_field_finder("configuration"),
    "owner": _find_owners,
}
