"""Read an LLM Tool Spec: a text becomes a `ToolSpec`, or a list of all its problems.

Source: LLM Tool Spec (`llm-tool-spec.json`, whose `$comment` lists Toolshelf's corrections).
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace
from importlib.resources import files
from itertools import islice
from typing import Any, Final

import jsonschema
import jsonschema_rs

from toolspec.errors import MAX_PROBLEMS, JSONTextError, Problem, SpecError
from toolspec.foreign_documents import foreign_document
from toolspec.member_names import misnamed_members
from toolspec.schema.policy import schema_policy_problems
from toolspec.text.pointers import pointer_join
from toolspec.text.positions import locate
from toolspec.text.reader import JSON, decode, loads, parse

MAX_SPEC_BYTES: Final = 1024 * 1024
MAX_NAME_CHARACTERS: Final = 200  # of an id or a name
MAX_EXAMPLES: Final = 200
MAX_SLUG_WORDS: Final = 91  # characters; "-" and eight digits follow, 100 in all

LLM_TOOL_SPEC_SCHEMA: Final[dict[str, Any]] = json.loads(
    files("toolspec").joinpath("llm-tool-spec.json").read_text(encoding="utf-8")
)

# Control characters, line and paragraph separators, and characters that reverse the direction of
# text.
_UNSHOWABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_ZERO_WIDTH: Final = re.compile("[\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u2060-\u2064\ufeff]")
_OUTER: Final = re.compile("^[\\s\u200c\u200d]+|[\\s\u200c\u200d]+$")
_PLAIN_SLUG: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class Example:
    """One of a spec's examples. An absent value is None, and so is null.

    `has_…` distinguishes them.
    """

    description: str | None
    parameters: JSON
    return_value: JSON
    has_parameters: bool
    has_return_value: bool


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One LLM Tool Spec that has passed every check.

    Attributes:
        source: the original text, unchanged.
        document: `source` as JSON, including members that the format does not define.
        tool_id: `definition.id`, else `definition.name`.
        parameters, return_type, configuration: JSON Schemas, of the draft that `$schema` names;
            None if absent.
        sha256: of `source` in UTF-8, in hex.
        slug: identifies `tool_id` in URLs and file names.
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
        text: JSON, {"definition": {"id"?, "name", "description", "parameters"?, "returnType"?,
            "examples"?}, "configuration"?}; other members are allowed and preserved.
        max_bytes: the longest text that is accepted, in bytes of UTF-8.

    Raises:
        SpecError: not JSON, or a rule of the format is broken, or a schema breaks the schema
            policy; every problem has a JSON Pointer, line and column; at most `MAX_PROBLEMS`.

    Source: LLM Tool Spec, "Definition" and "Configuration".
    """
    try:
        source = decode(text, max_bytes=max_bytes)
        document = parse(source)
    except JSONTextError as error:
        raise SpecError(error.problems) from None
    return check_document(source, document)


def check_document(source: str, document: JSON, *, known: Container[int] = ()) -> ToolSpec:
    """The spec in `source`, which `parse` accepts and whose value equals `document`.

    Args:
        source: the text.
        document: its value.
        known: the `id` of schemas that obey the schema policy and need not be checked again.

    Raises:
        SpecError: as `read_spec`, except for problems of the text as JSON.
    """
    problems = spec_problems(document, known=known)
    if problems or not isinstance(document, dict):
        raise SpecError(_locate(problems, source))
    return _build_spec(source, document)


def stored_spec(source: str) -> ToolSpec:
    """The spec in a text that `read_spec` accepted earlier.

    It is not checked again: stored specs survive new rules.
    """
    document = parse(source)
    assert isinstance(document, dict)  # noqa: S101 - checked by `read_spec`
    return _build_spec(source, document)


def spec_problems(document: JSON, *, known: Container[int] = ()) -> list[Problem]:
    """The problems of `document` as an LLM Tool Spec, with JSON Pointers; at most `MAX_PROBLEMS`.

    If there are any, misspelt members are listed too: they may be the members that are missing. A
    document of another known kind has one problem, which names the kind.
    """
    foreign = foreign_document(document)
    if foreign:
        return [Problem("", foreign, "spec.foreign")]
    problems = _check_format(document)
    if isinstance(document, dict):
        definition = document.get("definition")
        if isinstance(definition, dict):
            problems += _check_naming(definition)
            problems += _check_schema(definition, "parameters", "/definition/parameters", known)
            problems += _check_schema(definition, "returnType", "/definition/returnType", known)
        problems += _check_schema(document, "configuration", "/configuration", known)
        if problems:
            problems += misnamed_members(document)
    return problems[:MAX_PROBLEMS]


def declared_naming(text: bytes) -> tuple[str | None, str | None]:
    """The id and the name that an invalid spec declares, to name it in a report.

    Each is None if it cannot be shown.
    """
    try:
        return naming_in(loads(text))
    except JSONTextError:
        return None, None


def naming_in(document: JSON) -> tuple[str | None, str | None]:
    """As `declared_naming`, for a spec that is read already."""
    definition = document.get("definition") if isinstance(document, dict) else None
    if not isinstance(definition, dict):
        return None, None
    own_id, name = _showable(definition.get("id")), _showable(definition.get("name"))
    return own_id or name, name or own_id


def _showable(value: JSON) -> str | None:
    return value if isinstance(value, str) and not _check_name("id", value) else None


