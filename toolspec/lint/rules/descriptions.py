"""Descriptions of the tool, its parameters and settings; missing parts of the spec."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolspec.lint.context import (
    Part,
    SchemaRule,
    SpecRule,
    Subject,
    in_place,
    keywords_of,
    property_name,
)
from toolspec.lint.findings import Finding, Fix
from toolspec.lint.registry import make_finding
from toolspec.schema.index import Node
from toolspec.text.containers import children_of
from toolspec.text.patch import Operation
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

DESCRIPTION: Final = "/definition/description"
MAX_DESCRIPTION_CHARACTERS: Final = 1_024
MIN_DESCRIPTION_WORDS: Final = 3
_WORD: Final = re.compile(r"\w+")
_PLACEHOLDER: Final = re.compile(
    r"\W*(?:todo|tbd|fixme|n/?a|none|null|description|placeholder|test)\W*", re.IGNORECASE
)
# Invisible characters: zero-width, direction controls, tags, variation selectors other than those
# of emoji.
_HIDDEN: Final = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
    "\U000e0000-\U000e01ef]"
)
_CONSTRAINING: Final = frozenset(
    {"type", "enum", "const", "properties", "items", "not", "if", "required", "$ref", "$dynamicRef"}
)


def check_description(subject: Subject) -> Iterator[Finding]:
    text = subject.spec.description.strip()
    if not text:
        message = "The description is empty; describe what the tool does and when to use it."
        yield make_finding("description-empty", DESCRIPTION, message)
    elif _is_uninformative(text, subject.spec.name):
        message = f"“{text[:60]}” does not tell a model when to use the tool."
        yield make_finding("description-vague", DESCRIPTION, message)
    elif len(text) > MAX_DESCRIPTION_CHARACTERS:
        message = f"The description has {len(text):,} characters;"
        message += f" shorten it to {MAX_DESCRIPTION_CHARACTERS:,}."
        yield make_finding("description-long", DESCRIPTION, message)


def _is_uninformative(text: str, name: str) -> bool:
    words = _WORD.findall(text.casefold())
    in_name = set(_WORD.findall(re.sub(r"([a-z])([A-Z])|_|-", r"\1 \2", name).casefold()))
    if _PLACEHOLDER.fullmatch(text) or set(words) <= in_name:
        return True
    # other scripts may not separate words by spaces
    return len(words) < MIN_DESCRIPTION_WORDS and text.isascii()


def find_hidden_characters(subject: Subject) -> Iterator[Finding]:
    if _HIDDEN.search(subject.spec.source) is None and "\\u" not in subject.spec.source:
        return
    for pointer, text in texts_of(subject.spec.document):
        hidden = _HIDDEN.findall(text)
        if hidden:
            codes = dict.fromkeys(f"U+{ord(character):04X}" for character in hidden[:5])
            message = f"This text contains invisible characters: {', '.join(codes)}."
            visible = Operation("replace", pointer, _HIDDEN.sub("", text))
            fix = Fix("Remove them", (visible,), safe=True)
            yield make_finding("description-hidden", pointer, message, fix)


def texts_of(document: JSON) -> Iterator[tuple[str, str]]:
    """(pointer, text) of every description, title and name."""
    waiting = [(document, "")]
    while waiting:
        value, pointer = waiting.pop()
        for name, member in children_of(value):
            inner = pointer_join(pointer, name)
            if name in {"description", "title", "name"} and isinstance(member, str):
                yield inner, member
            elif isinstance(member, dict | list):
                waiting.append((member, inner))


def find_absent_parts(subject: Subject) -> Iterator[Finding]:
    spec = subject.spec
    if spec.parameters is None:
        nothing: JSON = {"type": "object", "properties": {}}
        addition = Operation("add", "/definition/parameters", nothing)
        fix = Fix("Declare that it takes no parameters", (addition,))
        message = "The spec has no `parameters`; describe them, or declare that there are none."
        yield make_finding("parameters-missing", "/definition", message, fix)
    if spec.return_type is None:
        message = "The spec has no `returnType`; describe what the tool returns."
        yield make_finding("return-type-missing", "/definition", message)
    if not spec.examples:
        message = "The spec has no `examples`; add a call and its result."
        yield make_finding("examples-missing", "/definition", message)


def check_member_description(part: Part, node: Node) -> Iterator[Finding]:
    """Parameters and settings without a description.

    The members of a result are clear from their names.
    """
    name = property_name(node)
    if name is None or part.name == "returnType" or _is_described(node):
        return
    if node.parent is not part.map.root:
        rule = "member-undescribed"
    elif part.name == "configuration":
        rule = "setting-undescribed"
    else:
        rule = "parameter-undescribed"
    message = f"`{name[:80]}` has no description; explain what it means."
    yield make_finding(rule, part.pointer_to(node), message)


def _is_described(node: Node) -> bool:
    if keywords_of(node).get("const") is not None:
        return True
    texts = (keywords_of(one).get("description") for one in in_place(node))
    return any(isinstance(text, str) and text.strip() for text in texts)


def check_member_type(part: Part, node: Node) -> Iterator[Finding]:
    """Parameters without any constraint on their value."""
    name = property_name(node)
    if name is None or part.name != "parameters":
        return
    keywords = frozenset[str]().union(*map(keywords_of, in_place(node)))
    if not keywords & _CONSTRAINING and node.schema is not False:
        if node.parent is part.map.root:
            message = f"`{name[:80]}` has no type; declare one."
            yield make_finding("parameter-untyped", part.pointer_to(node), message)
    elif keywords_of(node).get("type") == "object" and not keywords & _DESCRIPTIVE:
        message = f"`{name[:80]}` is an object without declared properties; declare them."
        yield make_finding("object-unspecified", part.pointer_to(node), message)


_DESCRIPTIVE: Final = frozenset({
    "properties", "additionalProperties", "patternProperties", "enum", "const",
    "unevaluatedProperties", "propertyNames", "$ref", "allOf", "anyOf", "oneOf",
})  # fmt: skip


OF_SPECS: Final[tuple[SpecRule, ...]] = (
    check_description,
    find_hidden_characters,
    find_absent_parts,
)
OF_SCHEMAS: Final[tuple[SchemaRule, ...]] = (check_member_description, check_member_type)
