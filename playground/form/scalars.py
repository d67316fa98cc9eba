"""Nodes of single values: strings, numbers, booleans, null, and values chosen from a list."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from playground.form.choices import Choice, label_of
from playground.form.controls import Hidden, Option
from playground.form.files import file_encoding, measure_bytes
from playground.form.node_context import NOT_SET, NodeContext
from playground.form.nodes import (
    BooleanNode,
    ChoiceNode,
    FileNode,
    Node,
    NullNode,
    NumberNode,
    SecretNode,
    TextNode,
)
from playground.form.values import ABSENT, Absent, Maybe, kind_of, literal
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


def build_text(
    context: NodeContext,
    text: str,
    *,
    is_literal: bool = False,
) -> Node:
    """A string; with a file to choose if it encodes bytes."""
    facts = context.facts
    send_empty = "" if is_literal else context.control("x")
    is_sent_empty = bool(send_empty) and not context.is_empty and not text
    encoding = file_encoding(facts.encoding, facts.format, facts.media)
    if encoding and not is_literal:
        return FileNode(
            context.make_head(),
            context.control("t"),
            text,
            context.control("f"),
            Hidden(context.control("g"), encoding),
            facts.media,
            measure_bytes(text, encoding),
            send_empty,
            is_sent_empty,
        )
    texts = [example for example in facts.examples if isinstance(example, str)]
    is_long = facts.media or (facts.max_length or 0) > 10 * LONG_TEXT
    return TextNode(
        context.make_head(),
        context.control("q" if is_literal else "t"),
        text,
        is_long=not is_literal and _may_have_lines(context, text),
        is_literal=is_literal,
        is_masked=facts.is_secret,
        mode=_MODES.get(facts.format, ""),
        picker=_PICKERS.get(facts.format, ""),
        send_empty=send_empty,
        is_sent_empty=is_sent_empty,
        suggestions=tuple(example for example in texts if "\n" not in example),
        rows=count_rows(text, 3 if is_long else 1),
    )


def _may_have_lines(context: NodeContext, text: str) -> bool:
    """Whether a string may have several lines.

    A single line gets a control in which Enter submits the form.
    """
    facts = context.facts
    if "\n" in text or len(text) > LONG_TEXT:
        return True
    if facts.format in FORMATS or facts.is_secret or facts.examples:
        return False
    return facts.max_length is None or facts.max_length > LONG_TEXT


def count_rows(text: str, least: int = 3) -> int:
    """The number of lines of a textarea."""
    return min(max(text.count("\n") + 1, least), MAX_ROWS)


def build_number(context: NodeContext, text: str) -> Node:
    """A number, as typed."""
    examples = context.facts.examples
    numbers = [example for example in examples if not isinstance(example, str | dict | list)]
    suggestions = map(literal, numbers)
    is_whole = context.facts.is_integer
    return NumberNode(context.make_head(), context.control("n"), text, is_whole, tuple(suggestions))


def build_boolean(context: NodeContext, text: str) -> Node:
    """True or false; `text` is "true", "false" or ""."""
    options = [Option("true", "true", text == "true"), Option("false", "false", text == "false")]
    if not text or not context.must_exist:
        options.append(Option("", NOT_SET, not text))
    return BooleanNode(context.make_head(), context.control("b"), tuple(options))


def build_null(context: NodeContext) -> Node:
    """Null, as one of several types."""
    return NullNode(context.make_head(is_container=True), Hidden(context.control("j"), "null"))


def build_choice(
    context: NodeContext,
    choices: tuple[Choice, ...],
    value: Maybe = ABSENT,
) -> Node:
    """One of `choices`; any other value stays, marked as not allowed."""
    context.room.options -= len(choices)
    options = _make_options(choices, value)
    is_absent = isinstance(value, Absent)
    is_listed = any(option.is_selected for option in options)
    if is_absent or not context.must_exist:
        label = "choose…" if context.position.is_row else NOT_SET
        options.insert(0, Option("", label, is_absent))
    if not isinstance(value, Absent) and not is_listed:
        options.append(Option(literal(value), f"{label_of(value)} (not allowed)", True, False))
    control = context.control("j")
    if context.shows_all:  # a custom value may spell a number differently than the list does
        head = context.make_head(has_types=False, views=(Option("free", "custom value"),))
        return ChoiceNode(head, control, tuple(options))
    head = context.make_head(has_types=False)
    if context.kinds <= {kind_of(choice.value) for choice in choices}:
        head = replace(head, kinds=None)
    is_fixed = is_listed and len(options) == 1
    return ChoiceNode(head, control, tuple(options), options[0].value if is_fixed else "")


def _make_options(choices: tuple[Choice, ...], value: Maybe) -> list[Option]:
    """The options of `choices`; the first that equals `value` is selected, and spelled like it."""
    options = [
        Option(literal(choice.value), choice.label, False, True, choice.description)
        for choice in choices
    ]
    if isinstance(value, Absent):
        return options
    key = canonical(value)
    for index, choice in enumerate(choices):
        if choice.key == key:
            options[index] = replace(options[index], value=literal(value), is_selected=True)
            break
    return options


def build_secret(context: NodeContext, token: str) -> Node:
    """A secret, which is not shown."""
    if not token:
        status = "No longer available. Enter it again or remove it."
    elif token.startswith("stored:"):
        status = "•••••• saved"
    else:
        status = "•••••• entered"
    return SecretNode(
        context.make_head(),
        Hidden(context.control("c"), token),
        context.control("p"),
        context.control("d"),
        status,
    )
