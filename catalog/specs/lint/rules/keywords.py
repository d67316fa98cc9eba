"""Keywords of other drafts, of other formats, and with typing errors: what is not known is passed over without a word.

Sources: JSON Schema 2020-12, release notes; OpenAPI 3.0, "Schema Object".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Final

from catalog.json_schema.dialects import DIALECTS, Dialect
from catalog.json_schema.index import Node
from catalog.jsontext.patch import Operation
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON
from catalog.specs.lint.context import Part, is_modern, keywords_of
from catalog.specs.lint.findings import Finding, Fix
from catalog.specs.lint.registry import found

# What other formats know, and people add; no typing errors.
_FOREIGN: Final = frozenset({
    "discriminator", "example", "externalDocs", "nullable", "xml", "enumNames", "enumDescriptions", "optional",
    "hidden", "order", "group", "label", "name", "id", "const", "tags", "meta", "ref", "key", "notes", "unit", "units",
    "formats", "placeholder", "help", "hint", "values", "options", "error", "message", "strict", "index", "patterns",
    "item",
})  # fmt: skip
_SIMILAR: Final = 0.84
MAX_TYPOS: Final = 2  # letters too many or missing
_DEFINITIONS: Final = "#/definitions/"


def outdated(part: Part, node: Node) -> Iterator[Finding]:
    """Keywords that the draft of `node` does not know, and another one, or OpenAPI, does."""
    schema = keywords_of(node)
    for keyword in _ELSEWHERE.keys() & schema.keys() - node.dialect.keywords:
        place = part.pointer_to(node, keyword)
        yield found("keyword-outdated", place, _ELSEWHERE[keyword], _modern(part, node, keyword))
    if "definitions" in schema and is_modern(node):
        message = "2020-12 calls this `$defs`. References find it here all the same."
        fix = _as_defs(part, node)
        yield found("keyword-outdated", part.pointer_to(node, "definitions"), message, fix, severity="info")


def _as_defs(part: Part, node: Node) -> Fix | None:
    """`definitions` moved, and every reference with it."""
    if node is not part.map.root or "$defs" in keywords_of(node) or "$id" in keywords_of(node):
        return None
    operations = []
    for one in part.map.nodes:
        reference = keywords_of(one).get("$ref")
        if isinstance(reference, str) and reference.startswith(_DEFINITIONS):
            moved = f"#/$defs/{reference.removeprefix(_DEFINITIONS)}"
            operations.append(Operation("replace", part.pointer_to(one, "$ref"), moved))
    place = part.pointer_to(node, "definitions")
    operations.append(Operation("move", part.pointer_to(node, "$defs"), source=place))
    return Fix("Call it $defs", tuple(operations), safe=True)


_ELSEWHERE: Final[Mapping[str, str]] = {
    "dependencies": "2020-12 says `dependentRequired` or `dependentSchemas`; `dependencies` has no effect.",
    "additionalItems": "2020-12 says `items` after `prefixItems`; `additionalItems` has no effect.",
    "$recursiveRef": "2020-12 says `$dynamicRef`; `$recursiveRef` has no effect.",
    "$recursiveAnchor": "2020-12 says `$dynamicAnchor`; `$recursiveAnchor` has no effect.",
    "nullable": "`nullable` is OpenAPI's; in JSON Schema it has no effect.",
    "example": "`example` is OpenAPI's; JSON Schema says `examples`, a list.",
}


def _modern(part: Part, node: Node, keyword: str) -> Fix | None:
    """What says the same in 2020-12."""
    schema, here = keywords_of(node), part.pointer_to(node)
    value = schema[keyword]
    place = pointer_join(here, keyword)
    away = Operation("remove", place)
    if keyword == "dependencies" and "dependentRequired" not in schema and _names_alone(value):
        move = Operation("move", pointer_join(here, "dependentRequired"), source=place)
        return Fix("Say dependentRequired", (move,))
    if keyword == "example" and "examples" not in schema:
        examples: JSON = [value]
        return Fix("Say examples", (Operation("add", pointer_join(here, "examples"), examples), away), safe=True)
    if keyword == "nullable" and isinstance(types := schema.get("type"), str) and "enum" not in schema:
        if value is not True:
            return Fix("Take it out", (away,), safe=True)
        both: JSON = [types, "null"]
        return Fix("Allow null by the type", (Operation("replace", pointer_join(here, "type"), both), away))
    return None


def _names_alone(needs: JSON) -> bool:
    return isinstance(needs, dict) and all(isinstance(needed, list) for needed in needs.values())


def misspelt(part: Part, node: Node) -> Iterator[Finding]:
    schema = keywords_of(node)
    for keyword in schema:
        if keyword in node.dialect.keywords or keyword in _FOREIGN or keyword.startswith(("x-", "$", "_")):
            continue
        meant = _meant(keyword, node.dialect)
        if meant is None or meant in schema:
            continue
        place = part.pointer_to(node, keyword)
        move = Operation("move", part.pointer_to(node, meant), source=place)
        yield found("keyword-misspelt", place, f"Is `{meant}` meant?", Fix(f"Call it {meant}", (move,)))


@cache
def _every_keyword() -> frozenset[str]:
    return frozenset().union(*(dialect.keywords for dialect in DIALECTS))


def _meant(keyword: str, dialect: Dialect) -> str | None:
    if keyword in _every_keyword() or not 3 <= len(keyword) <= 30:
        return None
    folded = {name.casefold(): name for name in dialect.keywords}
    plain = keyword.casefold().replace("_", "").replace("-", "")
    if plain in folded:
        return folded[plain]
    alike = [name for name in dialect.keywords if abs(len(name) - len(keyword)) <= MAX_TYPOS and name[0] == keyword[0]]
    close = get_close_matches(keyword, alike, n=1, cutoff=_SIMILAR)
    return close[0] if close else None
