"""`{% schema_form form %}`: draws the nodes of a schema's form, each with the partial of its type.

Nodes are drawn from the leaves up: a partial gets the finished HTML of the nodes below it. So deep
values need no deep recursion, and each partial can be read on its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import template
from django.template import Context, Engine
from django.utils.safestring import SafeString

from playground.form.nodes import ArrayNode, Form, Node, ObjectNode, children, is_unset

register = template.Library()

# Optional members without a value, in the outermost object: shorter lists are read faster than
# opened.
FOLDED_FROM = 11
FOLDER = "playground/form"


@register.simple_tag(name="schema_form")
def draw_form(form: Form) -> SafeString:
    """The HTML of a schema's form."""
    drawn: dict[int, SafeString] = {}
    for node in _leaves_first(form.root):
        drawn[id(node)] = _partial(
            node.template, {"node": node, "head": node.head, **_parts(node, drawn)}
        )
    return _partial("form", {"form": form, "root": drawn[id(form.root)]})


def _parts(node: Node, drawn: dict[int, SafeString]) -> dict[str, Any]:
    if isinstance(node, ObjectNode):
        unset = (
            [member for member in node.members if is_unset(member)] if not node.head.path else []
        )
        folded = unset if len(unset) >= FOLDED_FROM else []
        first = next((member for member in node.members if not member.head.is_required), None)
        return {
            "members": [
                (member, drawn[id(member)], member in folded, member is first)
                for member in node.members
            ],
            "folded": folded,
            "entries": [(entry, drawn[id(entry.node)]) for entry in node.entries],
        }
    if isinstance(node, ArrayNode):
        return {"rows": [(row, drawn[id(row.node)]) for row in node.rows]}
    return {}


def _partial(name: str, context: dict[str, Any]) -> SafeString:
    return Engine.get_default().get_template(f"{FOLDER}/{name}.html").render(Context(context))


def _leaves_first(root: Node) -> Iterator[Node]:
    order = [root]
    for node in order:
        order.extend(children(node))
    return reversed(order)
