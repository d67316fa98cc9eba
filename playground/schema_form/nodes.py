"""The tree that a template draws: one frozen node per place, with everything it shows and the names of its controls.

`Node.template` names the partial. A node's controls carry the ids that labels, messages and the summary of errors
refer to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

LONG_DESCRIPTION: Final = 500  # characters; of a longer one only the beginning is shown at once


@dataclass(frozen=True, slots=True)
class Hidden:
    """A hidden control."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Button:
    """An operation to press. `label` may be short; `title` says it whole, for those who do not see its place.

    `has_focus`: it was just pressed, and may be pressed again.
    """

    value: str
    label: str
    title: str
    icon: str = ""
    has_focus: bool = False


@dataclass(frozen=True, slots=True)
class Option:
    """A line of a list. `is_allowed`: the schema has it."""

    value: str
    label: str
    is_selected: bool = False
    is_allowed: bool = True
    description: str = ""


@dataclass(frozen=True, slots=True)
class Selector:
    """A choice that changes which controls are there; `button` applies it where no script does."""

    id: str
    name: str
    label: str
    options: tuple[Option, ...]
    button: Button


@dataclass(frozen=True, slots=True)
class Key:
    """The name of an extra entry, as a control."""

    id: str
    name: str
    value: str
    is_literal: bool
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Head:
    """What every node has.

    Attributes:
        id: of the control that stands for the place.
        path: the place among the form's controls.
        pointer: the place in the value; of an empty place, where its value would stand.
        label: title or name; `name`: the member's name where a title hides it.
        types: the kinds that are allowed, in words.
        hints: constraints in words.
        default: its JSON text.
        notes: what is odd about the place ("not in the schema").
        has_focus: the person was just led here.
        hidden: controls that carry state.
        branches: where each union stands in the schema, and the index of its branch in force.
        spare: the selector of kinds of a group that has none, for its errors to be told at.
    """

    id: str
    path: str
    pointer: str
    label: str
    name: str = ""
    description: str = ""
    types: str = ""
    hints: tuple[str, ...] = ()
    default: str = ""
    examples: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_required: bool = False
    is_deprecated: bool = False
    is_read_only: bool = False
    is_nameless: bool = False
    has_focus: bool = False
    kinds: Selector | None = None
    unions: tuple[Selector, ...] = ()
    buttons: tuple[Button, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    branches: tuple[tuple[str, int], ...] = ()
    spare: Selector | None = None
    errors: tuple[str, ...] = ()

    @property
    def lead(self) -> str:
        """The description, or the beginning of a long one."""
        return self.description[: self._cut]

    @property
    def rest(self) -> str:
        """What follows the beginning of a long description."""
        return self.description[self._cut :].lstrip()

    @property
    def _cut(self) -> int:
        if len(self.description) <= LONG_DESCRIPTION:
            return len(self.description)
        space = self.description.rfind(" ", 0, LONG_DESCRIPTION - 100)
        return space if space > 0 else LONG_DESCRIPTION - 100

    @property
    def hint_id(self) -> str:
        return f"{self.id}-hint"

    @property
    def error_id(self) -> str:
        return f"{self.id}-error"

    @property
    def has_hint(self) -> bool:
        return bool(self.description or self.has_facts)

    @property
    def has_facts(self) -> bool:
        """Whether there is anything to say in few words."""
        is_odd = self.is_deprecated or self.is_read_only
        return bool(self.hints or self.default or self.notes or self.examples or is_odd)

    @property
    def type_id(self) -> str:
        return f"{self.id}-type"

    @property
    def described_by(self) -> str:
        """The ids of what describes the control."""
        ids = [self.type_id] if self.types else []
        ids += [self.hint_id] if self.has_hint else []
        return " ".join([*ids, self.error_id] if self.errors else ids)


@dataclass(frozen=True, slots=True)
class TextNode:
    """A text.

    Attributes:
        picker: the type of a control that may write into it, "date" for instance.
        send_empty: the name of the box that sends an empty text; "" for a literal, which can be "" itself.
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
        """The placeholder: whether an empty text is sent. Never empty, so that styles can detect an empty control."""
        return "(empty text)" if self.is_sent_empty else "(not set)"


@dataclass(frozen=True, slots=True)
class FileNode:
    """A text that stands for bytes: a file to choose, and the text itself. `size`: bytes; None where it is none."""

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
    """True, false or, where that is possible, neither."""

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
    """One value of a list. `fixed`: its JSON text, where it is all that the schema allows and needs to be there."""

    template: ClassVar = "choice"
    head: Head
    control: str
    options: tuple[Option, ...]
    fixed: str = ""


@dataclass(frozen=True, slots=True)
class RawNode:
    """JSON text to edit."""

    template: ClassVar = "raw"
    head: Head
    control: str
    text: str
    rows: int = 4


@dataclass(frozen=True, slots=True)
class FoldedNode:
    """A container as JSON text, for the page would be too long; `open` shows its fields."""

    template: ClassVar = "folded"
    head: Head
    control: str
    text: str
    summary: str
    open: Button | None


@dataclass(frozen=True, slots=True)
class SecretNode:
    """A secret that is set and not shown: kept, replaced or removed."""

    template: ClassVar = "secret"
    head: Head
    token: Hidden
    replacement: str
    removal: str
    status: str


@dataclass(frozen=True, slots=True)
class AbsentNode:
    """Nothing yet, and no single control that could take it; the buttons make one."""

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
    """A list as rows. `is_tuple`: some items have a schema of their own, by their position."""

    template: ClassVar = "array"
    head: Head
    marker: Hidden
    rows: tuple[ArrayRow, ...]
    add: tuple[Button, ...]
    is_tuple: bool = False


@dataclass(frozen=True, slots=True)
class ChoicesNode:
    """A list of distinct choices, as boxes to tick. `marker`: none where a box that is ticked would make the list."""

    template: ClassVar = "choices"
    head: Head
    marker: Hidden | None
    control: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class EntryRow:
    """An extra entry: its key and its value. `no_key` stands for the key of entries that are folded together."""

    id: str
    row: Hidden
    key: Key | None
    no_key: Hidden | None
    node: Node
    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True)
class Adder:
    """The control that names a new entry, and its button. `is_open`: to add entries is what the object is for."""

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
    """One line of the summary of errors: the message and the id of the control it leads to."""

    message: str
    target: str


@dataclass(frozen=True, slots=True)
class Form:
    """One form: its name, which begins the name of each of its controls, its root, and its errors.

    Attributes:
        refresh: draws the form again; there where the schema makes fields depend on other fields.
        all: whether every node has its selector of kinds; `toggle` changes that.
        secrets: the paths of what the schema calls secret, a "/" after each; None where it calls nothing so.
    """

    name: str
    root: Node
    toggle: Button
    all: Hidden | None = None
    refresh: Button | None = None
    secrets: tuple[str, ...] | None = None
    errors: tuple[Summary, ...] = ()


def target_of(node: Node) -> str:
    """The id of what gets the focus when a person is led to `node`."""
    return node.head.kinds.id if isinstance(node, AbsentNode) and node.head.kinds else node.head.id


def fields(root: Node) -> int:
    """How many names and values a form of `root` sends, at most."""
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
