"""Reading an LLM Tool Spec: the text in, a `ToolSpec` out, or every problem at once with line and column.

Source: LLM Tool Spec (`schemas/llm-tool-spec.json`, which says what Toolshelf corrected in it).
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib.resources import files
from itertools import islice
from typing import Any, Final

import jsonschema
import jsonschema_rs

from catalog.errors import MAX_PROBLEMS, JSONTextError, Problem, SpecError
from catalog.json_schema.dialects import DEFAULT_DIALECT, dialect_of
from catalog.json_schema.metaschema_errors import mistakes_under
from catalog.json_schema.policy import one_per_pointer, schema_policy_problems
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.positions import locate
from catalog.jsontext.reader import JSON, decode, parse

MAX_SPEC_BYTES: Final = 256 * 1024
MAX_NAME_CHARACTERS: Final = 200  # of ids and names
MAX_EXAMPLES: Final = 200
MAX_SLUG_WORDS: Final = 91  # characters; with "-" and eight digits no longer than a plain slug

LLM_TOOL_SPEC_SCHEMA: Final[dict[str, Any]] = json.loads(
    files("catalog").joinpath("schemas/llm-tool-spec.json").read_text(encoding="utf-8")
)

# Control characters, line and paragraph separators, and what turns the direction of text around.
_UNSHOWABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_PLAIN_SLUG: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class Example:
    """One of a spec's examples; a value that is absent is None, which JSON's null is as well."""

    description: str | None
    parameters: JSON
    return_value: JSON
    has_parameters: bool
    has_return_value: bool


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One LLM Tool Spec that has passed every check.

    Attributes:
        source: the text as it came, to the byte.
        document: `source` as JSON; members that the format does not know are in it.
        tool_id: `definition.id`, else `definition.name`.
        parameters, return_type, configuration: JSON Schemas, of the draft that `$schema` names; None where absent.
        sha256: of `source` in UTF-8, in hex.
        slug: what stands for `tool_id` in URLs and file names.
    """

    source: str = field(repr=False)
    document: dict[str, JSON] = field(repr=False)
    tool_id: str
    name: str
    description: str
    parameters: JSON = field(repr=False)
    return_type: JSON = field(repr=False)
    configuration: JSON = field(repr=False)
    examples: tuple[Example, ...] = field(repr=False)
    sha256: str
    slug: str


def read_spec(text: bytes | str, *, max_bytes: int = MAX_SPEC_BYTES) -> ToolSpec:
    """Read one LLM Tool Spec. 0.1 ms for a typical one.

    Args:
        text: JSON, {"definition": {"id"?, "name", "description", "parameters"?, "returnType"?, "examples"?},
            "configuration"?}; other members are allowed and kept.
        max_bytes: as much of UTF-8 is read at most.

    Raises:
        SpecError: not JSON, or a rule of the format is broken, or a schema does not pass the gate; every problem with
            JSON Pointer, line and column, at most `MAX_PROBLEMS`.

    Source: LLM Tool Spec, "Definition" and "Configuration".
    """
    try:
        source = decode(text, max_bytes=max_bytes)
        document = parse(source)
    except JSONTextError as error:
        raise SpecError(error.problems) from None
    problems = spec_problems(document)
    if problems or not isinstance(document, dict):
        raise SpecError(_placed(problems, source))
    return _tool_spec(source, document)


def stored_spec(source: str) -> ToolSpec:
    """The spec in a text that `read_spec` accepted once. It is not checked again: a stricter rule hides nothing old."""
    document = parse(source)
    assert isinstance(document, dict)  # noqa: S101 - it was accepted
    return _tool_spec(source, document)


def spec_problems(document: JSON) -> list[Problem]:
    """What is wrong with `document` as an LLM Tool Spec, with JSON Pointers; at most `MAX_PROBLEMS`."""
    problems = _format_problems(document)
    if isinstance(document, dict):
        definition = document.get("definition")
        if isinstance(definition, dict):
            problems += _naming_problems(definition)
            problems += _schema_problems(definition, "parameters", "/definition/parameters")
            problems += _schema_problems(definition, "returnType", "/definition/returnType")
        problems += _schema_problems(document, "configuration", "/configuration")
    return problems[:MAX_PROBLEMS]


def slug_for(tool_id: str) -> str:
    """What stands for a tool id in URLs: itself where it can, else made of its letters and the start of its SHA-256."""
    if _PLAIN_SLUG.fullmatch(tool_id):
        return tool_id
    ascii_only = unicodedata.normalize("NFKD", tool_id).encode("ascii", "ignore").decode()
    words = re.sub(r"[^\w\s-]", "", ascii_only.lower())
    slug = re.sub(r"[-\s]+", "-", words).strip("-_")[:MAX_SLUG_WORDS].rstrip("-_")
    return f"{slug}-{hashlib.sha256(tool_id.encode()).hexdigest()[:8]}"


# The format


def _without_schemas(schema: dict[str, Any]) -> dict[str, Any]:
    """The format's own rules: what follows a meta-schema is left to the gate, which knows every draft."""
    return {
        name: {"description": member["description"]}
        if "$ref" in member
        else _without_schemas(member)
        if isinstance(member, dict)
        else member
        for name, member in schema.items()
        if name not in {"$schema", "$id"}
    }


