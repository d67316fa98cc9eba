"""Read docstrings: the description, and the texts about the arguments and the return value.

Sources: Google Python Style Guide, section 3.8.3; numpydoc, "Docstring Standard"; Sphinx, "Info
field lists".
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

_TITLES: Final = (
    "Args|Arguments|Parameters|Keyword Args|Keyword Arguments|Other Parameters|Returns|Return|Yields|Yield|Receives|"
    "Raises|Warns|Examples?|Notes?|Attributes|Methods|See Also|Warnings?|Todo|References"
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

_GOOGLE_ARGUMENT: Final = re.compile(r"^\*{0,2}(\w+)\s*(?:\((?:[^()]|\([^()]*\))*\))?\s*:\s*(.*)$")
_GOOGLE_TYPE: Final = re.compile(r"^[A-Za-z_][\w.]*(?:\[[^:]*\])?(?: \| [\w.]+(?:\[[^:]*\])?)*:\s+")
_NUMPY_ARGUMENTS: Final = re.compile(r"^(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?$")
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
    """The parts of `text`, a docstring as Python has it; of None, an empty one."""
    found = Docstring()
    for title, is_numpy, lines in _sections(inspect.cleandoc(text or "").splitlines()):
        if not title:
            found.description = _paragraphs(_read_fields(lines, found))
        elif title in _ARGUMENTS:
            found.arguments |= dict(
                _numpy_arguments(lines) if is_numpy else _google_arguments(lines)
            )
        elif title in _RETURNS and not found.returns:
            found.returns = (
                _numpy_return(lines) if is_numpy else _GOOGLE_TYPE.sub("", _one_line(lines))
            )
    return found


def _sections(lines: list[str]) -> Iterator[tuple[str, bool, list[str]]]:
    """The title of each section, whether it is underlined, and its lines; "" is that of the lines before the first."""
    title, is_numpy, section = "", False, list[str]()
    rest = pairwise([*lines, ""])
    for line, following in rest:
        underlined = _NUMPY_SECTION.match(f"{line}\n{following}")
        found = underlined or _GOOGLE_SECTION.match(line)
        if found is None:
            section.append(line)
            continue
        yield title, is_numpy, section
        title, is_numpy, section = found[1], underlined is not None, []
        if underlined:
            next(rest)
    yield title, is_numpy, section


def _google_arguments(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each argument with its text, whose further lines are indented more than its name."""
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    name, text = "", list[str]()
    for line in lines:
        found = _GOOGLE_ARGUMENT.match(line[margin:])
        if found:
            if name:
                yield name, _one_line(text)
            name, text = found[1], [found[2]]
        else:
            text.append(line)
    if name:
        yield name, _one_line(text)


def _numpy_arguments(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each argument with its text, which is indented below its name; one text may be about several."""
    names, text = list[str](), list[str]()
    for line in lines:
        found = _NUMPY_ARGUMENTS.match(line)
        if found is None:
            text.append(line)
            continue
        yield from ((name, _one_line(text)) for name in names)
        names, text = [name.strip(" *") for name in found[1].split(",")], []
    yield from ((name, _one_line(text)) for name in names)


def _numpy_return(lines: list[str]) -> str:
    """The indented text below the type; all of the text if none is indented."""
    return _one_line([line for line in lines if line.startswith(" ")]) or _one_line(lines)


def _read_fields(lines: list[str], found: Docstring) -> list[str]:
    """Put the fields of Sphinx into `found`; the other lines."""
    others, kind, name, text = list[str](), "", "", list[str]()
    for line in [*lines, ""]:
        if kind and (line.startswith(" ") or not line.strip()):
            text.append(line)
            continue
        _put_field(kind, name, _one_line(text), found)
        begun = _SPHINX_FIELD.match(line)
        kind = ""
        if begun:
            kind, name, text = begun[1], begun[2] or "", [begun[3] or ""]
        else:
            others.append(line)
    _put_field(kind, name, _one_line(text), found)
    return others


def _put_field(kind: str, name: str, text: str, found: Docstring) -> None:
    if kind in _SPHINX_ARGUMENTS and name:
        found.arguments[name.rsplit(maxsplit=1)[-1].lstrip("*\\")] = (
            text  # "str name" has a type, too
        )
    elif kind in _SPHINX_RETURNS:
        found.returns = found.returns or text


def _paragraphs(lines: list[str]) -> str:
    paragraphs = "\n".join(lines).strip().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs).strip()


def _one_line(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())
