"""The tree that a template draws: one frozen node per value, with all its texts and control names.

`Node.template` names the partial. A node's controls carry the ids that labels, messages and the
summary of errors refer to.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar, TypeAlias

from playground.form.controls import Button, Head, Hidden, Key, Option


@dataclass(frozen=True, slots=True)
class TextNode:
    """A string.

    Attributes:
        picker: the type of an input that helps to fill it in, such as "date".
        send_empty: the name of the checkbox that sends an empty string; "" for a literal, which can
            be "" itself.
    """

    template: ClassVar = "text"
    head: Head
    control: str
    text: str
    is_long: bool = False
    is_literal: bool = False
    is_masked: bool = False
    mode: str = ""
    picker: str = ""
    send_empty: str = ""
    is_sent_empty: bool = False
    suggestions: tuple[str, ...] = ()
    rows: int = 3

    @property
    def placeholder(self) -> str:
        """What an empty control sends: an empty string, or nothing.

        Never "", so that styles can detect the control.

        A required control has a blank one, because "(not set)" would read as a choice.
        """
        if self.is_sent_empty:
            return "(empty text)"
        return " " if self.head.is_required else "(not set)"


@dataclass(frozen=True, slots=True)
class FileNode:
    """A string that encodes bytes: a file to choose, and the string itself.

    `size`: bytes; None if it is not valid.
    """

    template: ClassVar = "file"
    head: Head
    control: str
    text: str
    file: str
    encoding: Hidden
    accept: str = ""
    size: int | None = None
    send_empty: str = ""
    is_sent_empty: bool = False


@dataclass(frozen=True, slots=True)
class NumberNode:
    template: ClassVar = "number"
    head: Head
    control: str
    text: str
    is_whole: bool = False
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BooleanNode:
    """True, false or, if it is optional, neither."""

    template: ClassVar = "boolean"
    head: Head
    control: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class NullNode:
    template: ClassVar = "null"
    head: Head
    control: Hidden


@dataclass(frozen=True, slots=True)
class ChoiceNode:
    """One value of a list. `fixed`: its JSON text, if it is required and the only one allowed."""

    template: ClassVar = "choice"
    head: Head
    control: str
    options: tuple[Option, ...]
    fixed: str = ""


@dataclass(frozen=True, slots=True, order=True)
class TextMark:
    """A message at a line and column of JSON text, both from 1."""

    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class RawNode:
    """JSON text to edit; `marks` are the violations within it."""

    template: ClassVar = "raw"
    head: Head
    control: str
    text: str
    rows: int = 4
    marks: tuple[TextMark, ...] = ()

    @property
    def marks_json(self) -> str:
        """The marks for the editor: [{"line", "column", "message"}]."""
        return json.dumps([asdict(mark) for mark in self.marks])


@dataclass(frozen=True, slots=True)
class FoldedNode:
    """A container as JSON text, because the page would be too long; `open` shows its fields."""

    template: ClassVar = "folded"
    head: Head
    control: str
    text: str
    summary: str
    open: Button | None


@dataclass(frozen=True, slots=True)
class SecretNode:
    """A stored secret, which is not shown; the user can replace or remove it."""

    template: ClassVar = "secret"
    head: Head
    token: Hidden
    replacement: str
    removal: str
    status: str


@dataclass(frozen=True, slots=True)
class AbsentNode:
    """No value yet, and no single control for one; the buttons create it."""

    template: ClassVar = "absent"
    head: Head


@dataclass(frozen=True, slots=True)
class ArrayRow:
    id: str
    row: Hidden
    node: Node
    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True)
class ArrayNode:
    """A list as rows. `is_tuple`: some items have their own schema, by position."""

    template: ClassVar = "array"
    head: Head
    marker: Hidden
    rows: tuple[ArrayRow, ...]
    add: tuple[Button, ...]
    is_tuple: bool = False


@dataclass(frozen=True, slots=True)
class ChoicesNode:
    """A list of distinct choices as checkboxes.

    `marker`: None if there is no list until one is ticked.
    """

    template: ClassVar = "choices"
    head: Head
    marker: Hidden | None
    control: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class EntryRow:
    """An extra entry: its key and its value.

    `no_key` replaces the key for entries that are folded together.
    """

    id: str
    row: Hidden
    key: Key | None
    no_key: Hidden | None
    node: Node
    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True)
class Adder:
    """The control that names a new entry, and its button.

    `is_open`: the schema expects more entries.
    """

    id: str
    control: str
    button: Button
    label: str
    is_open: bool = True
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ObjectNode:
    template: ClassVar = "object"
    head: Head
    marker: Hidden
    members: tuple[Node, ...]
    entries: tuple[EntryRow, ...]
    adder: Adder | None


Node: TypeAlias = (
    TextNode
    | FileNode
    | NumberNode
    | BooleanNode
    | NullNode
    | ChoiceNode
    | RawNode
    | FoldedNode
    | SecretNode
    | AbsentNode
    | ArrayNode
    | ChoicesNode
    | ObjectNode
)


@dataclass(frozen=True, slots=True)
class Summary:
    """One line of the error summary.

    Attributes:
        message: begins with the labels that lead to the control, `label`.
        target: the id of the control.
        mark: the position of the message if the form is JSON text.
        detail: the message as it stands at the control.
    """

    message: str
    target: str
    mark: TextMark | None = None
    label: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """One form: its name, which is the prefix of each control's name, its root, and its errors.

    Attributes:
        refresh: draws the form again; present if some fields depend on other fields.
        all: present if every node shows its type selector; `toggle` changes that.
        secrets: the paths of secret values, each followed by "/"; None if the schema marks nothing
            as secret.
    """

    name: str
    root: Node
    toggle: Button
    all: Hidden | None = None
    refresh: Button | None = None
    secrets: tuple[str, ...] | None = None
    errors: tuple[Summary, ...] = ()


def target_of(node: Node) -> str:
    """The id of the control that gets the focus for `node`."""
    if isinstance(node, AbsentNode) and node.head.kinds:
        return node.head.kinds.id
    return node.head.id


def is_unset(node: Node) -> bool:
    """Whether an optional value is absent, and nothing about it needs attention."""
    head = node.head
    if head.is_required or head.errors or head.has_focus:
        return False
    if isinstance(node, TextNode | FileNode):
        return not node.text and not node.is_sent_empty
    if isinstance(node, BooleanNode | ChoiceNode):
        return any(option.is_selected and option.value == "" for option in node.options)
    if isinstance(node, ChoicesNode):
        return node.marker is None
    if isinstance(node, NumberNode):
        return not node.text
    return isinstance(node, AbsentNode)


def count_fields(root: Node) -> int:
    """The most names and values that a form of `root` sends."""
    count = 0
    waiting = [root]
    for node in waiting:
        head = node.head
        count += 1 + len(head.hidden) + len(head.unions) + (head.kinds is not None)
        if isinstance(node, TextNode | FileNode):
            count += bool(node.send_empty)
        elif isinstance(node, SecretNode):
            count += 2
        elif isinstance(node, ChoicesNode):
            count += len(node.options)
        elif isinstance(node, ObjectNode):
            count += 2 * len(node.entries) + (node.adder is not None)
        elif isinstance(node, ArrayNode):
            count += len(node.rows)
        waiting += children(node)
    return count


def children(node: Node) -> Sequence[Node]:
    """The nodes directly below `node`."""
    if isinstance(node, ObjectNode):
        return [*node.members, *(entry.node for entry in node.entries)]
    if isinstance(node, ArrayNode):
        return [row.node for row in node.rows]
    return ()
