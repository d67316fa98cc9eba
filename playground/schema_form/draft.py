"""Drafts: a value on its way, as the form holds it between two requests.

A draft has the shape of the value, but its leaves are what was typed, letter for letter, also where that makes no
sense yet; places may be empty; and each place remembers what was chosen there (`State`). `draft_of` turns a value into
a draft, for every value whatever its schema; `reading` turns it back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from catalog.errors import JSONTextError
from catalog.jsontext.reader import JSON, Number
from playground.schema_form.values import Absent, Kind, Maybe, is_fragile, literal, read_literal


@dataclass(frozen=True, slots=True)
class State:
    """What was chosen at a place, beside its value.

    Attributes:
        branches: which branch of which union is in force: pairs of the union's key and the branch's index.
        stash: what other branches held here, encrypted: pairs of "union=branch" and the encrypted text.
        view: "rows" for a list of choices as rows, "free" for one of the listed values written by hand.
    """

    branches: tuple[tuple[str, int], ...] = ()
    stash: tuple[tuple[str, str], ...] = ()
    view: str = ""


PLAIN: Final = State()

MARK: Final = "(secret, kept as it is) "
"""Begins the text that stands for a secret where JSON is shown as text; its token follows."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Nothing is here; `kind` is what is meant to come, where that was chosen."""

    kind: Kind | None = None
    state: State = PLAIN


@dataclass(frozen=True, slots=True)
class Text:
    """A text. `is_literal`: `text` is its JSON literal, as typed."""

    text: str
    is_literal: bool = False
    state: State = PLAIN


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number as typed, not empty."""

    text: str
    state: State = PLAIN


@dataclass(frozen=True, slots=True)
class Constant:
    """True, false or null."""

    value: bool | None
    state: State = PLAIN


@dataclass(frozen=True, slots=True)
class Raw:
    """JSON text as typed, not empty; shown as text."""

    text: str
    state: State = PLAIN


@dataclass(frozen=True, slots=True)
class Folded:
    """A container that is shown as JSON text because the page is full; never typed wrongly (that would be `Raw`)."""

    value: JSON
    state: State = PLAIN


@dataclass(frozen=True, slots=True)
class StoredSecret:
    """A secret whose value is not in the page: `token` finds it (`secrets.py`)."""

    token: str
    state: State = PLAIN


@dataclass(frozen=True, slots=True)
class Entry:
    """An extra entry of an object: a row whose key is typed; or, when its draft is folded, a run of them."""

    row: str
    key: str
    draft: Draft
    is_literal: bool = False

    @property
    def is_run(self) -> bool:
        return self.row.startswith("~")


@dataclass(frozen=True, slots=True)
class Object:
    """An object: members whose names the page declared, and extra entries."""

    members: Mapping[str, Draft] = field(default_factory=dict)
    entries: tuple[Entry, ...] = ()
    state: State = PLAIN


@dataclass(frozen=True, slots=True)
class Item:
    """A row of a list; or, when the draft is a folded list, a run of rows."""

    row: str
    draft: Draft

    @property
    def is_run(self) -> bool:
        return self.row.startswith("~")

    @property
    def length(self) -> int:
        """How many items it stands for."""
        return (
            len(self.draft.value)
            if isinstance(self.draft, Folded) and isinstance(self.draft.value, list) and self.is_run
            else 1
        )


@dataclass(frozen=True, slots=True)
class Array:
    """A list. `are_choices`: it was posted as ticked boxes."""

    items: tuple[Item, ...] = ()
    state: State = PLAIN


Draft: TypeAlias = Missing | Text | Numeral | Constant | Raw | Folded | StoredSecret | Object | Array
NOTHING: Final = Missing()


def draft_of(value: Maybe, state: State = PLAIN) -> Draft:
    """The draft of a finished value."""
    if isinstance(value, Absent):
        return Missing(state=state)
    if isinstance(value, str):
        if value.startswith(MARK):
            return StoredSecret(value.removeprefix(MARK), state)
        return Text(literal(value), True, state) if is_fragile(value) else Text(value, False, state)
    if value is None or isinstance(value, bool):
        return Constant(value, state)
    if isinstance(value, dict):
        return Object({name: draft_of(member) for name, member in value.items()}, (), state)
    if isinstance(value, list):
        return Array(tuple(Item(str(row), draft_of(item)) for row, item in enumerate(value)), state)
    return Numeral(value.lexeme if isinstance(value, Number) else str(value), state)


def with_state(draft: Draft, state: State) -> Draft:
    """The same draft in another state."""
    return replace(draft, state=state)


def new_row(rows: Iterable[Item | Entry]) -> str:
    """An id for a row to be added, above all that are there, folded ones too."""
    last = (int(row.row.lstrip("~")) + (row.length if isinstance(row, Item) else 1) for row in rows)
    return str(max(last, default=0))


def is_empty(draft: Draft) -> bool:
    """Whether nothing is here, and nothing was typed."""
    return isinstance(draft, Missing) or (isinstance(draft, Raw) and not draft.text.strip())


def key_of(entry: Entry) -> str | None:
    """The key that an entry's text spells; None where a literal is no text."""
    if not entry.is_literal:
        return entry.key
    try:
        key = read_literal(entry.key)
    except JSONTextError:
        return None
    return key if isinstance(key, str) else None


def entry_of(row: str, key: str, draft: Draft) -> Entry:
    """An extra entry under `key`."""
    return Entry(row, literal(key), draft, True) if is_fragile(key) or "\n" in key else Entry(row, key, draft)
