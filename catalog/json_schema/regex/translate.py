"""A regular expression of ECMA-262 as the `regex` module writes it (VERSION0)."""

from __future__ import annotations

from typing import Final

from catalog.json_schema.regex.characters import CharacterSet, Range, SetEscape
from catalog.json_schema.regex.syntax import (
    Assertion,
    Character,
    Disjunction,
    Dot,
    Group,
    Node,
    Reference,
    Repetition,
    parse,
)

_LINE_END: Final = r"\n\r\u2028\u2029"
_AT_WORD: Final = "[A-Za-z0-9_]"
_ANY: Final = "(?s:.)"
_NOTHING: Final = "(?!)"
_ASSERTIONS: Final = {
    Assertion("^"): r"\A",
    Assertion("$"): r"\Z",
    Assertion("^", multiline=True): f"(?<![^{_LINE_END}])",
    Assertion("$", multiline=True): f"(?![^{_LINE_END}])",
    Assertion("b"): f"(?:(?<={_AT_WORD})(?!{_AT_WORD})|(?<!{_AT_WORD})(?={_AT_WORD}))",
    Assertion("B"): f"(?:(?<={_AT_WORD})(?={_AT_WORD})|(?<!{_AT_WORD})(?!{_AT_WORD}))",
}
_OPENINGS: Final = {"capture": "(", "plain": "(?:", "modifiers": "(?:"}
_QUANTIFIERS: Final = {(0, None): "*", (1, None): "+", (0, 1): "?"}
_MAX_BOUND: Final = 2**31  # of the engine


def translate(source: str) -> str:
    """`source` as a pattern of `regex`.

    Raises:
        PatternSyntaxError: the syntax is wrong, or the pattern exceeds a limit.
    """
    return _disjunction(parse(source))


def _disjunction(content: Disjunction) -> str:
    return "|".join("".join(map(_node, nodes)) for nodes in content.alternatives)


def _node(node: Node) -> str:
    match node:
        case Character(code):
            return character(code)
        case CharacterSet():
            return character_set(node)
        case Dot(dot_all):
            return _ANY if dot_all else f"[^{_LINE_END}]"
        case Assertion():
            return _ASSERTIONS[node]
        case Reference(number, closed):
            # In `regex`, a reference to a group that took no part never matches; in ECMA-262 it matches "".
            return f"(?({number})\\{number}|)" if closed else "(?:)"
        case Group():
            return f"{_opening(node)}{_disjunction(node.content)})"
        case Repetition(inner, low, high, lazy):
            return f"{_node(inner)}{_quantifier(low, high)}{'?' if lazy else ''}"


def _opening(group: Group) -> str:
    if group.ignore_case is not None:
        return "(?i:" if group.ignore_case else "(?-i:"
    return _OPENINGS.get(group.kind) or f"(?{group.kind}"


def _quantifier(low: int, high: int | None) -> str:
    upper = "" if high is None or high > _MAX_BOUND else str(high)
    return _QUANTIFIERS.get((low, high)) or f"{{{low},{upper}}}"


def character(code: int) -> str:
    """A code point, escaped so that it can be used inside and outside a class."""
    sign = chr(code)
    return sign if sign.isascii() and sign.isalnum() else f"\\U{code:08x}"


def character_set(one: CharacterSet) -> str:
    if not one.items:
        return _ANY if one.negated else _NOTHING
    return f"[{'^' if one.negated else ''}{''.join(map(_item, one.items))}]"


def _item(item: Range | SetEscape) -> str:
    if not isinstance(item, SetEscape):
        return _range(item)
    return f"\\{item.name}" if item.ranges is None else "".join(map(_range, item.ranges))


def _range(bounds: Range) -> str:
    low, high = bounds
    return character(low) if low == high else f"{character(low)}-{character(high)}"
