"""The interfaces for authors of tools: the interfaces, and progress."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path

import pytest

from tests.corpora import GET_WEATHER
from toolshelf_tools import (
    ConfigurableToolFactory,
    DefinedTool,
    Definition,
    File,
    Progress,
    Tool,
    ToolDefinition,
    ToolFactory,
    UnconfigurableToolFactory,
    listen_to_progress,
    progress,
)
from toolshelf_tools.schemas import schema_of
from toolshelf_tools.type_conversion import response_type_of

pytestmark = pytest.mark.unit

ROOT = Path(__file__).resolve().parents[2]


class Shout(Tool):
    name = "shout"
    description = "Says it louder."

    def call(self, request):
        return request["text"].upper()


class ShoutFactory:
    def tool_id(self):
        return "shout"

    def create(self):
        return Shout()


@pytest.fixture
def reports():
    reports = []
    listen_to_progress(lambda *report: reports.append(report))
    yield reports
    listen_to_progress(None)


def test_the_id_defaults_to_the_name():
    assert Shout().id == "shout"


def test_a_definition_has_no_schemas_or_examples_by_default():
    shout = Shout()

    assert (shout.parameters_schema, shout.return_type_schema, shout.examples) == (None, None, ())


def test_a_tool_takes_plain_values_unless_it_names_a_type():
    assert Shout().request_type is dict


def test_a_definition_is_read_from_its_spec():
    spec = json.loads(GET_WEATHER.read_text())

    definition = Definition.from_spec(GET_WEATHER.read_text())

    assert definition.id == definition.name == "Get weather"
    assert definition.parameters_schema == spec["definition"]["parameters"]
    assert definition.return_type_schema == spec["definition"]["returnType"]
    assert definition == Definition.from_spec(spec)


def test_an_id_of_the_spec_comes_before_its_name():
    definition = Definition.from_spec({"definition": {"id": "a", "name": "b", "description": ""}})

    assert definition.id == "a"


def test_any_class_with_the_members_is_a_factory():
    assert isinstance(ShoutFactory(), ToolFactory)
    assert isinstance(ShoutFactory(), UnconfigurableToolFactory)
    assert not isinstance(object(), ToolFactory)


def test_both_kinds_of_factory_are_factories():
    assert issubclass(ConfigurableToolFactory, ToolFactory)
    assert issubclass(UnconfigurableToolFactory, ToolFactory)


def test_a_definition_implements_the_interface():
    members = {name for name in vars(ToolDefinition) if not name.startswith("_")}

    assert members == {
        "name",
        "description",
        "id",
        "parameters_schema",
        "return_type_schema",
        "examples",
    }
    assert members <= set(dir(Definition(name="a", description="b")))


def test_a_tool_may_hold_its_definition():
    class Shout(DefinedTool):
        definition = Definition(name="shout", description="Says it louder.", parameters_schema=True)

    shout = Shout()

    assert (shout.id, shout.name, shout.description) == ("shout", "shout", "Says it louder.")
    assert (shout.parameters_schema, shout.return_type_schema, shout.examples) == (True, None, ())


def test_outside_a_run_progress_goes_nowhere():
    progress(1, 2, "half")


def test_progress_is_passed_on_to_whoever_listens(reports):
    progress(1)
    progress(1, 2, "half")

    assert reports == [(1, None, ""), (1, 2, "half")]


def test_the_interfaces_need_neither_django_nor_any_package():
    code = (
        "import sys; before = set(sys.modules); import toolshelf_tools; "
        "print({name.partition('.')[0] for name in set(sys.modules) - before} - sys.stdlib_module_names)"
    )

    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout

    assert found.strip() == "{'toolshelf_tools'}"


# -- types of generators ----------------------------------------------------------------------------------------------


def _returns() -> Generator[Progress, None, list[int]]: ...
def _yields() -> AsyncIterator[Progress | str]: ...
def _reports() -> Iterator[Progress]: ...
async def _answers() -> bytes: ...


@pytest.mark.parametrize(
    ("function", "kind"),
    [(_returns, list[int]), (_yields, str), (_reports, dict), (_answers, bytes)],
)
def test_the_type_of_a_response_is_that_of_the_last_value_besides_progress(function, kind):
    assert response_type_of(function) == kind


def test_a_file_in_a_type_has_the_schema_of_its_description():
    schema = schema_of(File, of="response")

    assert schema["required"] == ["name", "mediaType", "size", "sha256"]
