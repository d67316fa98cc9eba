"""Changing the kind or the branch of a place, there and back again without loss.

What a place held is kept with it, encrypted: a snapshot of its controls, for each kind and branch that was left. Back
where it was, with nothing changed in between, the place is exactly what it had been. Where something did change, what
fits is carried over, and the snapshot gives the rest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from catalog.errors import JSONTextError
from catalog.json_schema.validation import Subschema
from playground.schema_form import children
from playground.schema_form.branches import Applicable
from playground.schema_form.choices import canonical
from playground.schema_form.collapse import folded_draft
from playground.schema_form.control_names import control_name
from playground.schema_form.defaults import fresh, with_required
from playground.schema_form.draft import (
    Array,
    Constant,
    Draft,
    Folded,
    Item,
    Missing,
    Numeral,
    Object,
    Raw,
    StoredSecret,
    Text,
    key_of,
    with_state,
)
from playground.schema_form.lookups import SchemaLookups
from playground.schema_form.parse import decode
from playground.schema_form.serialize import posted
from playground.schema_form.values import KINDS, Absent, kind_of, literal, read_literal, read_number

MAX_SNAPSHOT: Final = 128 * 1024  # characters; a longer one is not kept
_FORM: Final = "stash"
_VIEWS: Final = {"rows": "rows", "boxes": "", "free": "free", "listed": ""}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a place held when it was left.

    Attributes:
        pairs: its controls.
        after: the digest of what came next, as long as nobody changed it.
    """

    pairs: tuple[tuple[str, str], ...]
    after: str


def switch_kind(guide: SchemaLookups, places: Sequence[Subschema], draft: Draft, wanted: str) -> Draft:
    """`draft` as another kind: a `Kind`, "none", "json" or "fields"; the names in `_VIEWS` change how it is shown."""
    if wanted in _VIEWS:
        return with_state(draft, replace(draft.state, view=_VIEWS[wanted]))
    if wanted == "literal":
        return _as_literal(draft)
    if wanted == "fields":
        return _as_fields(guide, draft)
    if wanted not in {*KINDS, "none", "json"}:
        return draft
    return _switch(
        guide, draft, f"kind={_kind_name(guide, draft)}", f"kind={wanted}", _as_kind(guide, places, draft, wanted)
    )


def switch_branch(guide: SchemaLookups, places: Sequence[Subschema], draft: Draft, key: str, index: int) -> Draft:
    """`draft` under another branch of the union called `key`."""
    found = guide.at(places, draft)
    union = next((union for union in found.unions if union.key == key), None)
    if union is None or index not in union.candidates or index == union.chosen:
        return draft
    branches = (*((other, chosen) for other, chosen in draft.state.branches if other != key), (key, index))
    state = replace(draft.state, branches=branches)
    if isinstance(draft, Missing):
        return fresh(guide, places, guide.kind(draft), state)
    moved = with_state(draft, state)
    snapshots = _snapshots(guide, draft)
    if isinstance(moved, Object):
        earlier = snapshots.get(f"{key}={index}")
        moved = _carried(guide, places, moved, found, _draft_of(earlier) if earlier else None)
    return _switch(guide, draft, f"{key}={union.chosen}", f"{key}={index}", moved)


def _switch(guide: SchemaLookups, draft: Draft, left: str, entered: str, made: Draft) -> Draft:
    """Leave one kind or branch for another: restored exactly where nothing changed, else as `made`."""
    snapshots = _snapshots(guide, draft)
    before = _digest(draft)
    earlier = snapshots.pop(entered, None)
    new = made
    if earlier is not None and earlier.after == before:
        new = with_state(_draft_of(earlier), replace(_draft_of(earlier).state, stash=()))
    after = _digest(new)
    snapshots = {
        key: replace(snapshot, after=after) if snapshot.after == before else snapshot
        for key, snapshot in snapshots.items()
    }
    if not isinstance(draft, Missing):
        snapshots[left] = Snapshot(_pairs(draft), after)
    stash = tuple((key, token) for key, snapshot in snapshots.items() if (token := _token(guide, snapshot)))
    return with_state(new, replace(new.state, stash=stash))


def _as_literal(draft: Draft) -> Draft:
    """A text as its JSON literal; an empty literal to fill in if there is no text yet."""
    if isinstance(draft, Missing):
        return Text("", True, draft.state)
    is_plain = isinstance(draft, Text) and not draft.is_literal
    return Text(literal(draft.text), True, draft.state) if isinstance(draft, Text) and is_plain else draft


def _as_fields(guide: SchemaLookups, draft: Draft) -> Draft:
    """A raw text as fields: what it was before, where it was not edited; else its value, where it is JSON."""
    if not isinstance(draft, Raw):
        return draft
    before = _digest(draft)
    for snapshot in _snapshots(guide, draft).values():
        if snapshot.after == before:
            return _draft_of(snapshot)
    if not draft.text.strip():
        return Missing()
    reading = guide.reading(draft)
    return draft if isinstance(reading.value, Absent) else folded_draft(reading.value)


