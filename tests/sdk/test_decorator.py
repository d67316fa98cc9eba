"""`@tool`: a factory from a typed function."""

import datetime as dt
import enum
import json
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from tests.sdk import examples_for_tests as tools
from toolshelf_tools import ConfigurableToolFactory, File, UnconfigurableToolFactory, tool
from toolshelf_tools.spec import make_spec
from toolshelf_tools.testing import call
from toolshelf_tools.type_conversion import find_types_beside

pytestmark = pytest.mark.unit


@tool
def greet(name: str, *, polite: bool = False) -> str:
    """Greet somebody."""
    return f"Good evening, {name}." if polite else f"Hello, {name}!"


def test_a_decorated_function_is_a_factory():
    assert isinstance(greet, UnconfigurableToolFactory)
    assert greet.tool_id() == "greet"
    assert call(greet, {"name": "Ada", "polite": True}) == "Good evening, Ada."
    assert greet("Ada") == "Hello, Ada!"
    assert greet.__doc__ == "Greet somebody."


def test_the_spec_is_made_from_name_docstring_annotations_and_defaults():
    assert make_spec(greet) == {
        "definition": {
            "name": "greet",
            "description": "Greet somebody.",
            "parameters": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "polite": {"type": "boolean", "default": False},
                },
                "required": ["name"],
                "additionalProperties": False,
            },
            "returnType": {"type": "string"},
        }
    }


def test_types_of_every_kind_have_schemas():
    spec = make_spec(tools.weather)

    definition = spec["definition"]
    assert (definition["id"], definition["name"]) == ("get_weather", "weather")
    assert definition["description"] == "Look up the weather.\n\nIt is that of the nearest station."
    properties = dict(definition["parameters"]["properties"])
    assert properties.pop("at")["description"] == "The time, in UTC."
    assert properties == {
        "place": {"$ref": "#/$defs/Place", "description": "Where."},
        "unit": {"$ref": "#/$defs/Unit", "default": "C", "description": "Of the temperature."},
        "stations": {"type": "array", "items": {"type": "string"}, "default": []},
        "hours": {"type": "integer", "minimum": 1, "maximum": 48, "default": 24},
        "kind": {
            "anyOf": [{"type": "string", "enum": ["measured", "forecast"]}, {"type": "null"}],
            "default": None,
        },
    }
    assert definition["parameters"]["$defs"]["Unit"] == {"type": "string", "enum": ["C", "F"]}
    assert definition["parameters"]["required"] == ["place", "at"]
    assert definition["returnType"] == {
        "type": "object",
        "properties": {
            "at": {"type": "string", "examples": ["2026-03-01T12:00:00"]},
            "temperature": {"type": "number"},
        },
        "required": ["at", "temperature"],
        "description": "The weather there.",
    }
    assert definition["examples"] == tools.EXAMPLES
    assert spec["configuration"] == {
        "type": "object",
        "properties": {"key": {"type": "string", "writeOnly": True}},
        "required": ["key"],
    }


def test_a_parameter_named_configuration_receives_the_configuration():
    assert isinstance(tools.weather, ConfigurableToolFactory)
    parameters = {"place": {"city": "Oslo"}, "at": "2026-01-01T00:00:00Z", "unit": "F"}

    for _ in range(2):  # its default list is a new one in each call
        response = call(tools.weather, parameters, configuration={"key": "k"})

        assert response == {"at": "2026-01-01T00:00:00Z", "temperature": 26.6}


def test_the_type_of_the_configuration_may_be_its_annotation():
    @dataclass
    class Settings:
        word: str = "Hello"

    @tool
    def greet(name: str, configuration: Settings) -> str:
        """Greet somebody."""
        return f"{configuration.word}, {name}!"

    assert call(greet, {"name": "Ada"}, configuration={"word": "Servus"}) == "Servus, Ada!"
    assert make_spec(greet)["configuration"]["properties"] == {
        "word": {"type": "string", "default": "Hello"}
    }


def test_generators_and_coroutines_respond_with_their_last_value():
    assert call(tools.count, {"end": 3}) == 3
    assert call(tools.count_slowly, {"end": 4}) == 4
    assert call(tools.total, {"numbers": [1, 0.5]}) == "1.5"
    assert make_spec(tools.count)["definition"]["returnType"] == {"type": "integer"}
    assert make_spec(tools.count_slowly)["definition"]["returnType"] == {"type": "integer"}
    assert make_spec(tools.total)["definition"]["returnType"] == {"type": "string"}


def test_a_description_in_the_annotation_counts_more_than_the_docstring():
    @tool
    def greet(name: Annotated[str, Field(description="Who it is.")]) -> str:
        """Greet somebody.

        Args:
            name: A name.
        """
        return name

    assert (
        make_spec(greet)["definition"]["parameters"]["properties"]["name"]["description"]
        == "Who it is."
    )


