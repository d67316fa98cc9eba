"""Secrets in a form: a value that was stored or just typed is never written into the page again.

In a draft, a token takes its place (`Kept`): "stored:/apiKey" for what stands there in the stored value, "sealed:…" for
what was typed a moment ago, closed by the site's seal. A raw text shows a mark with the same token instead.

A schema calls a value secret by `writeOnly`, `x-secret` or `format: password`; whatever is below is secret, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from catalog.errors import JSONTextError
from catalog.problems import pointer_join, resolve_pointer
from catalog.strict_json import JSON
from catalog.validation import Place
from playground.forms import children
from playground.forms.applicable import Applicable
from playground.forms.drafts import MARK, Array, Draft, Folded, Kept, Missing, Object, Raw, draft_of, key_of, read
from playground.forms.guide import Guide
from playground.forms.schemas import members
from playground.forms.sealing import Seal
from playground.forms.values import ABSENT, Absent, Maybe, literal, read_literal

STORED: Final = "stored:"
SEALED: Final = "sealed:"


def mentions_secrets(schema: JSON) -> bool:
    """Whether a schema may call anything secret. Cheap; wrong only on the safe side."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if part.get("writeOnly") is True or part.get("x-secret") is True or part.get("format") == "password":
                return True
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return False


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


def conceal(draft: Draft, places: Sequence[Place], guide: Guide, safe: Safe) -> Draft:
    """`draft` with a token in place of every secret; nothing else is changed."""
    return _Concealing(guide, safe).draft(draft, places, "", is_secret=False)


class _Concealing:
    def __init__(self, guide: Guide, safe: Safe) -> None:
        self._guide = guide
        self._safe = safe

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
        members = {
            name: self.draft(member, children.member(found, name).places, pointer_join(pointer, name), is_secret=False)
            for name, member in draft.members.items()
        }
        entries = []
        for entry in draft.entries:
            key = key_of(entry)
            below = () if key is None else children.member(found, key).places
            inner = self.draft(entry.draft, below, pointer_join(pointer, key or ""), is_secret=False)
            entries.append(replace(entry, draft=inner))
        return replace(draft, members=members, entries=tuple(entries))

    def _array(self, draft: Array, found: Applicable, pointer: str) -> Draft:
        items = []
        index = 0
        for item in draft.items:
            below = () if item.is_run else children.item(found, index).places
            index += item.length
            inner = self.draft(item.draft, below, pointer_join(pointer, item.row), is_secret=False)
            items.append(replace(item, draft=inner))
        return replace(draft, items=tuple(items))

    def _text(self, draft: Raw | Folded, places: Sequence[Place], pointer: str, *, is_secret: bool) -> Draft:
        """JSON text: secrets in it become marks. Text that cannot be read is dropped where it may hold one."""
        reading = self._guide.reading(draft)
        if isinstance(reading.value, Absent):
            return draft if not is_secret else Missing(None, draft.state)
        if is_secret:
            return Kept(self._safe.close(reading.value, pointer), draft.state)
        open_draft = draft_of(reading.value)
        concealed = self.draft(open_draft, places, pointer, is_secret=False)
        shown = read(concealed, lambda token: MARK + token).value
        if isinstance(shown, Absent) or shown == reading.value:
            return draft
        return (
            replace(draft, value=shown) if isinstance(draft, Folded) else replace(draft, text=literal(shown, indent=2))
        )


def is_secret_place(places: Sequence[Place]) -> bool:
    """Whether one of the subschemas at a place calls it secret."""
    schemas = [members(place) for place in places]
    return any(
        schema.get("writeOnly") is True or schema.get("x-secret") is True or schema.get("format") == "password"
        for schema in schemas
    )
