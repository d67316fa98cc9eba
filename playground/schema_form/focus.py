"""The focus after an action: on the new part, on the neighbour of a removed one, or on the same button again.

So users never find themselves back at the top of the page, and can press a button such as "Up" several times.
"""

from __future__ import annotations

from dataclasses import replace

from playground.schema_form.nodes import ArrayNode, ArrayRow, Node, ObjectNode, children

_MOVES = frozenset({"up", "down"})


def with_focus(root: Node, path: str, pressed: str) -> Node:
    """`root` with the focus on the first control at `path`; after a move, on the button that moved the row."""
    return _focused(root, path if pressed in _MOVES else _first(root, path), pressed if pressed in _MOVES else "")


def _first(root: Node, path: str) -> str:
    """The path of the first node at or below `path` with a control of its own; `path` if there is none."""
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


def _focused(node: Node, target: str, move: str) -> Node:
    path = node.head.path
    if path == target:
        return replace(node, head=replace(node.head, has_focus=True))
    if not _is_on_the_way(path, target):
        return node
    if isinstance(node, ObjectNode):
        members = tuple(_focused(member, target, move) for member in node.members)
        entries = tuple(replace(entry, node=_focused(entry.node, target, move)) for entry in node.entries)
        return replace(node, members=members, entries=entries)
    if isinstance(node, ArrayNode):
        return replace(node, rows=tuple(_focused_row(row, target, move) for row in node.rows))
    return node


def _focused_row(row: ArrayRow, target: str, move: str) -> ArrayRow:
    if not move or row.node.head.path != target:
        return replace(row, node=_focused(row.node, target, move))
    verbs = [button.value.split(":")[1] for button in row.buttons]
    at = verbs.index(move) if move in verbs else 0
    return replace(row, buttons=tuple(replace(button, has_focus=n == at) for n, button in enumerate(row.buttons)))
