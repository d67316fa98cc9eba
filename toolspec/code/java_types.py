"""Java records and enums for a schema, from the same document of types as the Python models.

A type accepts every value that the schema accepts. It may accept more: ranges, patterns and formats
are sentences in its comments, because the playground and the caller check values against the schema
itself.

    string                       String, or an enum of its values
    integer                      BigInteger; Long where its bounds, values or format say that it is
    enough
    number                       BigDecimal; Double where the format is float or double
    boolean                      Boolean
    array                        List<…>
    object with properties       a record; other members in a Map if the schema mentions them
    object without properties    Map<String, …>
    null                         Void; beside another type, the value may be null
    several types                JsonNode
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from toolspec.code.java_names import Names, component_name, constant_name, type_name
from toolspec.code.java_text import INDENT, comment_text, doc_comment, is_constant, literal
from toolspec.code.typed_schema import TypedSchemas, typed_schemas
from toolspec.schema.describe import join_words, sentence, with_article
from toolspec.text.reader import JSON

# Of a record: 255 arguments of its constructor, without `this` and one for other members.
MAX_COMPONENTS: Final = 253

_IMPORTS: Final = {
    "List": "java.util.List",
    "Map": "java.util.Map",
    "BigDecimal": "java.math.BigDecimal",
    "BigInteger": "java.math.BigInteger",
    "JsonNode": "com.fasterxml.jackson.databind.JsonNode",
    "JsonAnyGetter": "com.fasterxml.jackson.annotation.JsonAnyGetter",
    "JsonAnySetter": "com.fasterxml.jackson.annotation.JsonAnySetter",
    "JsonIgnoreProperties": "com.fasterxml.jackson.annotation.JsonIgnoreProperties",
    "JsonInclude": "com.fasterxml.jackson.annotation.JsonInclude",
    "JsonProperty": "com.fasterxml.jackson.annotation.JsonProperty",
}
# Names that mean something else to a reader of Java, or in the generated code.
_RESERVED: Final = frozenset(_IMPORTS) | frozenset({
    "Boolean", "Double", "Integer", "Long", "String", "Void", "Class", "Enum", "Exception",
    "Iterable", "Math", "Number", "Object", "Optional", "Override", "Record", "Set", "System",
    "Thread",
})  # fmt: skip
_SCALARS: Final = {
    "string": "String",
    "boolean": "Boolean",
    "integer": "BigInteger",
    "number": "BigDecimal",
    "null": "Void",
}
_FACTS: Final = (
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "default",
)
_LONG: Final = range(-(2**63), 2**63)

_TOO_MANY: Final = "the object has {:,} properties, and a record can have at most {}"
_ANY_PROPERTIES: Final = "the schema allows any properties"
_NAMELESS: Final = "a property has a name that Jackson's annotations cannot express"
_SEVERAL: Final = "the schema allows {}"


@dataclass(frozen=True, slots=True)
class JavaTypes:
    """The types of one schema.

    Attributes:
        type_: the type of its values, as other files write it.
        imports: the full names of the classes in `type_`.
        note: why a part of `type_` is JsonNode; "" if none is.
        source: the file with the records and enums; None if there are none.
        fallbacks: of each part that the schema describes, but that is a JsonNode: where and why.
    """

    type_: str
    imports: frozenset[str] = frozenset()
    note: str = ""
    source: str | None = None
    fallbacks: tuple[tuple[str, str], ...] = ()


def java_types(
    schema: JSON, pointer: str, name: str, *, package: str, subject: str, is_request: bool = False
) -> JavaTypes:
    """The types of `schema`; where there is no type, it is JsonNode.

    Args:
        schema: any schema.
        pointer: of the schema in the spec.
        name: of the class that has or holds the records and enums.
        package: of that class.
        subject: "The parameters of the tool …", made by `comment_text`.
        is_request: whether an object without properties is a record without components rather than
            a map.
    """
    typed = typed_schemas({name: (schema, pointer)})
    return _Writer(typed, name, is_request=is_request).write(f"{package}.{name}", subject)


class _Writer:
    def __init__(self, typed: TypedSchemas, holder: str, *, is_request: bool) -> None:
        self._typed = typed
        self._holder = holder
        self._is_request = is_request
        self._class_names = Names({*_RESERVED, holder}, ignore_case=True)
        self._enums: dict[tuple[str, ...], str] = {}
        self._used: set[str] = set()
        self._fallbacks: list[tuple[str, str]] = []
        self._records: dict[str, str] = {}
        for name in typed.classes:
            if not self._explain_no_record(name):
                self._records[name] = self._choose_record_name(name)

    def write(self, full_name: str, subject: str) -> JavaTypes:
        root = self._typed.roots[self._holder]
        type_ = self._write_type(root, "Value", "", within=f"{self._holder}.")
        imports = {_IMPORTS[name] for name in self._used}
        if self._holder in type_:
            imports.add(full_name)
        note = self._note(self._holder, "", root)
        source = self._write_source(full_name.rpartition(".")[0], subject)
        fallbacks = [
            (part.pointer or "/", part.reason) for part in self._typed.untyped if part.declared
        ]
        fallbacks += self._fallbacks
        return JavaTypes(type_, frozenset(imports), note, source, tuple(fallbacks))

    def _write_source(self, package: str, subject: str) -> str | None:
        self._used = set()
        inner: list[str] = []
        for name, record in self._records.items():
            if name != self._holder:
                inner.append("")
                inner += self._write_record(name, record, INDENT)
                inner.append(f"{INDENT}}}")
        if self._holder in self._records:
            head = list(self._write_record(self._holder, self._holder, "", subject))
        else:
            head = doc_comment([f"Types of: {subject}"])
            head += [f"public final class {self._holder} {{", ""]
            head.append(f"{INDENT}private {self._holder}() {{}}")
        if not self._records and not self._enums:
            return None
        for values, enum in self._enums.items():
            inner.append("")
            inner += self._write_enum(enum, values)
        imports = import_lines(_IMPORTS[name] for name in self._used)
        lines = [f"package {package};", "", *imports, *head, *inner, "}", ""]
        return "\n".join(lines)

    # Records

    def _choose_record_name(self, name: str) -> str:
        if name == self._holder:
            return name
        return self._class_names.make_unique(type_name(name.removeprefix(self._holder)))

    def _explain_no_record(self, name: str) -> str:
        """Why an object cannot be a record; "" if it can."""
        schema: dict[str, Any] = self._typed.classes[name]
        members = schema["properties"]
        if len(members) > MAX_COMPONENTS:
            return _TOO_MANY.format(len(members), MAX_COMPONENTS)
        if "" in members or not all(map(is_constant, members)):
            return _NAMELESS
        is_request = self._is_request and name == self._holder
        if not members and schema["additionalProperties"] and not is_request:
            return _ANY_PROPERTIES
        return ""

    def _write_record(
        self, name: str, record: str, indent: str, subject: str = ""
    ) -> Iterator[str]:
        """The lines of a record without its closing brace."""
        schema: dict[str, Any] = self._typed.classes[name]
        names = Names()
        tags = []
        components = []
        for member, inner in schema["properties"].items():
            is_required = member in schema["required"]
            component = names.make_unique(component_name(member))
            text = _describe_component(inner, is_required=is_required)
            tags.append((f"@param {component}", text))
            type_ = self._write_type(inner, member, "")
            note = self._note(name, member, inner)
            if note:
                components.append(f"// JsonNode: {comment_text(note)}.")
            annotation = self._write_annotation(member, inner, is_required=is_required)
            components.append(f"{annotation} {type_} {component},")
        if schema["mentionsOthers"]:
            others = names.make_unique("additionalProperties")
            tags.append((f"@param {others}", "The other properties."))
            annotations = f"@{self._use('JsonAnySetter')} @{self._use('JsonAnyGetter')}"
            type_ = f"{self._use('Map')}<String, {self._use('JsonNode')}>"
            components.append(f"{annotations} {type_} {others},")
        description = comment_text(schema.get("description", ""))
        paragraphs = [text for text in (subject, description) if text]
        yield from doc_comment(paragraphs or ["No description."], tags, indent)
        if schema["additionalProperties"] and not schema["mentionsOthers"]:
            yield f"{indent}@{self._use('JsonIgnoreProperties')}(ignoreUnknown = true)"
        yield f"{indent}@{self._use('JsonInclude')}(JsonInclude.Include.NON_NULL)"
        if not components:
            yield f"{indent}public record {record}() {{"
            return
        components[-1] = components[-1].removesuffix(",") + ") {"
        yield f"{indent}public record {record}("
        for line in components:
            yield f"{indent}{INDENT * 2}{line}"

    def _write_annotation(self, member: str, schema: dict[str, Any], *, is_required: bool) -> str:
        property_ = f"@{self._use('JsonProperty')}"
        name = literal(member)
        if not is_required:
            return f"{property_}({name})"
        required = f"{property_}(value = {name}, required = true)"
        if "null" in _list_types(schema):
            return f"@{self._use('JsonInclude')}(JsonInclude.Include.ALWAYS) {required}"
        return required

    def _note(self, owner: str, member: str, schema: dict[str, Any]) -> str:
        """Why a type has a JsonNode; "" if it has none."""
        reason = self._explain_node(schema)
        if not reason:
            return "; ".join(self._typed.comments.get((owner, member), ()))
        if reason != _ANY_PROPERTIES:
            path = self._records.get(owner, owner)
            if member:
                path = f"{path}.{member}"
            self._fallbacks.append((path, reason))
        return reason

    def _explain_node(self, schema: dict[str, Any]) -> str:
        """Why a type has a JsonNode in Java, but not in Python; "" if it has none."""
        inner = schema.get("items", schema.get("additionalProperties"))
        if isinstance(inner, dict):
            return self._explain_node(inner)
        if "$ref" in schema:
            return self._explain_no_record(_referenced_class(schema))
        types = _list_types(schema) - {"null"}
        if len(types) <= 1:
            return ""
        return _SEVERAL.format(join_words(list(map(with_article, sorted(types)))))

    # Types

    def _write_type(self, schema: dict[str, Any], name: str, suffix: str, within: str = "") -> str:
        """The type of `schema`; an enum in it gets the name `name`, or one like it."""
        if "anyOf" in schema:
            values = [branch for branch in schema["anyOf"] if branch != {"type": "null"}]
            if len(values) != 1:
                return self._use("JsonNode")
            return self._write_type(values[0], name, suffix, within)
        if "$ref" in schema:
            return self._write_reference(_referenced_class(schema), within)
        types = _list_types(schema)
        if len(types) > 1:
            types.discard("null")
        if len(types) != 1:
            return self._use("JsonNode")
        [type_] = types
        if type_ == "array":
            item = self._write_type(schema["items"], name, f"{suffix}Item", within)
            return f"{self._use('List')}<{item}>"
        if type_ == "object":
            values = schema["additionalProperties"]
            value = self._write_type(values, name, f"{suffix}Value", within)
            return f"{self._use('Map')}<String, {value}>"
        if type_ == "string" and "enum" in schema:
            return self._write_enum_type(schema["enum"], f"{name} {suffix}", within)
        return self._write_scalar(type_, schema)

    def _write_reference(self, name: str, within: str) -> str:
        if name in self._records:
            if name == self._holder:
                return name
            return f"{within}{self._records[name]}"
        if self._typed.classes[name]["properties"]:
            return self._use("JsonNode")
        return f"{self._use('Map')}<String, {self._use('JsonNode')}>"

    def _write_enum_type(self, values: list[Any], name: str, within: str) -> str:
        constants = tuple(value for value in values if value is not None)
        if not all(map(is_constant, constants)):
            return "String"
        if constants not in self._enums:
            self._enums[constants] = self._class_names.make_unique(type_name(name))
        return f"{within}{self._enums[constants]}"

    def _write_scalar(self, name: str, schema: dict[str, Any]) -> str:
        if name == "integer" and _is_long(schema):
            return "Long"
        if name == "number" and schema.get("format") in {"float", "double"}:
            return "Double"
        type_ = _SCALARS[name]
        if type_ in _IMPORTS:
            return self._use(type_)
        return type_

    def _use(self, name: str) -> str:
        self._used.add(name)
        return name

    # Enums

    def _write_enum(self, name: str, values: tuple[str, ...]) -> list[str]:
        constants = Names()
        property_ = self._use("JsonProperty")
        lines = doc_comment(["The listed values."], indent=INDENT)
        lines.append(f"{INDENT}public enum {name} {{")
        for value in values:
            constant = constants.make_unique(constant_name(value))
            lines.append(f"{INDENT * 2}@{property_}({literal(value)}) {constant},")
        lines[-1] = lines[-1].removesuffix(",")
        lines.append(f"{INDENT}}}")
        return lines


def import_lines(names: Iterable[str]) -> list[str]:
    """The import lines for full names of types, and an empty line after them; [] for none."""
    lines = [f"import {name};" for name in sorted(set(names))]
    if lines:
        lines.append("")
    return lines


def _referenced_class(schema: dict[str, Any]) -> str:
    return str(schema["$ref"].rpartition("/")[2])


def _list_types(schema: dict[str, Any]) -> set[str]:
    """The types of the values; references are objects."""
    if "$ref" in schema:
        return {"object"}
    if "anyOf" in schema:
        return set().union(*map(_list_types, schema["anyOf"]))
    types = schema.get("type", [])
    if isinstance(types, str):
        return {types}
    return set(types)


def _is_long(schema: dict[str, Any]) -> bool:
    """Whether all values that the schema allows are 64-bit integers."""
    if schema.get("format") in {"int32", "int64"}:
        return True
    limits = [value for value in schema.get("enum", ()) if value is not None]
    if not limits:
        lowest = schema.get("minimum", schema.get("exclusiveMinimum"))
        highest = schema.get("maximum", schema.get("exclusiveMaximum"))
        limits = [lowest, highest]
    return all(limit is not None and limit in _LONG for limit in limits)


def _describe_component(schema: dict[str, Any], *, is_required: bool) -> str:
    """The description of a component, with the constraints that its type does not express."""
    types = _list_types(schema)
    sentences = [schema.get("description", "")]
    if "enum" in schema and "string" not in types:
        sentences.append(sentence("enum", schema["enum"]) or "")
    sentences += [sentence(fact, schema[fact]) or "" for fact in _FACTS if fact in schema]
    if not is_required:
        sentences.append("Optional.")
    elif "null" in types:
        sentences.append("May be null.")
    texts = []
    for text in map(comment_text, sentences):
        if text:
            end = "" if text[-1] in ".!?…" else "."
            texts.append(text + end)
    return " ".join(texts) or "Required."
