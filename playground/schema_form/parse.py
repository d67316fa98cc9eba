"""From the submitted names and texts to a draft. No schema is needed, so nothing can be lost to one.

Browsers send CR LF for every line end of a textarea; they become LF again. A text that truly holds a CR is written as
a JSON literal and so is not touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from catalog.errors import JSONTextError, Problem
from playground.schema_form.collapse import folded_draft
from playground.schema_form.control_names import OPERATION, is_row, member_path, row_path, split_path
from playground.schema_form.draft import (
    NOTHING,
    PLAIN,
    Array,
    Constant,
    Draft,
    Entry,
    Folded,
    Item,
    Missing,
    Numeral,
    Object,
    Raw,
    State,
    StoredSecret,
    Text,
    draft_of,
    with_state,
)
from playground.schema_form.files import encoded
from playground.schema_form.to_value import Fault
from playground.schema_form.values import read_literal


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was sent with the form."""

    name: str
    content: bytes


Sent: TypeAlias = str | Upload
Pairs: TypeAlias = Iterable[tuple[str, Sent]]


@dataclass(frozen=True, slots=True)
class Operation:
    """A pressed button: what to do, where, and with what ("kind" needs a kind, "branch" a union's key and an index)."""

    verb: str
    path: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Decoded:
    """What was submitted under one form's name.

    Attributes:
        draft: what the controls hold.
        kinds: kinds that were picked in a selector and are not in force yet, by path.
        branches: the same for branches of unions: pairs of a union's key and an index.
        new_keys: the keys typed for entries to be added.
        shows_all: whether every node shows its selector of kinds.
        operation: the button of this form that was pressed, if one was.
        faults: files that could not be taken.
    """

    draft: Draft = NOTHING
    kinds: Mapping[str, str] = field(default_factory=dict)
    branches: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    new_keys: Mapping[str, str] = field(default_factory=dict)
    operation: Operation | None = None
    faults: tuple[Fault, ...] = ()
    shows_all: bool = False


@dataclass(slots=True)
class _Place:
    """The controls submitted for one path."""

    tags: dict[str, list[Sent]] = field(default_factory=dict)
    below: dict[str, _Place] = field(default_factory=dict)

    def texts(self, tag: str) -> list[str]:
        return [sent.replace("\r\n", "\n") for sent in self.tags.get(tag, ()) if isinstance(sent, str)]

    def text(self, tag: str) -> str:
        return next(iter(self.texts(tag)), "")

    def files(self) -> list[Upload]:
        return [sent for sent in self.tags.get("f", ()) if isinstance(sent, Upload)]


def decode(pairs: Pairs, *, name: str) -> Decoded:
    """What was submitted under the form called `name`; other names are left alone."""
    reading = _Submission(name)
    for full_name, sent in pairs:
        reading.take(full_name, sent)
    faults: list[Fault] = []
    draft = _draft(reading.root, "", faults)
    branches = {path: tuple(wanted) for path, wanted in reading.branches.items()}
    return Decoded(
        draft, reading.kinds, branches, reading.new_keys, reading.operation, tuple(faults), "all" in reading.root.tags
    )


@dataclass(slots=True)
class _Submission:
    """The pairs of one form, sorted by place."""

    name: str
    root: _Place = field(default_factory=_Place)
    kinds: dict[str, str] = field(default_factory=dict)
    branches: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    new_keys: dict[str, str] = field(default_factory=dict)
    operation: Operation | None = None

    def take(self, full_name: str, sent: Sent) -> None:
        form, _, name = full_name.partition(":")
        if full_name == OPERATION and isinstance(sent, str):
            self.operation = _operation(sent, self.name) or self.operation
        tag, colon, path = name.partition(":")
        tokens = split_path(path) if form == self.name and colon else None
        if tokens is None:
            return
        if tag not in CHOICES_AHEAD:
            place = self.root
            for token in tokens:
                place = place.below.setdefault(token, _Place())
            place.tags.setdefault(tag, []).append(sent)
        elif isinstance(sent, str) and sent:
            self._choice(tag, path, sent)

    def _choice(self, tag: str, path: str, sent: str) -> None:
        if tag == "y":
            self.kinds[path] = sent
        elif tag == "nk":
            self.new_keys[path] = sent
        elif wanted := _branch(sent):
            self.branches.setdefault(path, []).append(wanted)


CHOICES_AHEAD: Final = frozenset({"y", "v", "nk"})


def _operation(sent: str, form: str) -> Operation | None:
    name, _, rest = sent.partition(":")
    verb, _, rest = rest.partition(":")
    path, _, detail = rest.partition(":")
    return Operation(verb, path, detail) if name == form and verb else None


