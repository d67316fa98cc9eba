"""Check a tool as the playground runs it: its definition, and a call with each of its examples.

In a test:

    from toolshelf_tools.testing import check, examples_of

    def test_it_does_what_its_spec_declares():
        check("my_package:factory")

    @pytest.mark.parametrize("example", examples_of("my_package:factory"), ids=str)
    def test_an_example(example):
        example.check()

In a shell: `python -m toolshelf_tools check my_package:factory`.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

try:
    from jsonschema import FormatChecker
    from jsonschema.exceptions import SchemaError, best_match
    from jsonschema.validators import Draft202012Validator, validator_for
except ImportError as error:
    raise ImportError(
        "toolshelf_tools.testing needs jsonschema: python -m pip install jsonschema"
    ) from error

from toolshelf_tools.calls import Caller
from toolshelf_tools.decorator import Spec, read_spec
from toolshelf_tools.factories import load_factory
from toolshelf_tools.files import BASE64_FORMATS, BadFileError, as_file, read_file
from toolshelf_tools.interfaces import File, ToolError
from toolshelf_tools.json_encoder import NotJSONError, encode, pointer_join
from toolshelf_tools.spec import NoSpecError, make_spec
from toolshelf_tools.type_conversion import (
    MisfitError,
    make_plain,
    read_value,
    request_type,
    response_type,
    wants_argument,
)

_MAX_RESPONSE_BYTES: Final = 1 << 20  # the playground's default
_MAX_FILE_BYTES: Final = 16 << 20  # the playground's default
_MAX_SHOWN: Final = 10


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        where: "definition", "configuration" or "example 1".
        message: what happened, with a JSON Pointer to it.
        details: a traceback, or "".
    """

    where: str
    message: str
    details: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.message}\n{self.details}".rstrip("\n")


class CheckFailed(AssertionError):
    """A tool does not do what its spec declares.

    Attributes:
        problems: list[Problem].
    """

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(["The tool does not match its spec.", *map(str, problems)]))
        self.problems = problems


@dataclass(frozen=True)
class Example:
    """One example of a spec, which can be checked.

    Attributes:
        number: from 1.
        document: {"description"?, "parameters"?, "returnValue"?}.
    """

    subject: Subject = field(repr=False)
    number: int
    document: Mapping[str, Any]

    def __str__(self) -> str:
        if isinstance(self.document, Mapping) and (text := self.document.get("description")):
            return f"example {self.number}: {text}"
        return f"example {self.number}"

    def find_problems(self) -> list[Problem]:
        """Find problems of the example, and of the call of the tool with its parameters."""
        where = f"example {self.number}"
        return [Problem(where, *each) for each in self.subject.check_example(self.document)]

    def check(self) -> None:
        """Call the tool with the example's parameters.

        Raises:
            CheckFailed: the example does not match the spec, or the response does not match the
                spec or the example.
        """
        if problems := self.find_problems():
            raise CheckFailed(problems)