def test_a_response_without_annotation_has_no_schema():
    @tool
    def anything(value: Any):
        """Return it."""
        return value

    assert make_spec(anything)["definition"] == {
        "name": "anything",
        "description": "Return it.",
        "parameters": {
            "type": "object",
            "properties": {"value": {}},
            "required": ["value"],
            "additionalProperties": False,
        },
    }
    assert call(anything, {"value": [1, None]}) == [1, None]


def test_a_function_without_parameters_is_a_tool():
    @tool
    def now() -> dt.date:
        """Return the day."""
        return dt.date(2026, 1, 1)

    assert call(now, {}) == "2026-01-01"


def test_positional_parameters_and_names_of_every_kind_are_passed():
    @tool
    def odd(
        schema: str, json: int, /, copy: Literal["a"] = "a", *, model_config: bool = True
    ) -> list[Any]:
        """Have names that models use themselves."""
        return [schema, json, copy, model_config]

    assert call(odd, {"schema": "s", "json": 1}) == ["s", 1, "a", True]


def test_a_spec_written_by_hand_is_served_as_it_is(tmp_path):
    spec = {
        "definition": {
            "id": "g",
            "name": "greet",
            "description": "D",
            "parameters": {"type": "object"},
            "x": 1,
        },
        "configuration": True,
    }
    file = tmp_path / "greet.json"
    file.write_text(json.dumps(spec))

    for each in (spec, json.dumps(spec), file):
        factory = tool(spec=each)(greet.function)

        assert make_spec(factory) == spec
        assert (factory.tool_id(), factory.definition.parameters_schema) == (
            "g",
            {"type": "object"},
        )


def test_its_types_are_known_before_its_first_run():
    assert find_types_beside(tools.weather) == [
        tools.Settings,
        tools.weather.request_type,
        tools.Weather,
    ]


# Refusals


def refused(function, **options):
    with pytest.raises(TypeError) as caught:
        tool(**options)(function)
    return str(caught.value).replace(function.__qualname__, "f")


def test_a_function_that_cannot_be_described_is_refused():
    def untyped(a):
        """One."""

    def variadic(*a: int):
        """One."""

    def unknown(a: "Missing"):  # noqa: F821
        """One."""

    missing = "an annotation cannot be evaluated: name 'Missing' is not defined"
    assert refused(untyped).startswith("@tool on f: the parameter `a` has no type annotation")
    assert refused(variadic).startswith("@tool on f: the parameter `a` is `*a`, which has no")
    assert refused(unknown) == f"@tool on f: {missing}"


def test_a_function_without_a_docstring_is_refused():
    def f():
        pass

    assert refused(f) == "@tool on f: it has no docstring, but LLMs need a description."
    assert tool(description="One.")(f).definition.description == "One."


def test_options_that_do_not_fit_the_function_or_each_other_are_refused():
    def f():
        """One."""

    unused = "@tool on f: it has no parameter `configuration` to receive it."
    assert refused(f, configuration=dict) == unused
    assert refused(f, spec={}, name="a").startswith("Pass @tool a spec, or id, name")


class Odd:
    """A class that neither pydantic nor JSON knows."""


class Corner(enum.Enum):
    FIRST = (0, 0)


@dataclass
class HoldsOdd:
    odd: Odd


@pytest.mark.parametrize(
    ("annotation", "reason"),
    [
        (Odd, "pydantic does not support"),
        (HoldsOdd, "pydantic does not support"),
        (Callable[[], int], "no JSON Schema describes the type"),
        (File, "a File can only be returned; annotate the parameter as Base64Bytes."),
        (Corner, "its value [0, 0] cannot be read from JSON."),
        (Literal[b"a"], "its value 'a' cannot be read from JSON."),
        (dict[Corner, int], "its value [0, 0] cannot be read from JSON."),
        (
            dict[tuple[int, int], int],
            "its keys cannot be read from JSON, in which they are strings.",
        ),
        (dict[int | None, int], "its keys cannot be read from JSON, in which they are strings."),
    ],
)
def test_a_parameter_that_json_cannot_give_is_refused_when_the_module_is_imported(
    annotation, reason
):
    def f(a) -> int:
        """One."""

    f.__annotations__["a"] = annotation

    message = refused(f)

    assert message.startswith("@tool on f: the parameter `a`: ")
    assert reason in message


@pytest.mark.parametrize("annotation", [Odd, HoldsOdd, Callable[[], int], list[Odd]])
def test_a_response_that_json_does_not_have_is_refused_when_the_module_is_imported(annotation):
    def f():
        """One."""

    f.__annotations__["return"] = annotation

    assert refused(f).startswith("@tool on f: its response: no JSON Schema describes the type")


def test_a_type_may_refer_to_a_class_that_the_module_defines_later():
    module = """
from __future__ import annotations
from pydantic import BaseModel
from toolshelf_tools import tool

class Order(BaseModel):
    item: Item

@tool
def order() -> Order:
    'Order an item.'
    return Order(item=Item(name="a"))

class Item(BaseModel):
    name: str
"""
    later = types.ModuleType("later")
    sys.modules["later"] = later

    exec(module, later.__dict__)

    assert call(later.order, {}) == {"item": {"name": "a"}}
