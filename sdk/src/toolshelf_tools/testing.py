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
from toolshelf_tools.factories import LoadedFactory, load_factory
from toolshelf_tools.files import BASE64_FORMATS, BadFileError, as_file, read_file
from toolshelf_tools.interfaces import File, ToolError
from toolshelf_tools.json_encoder import NotJSONError, encode, pointer_join
from toolshelf_tools.spec import NoSpecError, spec_of
from toolshelf_tools.type_conversion import (
    MisfitError,
    configuration_type,
    plain_value,
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
        return f"{self.where}: {self.message}" + (f"\n{self.details}" if self.details else "")


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
        description = self.document.get("description") if isinstance(self.document, Mapping) else ""
        return f"example {self.number}" + (f": {description}" if description else "")

    def problems(self) -> list[Problem]:
        """The problems of the example, or of the call of the tool with its parameters."""
        where = f"example {self.number}"
        return [Problem(where, *each) for each in self.subject.example_problems(self.document)]

    def check(self) -> None:
        """Call the tool with the example's parameters.

        Raises:
            CheckFailed: the example does not match the spec, or the response does not match the
                spec or the example.
        """
        if problems := self.problems():
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
        """Import the factory if need be.

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
            factory = load_factory(factory).factory
        elif isinstance(factory, type):
            factory = factory()
        self.factory = factory
        self.loaded = LoadedFactory(factory, wants_argument(factory.create))
        self.spec: Any = spec_of(factory) if spec is None else read_spec(spec)
        self.configuration = {} if configuration is None else configuration
        self.exactly, self.ignored = exactly, frozenset(ignored)

    @property
    def definition(self) -> Mapping[str, Any]:
        found = self.spec.get("definition") if isinstance(self.spec, Mapping) else None
        return found if isinstance(found, Mapping) else {}

    @cached_property
    def examples(self) -> list[Example]:
        found = self.definition.get("examples")
        return (
            [Example(self, *each) for each in enumerate(found, 1)]
            if isinstance(found, list | tuple)
            else []
        )

    def definition_problems(self) -> list[Problem]:
        """The problems of the spec itself, or of the factory for it."""
        return [Problem("definition", message) for message in self._definition_messages()] + [
            Problem("configuration", message) for message in self._configuration_messages()
        ]

    def _definition_messages(self) -> Iterator[str]:
        if not self.definition:
            yield "The spec has no `definition`, which is an object."
            return
        for member in ("name", "description"):
            if not isinstance(self.definition.get(member), str) or not self.definition[member]:
                yield f"`{member}` must be a string that is not empty."
        for member in ("parameters", "returnType"):
            if message := _schema_message(self.definition.get(member, True)):
                yield f"`{member}` is not a valid JSON Schema: {message}"
        if not isinstance(self.definition.get("examples", []), list | tuple):
            yield "`examples` must be an array."
        declared, served = (
            self.definition.get("id") or self.definition.get("name"),
            self.factory.tool_id(),
        )
        if declared != served:
            yield f"The factory's tool_id() is {served!r}, but the id of the spec is {declared!r}."

    def _configuration_messages(self) -> Iterator[str]:
        schema = self.spec.get("configuration") if isinstance(self.spec, Mapping) else None
        if schema is not None and (message := _schema_message(schema)):
            yield f"It is not a valid JSON Schema: {message}"
        elif self.loaded.configurable:
            yield from _value_messages(
                schema, self.configuration, "The configuration to check with (`{}` by default)"
            )

    def example_problems(self, example: Any) -> Iterator[tuple[str, str]]:
        """The message and details of each problem of one example."""
        if not isinstance(example, Mapping):
            yield "It must be an object.", ""
            return
        for member, schema in (("parameters", "parameters"), ("returnValue", "returnType")):
            if member in example:
                messages = list(
                    _value_messages(self.definition.get(schema), example[member], f"Its `{member}`")
                )
                yield from ((message, "") for message in messages)
                if messages:
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
        yield from (
            (each, "")
            for each in _value_messages(self.definition.get("returnType"), response, "The response")
        )
        if "returnValue" in example and self.exactly:
            expected = _parsed(json.dumps(example["returnValue"]))
            differences = [
                (at, each) for at, each in _differences(expected, response) if not self._ignores(at)
            ]
            yield from (
                (f"The response differs at {at or 'its root'}: {each}.", "")
                for at, each in differences
            )

    def _ignores(self, pointer: str) -> bool:
        return any(pointer == each or pointer.startswith(f"{each}/") for each in self.ignored)

    def respond(self, parameters: Any) -> Any:
        """The response of a new tool to `parameters`, read from its JSON; numbers with a point are Decimals.

        Raises:
            MisfitError: a value does not match a type that the tool annotates.
            NotJSONError: the response cannot be written as JSON.
            BadFileError: a file of the response cannot be read.
            Exception: anything that the tool raises.
        """
        with Caller() as caller:
            if self.loaded.configurable:
                text = json.dumps(self.configuration)
                given = read_value(text, configuration_type(self.factory), what="configuration")
                tool = caller.result_of(self.factory.create(given))
            else:
                tool = caller.result_of(self.factory.create())
            request = read_value(json.dumps(parameters), request_type(tool), what="parameters")
            kind = response_type(tool)
            response = as_file(caller.response_of(tool.call(request)), kind)
        if not isinstance(response, File):
            response = plain_value(response, kind)
        max_bytes = _MAX_RESPONSE_BYTES + 2 * _MAX_FILE_BYTES
        return _parsed(encode(response, max_bytes=max_bytes, describe_file=self._value_of_file))

    def _value_of_file(self, file: File, pointer: str) -> Any:
        """Its content in Base64 where `returnType` declares that, else its description."""
        read = read_file(file, pointer, max_bytes=_MAX_FILE_BYTES)
        schema = self.definition.get("returnType")
        for token in pointer.split("/")[1:]:
            schema = _below(
                _target(schema, self.definition), token.replace("~1", "/").replace("~0", "~")
            )
        schema = _target(schema, self.definition)
        options = [schema, *schema.get("anyOf", []), *schema.get("oneOf", [])]
        return read.base64() if any(map(_is_base64, options)) else read.description()


def check(
    factory: Any,
    *,
    spec: Spec | None = None,
    configuration: Any = None,
    exactly: bool = True,
    ignored: Collection[str] = (),
) -> None:
    """Check the spec of `factory`, and call its tool with each example. The arguments are those of `Subject`.

    Raises:
        CheckFailed: with all problems.
        Exception: anything that the import of the factory raises.
    """
    subject = Subject(
        factory, spec=spec, configuration=configuration, exactly=exactly, ignored=ignored
    )
    problems = subject.definition_problems()
    if not problems:
        problems = [problem for example in subject.examples for problem in example.problems()]
    if problems:
        raise CheckFailed(problems)


def examples_of(factory: Any, **options: Any) -> list[Example]:
    """The examples of `factory`, each with `check()`: parameters of a test. `options` are those of `check`."""
    return Subject(factory, **options).examples


def call(factory: Any, parameters: Any, *, configuration: Any = None) -> Any:
    """The response of the tool of `factory` to `parameters`, both as JSON has them.

    Raises:
        Exception: see `Subject.respond`.
    """
    try:
        subject = Subject(factory, configuration=configuration)
    except NoSpecError:
        subject = Subject(factory, spec={}, configuration=configuration)
    return _plain(subject.respond(parameters))


def _is_base64(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    return (
        str(schema.get("contentEncoding")).lower() == "base64"
        or schema.get("format") in BASE64_FORMATS
    )


def _target(schema: Any, definition: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema that a reference within `returnType` leads to; {} for one that cannot be found."""
    for _ in range(10):
        if not isinstance(schema, Mapping):
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        schema = definition.get("returnType")
        for token in reference.split("/")[1:]:
            schema = schema.get(token) if isinstance(schema, Mapping) else None
    return {}


def _below(schema: Mapping[str, Any], token: str) -> Any:
    """The schema for a member or item."""
    properties, items = schema.get("properties"), schema.get("prefixItems")
    if isinstance(properties, Mapping) and token in properties:
        return properties[token]
    if isinstance(items, list) and token.isdecimal() and int(token) < len(items):
        return items[int(token)]
    return schema.get("items", schema.get("additionalProperties"))


def _schema_message(schema: Any) -> str:
    """Why `schema` is not a valid JSON Schema; "" if it is."""
    if not isinstance(schema, dict | bool):
        return f"it is {type(schema).__name__}, not an object."
    try:
        _validator_of(schema).check_schema(schema)
    except SchemaError as error:
        return _sentence(error)
    return ""


def _validator_of(schema: Any) -> Any:
    """The validator class of the schema's own draft, 2020-12 by default."""
    return validator_for(schema, Draft202012Validator)


def _value_messages(schema: Any, value: Any, what: str) -> Iterator[str]:
    """How `value` breaks `schema`; nothing if there is no schema."""
    if schema is None or schema is True:
        return
    validator = _validator_of(schema)(schema, format_checker=FormatChecker())
    errors = sorted(
        validator.iter_errors(_plain(value)), key=lambda error: list(map(str, error.absolute_path))
    )
    for error in errors[:_MAX_SHOWN]:
        yield f"{what} does not match its schema: {_sentence(best_match([error]))}"


def _sentence(error: Any) -> str:
    return f"{pointer_join('', *error.absolute_path) or 'at the root'}: {error.message}."


def _parsed(text: str | bytes) -> Any:
    return json.loads(text, parse_float=Decimal)


def _plain(value: Any) -> Any:
    """`value` with floats instead of Decimals."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return float(value) if isinstance(value, Decimal) else value


def _differences(expected: Any, found: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Each difference between two values: its JSON Pointer, and a sentence. 1 and 1.0 are equal, true and 1 are not."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in [*expected, *(name for name in found if name not in expected)]:
            at = pointer_join(pointer, name)
            if name not in found:
                yield at, f"{_shown(expected[name])} is missing"
            elif name not in expected:
                yield at, f"{_shown(found[name])} is not expected"
            else:
                yield from _differences(expected[name], found[name], at)
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for index, pair in enumerate(zip(expected, found, strict=True)):
            yield from _differences(*pair, f"{pointer}/{index}")
    elif isinstance(expected, bool) != isinstance(found, bool) or expected != found:
        yield pointer, f"{_shown(found)} instead of {_shown(expected)}"


def _shown(value: Any) -> str:
    text = json.dumps(_plain(value), ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]}…"
