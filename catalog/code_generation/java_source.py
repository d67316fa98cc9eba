"""The Java source of the types that `java_types` found: one file with records and enums."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from catalog.code_generation.java_model import IMPORTS, Component, JavaTypes, Record, StringEnum
from catalog.code_generation.java_text import INDENT, comment_text, doc_comment, literal

_NO_DESCRIPTION: Final = "No description."


def imports(names: Iterable[str]) -> list[str]:
    """The import lines for full names of types, and an empty line after them; [] for none."""
    lines = [f"import {name};" for name in sorted(set(names))]
    return [*lines, ""] if lines else []


def types_source(types: JavaTypes, package: str, subject: str) -> str | None:
    """The file with the declared types of `types`; None if there are none.

    Args:
        types: of one schema.
        package: the package of the file.
        subject: "The parameters of the tool …", made by `comment_text`.
    """
    if not types.declared:
        return None
    root, *inner = types.declared
    paragraphs = [subject, *filter(None, [comment_text(types.description)])]
    if isinstance(root, Record) and root.name == types.holder:
        head = _record(root, paragraphs, "")
    else:
        inner = list(types.declared)
        head = [
            *doc_comment([f"Types of: {subject}", *paragraphs[1:]]),
            f"public final class {types.holder} {{",
            "",
        ]
        head += [f"{INDENT}private {types.holder}() {{}}"]
    lines = [f"package {package};", "", *imports(IMPORTS[name] for name in _imported(types)), *head]
    for declared in inner:
        lines += ["", *_declared(declared)]
    return "\n".join([*lines, "}", ""])


def _imported(types: JavaTypes) -> set[str]:
    names: set[str] = set()
    for declared in types.declared:
        if isinstance(declared, StringEnum):
            names |= {"JsonCreator", "JsonValue"}
            continue
        names |= {"JsonInclude"} | ({"JsonProperty"} if declared.components else set())
        names |= {"JsonAnyGetter", "JsonAnySetter"} if declared.others else set()
        names |= {"JsonIgnoreProperties"} if _ignores_others(declared) else set()
        names = names.union(*(component.use.names() for component in _components(declared)))
    return names


def _declared(declared: Record | StringEnum) -> list[str]:
    description = [comment_text(declared.description) or _NO_DESCRIPTION]
    if isinstance(declared, StringEnum):
        return _enum(declared, description)
    return [*_record(declared, description, INDENT), f"{INDENT}}}"]


# Records


def _components(record: Record) -> list[Component]:
    return [*record.components, *filter(None, [record.others])]


def _ignores_others(record: Record) -> bool:
    return not record.closed and record.others is None


def _record(record: Record, paragraphs: list[str], indent: str) -> list[str]:
    """The lines of a record without its closing brace."""
    components = _components(record)
    tags = [(f"@param {component.name}", _component_text(component)) for component in components]
    lines = doc_comment(paragraphs, tags, indent)
    if _ignores_others(record):
        lines.append(f"{indent}@JsonIgnoreProperties(ignoreUnknown = true)")
    lines.append(f"{indent}@JsonInclude(JsonInclude.Include.NON_NULL)")
    if not components:
        return [*lines, f"{indent}public record {record.name}() {{"]
    lines.append(f"{indent}public record {record.name}(")
    for number, component in enumerate(components, 1):
        end = ") {" if number == len(components) else ","
        lines += [f"{indent}{INDENT * 2}{line}" for line in _component(component, end)]
    return lines


def _component(component: Component, end: str) -> list[str]:
    note = [f"// JsonNode: {component.use.note}"] if component.use.note else []
    declaration = f"{component.use.written()} {component.name}{end}"
    if not component.member:
        return [*note, f"@JsonAnySetter @JsonAnyGetter {declaration}"]
    member = literal(component.member)
    if not component.required:
        return [*note, f"@JsonProperty({member}) {declaration}"]
    if component.use.nullable:
        note.append("@JsonInclude(JsonInclude.Include.ALWAYS)")
    return [*note, f"@JsonProperty(value = {member}, required = true) {declaration}"]


def _component_text(component: Component) -> str:
    sentences = [component.description, *component.facts]
    if component.member and not component.required:
        sentences.append("Optional.")
    if component.required and component.use.nullable:
        sentences.append("May be null.")
    parts = [
        part if part[-1] in ".!?…" else f"{part}."
        for text in sentences
        if (part := comment_text(text))
    ]
    return " ".join(parts) or "Required."


# Enums


def _enum(enum: StringEnum, description: list[str]) -> list[str]:
    constants = [f"{name}({literal(value)})" for name, value in enum.constants]
    lines = [
        *doc_comment(description),
        f"public enum {enum.name} {{",
        *(f"{INDENT}{constant}," for constant in constants[:-1]),
        f"{INDENT}{constants[-1]};",
        "",
        f"{INDENT}private final String value;",
        "",
        f"{INDENT}{enum.name}(String value) {{",
        f"{INDENT * 2}this.value = value;",
        f"{INDENT}}}",
        "",
        f"{INDENT}/** The value in JSON. */",
        f"{INDENT}@JsonValue",
        f"{INDENT}public String value() {{",
        f"{INDENT * 2}return value;",
        f"{INDENT}}}",
        "",
        f"{INDENT}/** The constant of a value in JSON. */",
        f"{INDENT}@JsonCreator",
        f"{INDENT}public static {enum.name} of(String value) {{",
        f"{INDENT * 2}for ({enum.name} constant : values()) {{",
        f"{INDENT * 3}if (constant.value.equals(value)) {{",
        f"{INDENT * 4}return constant;",
        f"{INDENT * 3}}}",
        f"{INDENT * 2}}}",
        f'{INDENT * 2}throw new IllegalArgumentException("{enum.name} has no value " + value);',
        f"{INDENT}}}",
        "}",
    ]
    return [f"{INDENT}{line}" if line else "" for line in lines]
