"""Keywords of other drafts and formats, and misspelt ones: validators silently ignore them.

Sources: JSON Schema 2020-12, release notes; OpenAPI 3.0, "Schema Object".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Final

from toolspec.lint.context import Part, SchemaRule, is_modern, keywords_of
from toolspec.lint.findings import Finding, Fix
from toolspec.lint.registry import make_finding
from toolspec.schema.dialects import DIALECTS, Dialect
from toolspec.schema.index import Node
from toolspec.text.patch import Operation
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

# Keywords of other formats and in common use, so not typos.
_FOREIGN: Final = frozenset({
    "discriminator", "example", "externalDocs", "nullable", "xml", "enumNames", "enumDescriptions",
    "optional", "hidden", "order", "group", "label", "name", "id", "const", "tags", "meta", "ref",
    "key", "notes", "unit", "units", "formats", "placeholder", "help", "hint", "values", "options",
    "error", "message", "strict", "index", "patterns", "item",
})  # fmt: skip
_SIMILAR: Final = 0.84
MAX_TYPOS: Final = 2  # letters too many or missing
_DEFINITIONS: Final = "#/definitions/"


def find_outdated(part: Part, node: Node) -> Iterator[Finding]:
    """Keywords that the draft of `node` does not define, but another draft or OpenAPI does."""
    schema = keywords_of(node)
    for keyword in _ELSEWHERE.keys() & schema.keys() - node.dialect.keywords:
        pointer = part.pointer_to(node, keyword)
        fix = _modernize(part, node, keyword)
        yield make_finding("keyword-outdated", pointer, _ELSEWHERE[keyword], fix)
    if "definitions" in schema and is_modern(node):
        pointer = part.pointer_to(node, "definitions")
        message = "JSON Schema 2020-12 renamed `definitions` to `$defs`;"
        message += " references to it still work."
        fix = _rename_definitions(part, node)
        yield make_finding("keyword-outdated", pointer, message, fix, severity="info")


def _rename_definitions(part: Part, node: Node) -> Fix | None:
    """Renames `definitions`, and changes every reference to it."""
    if node is not part.map.root or "$defs" in keywords_of(node) or "$id" in keywords_of(node):
        return None
    operations = []
    for referring in part.map.nodes:
        reference = keywords_of(referring).get("$ref")
        if isinstance(reference, str) and reference.startswith(_DEFINITIONS):
            new = f"#/$defs/{reference.removeprefix(_DEFINITIONS)}"
            operations.append(Operation("replace", part.pointer_to(referring, "$ref"), new))
    source = part.pointer_to(node, "definitions")
    operations.append(Operation("move", part.pointer_to(node, "$defs"), source=source))
    return Fix("Rename it to $defs", tuple(operations), safe=True)


_ELSEWHERE: Final[Mapping[str, str]] = {
    "dependencies": "`dependencies` has no effect;"
    " 2020-12 has `dependentRequired` and `dependentSchemas` instead.",
    "additionalItems": "`additionalItems` has no effect;"
    " 2020-12 has `items` beside `prefixItems` instead.",
    "$recursiveRef": "`$recursiveRef` has no effect; 2020-12 has `$dynamicRef` instead.",
    "$recursiveAnchor": "`$recursiveAnchor` has no effect; 2020-12 has `$dynamicAnchor` instead.",
    "nullable": "`nullable` has no effect outside OpenAPI; allow null in `type` instead.",
    "example": "`example` has no effect outside OpenAPI; use `examples`, an array, instead.",
}


def _modernize(part: Part, node: Node, keyword: str) -> Fix | None:
    """The same constraint in 2020-12."""
    schema, parent = keywords_of(node), part.pointer_to(node)
    value = schema[keyword]
    pointer = pointer_join(parent, keyword)
    remove = Operation("remove", pointer)
    if keyword == "dependencies" and "dependentRequired" not in schema and _has_only_names(value):
        move = Operation("move", pointer_join(parent, "dependentRequired"), source=pointer)
        return Fix("Use dependentRequired", (move,))
    if keyword == "example" and "examples" not in schema:
        examples: JSON = [value]
        add = Operation("add", pointer_join(parent, "examples"), examples)
        return Fix("Use examples", (add, remove), safe=True)
    types = schema.get("type")
    if keyword == "nullable" and isinstance(types, str) and "enum" not in schema:
        if value is not True:
            return Fix("Remove it", (remove,), safe=True)
        type_or_null: JSON = [types, "null"]
        replace = Operation("replace", pointer_join(parent, "type"), type_or_null)
        return Fix("Allow null in the type", (replace, remove))
    return None


def _has_only_names(dependencies: JSON) -> bool:
    if not isinstance(dependencies, dict):
        return False
    return all(isinstance(names, list) for names in dependencies.values())


def find_misspelt(part: Part, node: Node) -> Iterator[Finding]:
    schema = keywords_of(node)
    for keyword in schema:
        if keyword in node.dialect.keywords or keyword in _FOREIGN:
            continue
        if keyword.startswith(("x-", "$", "_")):
            continue
        meant = _similar_keyword(keyword, node.dialect)
        if meant is None or meant in schema:
            continue
        pointer = part.pointer_to(node, keyword)
        move = Operation("move", part.pointer_to(node, meant), source=pointer)
        message = f"`{keyword}` is not a keyword; did you mean `{meant}`?"
        yield make_finding(
            "keyword-misspelt", pointer, message, Fix(f"Rename it to {meant}", (move,))
        )


@cache
def _every_keyword() -> frozenset[str]:
    return frozenset().union(*(dialect.keywords for dialect in DIALECTS))


def _similar_keyword(keyword: str, dialect: Dialect) -> str | None:
    if keyword in _every_keyword() or not 3 <= len(keyword) <= 30:
        return None
    folded = {name.casefold(): name for name in dialect.keywords}
    plain = keyword.casefold().replace("_", "").replace("-", "")
    if plain in folded:
        return folded[plain]
    candidates = []
    for name in dialect.keywords:
        if name[0] == keyword[0] and abs(len(name) - len(keyword)) <= MAX_TYPOS:
            candidates.append(name)
    close = get_close_matches(keyword, candidates, n=1, cutoff=_SIMILAR)
    return close[0] if close else None


OF_SCHEMAS: Final[tuple[SchemaRule, ...]] = (find_outdated, find_misspelt)
