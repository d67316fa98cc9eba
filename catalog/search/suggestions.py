"""Suggestions for a query while it is typed: the names of filters, and values that they take in this catalog."""

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
    """`text` may replace the last piece of the query; a value must follow if it ends with a colon."""

    text: str
    note: str = ""


def suggestions_for(query: str, visibility: Visibility) -> tuple[int, list[Suggestion]]:
    """Suggestions for the last piece of `query`, and the position of this piece.

    They name only toolkits, tags, parameters and owners of tools that `visibility` shows.
    """
    piece = _LAST_PIECE.search(query) if len(query) <= MAX_QUERY_CHARS else None
    if piece is None:
        return len(query), []
    if piece["value"] is None:
        found = _filters(piece["name"].lower())
    else:
        name = find_filter(piece["name"])
        found = _values(name, piece["value"].lstrip('"'), visibility) if name else iter(())
    shown = [
        Suggestion(piece["minus"] + one.text, one.note) for one in islice(found, MAX_SUGGESTIONS)
    ]
    return piece.start(), [one for one in shown if one.text != piece[0]]


def _filters(typed: str) -> Iterator[Suggestion]:
    """The filters whose names begin with `typed`."""
    if len(typed) >= MIN_NAME_CHARS or typed in FILTERS:
        yield from (
            Suggestion(f"{name}:", one.about)
            for name, one in FILTERS.items()
            if name.startswith(typed)
        )


def _values(name: str, typed: str, visibility: Visibility) -> Iterator[Suggestion]:
    """The values of a filter that begin with `typed`."""
    for value, note in FILTERS[name].values.items():
        if value.startswith(typed.lower()):
            yield Suggestion(f"{name}:{value}", note)
    if name in _FOUND:
        for value, note in _FOUND[name](typed, visibility):
            yield Suggestion(write_filter(name, value), note)


Found = Iterator[tuple[str, str]]  # values and notes


def _groups(kind: GroupKind) -> Callable[[str, Visibility], Found]:
    def find(typed: str, visibility: Visibility) -> Found:
        for group in groups.visible_groups(kind, visibility):
            if group.key.startswith(group_key(typed)):
                yield group.name, "1 tool" if group.tools == 1 else f"{group.tools:,} tools"

    return find


def _fields(part: FieldPart) -> Callable[[str, Visibility], Found]:
    """Names of properties in the tools, the most frequent first, among the tools read; their types after a colon."""

    def find(typed: str, visibility: Visibility) -> Found:
        name, colon, json_type = typed.rpartition(":")
        if colon and key_of(name):
            yield from (
                (f"{name}:{one}", "") for one in JSON_TYPES if one.startswith(json_type.lower())
            )
            return
        wanted: Expression = EVERY_TOOL
        if parts := parts_of(typed):
            tokens = vocabulary.find_beginnings(fold(parts[0]))
            if not tokens:
                return
            wanted = any_of(map(Token, tokens))
        match = visibility.limit(Match((wanted,), (Token("f_archived"),)))
        texts = search_index().read_fields(search_index().find(match, limit=TOOLS_READ))
        key, counts, spelled = key_of(typed), Counter[str](), dict[str, str]()
        for text in texts.values():
            names = {
                key_of(one): one for one in list_names(text, part) if len(one) <= MAX_NAME_CHARS
            }
            counts.update(one for one in names if one and one.startswith(key))
            spelled = names | spelled
        yield from ((spelled[one], "") for one, _ in counts.most_common(MAX_SUGGESTIONS))

    return find


def _owners(typed: str, visibility: Visibility) -> Found:
    """The owners of visible tools."""
    people = (
        User.objects.filter(username__istartswith=typed)
        .order_by("username")
        .values_list("pk", "username")
    )
    for pk, username in people[:OWNERS_READ]:
        if search_index().count(visibility.limit(Match((Token(f"o_{pk}"),))), at_most=1):
            yield username, ""


_FOUND: Final[Mapping[str, Callable[[str, Visibility], Found]]] = {
    "toolkit": _groups("toolkit"),
    "tag": _groups("tag"),
    "takes": _fields("parameter"),
    "returns": _fields("return"),
    "needs": _fields("configuration"),
    "owner": _owners,
}
