"""Edits that fix frequent mistakes in the text of a spec with one click."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from os.path import commonprefix
from typing import Final

from toolspec.errors import Problem
from toolspec.member_names import RULE as MISSPELT
from toolspec.schema.dialects import TYPE_NAMES
from toolspec.schema.metaschema_errors import closest_type
from toolspec.text.pointers import split_last
from toolspec.text.positions import Lines

MAX_CHARS: Final = 100_000  # of a text: every problem of it searches it again
MAX_REWRITTEN_CHARS: Final = 20_000  # of a text whose quotes are all replaced

_STRING: Final = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# strings in double and in single quotes; an unclosed one takes the rest of its line, so that it is read only once
_QUOTED: Final = re.compile(r"(\"(?:[^\"\\\n]|\\.)*+\")|'((?:[^'\\\n]|\\.)*+)'|(['\"].*)")
_WORD: Final = re.compile(r"[A-Za-z_][\w.-]*")
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
        return _renamed(text, problem)
    if problem.line is None or problem.column is None:
        return None
    lines = text.split("\n")
    if problem.line > len(lines):
        return None
    rest = lines[problem.line - 1][problem.column - 1 :]
    finders = (
        _SYNTAX
        if problem.rule == "json.syntax"
        else (_known_type,)
        if problem.keyword == "type"
        else ()
    )
    for find in finders:
        found = find(rest, problem)
        if found:
            label, old, new = found
            return QuickFix(label, problem.line, problem.column, old, new)
    is_quote = problem.rule == "json.syntax" and rest.startswith("'")
    return _requoted(text) if is_quote else None


def edit_to(label: str, text: str, changed: str) -> QuickFix:
    """The one edit that turns `text` into `changed`: from the first character that differs to the last."""
    start = len(commonprefix([text, changed]))  # noqa: RUF071 - of characters
    rest, changed_rest = text[start:], changed[start:]
    same = len(commonprefix([rest[::-1], changed_rest[::-1]]))  # noqa: RUF071 - of characters
    line, column = Lines(text).position(start)
    return QuickFix(
        label, line, column, rest[: len(rest) - same], changed_rest[: len(changed_rest) - same]
    )


Edit = tuple[str, str, str]  # label, old, new


def _no_comma(rest: str, problem: Problem) -> Edit | None:
    is_trailing = rest.startswith(",") and problem.message.startswith("Nothing follows this comma")
    return ("Remove the comma", ",", "") if is_trailing else None


def _comma(rest: str, problem: Problem) -> Edit | None:
    is_missing = problem.message.startswith("A comma or") and rest.lstrip()[:1] in {
        "",
        '"',
        "{",
        "[",
    }
    return ("Insert a comma", "", ",") if is_missing else None


def _word(rest: str, problem: Problem) -> Edit | None:
    """Python's constants in lowercase, other words in quotes."""
    found = _WORD.match(rest)
    if found is None:
        return None
    word = found[0]
    constant = {
        "true": "true",
        "false": "false",
        "null": "null",
        "none": "null",
        "undefined": "null",
    }.get(word.lower())
    if constant is None and "double quotes" not in problem.message:
        return None
    new = constant or json.dumps(word)
    return f"Write {new}", word, new


def _known_type(rest: str, problem: Problem) -> Edit | None:  # noqa: ARG001 - as the others
    found = _STRING.match(rest)
    meant = closest_type(found[1]) if found and found[1] not in TYPE_NAMES else None
    return (f"Change to “{meant}”", found[0], f'"{meant}"') if found and meant else None


_SYNTAX: Final[tuple[Callable[[str, Problem], Edit | None], ...]] = (_no_comma, _comma, _word)


def _requoted(text: str) -> QuickFix | None:
    """Double quotes for all strings in single quotes."""
    if len(text) > MAX_REWRITTEN_CHARS:
        return None

    def double(found: re.Match[str]) -> str:
        if found[2] is None:
            return found[0]
        content = found[2].replace("\\'", "'")
        return '"' + re.sub(r'(?<!\\)"', r"\"", content) + '"'

    return QuickFix("Use double quotes", 1, 1, text, _QUOTED.sub(double, text))


def _renamed(text: str, problem: Problem) -> QuickFix | None:
    """The right name for a misspelt member, if the wrong one occurs once."""
    meant = _MEANT.search(problem.message)
    _, name = split_last(problem.pointer)
    found = list(re.finditer(re.escape(json.dumps(name, ensure_ascii=False)) + r"(?=\s*:)", text))
    if meant is None or len(found) != 1:
        return None
    start = found[0].start()
    line, column = Lines(text).position(start)
    return QuickFix(f"Rename to {meant[1]}", line, column, found[0][0], json.dumps(meant[1]))
