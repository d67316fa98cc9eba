"""Secrets in a form: a stored or typed secret never returns to the page.

In a draft, a token replaces it (`StoredSecret`): "stored:/apiKey" for a member of the stored value,
"encrypted:…" for a secret that was just typed. JSON text contains a mark with the same token
instead.

JSON text is not split into drafts: it is searched for possible secrets, and only those are examined
closely.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from playground.form import children
from playground.form.applicable import Applicable
from playground.form.draft import (
    MARK,
    Array,
    Draft,
    Entry,
    Folded,
    Missing,
    Object,
    Raw,
    StoredSecret,
    key_of,
)
from playground.form.lookups import SchemaLookups
from playground.form.page_tokens import PageTokenMaker
from playground.form.secret_marks import is_marked_secret
from playground.form.secret_search import MAX_SECONDS, find_marked, pointers_of_texts
from playground.form.to_value import Reading
from playground.form.values import ABSENT, Absent, Maybe, literal, read_literal
from toolspec.errors import JSONTextError
from toolspec.schema.validation import Budget, Subschema
from toolspec.text.pointers import PointerTree, pointer_join, pointer_tree, resolve_pointer
from toolspec.text.reader import JSON

STORED: Final = "stored:"
SEALED: Final = "encrypted:"


# Parts of JSON text that are examined closely, because they may be secret.
MAX_IN_TEXT: Final = 1000

_EMPTY: Final[tuple[JSON, ...]] = ("", [], {})  # values that need no hiding


class Safe:
    """Finds the secrets behind tokens."""

    def __init__(self, stored: Maybe, seal: PageTokenMaker) -> None:
        self._stored = stored
        self._seal = seal

    def open(self, token: str) -> Maybe:
        """The secret of `token`; ABSENT if it is no longer available."""
        if token.startswith(STORED):
            return self._find_stored(token.removeprefix(STORED))
        if not token.startswith(SEALED):
            return ABSENT
        text = self._seal.unseal(token.removeprefix(SEALED))
        if text is None:
            return ABSENT
        try:
            return read_literal(text)
        except JSONTextError:
            return ABSENT

    def close(self, value: JSON, pointer: str) -> str:
        """A token for `value` at `pointer`."""
        if self._find_stored(pointer) == value:
            return STORED + pointer
        return SEALED + self._seal.seal(literal(value))

    def _find_stored(self, pointer: str) -> Maybe:
        """The stored value at `pointer`."""
        if isinstance(self._stored, Absent):
            return ABSENT
        try:
            return resolve_pointer(self._stored, pointer)  # type: ignore[return-value]
        except (LookupError, ValueError):
            return ABSENT


def hide_secrets(
    draft: Draft,
    subschemas: Sequence[Subschema],
    lookups: SchemaLookups,
    safe: Safe,
    names: frozenset[str],
) -> Draft:
    """`draft` with a token in place of every secret; nothing else is changed.

    In JSON text that cannot be parsed, a secret is recognised by its name, one of `names`. The
    whole draft becomes one secret if its JSON texts contain too many secrets, or if the search
    takes too long.
    """
    try:
        return _Hiding(lookups, safe, names).hide(draft, subschemas, "")
    except _TooManyInText:
        value = lookups.read(draft).value
        if isinstance(value, Absent):
            return Missing(None, draft.state)
        return StoredSecret(safe.close(value, ""), draft.state)


class _TooManyInText(Exception):
    """JSON text may contain too many secrets."""


class _Hiding:
    def __init__(
        self,
        lookups: SchemaLookups,
        safe: Safe,
        names: frozenset[str],
    ) -> None:
        self._lookups = lookups
        self._safe = safe
        self._names = names
        self._room = MAX_IN_TEXT
        self._budget = Budget(seconds=MAX_SECONDS)

    def hide(
        self,
        draft: Draft,
        subschemas: Sequence[Subschema],
        pointer: str,
    ) -> Draft:
        applicable = self._lookups.find_applicable(subschemas, draft)
        is_secret = is_marked_secret(applicable.subschemas)
        match draft:
            case Missing():
                return draft
            case StoredSecret():
                return draft if is_secret else replace(draft, token="")
            case Raw() | Folded():
                return self._hide_in_text(draft, subschemas, pointer, is_secret=is_secret)
        if is_secret:
            return self._hide_whole(draft, pointer)
        if isinstance(draft, Object):
            return self._hide_in_object(draft, applicable, pointer)
        if isinstance(draft, Array):
            return self._hide_in_array(draft, applicable, pointer)
        return draft

    def _hide_whole(self, draft: Draft, pointer: str) -> Draft:
        reading = self._lookups.read(draft)
        if reading.faults or isinstance(reading.value, Absent):
            return Missing(None, draft.state)
        if reading.value in _EMPTY:
            return draft
        return StoredSecret(self._safe.close(reading.value, pointer), draft.state)

    def _hide_in_object(
        self,
        draft: Object,
        applicable: Applicable,
        pointer: str,
    ) -> Draft:
        members = {}
        for name, member in draft.members.items():
            members[name] = self._hide_in_member(name, member, applicable, pointer)
        entries = []
        for entry in draft.entries:
            inner = self._hide_in_entry(entry, applicable, pointer)
            entries.append(replace(entry, draft=inner))
        return replace(draft, members=members, entries=tuple(entries))

    def _hide_in_entry(
        self,
        entry: Entry,
        applicable: Applicable,
        pointer: str,
    ) -> Draft:
        inner = entry.draft
        if entry.is_run:
            if not isinstance(inner, Folded) or not isinstance(inner.value, dict):
                return inner
            tree, has_marks = self._find_secrets(inner.value, applicable.subschemas)
            if tree is None:
                return inner
            run = inner.value
            marked = self._mark_members(run, applicable, pointer, tree, has_marks=has_marks)
            return replace(inner, value=marked)
        key = key_of(entry)
        if key is None:
            return self.hide(inner, (), "")
        return self._hide_in_member(key, inner, applicable, pointer)

    def _hide_in_member(
        self,
        name: str,
        member: Draft,
        applicable: Applicable,
        pointer: str,
    ) -> Draft:
        below = children.find_member(applicable, name).subschemas
        return self.hide(member, below, pointer_join(pointer, name))

    def _hide_in_array(
        self,
        draft: Array,
        applicable: Applicable,
        pointer: str,
    ) -> Draft:
        items = []
        index = 0
        for item in draft.items:
            inner = item.draft
            if item.is_run and isinstance(inner, Folded) and isinstance(inner.value, list):
                tree, has_marks = self._find_secrets(inner.value, applicable.subschemas, index)
                run = self._mark_items(
                    inner.value,
                    applicable,
                    pointer,
                    tree or {},
                    index=index,
                    row=item.number,
                    has_marks=has_marks,
                )
                inner = replace(inner, value=run)
            else:
                below = children.find_item(applicable, index).subschemas
                inner = self.hide(inner, below, pointer_join(pointer, item.row))
            items.append(replace(item, draft=inner))
            index += item.length
        return replace(draft, items=tuple(items))

    def _hide_in_text(
        self,
        draft: Raw | Folded,
        subschemas: Sequence[Subschema],
        pointer: str,
        *,
        is_secret: bool,
    ) -> Draft:
        """Replace the secrets in JSON text with marks."""
        value = self._lookups.read(draft).value
        if isinstance(value, Absent) and is_secret:
            return Missing(None, draft.state)
        if isinstance(value, Absent):
            return self._hide_by_name(draft)
        if is_secret:
            return StoredSecret(self._safe.close(value, pointer), draft.state)
        tree, has_marks = self._find_secrets(value, subschemas)
        if tree is None:
            return draft
        marked = self._mark(value, subschemas, pointer, tree, has_marks=has_marks)
        if isinstance(marked, Absent) or marked == value:
            return draft
        if isinstance(draft, Folded):
            return replace(draft, value=marked)
        return replace(draft, text=self._lookups.print(marked))

    def _find_secrets(
        self,
        value: JSON,
        subschemas: Sequence[Subschema],
        first: int = 0,
    ) -> tuple[PointerTree | None, bool]:
        """The pointers to possible secrets in `value`, and whether it contains marks already.

        There is no tree if there are no secrets. `first` is the index of the first item, if `value`
        is a slice of a list.
        """
        possible = find_marked(subschemas, value, self._budget, first=first)
        if possible.reason:
            raise _TooManyInText
        marks = pointers_of_texts(value, lambda text: text.startswith(MARK))
        pointers = {*possible.pointers, *marks}
        if not pointers:
            return None, False
        return pointer_tree(pointers), bool(marks)

    def _mark(
        self,
        value: JSON,
        subschemas: Sequence[Subschema],
        pointer: str,
        tree: PointerTree,
        *,
        has_marks: bool,
    ) -> Maybe:
        """`value` with a mark for each secret at the ends of `tree`.

        ABSENT if the secret of an earlier mark is not available.
        """
        self._room -= 1
        if self._room < 0:
            raise _TooManyInText
        opened = Reading(value)
        if has_marks:
            opened = self._lookups.read(Folded(value))
        applicable = self._lookups.find_applicable_to_value(subschemas, opened.value)
        is_secret = is_marked_secret(applicable.subschemas)
        if isinstance(value, str) and value.startswith(MARK):
            return value if is_secret else MARK
        if is_secret:
            if opened.faults or isinstance(opened.value, Absent):
                return ABSENT
            if value in _EMPTY:
                return value
            return MARK + self._safe.close(opened.value, pointer)
        if isinstance(value, dict):
            return self._mark_members(value, applicable, pointer, tree, has_marks=has_marks)
        if isinstance(value, list):
            return self._mark_items(value, applicable, pointer, tree, has_marks=has_marks)
        return value

    def _mark_members(
        self,
        members: dict[str, JSON],
        applicable: Applicable,
        pointer: str,
        tree: PointerTree,
        *,
        has_marks: bool,
    ) -> dict[str, JSON]:
        marked = dict(members)
        for name, subtree in tree.items():
            below = children.find_member(applicable, name).subschemas
            there = pointer_join(pointer, name)
            member = self._mark(members[name], below, there, subtree, has_marks=has_marks)
            if isinstance(member, Absent):
                del marked[name]
            else:
                marked[name] = member
        return marked

    def _mark_items(
        self,
        items: list[JSON],
        applicable: Applicable,
        pointer: str,
        tree: PointerTree,
        *,
        index: int = 0,
        row: int = 0,
        has_marks: bool,
    ) -> list[JSON]:
        """`items` with marks; `index` and `row` are the first item's index and row id."""
        marked: list[Maybe] = list(items)
        for token, subtree in tree.items():
            offset = int(token)
            below = children.find_item(applicable, index + offset).subschemas
            there = pointer_join(pointer, row + offset)
            marked[offset] = self._mark(items[offset], below, there, subtree, has_marks=has_marks)
        return [item for item in marked if not isinstance(item, Absent)]

    def _hide_by_name(self, draft: Raw | Folded) -> Draft:
        """Replace the values behind secret names in text that cannot be parsed."""
        if isinstance(draft, Folded) or not self._names:
            return draft
        names = "|".join(re.escape(literal(name)) for name in self._names)
        value = r'(?P<value>"(?:[^"\\\n]|\\.)*"?|[^\s,}\]"]+)'
        pattern = rf"(?P<name>(?:{names})\s*:\s*){value}"
        return replace(draft, text=re.sub(pattern, self._replace_match, draft.text))

    def _replace_match(self, match: re.Match[str]) -> str:
        try:
            value = read_literal(match["value"])
        except JSONTextError:
            value = match["value"].strip('"')
        if isinstance(value, str) and value.startswith(MARK):
            return match.group()
        return match["name"] + literal(MARK + self._safe.close(value, ""))
