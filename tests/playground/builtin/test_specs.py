import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from playground.builtin.shipped import SPECS
from tests.corpora import GET_WEATHER
from tests.playground.builtin.calls import call_tool, factories, make_tool
from toolspec.schema.validation import compile_schema
from toolspec.spec import read_spec
from toolspec.text import reader

SPEC_FILES = sorted(SPECS.glob("*.json"))
READ = {spec.tool_id: spec for spec in (read_spec(file.read_bytes()) for file in SPEC_FILES)}
EXAMPLES = [
    pytest.param(tool_id, example, id=f"{tool_id}: {example.description}")
    for tool_id, spec in READ.items()
    for example in spec.examples
]
OUR_OWN = sorted(READ.keys() - {"Get weather"})


def test_every_built_in_tool_has_a_factory_and_every_factory_a_spec():
    assert factories().keys() == READ.keys()


def test_both_types_of_factory_are_among_them():
    with_configuration = {
        tool_id for tool_id, spec in READ.items() if spec.configuration is not None
    }

    assert with_configuration == {"Get weather", "query_sqlite", "sign_text"}


@pytest.mark.parametrize("tool_id", READ)
def test_a_tool_describes_itself_as_its_spec_does(tool_id):
    tool, definition = make_tool(tool_id), json.loads(READ[tool_id].source)["definition"]

    assert tool.id == tool_id
    assert tool.name == definition["name"]
    assert tool.description == definition["description"]
    assert tool.parameters_schema == definition["parameters"]
    assert tool.return_type_schema == definition["returnType"]
    assert list(tool.examples) == definition["examples"]


@pytest.mark.parametrize(("tool_id", "example"), EXAMPLES)
def test_an_example_conforms_and_is_what_a_call_returns(tool_id, example):
    spec = READ[tool_id]

    returned = call_tool(tool_id, example.parameters)

    assert compile_schema(spec.parameters).check(example.parameters).verdict == "conforms"
    assert compile_schema(spec.return_type).check(example.return_value).verdict == "conforms"
    assert returned == json.loads(reader.dumps(example.return_value))


@pytest.mark.parametrize("tool_id", OUR_OWN)
def test_a_built_in_tool_has_an_identifier_as_name_and_at_least_two_examples(tool_id):
    spec = READ[tool_id]

    assert spec.name == tool_id
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", spec.name)
    assert len(spec.examples) >= 2


@pytest.mark.parametrize("tool_id", OUR_OWN)
def test_every_parameter_of_a_built_in_tool_is_described(tool_id):
    properties = READ[tool_id].parameters["properties"]

    assert [name for name, schema in properties.items() if not schema.get("description")] == []


@pytest.mark.parametrize("tool_id", OUR_OWN)
def test_every_default_conforms_to_its_own_schema(tool_id):
    parameters = READ[tool_id].parameters
    defaults = {
        name: each["default"]
        for name, each in parameters["properties"].items()
        if "default" in each
    }
    optional = compile_schema({**parameters, "required": []})

    assert optional.check(defaults).problems == ()


@pytest.mark.parametrize("tool_id", READ)
def test_the_empty_configuration_makes_a_tool(tool_id):
    configuration = READ[tool_id].configuration

    assert configuration is None or compile_schema(configuration).check({}).verdict == "conforms"
    assert make_tool(tool_id, {}).id == tool_id


def test_the_weather_is_served_by_the_published_spec_byte_for_byte():
    assert (SPECS / "get-weather.json").read_bytes() == GET_WEATHER.read_bytes()


IMPORTS = """
import importlib, os, sys
from playground.builtin import FACTORIES
loaded = [name for name in ("pint", "pydantic") if name in sys.modules]
print("the list loads", loaded)
for reference in FACTORIES:
    importlib.import_module(reference.partition(":")[0])
    if "django" in sys.modules or len(os.listdir("/proc/self/task")) > 1:
        print(reference, "imports Django or starts a thread")
        break
"""


def test_the_list_imports_no_tool_and_no_tool_imports_django_or_starts_a_thread():
    printed = subprocess.run(
        [sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=True, cwd=Path.cwd()
    )

    assert printed.stdout == "the list loads []\n"
