"""Change the type or the branch of a field, and switch back without losing entries.

Each field stores, encrypted, a snapshot of its controls for every type and branch that the user has
left. If the user returns and nothing changed in between, the snapshot is restored exactly.
Otherwise the members that fit are carried over, and the snapshot supplies the rest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from playground.schema_form import children
from playground.schema_form.applicable import Applicable
from playground.schema_form.collapse import folded_draft
from playground.schema_form.control_names import control_name
from playground.schema_form.defaults import add_required, make_draft
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
from playground.schema_form.serialize import list_controls
from playground.schema_form.values import KINDS, Absent, kind_of, literal, read_literal, read_number
from toolspec.errors import JSONTextError
from toolspec.schema.validation import Subschema
from toolspec.schema.validation.equality import canonical

MAX_SNAPSHOT: Final = 128 * 1024  # characters; a longer one is not stored
_FORM: Final = "stash"
_VIEWS: Final = {"rows": "rows", "boxes": "", "free": "free", "listed": ""}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The controls of a field when its type or branch was changed.

    Attributes:
        pairs: the names and values of the controls.
        after: the digest of the draft that replaced it, while that is unchanged.
    """

    pairs: tuple[tuple[str, str], ...]
    after: str


def switch_kind(
    lookups: SchemaLookups, subschemas: Sequence[Subschema], draft: Draft, wanted: str
) -> Draft:
    """`draft` as another type: a `Kind`, "none", "json" or "fields".

    The names in `_VIEWS` change how it is shown.
    """
    if wanted in _VIEWS:
        return with_state(draft, replace(draft.state, view=_VIEWS[wanted]))
    if wanted == "literal":
        return _as_literal(draft)
    if wanted == "fields":
        return _as_fields(lookups, draft)
    if wanted not in {*KINDS, "none", "json"}:
        return draft
    return _switch(
        lookups,
        draft,
        f"kind={_kind_name(lookups, draft)}",
        f"kind={wanted}",
        _as_kind(lookups, subschemas, draft, wanted),
    )


def switch_branch(
    lookups: SchemaLookups, subschemas: Sequence[Subschema], draft: Draft, key: str, index: int
) -> Draft:
    """`draft` under another branch of the union called `key`."""
    found = lookups.find_applicable(subschemas, draft)
    union = next((union for union in found.unions if union.key == key), None)
    if union is None or index not in union.candidates or index == union.chosen:
        return draft
    branches = (
        *((other, chosen) for other, chosen in draft.state.branches if other != key),
        (key, index),
    )
    state = replace(draft.state, branches=branches)
    if isinstance(draft, Missing):
        return make_draft(lookups, subschemas, lookups.kind(draft), state)
    moved = with_state(draft, state)
    snapshots = _snapshots(lookups, draft)
    if isinstance(moved, Object):
        earlier = snapshots.get(f"{key}={index}")
        moved = _carried(lookups, subschemas, moved, found, _draft_of(earlier) if earlier else None)
    return _switch(lookups, draft, f"{key}={union.chosen}", f"{key}={index}", moved)


def follow_tags(lookups: SchemaLookups, subschemas: Sequence[Subschema], draft: Draft) -> Draft:
    """`draft` under the branches that its tags name: one that was changed contradicts the branch in force."""
    for _union in draft.state.branches:
        value = lookups.read(draft).value
        for union in lookups.find_applicable(subschemas, draft).unions:
            if union.chosen is None:
                continue
            options = [union.options[index] for index in union.candidates]
            wanted = lookups.branches.follow(options, value, union.candidates.index(union.chosen))
            if union.candidates[wanted] != union.chosen:
                draft = switch_branch(
                    lookups, subschemas, draft, union.key, union.candidates[wanted]
                )
                break
        else:
            break
    return draft


def _switch(lookups: SchemaLookups, draft: Draft, left: str, entered: str, made: Draft) -> Draft:
    """Leave one type or branch for another: its snapshot if nothing changed since, else `made`."""
    snapshots = _snapshots(lookups, draft)
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
    stash = tuple(
        (key, token) for key, snapshot in snapshots.items() if (token := _token(lookups, snapshot))
    )
    return with_state(new, replace(new.state, stash=stash))


def _as_literal(draft: Draft) -> Draft:
    """A string as its JSON literal; an empty literal to fill in if there is no string yet."""
    if isinstance(draft, Missing):
        return Text("", True, draft.state)
    is_plain = isinstance(draft, Text) and not draft.is_literal
    return (
        Text(literal(draft.text), True, draft.state)
        if isinstance(draft, Text) and is_plain
        else draft
    )


def _as_fields(lookups: SchemaLookups, draft: Draft) -> Draft:
    """JSON text as fields: the previous fields if it was not edited, else its value if it can be parsed."""
    if not isinstance(draft, Raw):
        return draft
    before = _digest(draft)
    for snapshot in _snapshots(lookups, draft).values():
        if snapshot.after == before:
            return _draft_of(snapshot)
    if not draft.text.strip():
        return Missing()
    reading = lookups.read(draft)
    return draft if isinstance(reading.value, Absent) else folded_draft(reading.value)


