"""What of a tool can be found: the text that goes into the search index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.search.words import identifier_kin_of, kin_of
from catalog.spec import ToolSpec
from catalog.strict_json import JSON

MAX_PARAMETERS = 1_000
MAX_SCHEMAS = 5_000

_CHILDREN_BY_NAME = ("$defs", "definitions", "dependentSchemas", "patternProperties")
_CHILDREN_IN_LIST = ("allOf", "anyOf", "oneOf", "prefixItems")
_CHILD = ("items", "additionalProperties", "additionalItems", "contains", "if", "then", "else", "unevaluatedProperties")


@dataclass(frozen=True, slots=True)
class SearchDocument:
    """One tool as the index stores it.

    Each text is followed by its kin (see words.py). `parameters` and `parameter_texts` hold one parameter per line, at
    the same line number: its name and its description, as written, then a tab and the kin. `flags` are the facts that
    searches filter by, as words.
    """

    tool_id: str
    name: str
    description: str
    parameters: str
    parameter_texts: str
    flags: str


def document_for(spec: ToolSpec, *, archived: bool) -> SearchDocument:
    """The search document of a tool whose current spec is `spec`."""
    named = list(parameters_of(spec.parameters))
    facts = {
        "configurable": spec.configuration is not None,
        "examples": bool(spec.examples),
        "returns": spec.return_type is not None,
        "archived": archived,
    }
    return SearchDocument(
        tool_id=f"{spec.tool_id}\t{identifier_kin_of(spec.tool_id)}",
        name=f"{spec.name}\t{identifier_kin_of(spec.name)}",
        description=f"{spec.description}\t{kin_of(spec.description)}",
        parameters="\n".join(f"{name}\t{identifier_kin_of(name)}" for name, _ in named),
        parameter_texts="\n".join(f"{text}\t{kin_of(text)}" for _, text in named),
        flags=" ".join(flag for flag, holds in facts.items() if holds),
    )


def parameters_of(schema: JSON) -> Iterator[tuple[str, str]]:
    """(name, description) of each property that `schema` speaks of, at any depth, each on one line.

    At most `MAX_PARAMETERS` of them, out of `MAX_SCHEMAS` schemas.
    """
    waiting: list[JSON] = [schema]
    found = seen = 0
    while waiting and found < MAX_PARAMETERS and seen < MAX_SCHEMAS:
        seen += 1
        at = waiting.pop()
        if not isinstance(at, dict):
            continue
        properties = at.get("properties")
        if isinstance(properties, dict):
            for name, child in properties.items():
                description = child.get("description") if isinstance(child, dict) else None
                yield _one_line(name), _one_line(description) if isinstance(description, str) else ""
                found += 1
                if found == MAX_PARAMETERS:
                    return
            waiting.extend(reversed(properties.values()))
        waiting.extend(_other_children(at))


def _other_children(schema: dict[str, JSON]) -> Iterator[JSON]:
    for keyword in _CHILDREN_BY_NAME:
        if isinstance(named := schema.get(keyword), dict):
            yield from named.values()
    for keyword in _CHILDREN_IN_LIST:
        if isinstance(listed := schema.get(keyword), list):
            yield from listed
    for keyword in _CHILD:
        if isinstance(child := schema.get(keyword), dict):
            yield child


def _one_line(text: str) -> str:
    return " ".join(text.split())
