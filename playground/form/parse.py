"""From the submitted names and values to a draft. No schema is used, so none can cause a loss.

Browsers send CR LF for every line end of a textarea; they become LF again. A string that does
contain a CR is written as a JSON literal, and so stays the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from playground.form.collapse import fold_value
from playground.form.control_names import (
    NEW_KEY,
    OPERATION,
    is_row,
    member_path,
    row_path,
    split_path,
)
from playground.form.draft import (
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
from playground.form.files import encode_file
from playground.form.to_value import Fault
from playground.form.values import read_literal
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
        texts = [sent for sent in self.tags.get(tag, ()) if isinstance(sent, str)]
        return [text.replace("\r\n", "\n") for text in texts]

    def text(self, tag: str) -> str:
        texts = self.texts(tag)
        return texts[0] if texts else ""

    def find_file(self) -> Upload | None:
        """The first file of the path."""
        for sent in self.tags.get("f", ()):
            if isinstance(sent, Upload):
                return sent
        return None


def decode(pairs: Pairs, *, name: str) -> Decoded:
    """Read the controls of the form called `name`; other names are ignored."""
    submission = _Submission(name)
    for full_name, sent in pairs:
        submission.add(full_name, sent)
    faults: list[Fault] = []
    draft = _read_draft(submission.root, "", faults)
    branches = {path: tuple(selected) for path, selected in submission.branches.items()}
    return Decoded(
        draft,
        submission.kinds,
        branches,
        submission.new_keys,
        submission.operation,
        tuple(faults),
        "all" in submission.root.tags,
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

    def add(self, full_name: str, sent: Sent) -> None:
        """Add one pair, if it is of this form."""
        if full_name == OPERATION and isinstance(sent, str):
            self.operation = _read_operation(sent, self.name) or self.operation
        form, _, name = full_name.partition(":")
        tag, colon, path = name.partition(":")
        tokens = split_path(path) if form == self.name and colon else None
        if tokens is None:
            return
        if tag not in SELECTIONS:
            controls = self.root
            for token in tokens:
                controls = controls.below.setdefault(token, _Controls())
            controls.tags.setdefault(tag, []).append(sent)
        elif isinstance(sent, str) and sent:
            self._add_selection(tag, path, sent)

    def _add_selection(
        self,
        tag: str,
        path: str,
        sent: str,
    ) -> None:
        if tag == "y":
            self.kinds[path] = sent
        elif tag == NEW_KEY:
            self.new_keys[path] = sent
        else:
            branch = _read_branch(sent)
            if branch:
                self.branches.setdefault(path, []).append(branch)


SELECTIONS: Final = frozenset({"y", "v", NEW_KEY})


def _read_operation(sent: str, form: str) -> Operation | None:
    name, _, rest = sent.partition(":")
    verb, _, rest = rest.partition(":")
    path, _, detail = rest.partition(":")
    if name != form or not verb:
        return None
    return Operation(verb, path, detail)


def _read_branch(sent: str) -> tuple[str, int] | None:
    key, _, index = sent.partition("=")
    if not index.isascii() or not index.isdecimal() or len(index) > 6:
        return None
    return key, int(index)


def _read_state(controls: _Controls) -> State:
    if controls.tags.keys().isdisjoint({"u", "w", "h"}):
        return PLAIN
    branches = filter(None, map(_read_branch, controls.texts("u")))
    stash = []
    for sent in controls.texts("h"):
        key, _, token = sent.partition(" ")
        if token:
            stash.append((key, token))
    return State(tuple(branches), tuple(stash), controls.text("w"))


def _read_draft(
    controls: _Controls,
    path: str,
    faults: list[Fault],
) -> Draft:
    state = _read_state(controls)
    file = controls.find_file()
    if file:
        return _read_file(file, controls, path, faults, state)
    tag = next((tag for tag in _READERS if tag in controls.tags), "")
    if not tag and "i" in controls.tags:
        tag = "a"
    if tag == "o":
        return _read_object(controls, path, faults, state)
    if tag == "a":
        return _read_array(controls, path, faults, state)
    if tag:
        return _READERS[tag](controls, state)
    return Missing(None, state)


def _read_object(
    controls: _Controls,
    path: str,
    faults: list[Fault],
    state: State,
) -> Object:
    members = {}
    for token, below in controls.below.items():
        if token.startswith("."):
            name = token[1:]
            members[name] = _read_draft(below, member_path(path, name), faults)
    entries = []
    for row in dict.fromkeys(controls.texts("m")):
        entry = controls.below.get(f"@{row}")
        if entry is None or entry.tags.keys().isdisjoint({"k", "l"}):
            continue
        is_literal = "k" not in entry.tags
        key = entry.text("l" if is_literal else "k")
        draft = _read_draft(entry, row_path(path, row), faults)
        entries.append(Entry(row, key, draft, is_literal))
    return Object(members, tuple(entries), state)


def _read_array(
    controls: _Controls,
    path: str,
    faults: list[Fault],
    state: State,
) -> Array:
    if "i" in controls.tags:
        drafts = [_read_json(text, PLAIN) for text in controls.texts("i")]
        items = [Item(str(row), draft) for row, draft in enumerate(drafts)]
        return Array(tuple(items), state)
    items = []
    for row in dict.fromkeys(controls.texts("r")):
        if is_row(row):
            below = controls.below.get(f"@{row}") or _Controls()
            items.append(Item(row, _read_draft(below, row_path(path, row), faults)))
    return Array(tuple(items), state)


def _read_file(
    file: Upload,
    controls: _Controls,
    path: str,
    faults: list[Fault],
    state: State,
) -> Draft:
    try:
        text = encode_file(file.content, controls.text("g"), name=file.name, media=file.media)
        return draft_of(text, state)
    except UnicodeDecodeError:
        message = f"The file {file.name} is not UTF-8 text; choose a text file"
        faults.append(Fault(path, Problem("", message, "form.file")))
        controls.tags.pop("f")
        return _read_draft(controls, path, faults)


def _read_text(controls: _Controls, state: State) -> Draft:
    text = controls.text("t")
    if not text and "x" not in controls.tags:
        return Missing("text", state)
    return Text(text, False, state)


def _read_number(controls: _Controls, state: State) -> Draft:
    text = controls.text("n")
    return Numeral(text, state) if text.strip() else Missing("number", state)


def _read_boolean(controls: _Controls, state: State) -> Draft:
    text = controls.text("b")
    if text not in {"true", "false"}:
        return Missing("boolean", state)
    return Constant(text == "true", state)


def _read_json(text: str, state: State) -> Draft:
    """The value of JSON text; the text itself if it cannot be parsed."""
    if not text.strip():
        return Missing(None, state)
    try:
        value = read_literal(text)
    except JSONTextError:
        return Raw(text, state)
    return with_state(fold_value(value), state)


def _read_folded(controls: _Controls, state: State) -> Draft:
    text = controls.text("z")
    draft = _read_json(text, state)
    if isinstance(draft, Object | Array):
        return Folded(read_literal(text), state)
    return draft


def _read_secret(controls: _Controls, state: State) -> Draft:
    replacement = controls.text("p")
    if replacement:
        return draft_of(replacement, state)
    if "d" in controls.tags:
        return Missing(None, state)
    return StoredSecret(controls.text("c"), state)


_READERS: Final[Mapping[str, Callable[[_Controls, State], Draft]]] = {
    "c": _read_secret,
    "o": lambda _controls, state: Object(state=state),
    "a": lambda _controls, state: Array(state=state),
    "e": lambda controls, state: Raw(controls.text("e"), state),
    "z": _read_folded,
    "q": lambda controls, state: Text(controls.text("q"), True, state),
    "t": _read_text,
    "n": _read_number,
    "b": _read_boolean,
    "j": lambda controls, state: _read_json(controls.text("j"), state),
}
