"""Edits that fix frequent mistakes in the text of a spec with one click."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from os.path import commonprefix
from typing import Final

from toolspec.errors import Problem
from toolspec.member_names import RULE as MISSPELT
from toolspec.schema.dialects import TYPE_NAMES
from toolspec.schema.metaschema_errors import find_closest_type
from toolspec.text.pointers import split_last
from toolspec.text.positions import Lines

MAX_CHARS: Final = 100_000  # of a text: every problem of it searches it again
MAX_REWRITTEN_CHARS: Final = 20_000  # of a text whose quotes are all replaced

_STRING: Final = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# strings in double and in single quotes; an unclosed one takes the rest of its line, so that it is
# read only once
_QUOTED: Final = re.compile(r"(\"(?:[^\"\\\n]|\\.)*+\")|'((?:[^'\\\n]|\\.)*+)'|(['\"].*)")
_WORD: Final = re.compile(r"[A-Za-z_][\w.-]*")
_CONSTANTS: Final = {
    "true": "true",
    "false": "false",
    "null": "null",
    "none": "null",
    "undefined": "null",
}
_MEANT: Final = re.compile(r"did you mean `([^`]+)`")


@dataclass(frozen=True, slots=True)
class QuickFix:
    """Replace `old`, which begins at `line` and `column` (from 1, in characters), with `new`."""

    label: str
    line: int
    column: int
    old: str
    new: str


def quick_fix(text: str, problem: Problem) -> QuickFix | None:
    """The edit of `text` that probably fixes `problem`; None if no edit is likely to be right."""
    if len(text) > MAX_CHARS:
        return None
    if problem.rule == MISSPELT:
        return _rename_member(text, problem)
    if problem.line is None or problem.column is None:
        return None
    lines = text.split("\n")
    if problem.line > len(lines):
        return None
    rest = lines[problem.line - 1][problem.column - 1 :]
    edit = None
    if problem.rule == "json.syntax":
        edit = _fix_syntax(rest, problem.message)
        if edit is None and rest.startswith("'"):
            return _use_double_quotes(text)
    elif problem.keyword == "type":
        edit = _fix_type(rest)
    if edit is None:
        return None
    label, old, new = edit
    return QuickFix(label, problem.line, problem.column, old, new)


def edit_to(label: str, text: str, changed: str) -> QuickFix:
    """The edit of `text` into `changed`: from the first character that differs to the last."""
    start = len(commonprefix([text, changed]))  # noqa: RUF071 - of characters
    rest, changed_rest = text[start:], changed[start:]
    same = len(commonprefix([rest[::-1], changed_rest[::-1]]))  # noqa: RUF071 - of characters
    line, column = Lines(text).position(start)
    old, new = rest[: len(rest) - same], changed_rest[: len(changed_rest) - same]
    return QuickFix(label, line, column, old, new)


Edit = tuple[str, str, str]  # label, old, new


def _fix_syntax(rest: str, message: str) -> Edit | None:
    """The edit of `rest`, the rest of the line, that probably fixes an error of syntax."""
    if rest.startswith(",") and message.startswith("Nothing follows this comma"):
        return "Remove the comma", ",", ""
    is_value_next = rest.lstrip()[:1] in {"", '"', "{", "["}
    if is_value_next and message.startswith("A comma or"):
        return "Insert a comma", "", ","
    return _fix_word(rest, message)


def _fix_word(rest: str, message: str) -> Edit | None:
    """Python's constants in lowercase, other words in quotes."""
    match = _WORD.match(rest)
    if match is None:
        return None
    word = match[0]
    constant = _CONSTANTS.get(word.lower())
    if constant is None and "double quotes" not in message:
        return None
    new = constant or json.dumps(word)
    return f"Write {new}", word, new


def _fix_type(rest: str) -> Edit | None:
    match = _STRING.match(rest)
    if match is None or match[1] in TYPE_NAMES:
        return None
    meant = find_closest_type(match[1])
    return (f"Change to “{meant}”", match[0], f'"{meant}"') if meant else None


def _use_double_quotes(text: str) -> QuickFix | None:
    """Double quotes for all strings in single quotes."""
    if len(text) > MAX_REWRITTEN_CHARS:
        return None

    def double(match: re.Match[str]) -> str:
        if match[2] is None:
            return match[0]
        content = match[2].replace("\\'", "'")
        content = re.sub(r'(?<!\\)"', r"\"", content)
        return f'"{content}"'

    return QuickFix("Use double quotes", 1, 1, text, _QUOTED.sub(double, text))


def _rename_member(text: str, problem: Problem) -> QuickFix | None:
    """The right name for a misspelt member, if the wrong one occurs once."""
    meant = _MEANT.search(problem.message)
    _, name = split_last(problem.pointer)
    key = re.escape(json.dumps(name, ensure_ascii=False))
    matches = list(re.finditer(rf"{key}(?=\s*:)", text))
    if meant is None or len(matches) != 1:
        return None
    line, column = Lines(text).position(matches[0].start())
    return QuickFix(f"Rename to {meant[1]}", line, column, matches[0][0], json.dumps(meant[1]))
