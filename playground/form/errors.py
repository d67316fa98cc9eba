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

from playground.form.control_names import member_path
from playground.form.controls import Key
from playground.form.nodes import (
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
from playground.form.to_value import Fault
from playground.form.values import literal
from toolspec.schema.validation import Violation
from toolspec.text.pointers import split_pointer
from toolspec.text.positions import Lines, find_spans

_ABOUT_NAMES: Final = frozenset(
    {"additionalProperties", "unevaluatedProperties", "propertyNames", "patternProperties"}
)
_SIMILAR: Final = 0.75
MAX_LABELS: Final = 4
_SEPARATOR: Final = " · "
_ABOUT_MISSING: Final = frozenset({"required", "dependentRequired", "dependencies"})
_ABOUT_COUNTS: Final = frozenset({"minItems", "minProperties", "contains"})
_UNIONS: Final = frozenset({"oneOf", "anyOf"})
_REQUESTS: Final[Mapping[str, str]] = {
    "absent": "Add",
    "boolean": "Choose",
    "choice": "Choose",
    "choices": "Choose",
    "file": "Choose a file for",
}  # by a node's template; "Enter" for all others


def place_problems(
    form: Form,
    faults: Iterable[Fault],
    violations: Iterable[Violation],
    paths: Mapping[str, str],
) -> Form:
    """`form` with every fault and violation at a node, and a summary that links to them.

    `paths` maps the pointer of each part of the checked value to its path in the form.
    """
    board = _Board(paths)
    board.add_nodes(form.root)
    for fault in faults:
        board.post_fault(fault)
    others = []
    for violation in violations:
        if violation.keyword not in _ABOUT_MISSING:
            others.append(violation)
            continue
        board.missing.setdefault(violation.pointer, []).extend(violation.names)
        board.post_violation(violation)
    for violation in others:
        board.post_violation(violation)
    board.locate_in_text()
    root = board.place_messages(form.root)
    return replace(form, root=root, errors=tuple(board.list_summaries(form.root)))


def controls_by_pointer(form: Form) -> dict[str, tuple[str, str]]:
    """The label and the control's id for each part of the value, by its pointer."""
    controls: dict[str, tuple[str, str]] = {}
    for node, labels in _list_in_page_order(form.root):
        controls.setdefault(node.head.pointer, (_SEPARATOR.join(labels), target_of(node)))
    return controls


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

    def add_nodes(self, root: Node) -> None:
        """Collect `root` and all nodes below it."""
        waiting = [root]
        for node in waiting:
            self.nodes[node.head.path] = node
            waiting += children(node)
            if isinstance(node, ObjectNode):
                for entry in node.entries:
                    if entry.key:
                        self.keys[entry.node.head.path] = entry.key

    def post(
        self,
        path: str,
        message: str,
        *,
        on_key: bool = False,
        pointer: str | None = None,
    ) -> None:
        """Add `message` at `path`, or at the nearest enclosing node.

        In a form of JSON text, at `pointer`.
        """
        is_about_name = on_key
        while path not in self.nodes and path:
            path = _parent_path(path)
            on_key = False
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
            self.incomplete.add(_parent_path(fault.path))

    def post_violation(self, violation: Violation) -> None:
        """Add a violation where the user can fix it."""
        path = self._find_path(violation.pointer)
        if violation.keyword in _ABOUT_MISSING and violation.names:
            for name in violation.names:
                self._post_missing(path, name, violation)
        elif violation.keyword in _UNIONS:
            self._post_union(violation, path)
        elif self._comes_from_an_empty_field(violation, path):
            return
        elif violation.keyword in _ABOUT_NAMES:
            message = violation.message + self._suggest_name(violation.pointer)
            self.post(path, message, on_key=True, pointer=violation.pointer)
        else:
            self.post(path, violation.message, pointer=violation.pointer)

    def locate_in_text(self) -> None:
        """If the form is one JSON text, place the violations in it, in the order of the text."""
        root = self.nodes[""]
        if not isinstance(root, RawNode) or not self.in_text:
            return
        document = find_spans(root.text, [pointer for pointer, *_ in self.in_text])
        lines = Lines(root.text)
        marks = set()
        for pointer, is_about_name, message in self.in_text:
            span = document.nearest(pointer)
            position = lines.position(span.entry_start if is_about_name else span.start)
            marks.add((TextMark(*position, message), pointer))
        for mark, pointer in sorted(marks):
            label = _SEPARATOR.join(split_pointer(pointer)[-MAX_LABELS:])
            message = f"{label}: {mark.message}" if label else mark.message
            at_form = f"{message} (line {mark.line}, column {mark.column})"
            self.post("", at_form)
            self.marked[at_form] = mark, f"{message}, line {mark.line}"
        self.marks = tuple(mark for mark, _ in self.marked.values())

    def _post_missing(
        self,
        path: str,
        name: str,
        violation: Violation,
    ) -> None:
        """Ask for the member `name` at its empty field, unless that field has a message already."""
        below = member_path(path, name)
        if below not in self.nodes:
            self.post(path, violation.message, pointer=violation.pointer)
            return
        self.incomplete.add(path)
        if (below, False) not in self.messages:
            self.post(below, _request_value(self.nodes[below]))

    def _suggest_name(self, pointer: str) -> str:
        """The missing member for which the one at `pointer`, not allowed, may be a typo."""
        if not pointer:
            return ""
        missing = self.missing.get(_parent_path(pointer), ())
        spellings = {}
        for name in missing:
            first_word, _, _ = name.casefold().replace("-", "_").partition("_")
            spellings[first_word] = name
        for name in missing:
            spellings[name.casefold()] = name
        misspelled = split_pointer(pointer)[-1].casefold()
        similar = get_close_matches(misspelled, spellings, n=1, cutoff=_SIMILAR)
        if not similar:
            return ""
        return f" (did you mean {literal(spellings[similar[0]])}?)"

    def _comes_from_an_empty_field(self, violation: Violation, path: str) -> bool:
        """Whether filling in an empty field may fix `violation`.

        It is about the number of parts, or about an item of a tuple that the empty one shifted.
        """
        if violation.keyword in _ABOUT_COUNTS and path in self.incomplete:
            return True
        while path:
            path = _parent_path(path)
            node = self.nodes.get(path)
            if path in self.incomplete and isinstance(node, ArrayNode) and node.is_tuple:
                return True
        return False

    def _post_union(self, violation: Violation, path: str) -> None:
        chosen = self._find_chosen(violation, path)
        for inner in chosen:
            self.post_violation(inner)
        node = self.nodes.get(path)
        has_selector = node is not None and bool(node.head.unions)
        if not chosen or (has_selector and not all(map(self._asks_for_a_field, chosen))):
            self.post(path, violation.message, pointer=violation.pointer)

    def _find_chosen(self, violation: Violation, path: str) -> tuple[Violation, ...]:
        """The violations of the chosen branch at `path`."""
        node = self.nodes.get(path)
        if node is None:
            return ()
        index = dict(node.head.branches).get(violation.schema_pointer)
        if index is None or index >= len(violation.branches):
            return ()
        return violation.branches[index]

    def _asks_for_a_field(self, violation: Violation) -> bool:
        """Whether `violation` only reports that fields of the form are empty."""
        path = self._find_path(violation.pointer)
        if violation.keyword in _UNIONS:
            chosen = self._find_chosen(violation, path)
            return bool(chosen) and all(map(self._asks_for_a_field, chosen))
        if violation.keyword not in _ABOUT_MISSING or not violation.names:
            return False
        return all(member_path(path, name) in self.nodes for name in violation.names)

    def _find_path(self, pointer: str) -> str:
        while pointer not in self.paths and pointer:
            pointer = _parent_path(pointer)
        return self.paths.get(pointer, "")

    def place_messages(self, node: Node) -> Node:
        """`node` and all nodes below it, with their messages."""
        if not self.messages:
            return node
        head = node.head
        errors = tuple(self.messages.get((head.path, False), ()))
        kinds = head.kinds or (head.spare if errors else None)
        head = replace(head, errors=errors, kinds=kinds)
        if isinstance(node, ObjectNode):
            members = map(self.place_messages, node.members)
            entries = map(self._place_at_entry, node.entries)
            return replace(node, head=head, members=tuple(members), entries=tuple(entries))
        if isinstance(node, ArrayNode):
            rows = [replace(row, node=self.place_messages(row.node)) for row in node.rows]
            return replace(node, head=head, rows=tuple(rows))
        if isinstance(node, RawNode) and not head.path:
            return replace(node, head=head, marks=self.marks)
        return replace(node, head=head)

    def _place_at_entry(self, entry: EntryRow) -> EntryRow:
        errors = tuple(self.messages.get((entry.node.head.path, True), ()))
        key = entry.key and replace(entry.key, errors=errors)
        return replace(entry, key=key, node=self.place_messages(entry.node))

    def list_summaries(self, root: Node) -> Iterator[Summary]:
        """The messages in the order of the page, each with the control that it links to."""
        for node, labels in _list_in_page_order(root):
            path = node.head.path
            for message in self.messages.get((path, True), ()):
                yield _summarize(message, labels, self.keys[path].id)
            target = target_of(node)
            for message in self.messages.get((path, False), ()):
                if not path and message in self.marked:
                    mark, text = self.marked[message]
                    yield Summary(text, target, mark)
                elif message == _request_value(node):  # the message names the last label
                    yield _summarize(message, labels[:-1], target)
                else:
                    yield _summarize(message, labels, target)


def _summarize(
    message: str,
    labels: tuple[str, ...],
    target: str,
) -> Summary:
    label = _SEPARATOR.join(labels)
    text = f"{label}: {message}" if label else message
    return Summary(text, target, label=label, detail=message)


def _request_value(node: Node) -> str:
    """The message at an empty field that needs a value."""
    return f"{_REQUESTS.get(node.template, 'Enter')} {node.head.label}"


def _parent_path(path: str) -> str:
    return path.rpartition("/")[0]


def _list_in_page_order(root: Node) -> Iterator[tuple[Node, tuple[str, ...]]]:
    """Each node with the labels that lead to it from below the root, the last `MAX_LABELS`."""
    waiting: list[tuple[Node, tuple[str, ...]]] = [(root, ())]
    while waiting:
        node, above = waiting.pop()
        labels = (*above, node.head.label)[-MAX_LABELS:]
        yield node, labels
        if node is root:
            labels = ()
        waiting += [(child, labels) for child in reversed(children(node))]
