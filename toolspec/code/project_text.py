"""Text for the files of a project: templates, and words of a spec as literals and Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Final

MAX_SUMMARY: Final = 200  # characters

_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}

_PLACEHOLDER: Final = re.compile("<<([A-Z_]+)>>")
_INVISIBLE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+"
)


def fill_template(path: str, values: Mapping[str, str]) -> str:
    """The template at `path` in this folder with `values` for its placeholders, <<NAME>>.

    Values are not searched for placeholders.
    """
    template = files("toolspec.code").joinpath(f"{path}.txt").read_text("utf-8")
    return _PLACEHOLDER.sub(lambda match: values[match[1]], template)


def one_line(text: str) -> str:
    """`text` as one line without invisible characters, at most `MAX_SUMMARY` characters."""
    line = " ".join(_INVISIBLE.sub(" ", text).split())
    if len(line) > MAX_SUMMARY:
        return f"{line[: MAX_SUMMARY - 1]}…"
    return line


def quoted_block(text: str) -> str:
    """`text` as a code block of Markdown, so that nothing in it is markup."""
    lines = []
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        visible = _INVISIBLE.sub(" ", line)
        lines.append(f"    {visible}".rstrip())
    return "\n".join(lines)


def literal(text: str) -> str:
    """`text` as a literal of Python and TOML, in double quotes: what cannot be seen is escaped."""
    escaped = "".join(map(_escape_character, text))
    return f'"{escaped}"'


def _escape_character(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"
