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

from playground.form import children
from playground.form.applicable import Applicable
from playground.form.collapse import fold_value
from playground.form.control_names import control_name
from playground.form.defaults import add_required, make_draft
from playground.form.draft import (
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
from playground.form.lookups import SchemaLookups
from playground.form.parse import decode
from playground.form.serialize import list_controls
from playground.form.values import KINDS, Absent, kind_of, literal, read_literal, read_number
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


def select_kind(
    lookups: SchemaLookups,
    kind: str,
    subschemas: Sequence[Subschema],
    draft: Draft,
) -> Draft:
    """`draft` as another type: a `Kind`, "none", "json" or "fields".

    The names in `_VIEWS` change how it is shown.
    """
    if kind in _VIEWS:
        return with_state(draft, replace(draft.state, view=_VIEWS[kind]))
    if kind == "literal":
        return _write_as_literal(draft)
    if kind == "fields":
        return _read_as_fields(lookups, draft)
    if kind not in {*KINDS, "none", "json"}:
        return draft
    made = _make_of_kind(lookups, subschemas, draft, kind)
    left = f"kind={_name_kind(lookups, draft)}"
    return _switch(lookups, draft, left, f"kind={kind}", made)


def select_branch(
    lookups: SchemaLookups,
    key: str,
    index: int,
    subschemas: Sequence[Subschema],
    draft: Draft,
) -> Draft:
    """`draft` under another branch of the union called `key`."""
    applicable = lookups.find_applicable(subschemas, draft)
    union = next((union for union in applicable.unions if union.key == key), None)
    if union is None or index not in union.candidates or index == union.chosen:
        return draft
    others = [(other, chosen) for other, chosen in draft.state.branches if other != key]
    state = replace(draft.state, branches=(*others, (key, index)))
    if isinstance(draft, Missing):
        return make_draft(lookups, subschemas, lookups.kind(draft), state)
    entered = f"{key}={index}"
    moved = with_state(draft, state)
    if isinstance(moved, Object):
        snapshot = _open_snapshots(lookups, draft).get(entered)
        earlier = _read_snapshot(snapshot) if snapshot else None
        moved = _carry_over(lookups, subschemas, moved, applicable, earlier)
    return _switch(lookups, draft, f"{key}={union.chosen}", entered, moved)


def follow_tags(
    lookups: SchemaLookups,
    subschemas: Sequence[Subschema],
    draft: Draft,
) -> Draft:
    """`draft` under the branches that its tags name.

    A tag that was changed contradicts the branch in force.
    """
    for _union in draft.state.branches:
        selection = _find_named_branch(lookups, subschemas, draft)
        if selection is None:
            break
        key, index = selection
        draft = select_branch(lookups, key, index, subschemas, draft)
    return draft


def _find_named_branch(
    lookups: SchemaLookups,
    subschemas: Sequence[Subschema],
    draft: Draft,
) -> tuple[str, int] | None:
    """The key of the first union whose tags name another branch, and that branch's index."""
    value = lookups.read(draft).value
    for union in lookups.find_applicable(subschemas, draft).unions:
        if union.chosen is None:
            continue
        options = [union.options[index] for index in union.candidates]
        chosen = union.candidates.index(union.chosen)
        named = lookups.branches.follow(options, value, chosen)
        if named != chosen:
            return union.key, union.candidates[named]
    return None


def _switch(
    lookups: SchemaLookups,
    draft: Draft,
    left: str,
    entered: str,
    made: Draft,
) -> Draft:
    """Leave one type or branch for another: its snapshot if nothing changed since, else `made`."""
    snapshots = _open_snapshots(lookups, draft)
    before = _compute_digest(draft)
    earlier = snapshots.pop(entered, None)
    if earlier is not None and earlier.after == before:
        restored = _read_snapshot(earlier)
        made = with_state(restored, replace(restored.state, stash=()))
    after = _compute_digest(made)
    for key, snapshot in snapshots.items():
        if snapshot.after == before:
            snapshots[key] = replace(snapshot, after=after)
    if not isinstance(draft, Missing):
        snapshots[left] = Snapshot(_list_pairs(draft), after)
    tokens = {key: _seal(lookups, snapshot) for key, snapshot in snapshots.items()}
    stash = [(key, token) for key, token in tokens.items() if token]
    return with_state(made, replace(made.state, stash=tuple(stash)))


def _write_as_literal(draft: Draft) -> Draft:
    """A string as its JSON literal; an empty literal to fill in if there is no string yet."""
    if isinstance(draft, Missing):
        return Text("", True, draft.state)
    if isinstance(draft, Text) and not draft.is_literal:
        return Text(literal(draft.text), True, draft.state)
    return draft


def _read_as_fields(lookups: SchemaLookups, draft: Draft) -> Draft:
    """JSON text as fields: the previous fields if it was not edited.

    Else its value; the text itself if it cannot be parsed.
    """
    if not isinstance(draft, Raw):
        return draft
    before = _compute_digest(draft)
    for snapshot in _open_snapshots(lookups, draft).values():
        if snapshot.after == before:
            return _read_snapshot(snapshot)
    if not draft.text.strip():
        return Missing()
    value = lookups.read(draft).value
    if isinstance(value, Absent):
        return draft
    return fold_value(value)


def _make_of_kind(
    lookups: SchemaLookups,
    subschemas: Sequence[Subschema],
    draft: Draft,
    wanted: str,
) -> Draft:
    if wanted == "none":
        return Missing()
    if wanted == "json":
        value = lookups.read(draft).value
        return Raw("" if isinstance(value, Absent) else lookups.print(value))
    converted = _convert(draft, wanted)
    if converted is not None:
        return converted
    kind = next(kind for kind in KINDS if kind == wanted)
    made = make_draft(lookups, subschemas, kind)
    is_empty_list = isinstance(made, Array) and not made.items
    if is_empty_list and isinstance(draft, Text | Numeral) and draft.text:
        child = children.find_item(lookups.find_applicable(subschemas, made), 0)
        if lookups.kind(draft) in lookups.kinds.of_all(child.subschemas):
            return Array((Item("0", with_state(draft, made.state)),))
    return made


def _convert(draft: Draft, wanted: str) -> Draft | None:
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


def _name_kind(lookups: SchemaLookups, draft: Draft) -> str:
    if isinstance(draft, Raw):
        return "json"
    if isinstance(draft, Missing):
        return "none"
    return str(lookups.kind(draft))


def _carry_over(
    lookups: SchemaLookups,
    subschemas: Sequence[Subschema],
    draft: Object,
    left: Applicable,
    earlier: Draft | None,
) -> Object:
    """The members of `draft` that fit the new branch or are in neither branch.

    Its earlier members and its required members follow.
    """
    applicable = lookups.find_applicable(subschemas, draft)
    declared_before = set(children.list_declared(left))
    declared = set(children.list_declared(applicable))

    def stays(name: str | None, member: Draft) -> bool:
        if name is None:
            return True
        if isinstance(member, Missing):
            return False
        if name not in declared:
            return name not in declared_before
        return _fits(lookups, children.find_member(applicable, name).subschemas, member)

    members = {name: member for name, member in draft.members.items() if stays(name, member)}
    entries = [entry for entry in draft.entries if stays(key_of(entry), entry.draft)]
    if isinstance(earlier, Object):
        keys = set(map(key_of, entries))
        for name, member in earlier.members.items():
            if name in declared and name not in keys:
                members.setdefault(name, member)
    return add_required(lookups, subschemas, Object(members, tuple(entries), draft.state))


def _fits(
    lookups: SchemaLookups,
    subschemas: Sequence[Subschema],
    member: Draft,
) -> bool:
    """Whether a member can stay: its type is allowed, and it is one of the choices, if any."""
    reading = lookups.read(member)
    if reading.faults or isinstance(reading.value, Absent):
        return True
    if kind_of(reading.value) not in lookups.kinds.of_all(subschemas):
        return False
    choices = lookups.find_applicable(subschemas, member).choices
    return choices is None or canonical(reading.value) in {choice.key for choice in choices}


# Snapshots


def _list_pairs(draft: Draft) -> tuple[tuple[str, str], ...]:
    """The controls of a field, without its snapshots of other types and branches."""
    bare = with_state(draft, replace(draft.state, stash=()))
    controls = list_controls(bare)
    return tuple((control_name(_FORM, tag, path), text) for tag, path, text in controls)


def _compute_digest(draft: Draft) -> str:
    """A digest of the contents of `draft`, whatever the order of its members."""
    return sha256(json.dumps(_list_contents(draft)).encode()).hexdigest()[:16]


def _list_contents(draft: Draft) -> list[object]:
    match draft:
        case Object():
            members = list(draft.members.items())
            members += [(key_of(entry) or "", entry.draft) for entry in draft.entries]
            present = [item for item in members if not isinstance(item[1], Missing)]
            return ["o", sorted([key, _list_contents(member)] for key, member in present)]
        case Array():
            return ["a", [_list_contents(item.draft) for item in draft.items]]
        case Missing():
            return []
        case Folded(value):
            return ["j", literal(value)]
        case StoredSecret(token):
            return ["c", token]
        case Text(text, is_literal):
            return ["q" if is_literal else "s", text]
        case Numeral(text):
            return ["n", text]
        case Raw(text):
            return ["e", text]
        case Constant(value):
            return ["b", value]
    raise AssertionError(draft)


def _seal(lookups: SchemaLookups, snapshot: Snapshot) -> str:
    """A token for `snapshot`; "" if it is too long."""
    text = json.dumps({"after": snapshot.after, "pairs": snapshot.pairs}, separators=(",", ":"))
    if len(text) > MAX_SNAPSHOT:
        return ""
    return lookups.seal.seal(text)


def _open_snapshots(lookups: SchemaLookups, draft: Draft) -> dict[str, Snapshot]:
    snapshots = {}
    for key, token in draft.state.stash:
        snapshot = _unseal(lookups, token)
        if snapshot is not None:
            snapshots[key] = snapshot
    return snapshots


def _unseal(lookups: SchemaLookups, token: str) -> Snapshot | None:
    text = lookups.seal.unseal(token)
    try:
        content = read_literal(text or "")
    except JSONTextError:
        return None
    match content:
        case {"after": str(after), "pairs": list(listed)}:
            pairs = [pair for pair in listed if isinstance(pair, list) and len(pair) == 2]
            return Snapshot(tuple((str(name), str(text)) for name, text in pairs), after)
    return None


def _read_snapshot(snapshot: Snapshot) -> Draft:
    return decode(snapshot.pairs, name=_FORM).draft
