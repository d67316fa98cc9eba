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

from playground.schema_form import children
from playground.schema_form.applicable import Applicable
from playground.schema_form.draft import (
    MARK,
    Array,
    Draft,
    Folded,
    Missing,
    Object,
    Raw,
    StoredSecret,
    key_of,
)
from playground.schema_form.lookups import SchemaLookups
from playground.schema_form.page_tokens import PageTokenMaker
from playground.schema_form.secret_marks import is_marked_secret
from playground.schema_form.secret_search import MAX_SECONDS, find_marked, pointers_of_texts
from playground.schema_form.to_value import Reading
from playground.schema_form.values import ABSENT, Absent, Maybe, literal, read_literal
from toolspec.errors import JSONTextError
from toolspec.schema.validation import Budget, Subschema
from toolspec.text.pointers import PointerTree, pointer_join, pointer_tree, resolve_pointer
from toolspec.text.reader import JSON

STORED: Final = "stored:"
SEALED: Final = "encrypted:"


MAX_IN_TEXT: Final = (
    1000  # parts of JSON text that are examined closely, because they may be secret
)


class Safe:
    """Finds the secrets behind tokens."""

    def __init__(self, stored: Maybe, seal: PageTokenMaker) -> None:
        self._stored = stored
        self._seal = seal

    def open(self, token: str) -> Maybe:
        """The secret of `token`; ABSENT if it is no longer available."""
        if token.startswith(STORED):
            return self.at(token.removeprefix(STORED))
        text = self._seal.unseal(token.removeprefix(SEALED)) if token.startswith(SEALED) else None
        try:
            return ABSENT if text is None else read_literal(text)
        except JSONTextError:
            return ABSENT

    def at(self, pointer: str) -> Maybe:
        """The stored value at `pointer`."""
        if isinstance(self._stored, Absent):
            return ABSENT
        try:
            return resolve_pointer(self._stored, pointer)  # type: ignore[return-value]
        except (LookupError, ValueError):
            return ABSENT

    def close(self, value: JSON, pointer: str) -> str:
        """A token for `value` at `pointer`."""
        return (
            STORED + pointer
            if self.at(pointer) == value
            else SEALED + self._seal.seal(literal(value))
        )


