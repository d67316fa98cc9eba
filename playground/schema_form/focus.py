"""Where a person is led after a press: to what is new, to what stands beside what is gone, to the button once more.

Nobody is left at the top of the page, and a button that was pressed never becomes another one under the finger.
"""

from __future__ import annotations

from dataclasses import replace

from playground.schema_form.nodes import ArrayNode, ArrayRow, Node, ObjectNode, children

_MOVES = frozenset({"up", "down"})


def with_focus(root: Node, path: str, pressed: str) -> Node:
    """`root` with the focus at `path`: at the first control there; after a move, at the button that moves on."""
    return _led(root, path if pressed in _MOVES else _first(root, path), pressed if pressed in _MOVES else "")


def _first(root: Node, path: str) -> str:
    """The path of the first node at or below `path` that has a control of its own; `path`, where none has."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if _is_on_the_way(node.head.path, path):
            waiting += reversed(children(node))
        elif node.head.path == path or node.head.path.startswith(f"{path}/"):
            if not children(node):
                return node.head.path
            waiting += reversed(children(node))
    return path


def _is_on_the_way(path: str, target: str) -> bool:
    return target.startswith(f"{path}/")


def _led(node: Node, target: str, move: str) -> Node:
    path = node.head.path
    if path == target:
        return replace(node, head=replace(node.head, has_focus=True))
    if not _is_on_the_way(path, target):
        return node
    if isinstance(node, ObjectNode):
        members = tuple(_led(member, target, move) for member in node.members)
        entries = tuple(replace(entry, node=_led(entry.node, target, move)) for entry in node.entries)
        return replace(node, members=members, entries=entries)
    if isinstance(node, ArrayNode):
        return replace(node, rows=tuple(_led_row(row, target, move) for row in node.rows))
    return node


def _led_row(row: ArrayRow, target: str, move: str) -> ArrayRow:
    if not move or row.node.head.path != target:
        return replace(row, node=_led(row.node, target, move))
    verbs = [button.value.split(":")[1] for button in row.buttons]
    at = verbs.index(move) if move in verbs else 0
    return replace(row, buttons=tuple(replace(button, has_focus=n == at) for n, button in enumerate(row.buttons)))