def _branch(sent: str) -> tuple[str, int] | None:
    key, equals, index = sent.partition("=")
    return (key, int(index)) if equals and index.isascii() and index.isdecimal() and len(index) < 7 else None


def _state(place: _Place) -> State:
    if not place.tags.keys() & {"u", "w", "h"}:
        return PLAIN
    branches = tuple(branch for sent in place.texts("u") if (branch := _branch(sent)))
    stash = tuple((key, token) for key, _, token in (sent.partition(" ") for sent in place.texts("h")) if token)
    return State(branches, stash, place.text("w"))


def _draft(place: _Place, path: str, faults: list[Fault]) -> Draft:
    tag = next((tag for tag in _READERS if tag in place.tags), "")
    state = _state(place)
    if files := place.files():
        return _file(files[0], place, path, faults, state)
    if tag == "o":
        return _object(place, path, faults, state)
    if tag == "a" or (not tag and "i" in place.tags):
        return _array(place, path, faults, state)
    return _READERS[tag](place, state) if tag else Missing(None, state)


def _object(place: _Place, path: str, faults: list[Fault], state: State) -> Object:
    members = {
        token[1:]: _draft(below, member_path(path, token[1:]), faults)
        for token, below in place.below.items()
        if token.startswith(".")
    }
    entries = []
    for row in dict.fromkeys(place.texts("m")):
        below = place.below.get(f"@{row}")
        if below is None or not below.tags.keys() & {"k", "l"}:
            continue
        is_literal = "k" not in below.tags
        key = below.text("l" if is_literal else "k")
        entries.append(Entry(row, key, _draft(below, row_path(path, row), faults), is_literal))
    return Object(members, tuple(entries), state)


def _array(place: _Place, path: str, faults: list[Fault], state: State) -> Array:
    if "i" in place.tags:
        drafts = [_json_or_raw(text, PLAIN) for text in place.texts("i")]
        return Array(tuple(Item(str(row), draft) for row, draft in enumerate(drafts)), state)
    nowhere = _Place()
    rows = [row for row in dict.fromkeys(place.texts("r")) if is_row(row)]
    below = [(row, place.below.get(f"@{row}", nowhere)) for row in rows]
    return Array(tuple(Item(row, _draft(there, row_path(path, row), faults)) for row, there in below), state)


def _file(file: Upload, place: _Place, path: str, faults: list[Fault], state: State) -> Draft:
    try:
        return draft_of(encoded(file.content, place.text("g")), state)
    except UnicodeDecodeError:
        message = f"The file {file.name} is not UTF-8 text"
        faults.append(Fault(path, Problem("", message, "form.file")))
        place.tags.pop("f")
        return _draft(place, path, faults)


def _text(place: _Place, state: State) -> Draft:
    text = place.text("t") or place.text("s")
    return Text(text, False, state) if text or "x" in place.tags else Missing("text", state)


def _literal_text(place: _Place, state: State) -> Draft:
    return Text(place.text("q"), True, state)


def _number(place: _Place, state: State) -> Draft:
    text = place.text("n")
    return Numeral(text, state) if text.strip() else Missing("number", state)


def _boolean(place: _Place, state: State) -> Draft:
    text = place.text("b")
    return Constant(text == "true", state) if text in {"true", "false"} else Missing("boolean", state)


def _json(place: _Place, state: State) -> Draft:
    return _json_or_raw(place.text("j"), state)


def _json_or_raw(text: str, state: State) -> Draft:
    if not text.strip():
        return Missing(None, state)
    try:
        value = read_literal(text)
    except JSONTextError:
        return Raw(text, state)
    return with_state(folded_draft(value), state)


def _folded(place: _Place, state: State) -> Draft:
    draft = _json_or_raw(place.text("z"), state)
    return Folded(read_literal(place.text("z")), state) if isinstance(draft, Object | Array) else draft


def _raw(place: _Place, state: State) -> Draft:
    return Raw(place.text("e"), state)


def _secret(place: _Place, state: State) -> Draft:
    if replacement := place.text("p"):
        return draft_of(replacement, state)
    if "d" in place.tags:
        return Missing(None, state)
    return StoredSecret(place.text("c"), state)


_READERS: Final[Mapping[str, Callable[[_Place, State], Draft]]] = {
    "c": _secret,
    "o": lambda _place, state: Object(state=state),
    "a": lambda _place, state: Array(state=state),
    "e": _raw,
    "z": _folded,
    "q": _literal_text,
    "s": _text,
    "t": _text,
    "n": _number,
    "b": _boolean,
    "j": _json,
}
