"""Nodes of single values: texts, numbers, true and false, null, and values picked from a list."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from catalog.json_schema.describe import FORMATS
from playground.schema_form.choices import Choice, canonical, label_of
from playground.schema_form.files import size_of, takes_files
from playground.schema_form.node_context import NOT_SET, NodeContext
from playground.schema_form.nodes import (
    BooleanNode,
    ChoiceNode,
    FileNode,
    Hidden,
    Node,
    NullNode,
    NumberNode,
    Option,
    SecretNode,
    TextNode,
)
from playground.schema_form.values import ABSENT, Absent, Maybe, kind_of, literal

LONG_TEXT: Final = 100
MAX_ROWS: Final = 16

_PICKERS: Final = {"date": "date", "time": "time", "date-time": "datetime-local"}
_MODES: Final = {"email": "email", "idn-email": "email", "uri": "url", "uri-reference": "url", "iri": "url"}


def text_node(here: NodeContext, text: str, *, is_literal: bool = False) -> Node:
    """A text; where it stands for bytes, with a file to choose."""
    facts = here.facts
    tag = "q" if is_literal else "t"
    send_empty = "" if is_literal else here.control("x")
    is_sent_empty = bool(send_empty) and not here.is_empty and not text
    if not is_literal and takes_files(facts.encoding):
        return FileNode(
            here.head(),
            here.control(tag),
            text,
            here.control("f"),
            Hidden(here.control("g"), facts.encoding),
            facts.media,
            size_of(text, facts.encoding),
            send_empty,
            is_sent_empty,
        )
    return TextNode(
        here.head(),
        here.control(tag),
        text,
        is_long=not is_literal and _may_have_lines(here, text),
        is_literal=is_literal,
        is_masked=facts.is_secret,
        mode=_MODES.get(facts.format, ""),
        picker=_PICKERS.get(facts.format, ""),
        send_empty=send_empty,
        is_sent_empty=is_sent_empty,
        suggestions=tuple(example for example in facts.examples if isinstance(example, str) and "\n" not in example),
        rows=rows_for(text, 3 if facts.media or (facts.max_length or 0) > 10 * LONG_TEXT else 1),
    )


def _may_have_lines(here: NodeContext, text: str) -> bool:
    """Whether a string may have several lines. One that has a single line gets a control that Enter submits."""
    facts = here.facts
    if "\n" in text or len(text) > LONG_TEXT:
        return True
    is_one_line = facts.format in FORMATS or facts.is_secret or facts.examples
    return not is_one_line and (facts.max_length is None or facts.max_length > LONG_TEXT)


def rows_for(text: str, least: int = 3) -> int:
    """How many lines a text's box shows."""
    return min(max(text.count("\n") + 1, least), MAX_ROWS)


def number_node(here: NodeContext, text: str) -> Node:
    """A number, as it was typed."""
    suggestions = tuple(
        literal(example) for example in here.facts.examples if not isinstance(example, str | dict | list)
    )
    return NumberNode(here.head(), here.control("n"), text, here.facts.is_integer, suggestions)


def boolean_node(here: NodeContext, text: str) -> Node:
    """True or false; `text` is "true", "false" or ""."""
    options = [Option("true", "true", text == "true"), Option("false", "false", text == "false")]
    if not text or not here.must_exist:
        options.append(Option("", NOT_SET, not text))
    return BooleanNode(here.head(), here.control("b"), tuple(options))


def null_node(here: NodeContext) -> Node:
    """Null, where it is one of several kinds."""
    return NullNode(here.head(is_container=True), Hidden(here.control("j"), "null"))


def choice_node(here: NodeContext, choices: tuple[Choice, ...], value: Maybe = ABSENT) -> Node:
    """One of `choices`; a value that is none of them stays, and is marked."""
    here.room.options -= len(choices)
    options = []
    is_listed = False
    key = None if isinstance(value, Absent) else canonical(value)
    for choice in choices:
        is_selected = key is not None and not is_listed and choice.key == key
        is_listed = is_listed or is_selected
        text = literal(value) if is_selected and not isinstance(value, Absent) else literal(choice.value)
        options.append(Option(text, choice.label, is_selected, True, choice.description))
    if isinstance(value, Absent) or not here.must_exist:
        options.insert(0, Option("", NOT_SET if not here.spot.is_row else "choose…", isinstance(value, Absent)))
    if not isinstance(value, Absent) and not is_listed:
        options.append(Option(literal(value), f"{label_of(value)} (not allowed)", True, False))
    if here.shows_all:  # a number may be spelled in another way than in the list
        by_hand = (Option("free", "written by hand"),)
        return ChoiceNode(here.head(has_types=False, views=by_hand), here.control("j"), tuple(options))
    head = here.head(has_types=False)
    if here.kinds <= {kind_of(choice.value) for choice in choices}:
        head = replace(head, kinds=None)
    is_fixed = is_listed and len(options) == 1
    return ChoiceNode(head, here.control("j"), tuple(options), options[0].value if is_fixed else "")


def secret_node(here: NodeContext, token: str) -> Node:
    """A secret that is not shown."""
    status = "Set, and not shown." if token.startswith("stored:") else "Typed, and not shown again."
    if not token:
        status = "No longer known: type it again, or remove it."
    hidden = Hidden(here.control("c"), token)
    return SecretNode(here.head(), hidden, here.control("p"), here.control("d"), status)
