"""Read docstrings: the description, and the texts about the arguments and the return value.

Sources: Google Python Style Guide, section 3.8.3; numpydoc, "Docstring Standard"; Sphinx, "Info
field lists".
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

_TITLES: Final = (
    "Args|Arguments|Parameters|Keyword Args|Keyword Arguments|Other Parameters|"
    "Returns|Return|Yields|Yield|Receives|Raises|Warns|Examples?|Notes?|Attributes|Methods|"
    "See Also|Warnings?|Todo|References"
)
_GOOGLE_SECTION: Final = re.compile(rf"^({_TITLES}):\s*$")
_NUMPY_SECTION: Final = re.compile(rf"^({_TITLES})\s*\n-{{3,}}\s*$")
_ARGUMENTS: Final = {
    "Args",
    "Arguments",
    "Parameters",
    "Keyword Args",
    "Keyword Arguments",
    "Other Parameters",
}
_RETURNS: Final = {"Returns", "Return", "Yields", "Yield"}

_GOOGLE_ARGUMENT: Final = re.compile(
    r"^(?P<names>\*{0,2}\w+)\s*(?:\((?:[^()]|\([^()]*\))*\))?\s*:\s*(?P<text>.*)$"
)
_GOOGLE_TYPE: Final = re.compile(r"^[A-Za-z_][\w.]*(?:\[[^:]*\])?(?: \| [\w.]+(?:\[[^:]*\])?)*:\s+")
_NUMPY_ARGUMENTS: Final = re.compile(
    r"^(?P<names>\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?(?P<text>)$"
)
_SPHINX_FIELD: Final = re.compile(r"^:(\w+)(?:\s+([^:]*?))?\s*:(?:\s+(.*))?$")
_SPHINX_ARGUMENTS: Final = {"param", "parameter", "arg", "argument", "key", "keyword"}
_SPHINX_RETURNS: Final = {"return", "returns", "yield", "yields"}


@dataclass
class Docstring:
    """The parts of a docstring.

    Attributes:
        description: the text before the first section; its paragraphs are one line each, with an
            empty one between.
        arguments: the text about each argument, on one line.
        returns: the text about the return value, on one line; "" if there is none.
    """

    description: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    returns: str = ""


def read_docstring(text: str | None) -> Docstring:
    """Read a docstring as Python stores it; None makes an empty one."""
    docstring = Docstring()
    for title, is_numpy, lines in _split_sections(inspect.cleandoc(text or "").splitlines()):
        if not title:
            docstring.description = _join_paragraphs(_read_fields(lines, docstring))
        elif title in _ARGUMENTS:
            pattern = _NUMPY_ARGUMENTS if is_numpy else _GOOGLE_ARGUMENT
            docstring.arguments |= _read_arguments(lines, pattern)
        elif title in _RETURNS and not docstring.returns:
            read_return = _read_numpy_return if is_numpy else _read_google_return
            docstring.returns = read_return(lines)
    return docstring


def _split_sections(lines: list[str]) -> Iterator[tuple[str, bool, list[str]]]:
    """Yield each section's title, whether the title is underlined, and the section's lines.

    The title of the lines before the first section is "".
    """
    title, is_numpy, section = "", False, list[str]()
    pairs = pairwise([*lines, ""])
    for line, next_line in pairs:
        numpy_title = _NUMPY_SECTION.match(f"{line}\n{next_line}")
        match = numpy_title or _GOOGLE_SECTION.match(line)
        if match is None:
            section.append(line)
            continue
        yield title, is_numpy, section
        title, is_numpy, section = match[1], numpy_title is not None, []
        if is_numpy:
            next(pairs)
    yield title, is_numpy, section


def _read_arguments(lines: list[str], pattern: re.Pattern[str]) -> dict[str, str]:
    """The text about each argument, whose further lines are indented more than its name.

    One text may be about several arguments.
    """
    texts: dict[str, list[str]] = {}
    text: list[str] = []
    for line in textwrap.dedent("\n".join(lines)).splitlines():
        match = pattern.match(line)
        if match is None:
            text.append(line)
            continue
        text = [match["text"]]
        for name in match["names"].split(","):
            texts[name.strip(" *")] = text
    return {name: _join_lines(text) for name, text in texts.items()}


def _read_google_return(lines: list[str]) -> str:
    return _GOOGLE_TYPE.sub("", _join_lines(lines))


def _read_numpy_return(lines: list[str]) -> str:
    """The indented text below the type; all of the text if none is indented."""
    return _join_lines([line for line in lines if line.startswith(" ")]) or _join_lines(lines)


def _read_fields(lines: list[str], docstring: Docstring) -> list[str]:
    """Add the fields of Sphinx to `docstring`, and return the other lines."""
    others: list[str] = []
    fields: list[tuple[str, str, list[str]]] = []
    text = others
    for line in lines:
        match = _SPHINX_FIELD.match(line)
        if match:
            kind, name, first_line = match.groups("")
            text = [first_line]
            fields.append((kind, name, text))
            continue
        if line.strip() and not line.startswith(" "):
            text = others
        text.append(line)
    for kind, name, text in fields:
        if kind in _SPHINX_ARGUMENTS and name:
            argument = name.rsplit(maxsplit=1)[-1]  # "str name" begins with the type
            docstring.arguments[argument.lstrip("*\\")] = _join_lines(text)
        elif kind in _SPHINX_RETURNS and not docstring.returns:
            docstring.returns = _join_lines(text)
    return others


def _join_paragraphs(lines: list[str]) -> str:
    paragraphs = "\n".join(lines).strip().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs).strip()


def _join_lines(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())
