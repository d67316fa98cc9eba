"""Read docstrings in Google's style: the description, and the texts of the sections `Args` and `Returns`.

Source: Google Python Style Guide, section 3.8.3.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

_SECTION: Final = re.compile(
    r"^(Args|Arguments|Parameters|Returns|Return|Yields|Yield|Raises|Examples?|Notes?|Attributes|See Also|Warnings?|"
    r"Todo|References):\s*$"
)
_ARGUMENT: Final = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_ARGUMENTS: Final = {"Args", "Arguments", "Parameters"}
_RETURNS: Final = {"Returns", "Return", "Yields", "Yield"}


@dataclass(frozen=True)
class Docstring:
    """The parts of a docstring.

    Attributes:
        description: the text before the first section; its paragraphs are one line each, with an empty one between.
        arguments: the text about each argument, on one line.
        returns: the text about the return value, on one line; "" if there is none.
    """

    description: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    returns: str = ""


def read_docstring(text: str | None) -> Docstring:
    """The parts of `text`, a docstring as Python has it; of None, an empty one."""
    description: list[str] = []
    arguments: dict[str, str] = {}
    returns: list[str] = []
    for title, lines in _sections(inspect.cleandoc(text or "").splitlines()):
        if not title:
            description = lines
        elif title in _ARGUMENTS:
            arguments |= dict(_arguments(lines))
        elif title in _RETURNS and not returns:
            returns = lines
    paragraphs = "\n".join(description).strip().split("\n\n")
    return Docstring(
        "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs).strip(),
        arguments,
        " ".join(" ".join(returns).split()),
    )


def _sections(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The lines of each section with its title, "" for those before the first one."""
    title, section = "", list[str]()
    for line in lines:
        if found := _SECTION.match(line):
            yield title, section
            title, section = found[1], []
        else:
            section.append(line)
    yield title, section


def _arguments(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each argument with its text, whose further lines are indented more than its name."""
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    name, text = "", list[str]()
    for line in lines:
        found = _ARGUMENT.match(line[margin:])
        if found:
            if name:
                yield name, " ".join(text)
            name, text = found[1], [found[2]] if found[2] else []
        elif line.strip():
            text.append(line.strip())
    if name:
        yield name, " ".join(text)
