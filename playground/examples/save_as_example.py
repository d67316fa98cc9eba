"""Save a run as an example of its tool: a new text of the spec, in which only that example is added.

Nothing here imports Django. Every other byte of the text stays as it was uploaded.
"""

from __future__ import annotations

import json
import re

from catalog.jsontext.reader import JSON, dumps, locate, parse

_SPACE = " \t\r\n"


class CannotSaveExample(ValueError):
    """The run cannot become an example; the message says why."""


def with_example(source: str, *, description: str, parameters: JSON, return_value: JSON) -> str:
    """The spec's text with one more example at the end of `definition.examples`.

    Raises:
        CannotSaveExample: one of the values is not an object, which the format requires.
    """
    for name, value in (("parameters", parameters), ("response", return_value)):
        if not isinstance(value, dict):
            raise CannotSaveExample(f"An example's values are objects, by the format; the {name} of this run is none.")
    example: dict[str, JSON] = {"description": description} if description else {}
    example |= {"parameters": parameters, "returnValue": return_value}
    document = parse(source)
    definition = document.get("definition") if isinstance(document, dict) else None
    if not isinstance(definition, dict):
        raise CannotSaveExample("The spec has no definition.")
    if "examples" in definition:
        start, end = _span(source, "/definition/examples")
        return _extended(source, start, end, example, "", first=not definition["examples"])
    start, end = _span(source, "/definition")
    return _extended(source, start, end, [example], '"examples": ', first=not definition)


def _extended(source: str, start: int, end: int, value: JSON, name: str, *, first: bool) -> str:
    """`source` with `value` appended to the array or object between `start` and `end`."""
    inside_end = end - 1
    while source[inside_end - 1] in _SPACE:
        inside_end -= 1
    before, after = source[:inside_end], source[inside_end:]
    unit = _unit(source)
    if unit is None:
        return f"{before}{'' if first else ', '}{name}{dumps(value)}{after}"
    outer = _margin(source, start)
    margin = f"\n{outer}{unit}"
    laid_out = re.sub("(?m)^ +", lambda spaces: unit * len(spaces[0]), dumps(value, indent=1))
    closing = after if after[0] in _SPACE else f"\n{outer}{after}"
    return f"{before}{'' if first else ','}{margin}{name}{laid_out.replace(chr(10), margin)}{closing}"


def _span(source: str, pointer: str) -> tuple[int, int]:
    """The start and end offset of the value at `pointer` in `source`."""
    line, column = locate(source, [pointer])[pointer]
    line_starts = [0, *(end.end() for end in re.finditer("\r\n|\r|\n", source))]
    start = line_starts[line - 1] + column - 1
    _, end = json.JSONDecoder().raw_decode(source, start)
    return start, end


def _margin(source: str, at: int) -> str:
    """The indentation of the line that contains `at`."""
    line = source[source.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(_SPACE))]


def _unit(source: str) -> str | None:
    """One level of the text's indentation; None if it is not indented."""
    found = re.search(r"\n([ \t]+)\S", source)
    return found[1] if found else None
