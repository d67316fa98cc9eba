"""Show each error at the control that it concerns.

Text that cannot be parsed has its error where it was typed. A violation of the schema is shown
where the user can fix it: a missing member at its empty control, a member that is not allowed or
misnamed at its name, a union's violations at the chosen branch only. Without a control of its own,
an error goes to the nearest enclosing one.

An empty field has one message, which asks for its value ("Enter owner"). Other violations that only
result from the missing value are left out, such as a list that is too short, or a union without a
matching branch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Final

from playground.schema_form.control_names import member_path
from playground.schema_form.controls import Key
from playground.schema_form.nodes import (
    ArrayNode,
    EntryRow,
    Form,
    Node,
    ObjectNode,
    RawNode,
    Summary,
    TextMark,
    children,
    target_of,
)
from playground.schema_form.to_value import Fault
from playground.schema_form.values import literal
from toolspec.schema.validation import Violation
from toolspec.text.pointers import split_pointer
from toolspec.text.positions import Lines, find_spans

_ABOUT_NAMES: Final = frozenset(
    {"additionalProperties", "unevaluatedProperties", "propertyNames", "patternProperties"}
)
_SIMILAR: Final = 0.75
MAX_LABELS: Final = 4
_ABOUT_MISSING: Final = frozenset({"required", "dependentRequired", "dependencies"})
_ABOUT_COUNTS: Final = frozenset({"minItems", "minProperties", "contains"})
_REQUESTS: Final[Mapping[str, str]] = {
    "absent": "Add",
    "boolean": "Choose",
    "choice": "Choose",
    "choices": "Choose",
    "file": "Choose a file for",
}  # by a node's template; "Enter" for all others


def attach_problems(
    form: Form, faults: Iterable[Fault], violations: Iterable[Violation], paths: Mapping[str, str]
) -> Form:
    """`form` with every fault and violation at a node, and a summary that links to them.

    `paths` maps the pointer of each part of the checked value to its path in the form.
    """
    board = _Board(paths)
    board.learn(form.root)
    for fault in faults:
        board.post_fault(fault)
    for violation in sorted(
        violations, key=lambda violation: violation.keyword not in _ABOUT_MISSING
    ):
        if violation.keyword in _ABOUT_MISSING:
            board.missing.setdefault(violation.pointer, []).extend(violation.names)
        board.post_violation(violation)
    board.locate_in_text()
    return replace(
        form, root=board.with_messages(form.root), errors=tuple(board.summary(form.root))
    )


def controls_by_pointer(form: Form) -> dict[str, tuple[str, str]]:
    """The label and the control's id for each part of the value, by its pointer."""
    found: dict[str, tuple[str, str]] = {}
    for _path, node, where in _in_page_order(form.root):
        found.setdefault(node.head.pointer, (" · ".join(where), target_of(node)))
    return found