def _as_kind(
    lookups: SchemaLookups, subschemas: Sequence[Subschema], draft: Draft, wanted: str
) -> Draft:
    if wanted == "none":
        return Missing()
    reading = lookups.read(draft)
    if wanted == "json":
        return Raw("" if isinstance(reading.value, Absent) else lookups.print(reading.value))
    kind = next(kind for kind in KINDS if kind == wanted)
    if (converted := _converted(draft, wanted)) is not None:
        return converted
    made = make_draft(lookups, subschemas, kind)
    if (
        isinstance(made, Array)
        and not made.items
        and isinstance(draft, Text | Numeral)
        and draft.text
    ):
        item_kinds = lookups.kinds.of_all(
            children.find_item(lookups.find_applicable(subschemas, made), 0).subschemas
        )
        if lookups.kind(draft) in item_kinds:
            return Array((Item("0", with_state(draft, made.state)),))
    return made


def _converted(draft: Draft, wanted: str) -> Draft | None:
    """A scalar as another type, if it is written the same way there."""
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


def _kind_name(lookups: SchemaLookups, draft: Draft) -> str:
    return (
        "json"
        if isinstance(draft, Raw)
        else "none"
        if isinstance(draft, Missing)
        else str(lookups.kind(draft))
    )


def _carried(
    lookups: SchemaLookups,
    subschemas: Sequence[Subschema],
    draft: Object,
    left: Applicable,
    earlier: Draft | None,
) -> Object:
    """The members that fit the new branch or are in neither branch, then its earlier and its required members."""
    found = lookups.find_applicable(subschemas, draft)
    spoken_of = set(children.list_declared(left))
    names_now = set(children.list_declared(found))

    def stays(name: str | None, member: Draft) -> bool:
        if name is None or isinstance(member, Missing):
            return name is None
        if name in spoken_of and name not in names_now:
            return False
        return (
            _fits(lookups, children.find_member(found, name).subschemas, member)
            if name in names_now
            else True
        )

    members = {name: member for name, member in draft.members.items() if stays(name, member)}
    entries = tuple(entry for entry in draft.entries if stays(key_of(entry), entry.draft))
    if isinstance(earlier, Object):
        used = {*members, *(key_of(entry) for entry in entries)}
        before = {name: member for name, member in earlier.members.items() if name not in used}
        members |= {name: member for name, member in before.items() if name in names_now}
    return add_required(lookups, subschemas, Object(members, entries, draft.state))


def _fits(lookups: SchemaLookups, subschemas: Sequence[Subschema], member: Draft) -> bool:
    """Whether a member can stay: its type is allowed, and it is one of the choices, if there are any."""
    reading = lookups.read(member)
    if reading.faults or isinstance(reading.value, Absent):
        return True
    if kind_of(reading.value) not in lookups.kinds.of_all(subschemas):
        return False
    choices = lookups.find_applicable(subschemas, member).choices
    return choices is None or canonical(reading.value) in {choice.key for choice in choices}


# Snapshots


def _pairs(draft: Draft) -> tuple[tuple[str, str], ...]:
    """The controls of a field, without its snapshots of other types and branches."""
    bare = with_state(draft, replace(draft.state, stash=()))
    return tuple((control_name(_FORM, tag, path), text) for tag, path, text in list_controls(bare))


def _digest(draft: Draft) -> str:
    """A digest that is equal for drafts with equal contents, in whatever order their members are."""
    return sha256(json.dumps(_contents(draft)).encode()).hexdigest()[:16]


def _contents(draft: Draft) -> object:
    match draft:
        case Object():
            entries = [(key_of(entry) or "", entry.draft) for entry in draft.entries]
            members = [*draft.members.items(), *entries]
            return [
                "o",
                sorted(
                    [key, _contents(member)]
                    for key, member in members
                    if not isinstance(member, Missing)
                ),
            ]
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


def _token(lookups: SchemaLookups, snapshot: Snapshot) -> str:
    text = json.dumps({"after": snapshot.after, "pairs": snapshot.pairs}, separators=(",", ":"))
    return lookups.seal.seal(text) if len(text) <= MAX_SNAPSHOT else ""


def _snapshots(lookups: SchemaLookups, draft: Draft) -> dict[str, Snapshot]:
    found = ((key, _snapshot(lookups, token)) for key, token in draft.state.stash)
    return {key: snapshot for key, snapshot in found if snapshot is not None}


def _snapshot(lookups: SchemaLookups, token: str) -> Snapshot | None:
    text = lookups.seal.unseal(token)
    try:
        held = read_literal(text or "")
    except JSONTextError:
        return None
    match held:
        case {"after": str(after), "pairs": list(listed)}:
            pairs = [
                (pair[0], pair[1]) for pair in listed if isinstance(pair, list) and len(pair) == 2
            ]
            return Snapshot(tuple((str(name), str(text)) for name, text in pairs), after)
    return None


def _draft_of(snapshot: Snapshot) -> Draft:
    return decode(snapshot.pairs, name=_FORM).draft