def _as_kind(guide: SchemaLookups, places: Sequence[Subschema], draft: Draft, wanted: str) -> Draft:
    if wanted == "none":
        return Missing()
    reading = guide.reading(draft)
    if wanted == "json":
        return Raw("" if isinstance(reading.value, Absent) else literal(reading.value, indent=2))
    kind = next(kind for kind in KINDS if kind == wanted)
    if (converted := _converted(draft, wanted)) is not None:
        return converted
    made = fresh(guide, places, kind)
    if isinstance(made, Array) and not made.items and isinstance(draft, Text | Numeral) and draft.text:
        item_kinds = guide.kinds.of_all(children.item(guide.at(places, made), 0).subschemas)
        if guide.kind(draft) in item_kinds:
            return Array((Item("0", with_state(draft, made.state)),))
    return made


def _converted(draft: Draft, wanted: str) -> Draft | None:
    """A single value as another kind, where it reads the same."""
    match draft, wanted:
        case Numeral(text), "text":
            return Text(text)
        case Constant(value), "text":
            return Text(literal(value))
        case Text(text, False), "number":
            try:
                read_number(text)
            except JSONTextError:
                return None
            return Numeral(text)
        case Text("true" | "false" as text, False), "boolean":
            return Constant(text == "true")
    return None


def _kind_name(guide: SchemaLookups, draft: Draft) -> str:
    return "json" if isinstance(draft, Raw) else "none" if isinstance(draft, Missing) else str(guide.kind(draft))


def _carried(
    guide: SchemaLookups, places: Sequence[Subschema], draft: Object, left: Applicable, earlier: Draft | None
) -> Object:
    """The members that fit the new branch, or that no branch speaks of; then what it had before, then what it needs."""
    found = guide.at(places, draft)
    spoken_of = set(children.declared_names(left))
    names_now = set(children.declared_names(found))

    def stays(name: str | None, member: Draft) -> bool:
        if name is None or isinstance(member, Missing):
            return name is None
        if name in spoken_of and name not in names_now:
            return False
        return _fits(guide, children.member(found, name).subschemas, member) if name in names_now else True

    members = {name: member for name, member in draft.members.items() if stays(name, member)}
    entries = tuple(entry for entry in draft.entries if stays(key_of(entry), entry.draft))
    if isinstance(earlier, Object):
        used = {*members, *(key_of(entry) for entry in entries)}
        before = {name: member for name, member in earlier.members.items() if name not in used}
        members |= {name: member for name, member in before.items() if name in names_now}
    return with_required(guide, places, Object(members, entries, draft.state))


def _fits(guide: SchemaLookups, places: Sequence[Subschema], member: Draft) -> bool:
    """Whether a member can stay: its kind is allowed, and it is one of the choices where there are any."""
    reading = guide.reading(member)
    if reading.faults or isinstance(reading.value, Absent):
        return True
    if kind_of(reading.value) not in guide.kinds.of_all(places):
        return False
    choices = guide.at(places, member).choices
    return choices is None or canonical(reading.value) in {choice.key for choice in choices}


# Snapshots


def _pairs(draft: Draft) -> tuple[tuple[str, str], ...]:
    """The controls of a place, without what it keeps of other kinds and branches."""
    bare = with_state(draft, replace(draft.state, stash=()))
    return tuple((control_name(_FORM, tag, path), text) for tag, path, text in posted(bare))


def _digest(draft: Draft) -> str:
    """The same for two drafts that hold the same, however their members are arranged."""
    return sha256(json.dumps(_contents(draft)).encode()).hexdigest()[:16]


def _contents(draft: Draft) -> object:
    match draft:
        case Object():
            entries = [(key_of(entry) or "", entry.draft) for entry in draft.entries]
            members = [*draft.members.items(), *entries]
            return ["o", sorted([key, _contents(member)] for key, member in members if not isinstance(member, Missing))]
        case Array():
            return ["a", [_contents(item.draft) for item in draft.items]]
        case Missing():
            return []
        case Folded(value):
            return ["j", literal(value)]
        case StoredSecret(token):
            return ["c", token]
        case Text(text, is_literal):
            return ["q" if is_literal else "s", text]
        case Numeral(text) | Raw(text):
            return ["n" if isinstance(draft, Numeral) else "e", text]
        case Constant(value):
            return ["b", value]
    raise AssertionError(draft)


def _token(guide: SchemaLookups, snapshot: Snapshot) -> str:
    text = json.dumps({"after": snapshot.after, "pairs": snapshot.pairs}, separators=(",", ":"))
    return guide.seal.seal(text) if len(text) <= MAX_SNAPSHOT else ""


def _snapshots(guide: SchemaLookups, draft: Draft) -> dict[str, Snapshot]:
    found = ((key, _snapshot(guide, token)) for key, token in draft.state.stash)
    return {key: snapshot for key, snapshot in found if snapshot is not None}


def _snapshot(guide: SchemaLookups, token: str) -> Snapshot | None:
    text = guide.seal.unseal(token)
    try:
        held = read_literal(text or "")
    except JSONTextError:
        return None
    match held:
        case {"after": str(after), "pairs": list(listed)}:
            pairs = [(pair[0], pair[1]) for pair in listed if isinstance(pair, list) and len(pair) == 2]
            return Snapshot(tuple((str(name), str(text)) for name, text in pairs), after)
    return None


def _draft_of(snapshot: Snapshot) -> Draft:
    return decode(snapshot.pairs, name=_FORM).draft
