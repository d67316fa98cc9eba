"""From the submitted names and values to a draft. No schema is used, so none can cause a loss.

Browsers send CR LF for every line end of a textarea; they become LF again. A string that does
contain a CR is written as a JSON literal, and so stays the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from playground.schema_form.collapse import folded_draft
from playground.schema_form.control_names import (
    OPERATION,
    is_row,
    member_path,
    row_path,
    split_path,
)
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
from playground.schema_form.files import encode_file
from playground.schema_form.to_value import Fault
from playground.schema_form.values import read_literal
from toolspec.errors import JSONTextError, Problem


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was uploaded with the form. `media`: its media type, as the browser names it."""

    name: str
    content: bytes
    media: str = ""


Sent: TypeAlias = str | Upload
Pairs: TypeAlias = Iterable[tuple[str, Sent]]


@dataclass(frozen=True, slots=True)
class Operation:
    """A pressed button: the action, its path, and its argument, such as a type for "kind"."""

    verb: str
    path: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The submitted controls of one form.

    Attributes:
        draft: their contents.
        kinds: the types selected, but not yet applied, by path.
        branches: the same for branches of unions: pairs of a union's key and an index.
        new_keys: the keys typed for entries to be added.
        shows_all: whether every node shows its type selector.
        operation: the pressed button of this form, if any.
        faults: files that could not be decoded.
    """

    draft: Draft = NOTHING
    kinds: Mapping[str, str] = field(default_factory=dict)
    branches: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    new_keys: Mapping[str, str] = field(default_factory=dict)
    operation: Operation | None = None
    faults: tuple[Fault, ...] = ()
    shows_all: bool = False


@dataclass(slots=True)
class _Controls:
    """The controls submitted for one path."""

    tags: dict[str, list[Sent]] = field(default_factory=dict)
    below: dict[str, _Controls] = field(default_factory=dict)

    def texts(self, tag: str) -> list[str]:
        return [
            sent.replace("\r\n", "\n") for sent in self.tags.get(tag, ()) if isinstance(sent, str)
        ]

    def text(self, tag: str) -> str:
        return next(iter(self.texts(tag)), "")

    def files(self) -> list[Upload]:
        return [sent for sent in self.tags.get("f", ()) if isinstance(sent, Upload)]


def decode(pairs: Pairs, *, name: str) -> Decoded:
    """Read the controls of the form called `name`; other names are ignored."""
    reading = _Submission(name)
    for full_name, sent in pairs:
        reading.take(full_name, sent)
    faults: list[Fault] = []
    draft = _draft(reading.root, "", faults)
    branches = {path: tuple(wanted) for path, wanted in reading.branches.items()}
    return Decoded(
        draft,
        reading.kinds,
        branches,
        reading.new_keys,
        reading.operation,
        tuple(faults),
        "all" in reading.root.tags,
    )


@dataclass(slots=True)
class _Submission:
    """The pairs of one form, by path."""

    name: str
    root: _Controls = field(default_factory=_Controls)
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
            controls = self.root
            for token in tokens:
                controls = controls.below.setdefault(token, _Controls())
            controls.tags.setdefault(tag, []).append(sent)
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
    return (
        (key, int(index))
        if equals and index.isascii() and index.isdecimal() and len(index) < 7
        else None
    )


def _state(controls: _Controls) -> State:
    if not controls.tags.keys() & {"u", "w", "h"}:
        return PLAIN
    branches = tuple(branch for sent in controls.texts("u") if (branch := _branch(sent)))
    stash = tuple(
        (key, token)
        for key, _, token in (sent.partition(" ") for sent in controls.texts("h"))
        if token
    )
    return State(branches, stash, controls.text("w"))


def _draft(controls: _Controls, path: str, faults: list[Fault]) -> Draft:
    tag = next((tag for tag in _READERS if tag in controls.tags), "")
    state = _state(controls)
    if files := controls.files():
        return _file(files[0], controls, path, faults, state)
    if tag == "o":
        return _object(controls, path, faults, state)
    if tag == "a" or (not tag and "i" in controls.tags):
        return _array(controls, path, faults, state)
    return _READERS[tag](controls, state) if tag else Missing(None, state)


def _object(controls: _Controls, path: str, faults: list[Fault], state: State) -> Object:
    members = {
        token[1:]: _draft(below, member_path(path, token[1:]), faults)
        for token, below in controls.below.items()
        if token.startswith(".")
    }
    entries = []
    for row in dict.fromkeys(controls.texts("m")):
        below = controls.below.get(f"@{row}")
        if below is None or not below.tags.keys() & {"k", "l"}:
            continue
        is_literal = "k" not in below.tags
        key = below.text("l" if is_literal else "k")
        entries.append(Entry(row, key, _draft(below, row_path(path, row), faults), is_literal))
    return Object(members, tuple(entries), state)


def _array(controls: _Controls, path: str, faults: list[Fault], state: State) -> Array:
    if "i" in controls.tags:
        drafts = [_json_or_raw(text, PLAIN) for text in controls.texts("i")]
        return Array(tuple(Item(str(row), draft) for row, draft in enumerate(drafts)), state)
    no_controls = _Controls()
    rows = [row for row in dict.fromkeys(controls.texts("r")) if is_row(row)]
    below = [(row, controls.below.get(f"@{row}", no_controls)) for row in rows]
    return Array(
        tuple(Item(row, _draft(there, row_path(path, row), faults)) for row, there in below), state
    )


def _file(file: Upload, controls: _Controls, path: str, faults: list[Fault], state: State) -> Draft:
    try:
        text = encode_file(file.content, controls.text("g"), name=file.name, media=file.media)
        return draft_of(text, state)
    except UnicodeDecodeError:
        message = f"The file {file.name} is not UTF-8 text; choose a text file"
        faults.append(Fault(path, Problem("", message, "form.file")))
        controls.tags.pop("f")
        return _draft(controls, path, faults)


def _text(controls: _Controls, state: State) -> Draft:
    text = controls.text("t")
    return Text(text, False, state) if text or "x" in controls.tags else Missing("text", state)


def _number(controls: _Controls, state: State) -> Draft:
    text = controls.text("n")
    return Numeral(text, state) if text.strip() else Missing("number", state)


def _boolean(controls: _Controls, state: State) -> Draft:
    text = controls.text("b")
    return (
        Constant(text == "true", state) if text in {"true", "false"} else Missing("boolean", state)
    )


def _json_or_raw(text: str, state: State) -> Draft:
    if not text.strip():
        return Missing(None, state)
    try:
        value = read_literal(text)
    except JSONTextError:
        return Raw(text, state)
    return with_state(folded_draft(value), state)


def _folded(controls: _Controls, state: State) -> Draft:
    draft = _json_or_raw(controls.text("z"), state)
    return (
        Folded(read_literal(controls.text("z")), state)
        if isinstance(draft, Object | Array)
        else draft
    )


def _secret(controls: _Controls, state: State) -> Draft:
    if replacement := controls.text("p"):
        return draft_of(replacement, state)
    if "d" in controls.tags:
        return Missing(None, state)
    return StoredSecret(controls.text("c"), state)


_READERS: Final[Mapping[str, Callable[[_Controls, State], Draft]]] = {
    "c": _secret,
    "o": lambda _controls, state: Object(state=state),
    "a": lambda _controls, state: Array(state=state),
    "e": lambda controls, state: Raw(controls.text("e"), state),
    "z": _folded,
    "q": lambda controls, state: Text(controls.text("q"), True, state),
    "t": _text,
    "n": _number,
    "b": _boolean,
    "j": lambda controls, state: _json_or_raw(controls.text("j"), state),
}