def conceal(
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
        return _Concealing(lookups, safe, names).draft(draft, subschemas, "")
    except _TooManyInText:
        value = lookups.read(draft).value
        return (
            Missing(None, draft.state)
            if isinstance(value, Absent)
            else StoredSecret(safe.close(value, ""), draft.state)
        )


class _TooManyInText(Exception):
    """JSON text may contain too many secrets."""


class _Concealing:
    def __init__(self, lookups: SchemaLookups, safe: Safe, names: frozenset[str]) -> None:
        self._lookups = lookups
        self._safe = safe
        self._names = names
        self._room = MAX_IN_TEXT
        self._budget = Budget(seconds=MAX_SECONDS)

    def draft(self, draft: Draft, subschemas: Sequence[Subschema], pointer: str) -> Draft:
        found = self._lookups.find_applicable(subschemas, draft)
        is_secret = is_marked_secret(found.subschemas)
        match draft:
            case Missing():
                return draft
            case StoredSecret():
                return draft if is_secret else replace(draft, token="")
            case Raw() | Folded():
                return self._text(draft, subschemas, pointer, is_secret=is_secret)
        if is_secret:
            return self._closed(draft, pointer)
        if isinstance(draft, Object):
            return self._object(draft, found, pointer)
        return self._array(draft, found, pointer) if isinstance(draft, Array) else draft

    def _closed(self, draft: Draft, pointer: str) -> Draft:
        reading = self._lookups.read(draft)
        if reading.faults or isinstance(reading.value, Absent):
            return Missing(None, draft.state)
        if reading.value in ("", [], {}):
            return draft
        return StoredSecret(self._safe.close(reading.value, pointer), draft.state)

    def _object(self, draft: Object, found: Applicable, pointer: str) -> Draft:
        def member(name: str, inner: Draft) -> Draft:
            below = children.find_member(found, name).subschemas
            return self.draft(inner, below, pointer_join(pointer, name))

        entries = []
        for entry in draft.entries:
            inner = entry.draft
            if entry.is_run and isinstance(inner, Folded) and isinstance(inner.value, dict):
                inner = replace(inner, value=self._members(inner.value, found, pointer))
            elif not entry.is_run:
                key = key_of(entry)
                inner = self.draft(inner, (), "") if key is None else member(key, inner)
            entries.append(replace(entry, draft=inner))
        members = {name: member(name, inner) for name, inner in draft.members.items()}
        return replace(draft, members=members, entries=tuple(entries))

    def _array(self, draft: Array, found: Applicable, pointer: str) -> Draft:
        def item_at(index: int, row: int | str, inner: Draft) -> Draft:
            below = children.find_item(found, index).subschemas
            return self.draft(inner, below, pointer_join(pointer, row))

        items = []
        index = 0
        for item in draft.items:
            inner = item.draft
            if item.is_run and isinstance(inner, Folded) and isinstance(inner.value, list):
                inner = replace(
                    inner,
                    value=self._items(inner.value, found, pointer, index, item.number),
                )
            else:
                inner = item_at(index, item.row, inner)
            items.append(replace(item, draft=inner))
            index += item.length
        return replace(draft, items=tuple(items))

    def _text(
        self, draft: Raw | Folded, subschemas: Sequence[Subschema], pointer: str, *, is_secret: bool
    ) -> Draft:
        """Replace the secrets in JSON text with marks."""
        reading = self._lookups.read(draft)
        if isinstance(reading.value, Absent):
            return Missing(None, draft.state) if is_secret else self._unreadable(draft)
        if is_secret:
            return StoredSecret(self._safe.close(reading.value, pointer), draft.state)
        tree, has_marks = self._secret_pointers(reading.value, subschemas)
        if tree is None:
            return draft
        shown = self._marked(reading.value, subschemas, pointer, tree, has_marks=has_marks)
        if isinstance(shown, Absent) or shown == reading.value:
            return draft
        if isinstance(draft, Folded):
            return replace(draft, value=shown)
        return replace(draft, text=self._lookups.print(shown))

    def _members(self, run: dict[str, JSON], found: Applicable, pointer: str) -> dict[str, JSON]:
        """The members of a run, with a mark for each secret."""
        tree, has_marks = self._secret_pointers(run, found.subschemas)
        shown: dict[str, Maybe] = dict(run)
        for name, subtree in (tree or {}).items():
            subschemas = children.find_member(found, name).subschemas
            shown[name] = self._marked(
                run[name], subschemas, pointer_join(pointer, name), subtree, has_marks=has_marks
            )
        return {name: value for name, value in shown.items() if not isinstance(value, Absent)}

    def _items(
        self, run: list[JSON], found: Applicable, pointer: str, index: int, row: int
    ) -> list[JSON]:
        """The items of a run, with a mark for each secret.

        `index` and `row` are the first item's index and row id.
        """
        tree, has_marks = self._secret_pointers(run, found.subschemas, index)
        shown: list[Maybe] = list(run)
        for token, subtree in (tree or {}).items():
            n = int(token)
            subschemas = children.find_item(found, index + n).subschemas
            shown[n] = self._marked(
                run[n], subschemas, pointer_join(pointer, row + n), subtree, has_marks=has_marks
            )
        return [value for value in shown if not isinstance(value, Absent)]

    def _secret_pointers(
        self, value: JSON, subschemas: Sequence[Subschema], first: int = 0
    ) -> tuple[PointerTree | None, bool]:
        """The pointers to possible secrets in `value`, None if there are none.

        And whether it contains marks already.

        `first` is the index of the first item, if `value` is a slice of a list.
        """
        possible = find_marked(subschemas, value, self._budget, first=first)
        if possible.reason:
            raise _TooManyInText
        marks = pointers_of_texts(value, lambda text: text.startswith(MARK))
        pointers = {*possible.pointers, *marks}
        return (pointer_tree(pointers) if pointers else None), bool(marks)

    def _marked(
        self,
        value: JSON,
        subschemas: Sequence[Subschema],
        pointer: str,
        tree: PointerTree,
        *,
        has_marks: bool,
    ) -> Maybe:
        """`value` with a mark for each secret at the ends of `tree`.

        ABSENT if a mark's secret is not available.
        """
        self._room -= 1
        if self._room < 0:
            raise _TooManyInText
        opened = self._lookups.read(Folded(value)) if has_marks else Reading(value)
        found = self._lookups.find_applicable_to_value(subschemas, opened.value)
        is_secret = is_marked_secret(found.subschemas)
        if isinstance(value, str) and value.startswith(MARK):
            return value if is_secret else MARK
        if is_secret:
            if opened.faults or isinstance(opened.value, Absent):
                return ABSENT
            return (
                value if value in ("", [], {}) else MARK + self._safe.close(opened.value, pointer)
            )
        if isinstance(value, dict):
            members: dict[str, Maybe] = dict(value)
            for name, subtree in tree.items():
                below = children.find_member(found, name).subschemas
                members[name] = self._marked(
                    value[name], below, pointer_join(pointer, name), subtree, has_marks=has_marks
                )
            return {
                name: member for name, member in members.items() if not isinstance(member, Absent)
            }
        if isinstance(value, list):
            items: list[Maybe] = list(value)
            for token, subtree in tree.items():
                index = int(token)
                below = children.find_item(found, index).subschemas
                items[index] = self._marked(
                    value[index], below, pointer_join(pointer, index), subtree, has_marks=has_marks
                )
            return [item for item in items if not isinstance(item, Absent)]
        return value

    def _unreadable(self, draft: Raw | Folded) -> Draft:
        if isinstance(draft, Folded) or not self._names:
            return draft
        names = "|".join(re.escape(literal(name)) for name in self._names)
        value = r'(?P<value>"(?:[^"\\\n]|\\.)*"?|[^\s,}\]"]+)'

        def closed(match: re.Match[str]) -> str:
            try:
                value = read_literal(match["value"])
            except JSONTextError:
                value = match["value"].strip('"')
            if isinstance(value, str) and value.startswith(MARK):
                return match.group()
            return match["name"] + literal(MARK + self._safe.close(value, ""))

        return replace(
            draft, text=re.sub(rf"(?P<name>(?:{names})\s*:\s*){value}", closed, draft.text)
        )
