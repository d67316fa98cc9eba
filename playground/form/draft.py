"""Drafts: a value while it is edited, between two requests.

A draft has the shape of the value, but its leaves are the text as typed, even if that is not valid
yet. Parts may be empty, and each part stores its selected branches and views (`State`). `draft_of`
turns any value into a draft, whatever its schema; `to_value.read` turns a draft back into a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from playground.form.values import Absent, Kind, Maybe, is_fragile, literal, read_literal
from toolspec.errors import JSONTextError
from toolspec.text.reader import JSON, Number


@dataclass(frozen=True, slots=True)
class State:
    """The selections of a field, besides its value.

    Attributes:
        branches: the branches in force: pairs of the union's key and the branch's index.
        stash: snapshots of other branches and types: pairs of "union=branch" or "kind=type" and the
            encrypted text.
        view: "rows" for a list of choices as rows, "free" for a custom value in place of a listed
            one.
    """

    branches: tuple[tuple[str, int], ...] = ()
    stash: tuple[tuple[str, str], ...] = ()
    view: str = ""


PLAIN: Final = State()

MARK: Final = "(secret, unchanged) "
"""The prefix of a string that stands for a secret in JSON text; the secret's token follows."""


@dataclass(frozen=True, slots=True)
class Missing:
    """No value. `kind`: the type that the user selected for it, if any."""

    kind: Kind | None = None
    state: State = PLAIN


@dataclass(frozen=True, slots=True)
class Text:
    """A string. `is_literal`: `text` is its JSON literal, as typed."""

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
    """A container that is shown as JSON text because the page is full.

    It always parses; otherwise it is `Raw`.
    """

    value: JSON
    state: State = PLAIN


@dataclass(frozen=True, slots=True)
class StoredSecret:
    """A secret whose value is not in the page: `token` finds it (`secrets.py`)."""

    token: str
    state: State = PLAIN


@dataclass(frozen=True, slots=True)
class Entry:
    """An extra entry of an object, with an editable key.

    Or a run of entries that are folded together.
    """

    row: str
    key: str
    draft: Draft
    is_literal: bool = False

    @property
    def key_tag(self) -> str:
        """The tag of the control of its key."""
        if self.is_literal:
            return "l"
        return "k"

    @property
    def is_run(self) -> bool:
        return self.row.startswith("~")

    @property
    def number(self) -> int:
        """The row's id as a number; for a run, the id of its first row."""
        return int(self.row.lstrip("~"))


@dataclass(frozen=True, slots=True)
class Object:
    """An object: members whose names the page declared, and extra entries."""

    members: Mapping[str, Draft] = field(default_factory=dict)
    entries: tuple[Entry, ...] = ()
    state: State = PLAIN


@dataclass(frozen=True, slots=True)
class Item:
    """A row of a list, or a run of rows that are folded together."""

    row: str
    draft: Draft

    @property
    def is_run(self) -> bool:
        return self.row.startswith("~")

    @property
    def number(self) -> int:
        """The row's id as a number; for a run, the id of its first row."""
        return int(self.row.lstrip("~"))

    @property
    def length(self) -> int:
        """The number of items of the list in this row."""
        if self.is_run and isinstance(self.draft, Folded) and isinstance(self.draft.value, list):
            return len(self.draft.value)
        return 1


@dataclass(frozen=True, slots=True)
class Array:
    """A list."""

    items: tuple[Item, ...] = ()
    state: State = PLAIN


Draft: TypeAlias = (
    Missing | Text | Numeral | Constant | Raw | Folded | StoredSecret | Object | Array
)
NOTHING: Final = Missing()


def draft_of(value: Maybe, state: State = PLAIN) -> Draft:
    """The draft of a complete value."""
    if isinstance(value, Absent):
        return Missing(state=state)
    if isinstance(value, str):
        return _draft_of_text(value, state)
    if value is None or isinstance(value, bool):
        return Constant(value, state)
    if isinstance(value, dict):
        members = {name: draft_of(member) for name, member in value.items()}
        return Object(members, (), state)
    if isinstance(value, list):
        items = [Item(str(row), draft_of(item)) for row, item in enumerate(value)]
        return Array(tuple(items), state)
    return Numeral(value.lexeme if isinstance(value, Number) else str(value), state)


def _draft_of_text(text: str, state: State) -> Draft:
    if text.startswith(MARK):
        return StoredSecret(text.removeprefix(MARK), state)
    if is_fragile(text):
        return Text(literal(text), True, state)
    return Text(text, False, state)


def with_state(draft: Draft, state: State) -> Draft:
    """The same draft in another state."""
    return replace(draft, state=state)


def make_row_id(rows: Iterable[Item | Entry]) -> str:
    """An id for a new row, higher than those of all rows, including folded ones."""
    following = 0
    for row in rows:
        after = row.number + 1
        if isinstance(row, Item):
            after = row.number + row.length
        following = max(following, after)
    return str(following)


def is_empty(draft: Draft) -> bool:
    """Whether there is neither a value nor typed text."""
    return isinstance(draft, Missing) or (isinstance(draft, Raw) and not draft.text.strip())


def key_of(entry: Entry) -> str | None:
    """The key of an entry; None if its JSON literal is not a string."""
    if not entry.is_literal:
        return entry.key
    try:
        key = read_literal(entry.key)
    except JSONTextError:
        return None
    if not isinstance(key, str):
        return None
    return key


def make_entry(
    row: str,
    key: str,
    draft: Draft,
) -> Entry:
    """An extra entry under `key`."""
    if is_fragile(key) or "\n" in key:
        return Entry(row, literal(key), draft, True)
    return Entry(row, key, draft)
