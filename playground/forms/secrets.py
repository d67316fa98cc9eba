"""Secrets in a form: a value that was stored or just typed is never written into the page again.

In a draft, a token takes its place (`Kept`): "stored:/apiKey" for what stands there in the stored value, "sealed:…" for
what was typed a moment ago, closed by the site's seal. A raw text shows a mark with the same token instead.

A schema calls a value secret by `writeOnly`, `x-secret` or `format: password`; whatever is below is secret, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import unquote

from catalog.errors import JSONTextError
from catalog.problems import pointer_join, resolve_pointer
from catalog.strict_json import JSON
from catalog.validation import Place
from playground.forms import children
from playground.forms.applicable import Applicable
from playground.forms.drafts import MARK, Array, Draft, Folded, Kept, Missing, Object, Raw, draft_of, key_of
from playground.forms.guide import Guide
from playground.forms.reading import read
from playground.forms.schemas import members
from playground.forms.sealing import Seal
from playground.forms.values import ABSENT, Absent, Maybe, literal, read_literal

STORED: Final = "stored:"
SEALED: Final = "sealed:"


def mentions_secrets(schema: JSON) -> bool:
    """Whether a schema may call anything secret. Cheap; wrong only on the safe side."""
    return any(_calls_secret(part) for part in _objects(schema))


def secret_names(schema: JSON) -> frozenset[str]:
    """The names of members that a schema calls secret, wherever they stand in it."""
    found = set()
    for part in _objects(schema):
        properties = part.get("properties")
        for name, member in properties.items() if isinstance(properties, dict) else ():
            if any(_calls_secret(inner) for inner in _objects(_with_target(member, schema))):
                found.add(name)
    return frozenset(found)


def _calls_secret(schema: dict[str, JSON]) -> bool:
    return schema.get("writeOnly") is True or schema.get("x-secret") is True or schema.get("format") == "password"


def _with_target(member: JSON, schema: JSON) -> JSON:
    """`member`, and what it refers to inside the document."""
    reference = member.get("$ref") if isinstance(member, dict) else None
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return member
    try:
        return [member, resolve_pointer(schema, unquote(reference[1:]))]  # type: ignore[list-item]
    except LookupError:
        return member


def _objects(schema: JSON) -> Iterator[dict[str, JSON]]:
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part


class Safe:
    """Finds the secrets behind tokens."""

    def __init__(self, stored: Maybe, seal: Seal) -> None:
        self._stored = stored
        self._seal = seal

    def open(self, token: str) -> Maybe:
        """The secret of `token`; ABSENT where there is none any more."""
        if token.startswith(STORED):
            return self.at(token.removeprefix(STORED))
        text = self._seal.unseal(token.removeprefix(SEALED)) if token.startswith(SEALED) else None
        try:
            return ABSENT if text is None else read_literal(text)
        except JSONTextError:
            return ABSENT

    def at(self, pointer: str) -> Maybe:
        """What is stored at `pointer`."""
        if isinstance(self._stored, Absent):
            return ABSENT
        try:
            return resolve_pointer(self._stored, pointer)  # type: ignore[return-value]
        except (LookupError, ValueError):
            return ABSENT

    def close(self, value: JSON, pointer: str) -> str:
        """A token for `value`, which stands at `pointer`."""
        return STORED + pointer if self.at(pointer) == value else SEALED + self._seal.seal(literal(value))


def conceal(draft: Draft, places: Sequence[Place], guide: Guide, safe: Safe, names: frozenset[str]) -> Draft:
    """`draft` with a token in place of every secret; nothing else is changed.

    In JSON text that cannot be read, a secret is known by the name before it, one of `names`.
    """
    return _Concealing(guide, safe, names).draft(draft, places, "", is_secret=False)


class _Concealing:
    def __init__(self, guide: Guide, safe: Safe, names: frozenset[str]) -> None:
        self._guide = guide
        self._safe = safe
        self._names = names

    def draft(self, draft: Draft, places: Sequence[Place], pointer: str, *, is_secret: bool) -> Draft:
        found = self._guide.at(places, draft)
        is_secret = is_secret or is_secret_place(found.places)
        match draft:
            case Missing():
                return draft
            case Kept():
                return draft if is_secret else replace(draft, token="")
            case Raw() | Folded():
                return self._text(draft, places, pointer, is_secret=is_secret)
        if is_secret:
            return self._closed(draft, pointer)
        if isinstance(draft, Object):
            return self._object(draft, found, pointer)
        return self._array(draft, found, pointer) if isinstance(draft, Array) else draft

    def _closed(self, draft: Draft, pointer: str) -> Draft:
        reading = self._guide.reading(draft)
        if reading.faults or isinstance(reading.value, Absent):
            return Missing(None, draft.state)
        if reading.value in ("", [], {}):
            return draft
        return Kept(self._safe.close(reading.value, pointer), draft.state)

    def _object(self, draft: Object, found: Applicable, pointer: str) -> Draft:
        def member(name: str, inner: Draft) -> Draft:
            below = children.member(found, name).places
            return self.draft(inner, below, pointer_join(pointer, name), is_secret=False)

        entries = []
        for entry in draft.entries:
            inner = entry.draft
            if entry.is_run and isinstance(inner, Folded) and isinstance(inner.value, dict):
                shown = Object({name: member(name, draft_of(value)) for name, value in inner.value.items()})
                inner = Folded(value, inner.state) if isinstance(value := _marked(shown), dict) else inner
            elif not entry.is_run:
                key = key_of(entry)
                inner = self.draft(inner, (), "", is_secret=False) if key is None else member(key, inner)
            entries.append(replace(entry, draft=inner))
        members = {name: member(name, inner) for name, inner in draft.members.items()}
        return replace(draft, members=members, entries=tuple(entries))

    def _array(self, draft: Array, found: Applicable, pointer: str) -> Draft:
        def item_at(index: int, row: int | str, inner: Draft) -> Draft:
            below = children.item(found, index).places
            return self.draft(inner, below, pointer_join(pointer, row), is_secret=False)

        items = []
        index = 0
        for item in draft.items:
            inner = item.draft
            if item.is_run and isinstance(inner, Folded) and isinstance(inner.value, list):
                row = int(item.row.lstrip("~"))
                shown = [item_at(index + n, row + n, draft_of(value)) for n, value in enumerate(inner.value)]
                inner = replace(
                    inner, value=[value for part in shown if not isinstance(value := _marked(part), Absent)]
                )
            else:
                inner = item_at(index, item.row, inner)
            items.append(replace(item, draft=inner))
            index += item.length
        return replace(draft, items=tuple(items))

    def _text(self, draft: Raw | Folded, places: Sequence[Place], pointer: str, *, is_secret: bool) -> Draft:
        """JSON text: secrets in it become marks."""
        reading = self._guide.reading(draft)
        if isinstance(reading.value, Absent):
            return Missing(None, draft.state) if is_secret else self._unreadable(draft)
        if is_secret:
            return Kept(self._safe.close(reading.value, pointer), draft.state)
        open_draft = draft_of(reading.value)
        concealed = self.draft(open_draft, places, pointer, is_secret=False)
        shown = _marked(concealed)
        if isinstance(shown, Absent) or shown == reading.value:
            return draft
        return (
            replace(draft, value=shown) if isinstance(draft, Folded) else replace(draft, text=literal(shown, indent=2))
        )

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

        return replace(draft, text=re.sub(rf"(?P<name>(?:{names})\s*:\s*){value}", closed, draft.text))


def _marked(draft: Draft) -> Maybe:
    """The value of `draft`, a mark for each secret."""
    return read(draft, lambda token: MARK + token).value


def is_secret_place(places: Sequence[Place]) -> bool:
    """Whether one of the subschemas at a place calls it secret."""
    return any(_calls_secret(members(place)) for place in places)