@dataclass(slots=True)
class _Board:
    """The messages of a form.

    Attributes:
        nodes: the nodes by path; `keys`: the keys of the entries that have one, by path.
        messages: by path, and whether they concern the entry's key.
        missing: the names of missing members, by the pointer of their object.
        in_text: of each violation, if the whole form is one JSON text: its pointer, whether it
            concerns the name of the member there, and its message.
        marks: the same with their positions in the text.
        marked: by the message at the whole form, its mark and its line in the summary.
        incomplete: the paths of objects and lists in which a field directly below is empty or
            cannot be parsed.
    """

    paths: Mapping[str, str]
    nodes: dict[str, Node] = field(default_factory=dict)
    keys: dict[str, Key] = field(default_factory=dict)
    messages: dict[tuple[str, bool], list[str]] = field(default_factory=dict)
    missing: dict[str, list[str]] = field(default_factory=dict)
    in_text: list[tuple[str, bool, str]] = field(default_factory=list)
    marks: tuple[TextMark, ...] = ()
    marked: dict[str, tuple[TextMark, str]] = field(default_factory=dict)
    incomplete: set[str] = field(default_factory=set)

    def learn(self, node: Node) -> None:
        """Collect `node` and all nodes below it."""
        waiting = [node]
        for known in waiting:
            self.nodes[known.head.path] = known
            waiting += children(known)
            if isinstance(known, ObjectNode):
                self.keys.update(
                    {entry.node.head.path: entry.key for entry in known.entries if entry.key}
                )

    def post(
        self, path: str, message: str, *, on_key: bool = False, pointer: str | None = None
    ) -> None:
        """Add `message` at `path`, or at the nearest enclosing node.

        In a form of JSON text, at `pointer`.
        """
        is_about_name = on_key
        while path not in self.nodes and path:
            path, on_key = _around(path), False
        if pointer is not None and not path and isinstance(self.nodes[path], RawNode):
            self.in_text.append((pointer, is_about_name, message))
            return
        messages = self.messages.setdefault((path, on_key and path in self.keys), [])
        if message not in messages:
            messages.append(message)

    def post_fault(self, fault: Fault) -> None:
        """Add the message of a field that is empty or cannot be parsed."""
        self.post(fault.path, fault.problem.message, on_key=fault.on_key)
        if not fault.on_key:
            self.incomplete.add(_around(fault.path))

    def post_violation(self, violation: Violation) -> None:
        """Add a violation where the user can fix it."""
        path = self._path(violation.pointer)
        if violation.keyword in _ABOUT_MISSING and violation.names:
            for name in violation.names:
                self._post_missing(path, name, violation)
        elif violation.keyword in {"oneOf", "anyOf"}:
            self._post_union(violation, path)
        elif not self._comes_from_an_empty_field(violation, path):
            on_key = violation.keyword in _ABOUT_NAMES
            message = violation.message + (self._suggestion(violation.pointer) if on_key else "")
            self.post(path, message, on_key=on_key, pointer=violation.pointer)

    def locate_in_text(self) -> None:
        """If the form is one JSON text, add the messages of violations, with line and column, in their order there."""
        root = self.nodes[""]
        if not isinstance(root, RawNode) or not self.in_text:
            return
        document, lines = (
            find_spans(root.text, [pointer for pointer, *_ in self.in_text]),
            Lines(root.text),
        )
        found = set()
        for pointer, is_about_name, message in self.in_text:
            span = document.nearest(pointer)
            position = lines.position(span.entry_start if is_about_name else span.start)
            found.add((TextMark(*position, message), pointer))
        for mark, pointer in sorted(found):
            where = " · ".join(split_pointer(pointer)[-MAX_LABELS:])
            message = f"{where}: {mark.message}" if where else mark.message
            at_form = f"{message} (line {mark.line}, column {mark.column})"
            self.post("", at_form)
            self.marked[at_form] = mark, f"{message}, line {mark.line}"
        self.marks = tuple(mark for mark, _ in self.marked.values())

    def _post_missing(self, path: str, name: str, violation: Violation) -> None:
        """Ask for the member `name` at its empty field, unless that field has a message already."""
        below = member_path(path, name)
        if below not in self.nodes:
            self.post(path, violation.message, pointer=violation.pointer)
            return
        self.incomplete.add(path)
        if (below, False) not in self.messages:
            self.post(below, _request(self.nodes[below]))

    def _suggestion(self, pointer: str) -> str:
        """The missing member that the member at `pointer`, which is not allowed, may be meant to be."""
        around, _, _ = pointer.rpartition("/")
        missing = self.missing.get(around, ())
        first_words = {
            name.casefold().replace("-", "_").partition("_")[0]: name for name in missing
        }
        known = first_words | {name.casefold(): name for name in missing}
        close = (
            get_close_matches(split_pointer(pointer)[-1].casefold(), known, n=1, cutoff=_SIMILAR)
            if pointer
            else []
        )
        return f" (did you mean {literal(known[close[0]])}?)" if close else ""

    def _comes_from_an_empty_field(self, violation: Violation, path: str) -> bool:
        """Whether filling in an empty field may fix `violation`: it is about a count, or a shifted tuple's item."""
        if violation.keyword in _ABOUT_COUNTS and path in self.incomplete:
            return True
        while path:
            path = _around(path)
            node = self.nodes.get(path)
            if path in self.incomplete and isinstance(node, ArrayNode) and node.is_tuple:
                return True
        return False

    def _post_union(self, violation: Violation, path: str) -> None:
        node = self.nodes.get(path)
        chosen = self._chosen_branch(violation, path)
        for inner in chosen:
            self.post_violation(inner)
        if not chosen or (
            node and node.head.unions and not all(map(self._asks_for_a_field, chosen))
        ):
            self.post(path, violation.message, pointer=violation.pointer)

    def _chosen_branch(self, violation: Violation, path: str) -> tuple[Violation, ...]:
        """The violations of the chosen branch at `path`."""
        node = self.nodes.get(path)
        index = dict(node.head.branches).get(violation.schema_pointer) if node else None
        return (
            violation.branches[index]
            if index is not None and index < len(violation.branches)
            else ()
        )

    def _asks_for_a_field(self, violation: Violation) -> bool:
        """Whether `violation` only reports that fields of the form are empty."""
        path = self._path(violation.pointer)
        if violation.keyword in {"oneOf", "anyOf"}:
            chosen = self._chosen_branch(violation, path)
            return bool(chosen) and all(map(self._asks_for_a_field, chosen))
        is_missing = violation.keyword in _ABOUT_MISSING and bool(violation.names)
        return is_missing and all(member_path(path, name) in self.nodes for name in violation.names)

    def _path(self, pointer: str) -> str:
        while pointer not in self.paths and pointer:
            pointer = pointer.rpartition("/")[0]
        return self.paths.get(pointer, "")

    def with_messages(self, node: Node) -> Node:
        """`node` and all nodes below it, with their messages."""
        if not self.messages:
            return node
        errors = tuple(self.messages.get((node.head.path, False), ()))
        head = replace(
            node.head, errors=errors, kinds=node.head.kinds or (node.head.spare if errors else None)
        )
        if isinstance(node, ObjectNode):
            return replace(
                node,
                head=head,
                members=tuple(self.with_messages(member) for member in node.members),
                entries=tuple(self._entry_with_messages(entry) for entry in node.entries),
            )
        if isinstance(node, ArrayNode):
            return replace(
                node,
                head=head,
                rows=tuple(replace(row, node=self.with_messages(row.node)) for row in node.rows),
            )
        if isinstance(node, RawNode) and not node.head.path:
            return replace(node, head=head, marks=self.marks)
        return replace(node, head=head)

    def _entry_with_messages(self, entry: EntryRow) -> EntryRow:
        errors = tuple(self.messages.get((entry.node.head.path, True), ()))
        key = entry.key and replace(entry.key, errors=errors)
        return replace(entry, key=key, node=self.with_messages(entry.node))

    def summary(self, root: Node) -> Iterator[Summary]:
        """The messages in the order of the page, each with the control that it links to."""
        for path, node, where in _in_page_order(root):
            for on_key in (True, False):
                for message in self.messages.get((path, on_key), ()):
                    if not path and message in self.marked:
                        mark, text = self.marked[message]
                        yield Summary(text, target_of(node), mark)
                        continue
                    target = self.keys[path].id if on_key else target_of(node)
                    labels = (
                        where[:-1] if message == _request(node) else where
                    )  # the message names the last one
                    label = " · ".join(labels)
                    yield Summary(
                        ": ".join(filter(None, (label, message))),
                        target,
                        label=label,
                        detail=message,
                    )


def _request(node: Node) -> str:
    """The message at an empty field that needs a value."""
    return f"{_REQUESTS.get(node.template, 'Enter')} {node.head.label}"


def _around(path: str) -> str:
    return path.rpartition("/")[0]


def _in_page_order(root: Node) -> Iterator[tuple[str, Node, tuple[str, ...]]]:
    """Each path and node, and the labels that lead to it from below the root: at most the last `MAX_LABELS`."""
    waiting: list[tuple[Node, tuple[str, ...]]] = [(root, ())]
    while waiting:
        node, above = waiting.pop()
        where = (*above, node.head.label)[-MAX_LABELS:]
        yield node.head.path, node, where
        waiting += (
            (child, where if node is not root else ()) for child in reversed(children(node))
        )
