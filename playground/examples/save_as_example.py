"""Save a run as an example of its tool: a new text of the spec, in which only that example is added.

Every other byte of the text stays as it was uploaded.
"""

from __future__ import annotations

import re

from catalog.jsontext.positions import Span, find_spans
from catalog.jsontext.reader import JSON, dumps, parse
from catalog.jsontext.text_patch import indent_unit, margin_at

_SPACE = " \t\r\n"


class CannotSaveExample(ValueError):
    """The run cannot become an example; the message says why."""


def with_example(source: str, *, description: str, parameters: JSON, return_value: JSON) -> str:
    """The spec's text with one more example at the end of `definition.examples`.

    Raises:
        CannotSaveExample: one of the values is not an object, as the format requires, or the spec has no definition.
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
    definition_span = find_spans(source, ["/definition/examples"]).at("/definition")
    if "examples" in definition:
        return _extended(source, definition_span.at("/examples"), example, "", first=not definition["examples"])
    return _extended(source, definition_span, [example], '"examples": ', first=not definition)


def _extended(source: str, span: Span, value: JSON, name: str, *, first: bool) -> str:
    """`source` with `value` as the last entry of the array or object at `span`."""
    inside_end = span.end - 1
    while source[inside_end - 1] in _SPACE:
        inside_end -= 1
    before, after = source[:inside_end], source[inside_end:]
    unit = indent_unit(source)
    if unit is None:
        return f"{before}{'' if first else ', '}{name}{dumps(value)}{after}"
    outer = margin_at(source, span.start)
    margin = f"\n{outer}{unit}"
    laid_out = re.sub("(?m)^ +", lambda spaces: unit * len(spaces[0]), dumps(value, indent=1))
    closing = after if after[0] in _SPACE else f"\n{outer}{after}"
    return f"{before}{'' if first else ','}{margin}{name}{laid_out.replace(chr(10), margin)}{closing}"
