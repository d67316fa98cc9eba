"""The spec of a factory, from its definition or its types."""

from dataclasses import dataclass
from typing import Any, Literal

import pytest
from typing_extensions import TypedDict

from toolshelf_tools import Definition, Tool
from toolshelf_tools.spec import NoSpecError, make_spec

pytestmark = pytest.mark.unit


@dataclass
class Request:
    text: str
    times: int = 1


class Settings(TypedDict):
    key: str


DEFINITION = Definition(
    name="shout",
    description="Says it louder.",
    parameters_schema={"type": "object", "properties": {"text": {"type": "string"}}},
    return_type_schema={"type": "string"},
    examples=({"parameters": {"text": "a"}, "returnValue": "A"},),
)


class Shout:
    """Say it louder."""

    def call(self, request: Request) -> str:
        return request.text.upper() * request.times


class ShoutFactory:
    def tool_id(self):
        return "shout"

    def create(self):
        return Shout()


def factory_of(made):
    """A factory that makes this tool."""
    factory = ShoutFactory()
    factory.create = lambda: made
    return factory


class DefinedFactory(ShoutFactory):
    definition = DEFINITION


def test_a_definition_of_the_factory_is_its_spec():
    assert make_spec(DefinedFactory()) == {
        "definition": {
            "name": "shout",
            "description": "Says it louder.",
            "parameters": {"type": "object", "properties": {"text": {"type": "string"}}},
            "returnType": {"type": "string"},
            "examples": [{"parameters": {"text": "a"}, "returnValue": "A"}],
        }
    }


def test_a_tool_may_be_its_own_definition():
    class Own(Definition):
        def call(self, request):
            return request

    own = Own(name="own", description="An own one.", parameters_schema={"type": "object"})

    definition = make_spec(factory_of(own))["definition"]

    assert definition == {
        "id": "shout",
        "name": "own",
        "description": "An own one.",
        "parameters": {"type": "object"},
    }


def test_without_a_definition_the_spec_comes_from_types_and_docstring():
    assert make_spec(ShoutFactory()) == {
        "definition": {
            "name": "shout",
            "description": "Say it louder.",
            "parameters": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "times": {"type": "integer", "default": 1},
                },
                "required": ["text"],
            },
            "returnType": {"type": "string"},
        }
    }


def test_a_schema_that_a_definition_lacks_comes_from_the_types():
    class Factory(ShoutFactory):
        definition = Definition(name="shout", description="Says it louder.")

    assert make_spec(Factory())["definition"]["returnType"] == {"type": "string"}


def test_the_configuration_comes_from_its_type_and_the_rest_from_the_annotated_class():
    class Factory(ShoutFactory):
        configuration_type = Settings

        def create(self, configuration: Settings) -> Shout:
            raise AssertionError

    spec = make_spec(Factory())

    assert spec["configuration"] == {
        "type": "object",
        "properties": {"key": {"type": "string"}},
        "required": ["key"],
    }
    assert spec["definition"]["description"] == "Say it louder."
    assert spec["definition"]["parameters"]["required"] == ["text"]
    assert spec["definition"]["returnType"] == {"type": "string"}


def test_the_types_of_the_annotated_interface_count():
    class Factory(ShoutFactory):
        """Make something loud."""

        def create(self, configuration: Settings) -> Tool[Request, Literal["a", "b"]]:
            raise AssertionError

    definition = make_spec(Factory())["definition"]

    assert definition["description"] == "Make something loud."
    assert definition["parameters"]["required"] == ["text"]
    assert definition["returnType"] == {"type": "string", "enum": ["a", "b"]}


def test_a_response_that_is_not_annotated_has_no_schema():
    class Silent:
        """Say nothing."""

        def call(self, request: dict[str, Any]):
            return request

    assert "returnType" not in make_spec(factory_of(Silent()))["definition"]


def test_a_tool_without_a_description_has_no_spec():
    class Undescribed:
        def call(self, request):
            return request

    with pytest.raises(NoSpecError, match="The tool shout has no description"):
        make_spec(factory_of(Undescribed()))


def test_a_type_without_a_schema_is_an_error():
    class Odd:
        """Take something odd."""

        def call(self, request: dict[str, Any]) -> Shout:
            return Shout()

    with pytest.raises(NoSpecError, match="The spec of the response: no JSON Schema describes"):
        make_spec(factory_of(Odd()))
