"""Text for the files of a project: templates, and a spec's words as literals, Markdown and single lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

MAX_SUMMARY: Final = 200  # characters

_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}

_INVISIBLE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+"
)


def filled(template: str, values: Mapping[str, str]) -> str:
    """`template` with its placeholders, <<NAME>>, replaced. Values are not searched for placeholders."""
    start, *parts = template.split("<<")
    pieces = [start]
    for part in parts:
        name, _, rest = part.partition(">>")
        pieces += [values[name], rest]
    return "".join(pieces)


def one_line(text: str) -> str:
    """`text` as one line without invisible characters, at most `MAX_SUMMARY` characters."""
    line = " ".join(_INVISIBLE.sub(" ", text).split())
    return line if len(line) <= MAX_SUMMARY else f"{line[: MAX_SUMMARY - 1]}…"


def quoted_block(text: str) -> str:
    """`text` as a code block of Markdown, so that nothing in it is markup."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(f"    {_INVISIBLE.sub(' ', line)}".rstrip() for line in lines)


def literal(text: str) -> str:
    """`text` as a literal of Python and TOML, in double quotes: what cannot be seen is escaped."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