class Subject:
    """A factory with its spec, which is checked."""

    def __init__(
        self,
        factory: Any,
        *,
        spec: Spec | None = None,
        configuration: Any = None,
        exactly: bool = True,
        ignored: Collection[str] = (),
    ) -> None:
        """Import the factory if `factory` is its reference.

        Args:
            factory: a factory, a class of factories, or "module:attribute".
            spec: the document, its JSON text, or the path of its file; None for the factory's own,
                or the one made from its types.
            configuration: what the tool is created with, as JSON has it; None for {}.
            exactly: whether a response must be equal to the example's `returnValue`.
            ignored: JSON Pointers into responses, whose values may differ.

        Raises:
            NoSpecError: there is no spec, and none can be made.
            Exception: anything that the import raises.
        """
        if isinstance(factory, str):
            factory = load_factory(factory)
        elif isinstance(factory, type):
            factory = factory()
        self.factory = factory
        document = make_spec(factory) if spec is None else read_spec(spec)
        self.spec = document if isinstance(document, Mapping) else {}
        self.configuration = {} if configuration is None else configuration
        self.exactly = exactly
        self.ignored = frozenset(ignored)

    @property
    def definition(self) -> Mapping[str, Any]:
        definition = self.spec.get("definition")
        return definition if isinstance(definition, Mapping) else {}

    @cached_property
    def examples(self) -> list[Example]:
        documents = self.definition.get("examples")
        if not isinstance(documents, list | tuple):
            return []
        return [Example(self, number, document) for number, document in enumerate(documents, 1)]

    def find_problems(self) -> list[Problem]:
        """Find problems of the spec itself, and of the factory with it. The tool is not called."""
        problems = [Problem("definition", message) for message in self._check_definition()]
        for message in self._check_configuration():
            problems.append(Problem("configuration", message))
        return problems

    def _check_definition(self) -> Iterator[str]:
        if not self.definition:
            yield "The spec has no `definition`, which is an object."
            return
        for member in ("name", "description"):
            if not isinstance(self.definition.get(member), str) or not self.definition[member]:
                yield f"`{member}` must be a string that is not empty."
        for member in ("parameters", "returnType"):
            if message := _check_schema(self.definition.get(member, True)):
                yield f"`{member}` is not a valid JSON Schema: {message}"
        if not isinstance(self.definition.get("examples", []), list | tuple):
            yield "`examples` must be an array."
        spec_id = self.definition.get("id") or self.definition.get("name")
        tool_id = self.factory.tool_id()
        if spec_id != tool_id:
            yield f"The factory's tool_id() is {tool_id!r}, but the id of the spec is {spec_id!r}."

    def _check_configuration(self) -> Iterator[str]:
        schema = self.spec.get("configuration")
        if schema is not None and (message := _check_schema(schema)):
            yield f"It is not a valid JSON Schema: {message}"
        elif wants_argument(self.factory.create):
            yield from _check_value(
                schema, self.configuration, "The configuration to check with (`{}` by default)"
            )

    def check_example(self, example: Any) -> Iterator[tuple[str, str]]:
        """Yield the message and details of each problem of one example."""
        if not isinstance(example, Mapping):
            yield "It must be an object.", ""
            return
        if messages := self._check_members(example):
            for message in messages:
                yield message, ""
            return
        if "parameters" not in example:
            return
        try:
            response = self.respond(example["parameters"])
        except (ToolError, MisfitError, NotJSONError, BadFileError) as error:
            yield str(error), ""
            return
        except Exception as error:  # noqa: BLE001  whatever the tool raises
            yield f"The call raised {type(error).__name__}: {error}", traceback.format_exc()
            return
        for message in _check_value(self.definition.get("returnType"), response, "The response"):
            yield message, ""
        if "returnValue" in example and self.exactly:
            expected_value = _parse(json.dumps(example["returnValue"]))
            for pointer, difference in _compare(expected_value, response):
                if not self._ignores(pointer):
                    yield f"The response differs at {pointer or 'its root'}: {difference}.", ""

    def _check_members(self, example: Mapping[str, Any]) -> list[str]:
        for member, schema in (("parameters", "parameters"), ("returnValue", "returnType")):
            if member in example:
                value = example[member]
                messages = _check_value(self.definition.get(schema), value, f"Its `{member}`")
                if messages:
                    return messages
        return []

    def _ignores(self, pointer: str) -> bool:
        return any(f"{pointer}/".startswith(f"{each}/") for each in self.ignored)

    def respond(self, parameters: Any) -> Any:
        """Call a new tool. The response is read from its JSON; numbers with a point are Decimals.

        Raises:
            MisfitError: a value does not match a type that the tool annotates.
            NotJSONError: the response cannot be written as JSON.
            BadFileError: a file of the response cannot be read.
            Exception: anything that the tool raises.
        """
        with Caller() as caller:
            tool = caller.create_tool(self.factory, json.dumps(self.configuration))
            request = read_value(json.dumps(parameters), request_type(tool), what="parameters")
            kind = response_type(tool)
            response = as_file(caller.get_response(tool.call(request)), kind)
        if not isinstance(response, File):
            response = make_plain(response, kind)
        max_bytes = _MAX_RESPONSE_BYTES + 2 * _MAX_FILE_BYTES
        return _parse(encode(response, max_bytes=max_bytes, describe_file=self._describe_file))

    def _describe_file(self, file: File, pointer: str) -> Any:
        """The file's content in Base64 where `returnType` declares that, else its description."""
        content = read_file(file, pointer, max_bytes=_MAX_FILE_BYTES)
        return_type = self.definition.get("returnType")
        schema = _follow_reference(return_type, return_type)
        for token in pointer.split("/")[1:]:
            name = token.replace("~1", "/").replace("~0", "~")
            schema = _follow_reference(_get_subschema(schema, name), return_type)
        options = [schema, *schema.get("anyOf", []), *schema.get("oneOf", [])]
        if any(map(_is_base64, options)):
            return content.base64()
        return content.description()


