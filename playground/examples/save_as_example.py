"""Save a run as an example of its tool: a new text of the spec, with one more example.

Every other byte of the text stays as it was uploaded.
"""

from __future__ import annotations

import re

from django.conf import settings

from catalog.tools.models import Revision
from playground.runs.models import Run
from toolspec.spec import ToolSpec, read_spec
from toolspec.text.positions import Span, find_spans
from toolspec.text.pretty import print_json
from toolspec.text.reader import JSON, dumps, parse
from toolspec.text.text_patch import indent_unit, margin_at

MAX_DESCRIPTION_CHARACTERS = 200

_SPACE = " \t\r\n"


class CannotSaveExample(ValueError):
    """The run cannot become an example; the message has the reason."""


def spec_with_run(run: Run, current: Revision, *, description: str) -> ToolSpec:
    """The spec of `current`, a revision of the run's tool, with `run` as its last example.

    The `description` of the example is cut to `MAX_DESCRIPTION_CHARACTERS`; "" for none.

    Raises:
        CannotSaveExample: it is a mock, it has no response or only its beginning, or the parameters
            are not an object.
        SpecError: the spec would break a rule, above all its maximum size.
    """
    if not run.has_response or run.mode == "mock":
        raise CannotSaveExample("Only a live run with a response can be saved as an example.")
    if run.response_cut:
        message = "The response of this run is truncated, so the run cannot be saved as an example."
        raise CannotSaveExample(message)
    text = with_example(
        current.source,
        description=one_line(description),
        parameters=run.parameters,
        return_value=run.response,
    )
    return read_spec(text, max_bytes=settings.MAX_SPEC_BYTES)


def one_line(description: str) -> str:
    """The description of an example as it is saved."""
    return " ".join(description.split())[:MAX_DESCRIPTION_CHARACTERS]


def with_example(source: str, *, description: str, parameters: JSON, return_value: JSON) -> str:
    """The spec's text with one more example at the end of `definition.examples`.

    Raises:
        CannotSaveExample: the parameters are not an object, as the format requires, or the spec has
            no definition.
    """
    if not isinstance(parameters, dict):
        message = "The parameters of an example must be an object; those of this run are not."
        raise CannotSaveExample(message)
    example: dict[str, JSON] = {"parameters": parameters, "returnValue": return_value}
    if description:
        example = {"description": description, **example}
    document = parse(source)
    definition = document.get("definition") if isinstance(document, dict) else None
    if not isinstance(definition, dict):
        raise CannotSaveExample("The spec has no definition.")
    definition_span = find_spans(source, ["/definition/examples"]).at("/definition")
    if "examples" in definition:
        return _insert_value(
            source, definition_span.at("/examples"), example, "", first=not definition["examples"]
        )
    return _insert_value(source, definition_span, [example], '"examples": ', first=not definition)


def _insert_value(source: str, span: Span, value: JSON, name: str, *, first: bool) -> str:
    """`source` with `value` as the last entry of the array or object at `span`."""
    inside_end = span.end - 1
    while source[inside_end - 1] in _SPACE:
        inside_end -= 1
    before, after = source[:inside_end], source[inside_end:]
    comma = "" if first else ","
    unit = indent_unit(source)
    if unit is None:
        space = "" if first else " "
        return f"{before}{comma}{space}{name}{dumps(value)}{after}"
    outer = margin_at(source, span.start)
    margin = f"\n{outer}{unit}"
    text = print_json(value, indent=len(unit), margin=len(margin))
    laid_out = re.sub("(?m)^ +", lambda spaces: unit * (len(spaces[0]) // len(unit)), text)
    closing = after if after[0] in _SPACE else f"\n{outer}{after}"
    indented = laid_out.replace("\n", margin)
    return f"{before}{comma}{margin}{name}{indented}{closing}"