_FORMAT: Final = _without_schemas(LLM_TOOL_SPEC_SCHEMA)
_FAST_FORMAT: Final = jsonschema_rs.Draft202012Validator(_FORMAT)
_EXPLAINING_FORMAT: Final = jsonschema.Draft202012Validator(_FORMAT)

_KINDS: Final = {"object": "an object", "array": "a list", "string": "a text"}


def _format_problems(document: JSON) -> list[Problem]:
    try:
        if _FAST_FORMAT.is_valid(document):
            return []
    except ValueError:  # a number of ours where the format wants something else
        pass
    errors = islice(_EXPLAINING_FORMAT.iter_errors(document), MAX_PROBLEMS)
    return [_format_problem(error) for error in errors]


def _format_problem(error: jsonschema.ValidationError) -> Problem:
    pointer = pointer_join("", *error.absolute_path)
    what = f"`{error.absolute_path[-1]}`" if error.absolute_path else "A spec"
    if error.absolute_path and isinstance(error.absolute_path[-1], int):
        what = "An example"
    if error.validator == "required":
        missing = error.message.split("'")[1]  # one error each
        return Problem(pointer, f"{what} needs the member `{missing}`.", "spec.required", keyword="required")
    return Problem(pointer, f"{what} must be {_KINDS[str(error.validator_value)]}.", "spec.type", keyword="type")


# Our own bounds


def _naming_problems(definition: dict[str, JSON]) -> Iterator[Problem]:
    for member in ("id", "name"):
        value = definition.get(member)
        complaint = _naming_complaint(member, value) if isinstance(value, str) else None
        if complaint:
            rule, message = complaint
            yield Problem(f"/definition/{member}", message, rule)
    examples = definition.get("examples")
    if isinstance(examples, list) and len(examples) > MAX_EXAMPLES:
        message = f"There are {len(examples):,} examples; at most {MAX_EXAMPLES} are taken."
        yield Problem("/definition/examples", message, "spec.too-many")


def _naming_complaint(member: str, value: str) -> tuple[str, str] | None:
    """The rule that an id or name breaks, and the sentence. Free text, but one line of it that can be seen."""
    if len(value) > MAX_NAME_CHARACTERS:
        return "spec.too-long", f"`{member}` has {len(value):,} characters; at most {MAX_NAME_CHARACTERS} are taken."
    if found := _UNSHOWABLE.search(value):
        character = f"U+{ord(found.group()):04X}"
        return "spec.control", f"`{member}` holds the control character {character}; remove it."
    if all(unicodedata.category(character)[0] in "ZC" for character in value):
        remedy = "leave it out, and the name stands for it" if member == "id" else "write what a model is to call it by"
        return "spec.empty", f"`{member}` is empty; {remedy}."
    return None


def _schema_problems(around: dict[str, JSON], member: str, pointer: str) -> list[Problem]:
    if member not in around:
        return []
    return one_per_pointer([*schema_policy_problems(around[member], pointer), *_elder_shapes(around[member], pointer)])


def _elder_shapes(schema: JSON, pointer: str) -> list[Problem]:
    """Where a schema of an earlier draft, which is evaluated as such, is none of 2020-12, which the format asks for."""
    if dialect_of(schema, DEFAULT_DIALECT) in {DEFAULT_DIALECT, None} or DEFAULT_DIALECT.accepts(schema):
        return []
    mistakes = list(islice(mistakes_under(DEFAULT_DIALECT, schema), MAX_PROBLEMS)) or [
        Problem(pointer_join("", *DEFAULT_DIALECT.first_mistake(schema)), "this is not allowed.", "spec.dialect")
    ]
    return [
        replace(
            mistake,
            pointer=pointer + mistake.pointer,
            message=f"LLM Tool Spec asks for JSON Schema {DEFAULT_DIALECT.name}, where {mistake.message}",
            rule="spec.dialect",
        )
        for mistake in mistakes
    ]


def _placed(problems: list[Problem], source: str) -> list[Problem]:
    """`problems` with line and column, in the order of the text."""
    places = locate(source, [problem.pointer for problem in problems])
    placed = [
        replace(problem, line=line, column=column) for problem in problems for line, column in [places[problem.pointer]]
    ]
    return sorted(placed, key=lambda problem: (problem.line or 0, problem.column or 0))


# What comes out


def _tool_spec(source: str, document: dict[str, Any]) -> ToolSpec:
    definition = document["definition"]
    tool_id = definition.get("id", definition["name"])
    return ToolSpec(
        source=source,
        document=document,
        tool_id=tool_id,
        name=definition["name"],
        description=definition["description"],
        parameters=definition.get("parameters"),
        return_type=definition.get("returnType"),
        configuration=document.get("configuration"),
        examples=tuple(map(_example, definition.get("examples", ()))),
        sha256=hashlib.sha256(source.encode()).hexdigest(),
        slug=slug_for(tool_id),
    )


def _example(example: dict[str, Any]) -> Example:
    return Example(
        description=example.get("description"),
        parameters=example.get("parameters"),
        return_value=example.get("returnValue"),
        has_parameters="parameters" in example,
        has_return_value="returnValue" in example,
    )
