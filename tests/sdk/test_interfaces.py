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
    ToolFactory,
    UnconfigurableToolFactory,
    listen_to_progress,
    progress,
)
from toolshelf_tools.schemas import make_schema
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


def test_a_tool_has_its_name_as_id_and_takes_plain_values_without_schemas_by_default():
    shout = Shout()

    assert (shout.id, shout.request_type) == ("shout", dict)
    assert (shout.parameters_schema, shout.return_type_schema, shout.examples) == (None, None, ())


def test_a_definition_is_read_from_its_spec():
    spec = json.loads(GET_WEATHER.read_text())

    definition = Definition.from_spec(GET_WEATHER.read_text())

    assert definition.id == definition.name == "Get weather"
    assert definition.parameters_schema == spec["definition"]["parameters"]
    assert definition.return_type_schema == spec["definition"]["returnType"]
    assert definition == Definition.from_spec(spec)


def test_any_class_with_the_members_is_a_factory():
    assert isinstance(ShoutFactory(), ToolFactory)
    assert isinstance(ShoutFactory(), UnconfigurableToolFactory)
    assert not isinstance(object(), ToolFactory)
    assert issubclass(ConfigurableToolFactory, ToolFactory)


def test_a_tool_may_hold_its_definition():
    class Shout(DefinedTool):
        definition = Definition(name="shout", description="Says it louder.", parameters_schema=True)

    shout = Shout()

    assert (shout.id, shout.name, shout.description) == ("shout", "shout", "Says it louder.")
    assert (shout.parameters_schema, shout.return_type_schema, shout.examples) == (True, None, ())


def test_progress_is_passed_on_to_whoever_listens(reports):
    progress(1)
    progress(1, 2, "half")

    assert reports == [(1, None, ""), (1, 2, "half")]


def test_importing_a_tool_needs_neither_django_nor_any_package():
    code = """
import sys
before = set(sys.modules)
from toolshelf_tools import tool
@tool
def f(a: int = 1) -> int:
    "One."
    return a
f.tool_id()
print({name.partition(".")[0] for name in set(sys.modules) - before} - sys.stdlib_module_names)
print(f.definition.parameters_schema["type"])
"""

    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout

    assert found.splitlines() == ["{'toolshelf_tools'}", "object"]


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
    schema = make_schema(File, of="response")

    assert schema["required"] == ["name", "mediaType", "size", "sha256"]
