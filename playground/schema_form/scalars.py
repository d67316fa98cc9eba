"""Nodes of single values: strings, numbers, booleans, null, and values chosen from a list."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from playground.schema_form.choices import Choice, label_of
from playground.schema_form.controls import Hidden, Option
from playground.schema_form.files import file_encoding, size_of
from playground.schema_form.node_context import NOT_SET, NodeContext
from playground.schema_form.nodes import (
    BooleanNode,
    ChoiceNode,
    FileNode,
    Node,
    NullNode,
    NumberNode,
    SecretNode,
    TextNode,
)
from playground.schema_form.values import ABSENT, Absent, Maybe, kind_of, literal
from toolspec.schema.describe import FORMATS
from toolspec.schema.validation.equality import canonical

LONG_TEXT: Final = 100
MAX_ROWS: Final = 16

_PICKERS: Final = {"date": "date", "time": "time", "date-time": "datetime-local"}
_MODES: Final = {
    "email": "email",
    "idn-email": "email",
    "uri": "url",
    "uri-reference": "url",
    "iri": "url",
}


def text_node(context: NodeContext, text: str, *, is_literal: bool = False) -> Node:
    """A string; with a file to choose if it encodes bytes."""
    facts = context.facts
    tag = "q" if is_literal else "t"
    send_empty = "" if is_literal else context.control("x")
    is_sent_empty = bool(send_empty) and not context.is_empty and not text
    encoding = file_encoding(facts.encoding, facts.format, facts.media)
    if encoding and not is_literal:
        return FileNode(
            context.head(),
            context.control(tag),
            text,
            context.control("f"),
            Hidden(context.control("g"), encoding),
            facts.media,
            size_of(text, encoding),
            send_empty,
            is_sent_empty,
        )
    return TextNode(
        context.head(),
        context.control(tag),
        text,
        is_long=not is_literal and _may_have_lines(context, text),
        is_literal=is_literal,
        is_masked=facts.is_secret,
        mode=_MODES.get(facts.format, ""),
        picker=_PICKERS.get(facts.format, ""),
        send_empty=send_empty,
        is_sent_empty=is_sent_empty,
        suggestions=tuple(
            example
            for example in facts.examples
            if isinstance(example, str) and "\n" not in example
        ),
        rows=rows_for(text, 3 if facts.media or (facts.max_length or 0) > 10 * LONG_TEXT else 1),
    )


def _may_have_lines(context: NodeContext, text: str) -> bool:
    """Whether a string may have several lines.

    A single line gets a control in which Enter submits the form.
    """
    facts = context.facts
    if "\n" in text or len(text) > LONG_TEXT:
        return True
    is_one_line = facts.format in FORMATS or facts.is_secret or facts.examples
    return not is_one_line and (facts.max_length is None or facts.max_length > LONG_TEXT)


def rows_for(text: str, least: int = 3) -> int:
    """The number of lines of a textarea."""
    return min(max(text.count("\n") + 1, least), MAX_ROWS)


def number_node(context: NodeContext, text: str) -> Node:
    """A number, as typed."""
    suggestions = tuple(
        literal(example)
        for example in context.facts.examples
        if not isinstance(example, str | dict | list)
    )
    return NumberNode(
        context.head(), context.control("n"), text, context.facts.is_integer, suggestions
    )


def boolean_node(context: NodeContext, text: str) -> Node:
    """True or false; `text` is "true", "false" or ""."""
    options = [Option("true", "true", text == "true"), Option("false", "false", text == "false")]
    if not text or not context.must_exist:
        options.append(Option("", NOT_SET, not text))
    return BooleanNode(context.head(), context.control("b"), tuple(options))


def null_node(context: NodeContext) -> Node:
    """Null, as one of several types."""
    return NullNode(context.head(is_container=True), Hidden(context.control("j"), "null"))


def choice_node(context: NodeContext, choices: tuple[Choice, ...], value: Maybe = ABSENT) -> Node:
    """One of `choices`; any other value stays, marked as not allowed."""
    context.room.options -= len(choices)
    options = []
    is_listed = False
    key = None if isinstance(value, Absent) else canonical(value)
    for choice in choices:
        is_selected = key is not None and not is_listed and choice.key == key
        is_listed = is_listed or is_selected
        text = (
            literal(value)
            if is_selected and not isinstance(value, Absent)
            else literal(choice.value)
        )
        options.append(Option(text, choice.label, is_selected, True, choice.description))
    if isinstance(value, Absent) or not context.must_exist:
        options.insert(
            0,
            Option(
                "", NOT_SET if not context.position.is_row else "choose…", isinstance(value, Absent)
            ),
        )
    if not isinstance(value, Absent) and not is_listed:
        options.append(Option(literal(value), f"{label_of(value)} (not allowed)", True, False))
    if context.shows_all:  # a custom value may spell a number differently than the list does
        custom = (Option("free", "custom value"),)
        return ChoiceNode(
            context.head(has_types=False, views=custom), context.control("j"), tuple(options)
        )
    head = context.head(has_types=False)
    if context.kinds <= {kind_of(choice.value) for choice in choices}:
        head = replace(head, kinds=None)
    is_fixed = is_listed and len(options) == 1
    return ChoiceNode(
        head, context.control("j"), tuple(options), options[0].value if is_fixed else ""
    )


def secret_node(context: NodeContext, token: str) -> Node:
    """A secret, which is not shown."""
    status = "•••••• saved" if token.startswith("stored:") else "•••••• entered"
    if not token:
        status = "No longer available. Enter it again or remove it."
    hidden = Hidden(context.control("c"), token)
    return SecretNode(context.head(), hidden, context.control("p"), context.control("d"), status)