def check(
    factory: Any,
    *,
    spec: Spec | None = None,
    configuration: Any = None,
    exactly: bool = True,
    ignored: Collection[str] = (),
) -> None:
    """Check the spec of `factory`, and call its tool with each example.

    The arguments are those of `Subject`.

    Raises:
        CheckFailed: with all problems.
        Exception: anything that the import of the factory raises.
    """
    subject = Subject(
        factory, spec=spec, configuration=configuration, exactly=exactly, ignored=ignored
    )
    problems = subject.find_problems()
    if not problems:
        for example in subject.examples:
            problems += example.find_problems()
    if problems:
        raise CheckFailed(problems)


def examples_of(factory: Any, **options: Any) -> list[Example]:
    """The examples of `factory`, as parameters of a test. The options are those of `check`."""
    return Subject(factory, **options).examples


def call(factory: Any, parameters: Any, *, configuration: Any = None) -> Any:
    """Call the tool of `factory` once: the response to `parameters`, both as JSON has them.

    Raises:
        Exception: see `Subject.respond`.
    """
    try:
        subject = Subject(factory, configuration=configuration)
    except NoSpecError:
        subject = Subject(factory, spec={}, configuration=configuration)
    return _replace_decimals(subject.respond(parameters))


def _is_base64(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    encoding = str(schema.get("contentEncoding")).lower()
    return encoding == "base64" or schema.get("format") in BASE64_FORMATS


def _follow_reference(schema: Any, return_type: Any) -> Mapping[str, Any]:
    """The schema that a reference within `returnType` leads to; {} if it leads nowhere."""
    for _ in range(10):
        if not isinstance(schema, Mapping):
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        schema = return_type
        for token in reference.split("/")[1:]:
            schema = schema.get(token) if isinstance(schema, Mapping) else None
    return {}


def _get_subschema(schema: Mapping[str, Any], token: str) -> Any:
    """The schema of a member or an item."""
    properties, items = schema.get("properties"), schema.get("prefixItems")
    if isinstance(properties, Mapping) and token in properties:
        return properties[token]
    if isinstance(items, list) and token.isdecimal() and int(token) < len(items):
        return items[int(token)]
    return schema.get("items", schema.get("additionalProperties"))


def _check_schema(schema: Any) -> str:
    """Why `schema` is not a valid JSON Schema; "" if it is."""
    if not isinstance(schema, dict | bool):
        return f"it is {type(schema).__name__}, not an object."
    try:
        _get_validator(schema).check_schema(schema)
    except SchemaError as error:
        return _describe(error)
    return ""


def _get_validator(schema: Any) -> Any:
    """The validator class of the schema's own draft, 2020-12 by default."""
    return validator_for(schema, Draft202012Validator)


def _check_value(schema: Any, value: Any, subject: str) -> list[str]:
    """How `value` breaks `schema`; [] if there is no schema."""
    if schema is None or schema is True:
        return []
    validator = _get_validator(schema)(schema, format_checker=FormatChecker())
    errors = sorted(validator.iter_errors(_replace_decimals(value)), key=_sort_key)
    messages = []
    for error in errors[:_MAX_SHOWN]:
        reason = _describe(best_match([error]))
        messages.append(f"{subject} does not match its schema: {reason}")
    return messages


def _sort_key(error: Any) -> list[str]:
    return list(map(str, error.absolute_path))


def _describe(error: Any) -> str:
    pointer = pointer_join("", *error.absolute_path)
    return f"{pointer or 'at the root'}: {error.message}."


def _parse(text: str | bytes) -> Any:
    return json.loads(text, parse_float=Decimal)


def _replace_decimals(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _replace_decimals(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_replace_decimals, value))
    if isinstance(value, Decimal):
        return float(value)
    return value


def _compare(expected: Any, actual: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Yield the JSON Pointer and the description of each difference of two values.

    1 and 1.0 are equal, true and 1 are not.
    """
    if isinstance(expected, dict) and isinstance(actual, dict):
        for name in expected | actual:
            below = pointer_join(pointer, name)
            if name not in actual:
                yield below, f"{_show(expected[name])} is missing"
            elif name not in expected:
                yield below, f"{_show(actual[name])} is not expected"
            else:
                yield from _compare(expected[name], actual[name], below)
    elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        for index, item in enumerate(expected):
            yield from _compare(item, actual[index], f"{pointer}/{index}")
    elif isinstance(expected, bool) != isinstance(actual, bool) or expected != actual:
        yield pointer, f"{_show(actual)} instead of {_show(expected)}"


def _show(value: Any) -> str:
    text = json.dumps(_replace_decimals(value), ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]}…"