def slug_for(tool_id: str) -> str:
    """The slug of a tool id: the id itself if it fits into a URL.

    Otherwise its letters and the start of its SHA-256.
    """
    if _PLAIN_SLUG.fullmatch(tool_id):
        return tool_id
    ascii_only = unicodedata.normalize("NFKD", tool_id).encode("ascii", "ignore").decode()
    words = re.sub(r"[^\w\s-]", "", ascii_only.lower())
    slug = re.sub(r"[-\s]+", "-", words).strip("-_")[:MAX_SLUG_WORDS].rstrip("-_")
    return f"{slug}-{hashlib.sha256(tool_id.encode()).hexdigest()[:8]}"


# The format


def _without_schemas(schema: dict[str, Any]) -> dict[str, Any]:
    """`schema` without references to meta-schemas.

    The schema policy checks those members, in every draft.
    """
    plain: dict[str, Any] = {}
    for name, member in schema.items():
        if name in {"$schema", "$id"}:
            continue
        if "$ref" in member:
            plain[name] = {"description": member["description"]}
        elif isinstance(member, dict):
            plain[name] = _without_schemas(member)
        else:
            plain[name] = member
    return plain


_FORMAT: Final = _without_schemas(LLM_TOOL_SPEC_SCHEMA)
_FAST_FORMAT: Final = jsonschema_rs.Draft202012Validator(_FORMAT)
_EXPLAINING_FORMAT: Final = jsonschema.Draft202012Validator(_FORMAT)

_TYPES: Final = {"object": "an object", "array": "an array", "string": "a string"}


def _check_format(document: JSON) -> list[Problem]:
    try:
        if _FAST_FORMAT.is_valid(document):
            return []
    except ValueError:
        pass  # a `Number`, which the fast validator does not know, in a place for another type
    errors = islice(_EXPLAINING_FORMAT.iter_errors(document), MAX_PROBLEMS)
    return list(map(_problem_of, errors))


def _problem_of(error: jsonschema.ValidationError) -> Problem:
    path = list(error.absolute_path)
    pointer = pointer_join("", *path)
    is_example = bool(path) and isinstance(path[-1], int)
    if error.validator == "required":
        member = error.message.split("'")[1]  # one error per missing member
        if not is_example:
            member = ".".join(map(str, (*path, member)))
        return Problem(pointer, f"`{member}` is missing.", "spec.required", keyword="required")
    subject = "A spec"
    if is_example:
        subject = "An example"
    elif path:
        subject = f"`{path[-1]}`"
    message = f"{subject} must be {_TYPES[str(error.validator_value)]}."
    return Problem(pointer, message, "spec.type", keyword="type")


# Toolshelf's own limits


def _check_naming(definition: dict[str, JSON]) -> Iterator[Problem]:
    for member in ("id", "name"):
        value = definition.get(member)
        problem = _check_name(member, value) if isinstance(value, str) else None
        if problem:
            yield problem
    own_id = "id" if "id" in definition else "name"
    value = definition.get(own_id)
    if isinstance(value, str) and visible_id(value) not in {value, ""}:
        message = f"`{own_id}` begins or ends with a space, or contains an invisible character;"
        message += f" write {visible_id(value)!r}."
        yield Problem(f"/definition/{own_id}", message, "spec.invisible")
    examples = definition.get("examples")
    if isinstance(examples, list) and len(examples) > MAX_EXAMPLES:
        message = f"There are {len(examples):,} examples; at most {MAX_EXAMPLES} are allowed."
        yield Problem("/definition/examples", message, "spec.too-many")


def visible_id(text: str) -> str:
    """`text` without outer spaces and zero-width characters, which make ids look the same.

    Joiners (U+200C, U+200D) stay inside: Persian, Indic scripts and emoji need them.
    """
    return _OUTER.sub("", _ZERO_WIDTH.sub("", text))


def _check_name(member: str, value: str) -> Problem | None:
    """The problem of an id or name: it may be any text that is one visible line."""
    pointer = f"/definition/{member}"
    if len(value) > MAX_NAME_CHARACTERS:
        message = f"`{member}` has {len(value):,} characters;"
        message += f" at most {MAX_NAME_CHARACTERS} are allowed."
        return Problem(pointer, message, "spec.too-long")
    control = _UNSHOWABLE.search(value)
    if control:
        code = f"U+{ord(control.group()):04X}"
        message = f"`{member}` contains the control character {code}; remove it."
        return Problem(pointer, message, "spec.control")
    if all(unicodedata.category(character)[0] in "ZC" for character in value):
        remedy = "enter the name that models call"
        if member == "id":
            remedy = "remove it to use the name instead"
        return Problem(pointer, f"`{member}` is empty; {remedy}.", "spec.empty")
    return None


def _check_schema(
    parent: dict[str, JSON], member: str, pointer: str, known: Container[int]
) -> list[Problem]:
    if member not in parent or id(parent[member]) in known:
        return []
    return schema_policy_problems(parent[member], pointer)


def _locate(problems: list[Problem], source: str) -> list[Problem]:
    """`problems` with line and column, in the order of the text."""
    positions = locate(source, [problem.pointer for problem in problems])
    located = []
    for problem in sorted(problems, key=lambda problem: positions[problem.pointer]):
        line, column = positions[problem.pointer]
        located.append(replace(problem, line=line, column=column))
    return located


# The result


def _build_spec(source: str, document: dict[str, Any]) -> ToolSpec:
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
