"""Names that a format does not allow get an alias."""

import pytest

from tests.factories import GET_WEATHER, make_spec
from tests.toolspec.exports.exported import changes_of
from toolspec.exports import export
from toolspec.exports.aliases import alias
from toolspec.exports.format_rules import ANTHROPIC, GEMINI, MCP, OPENAI
from toolspec.spec import read_spec


def test_a_legal_name_is_unchanged():
    assert export(make_spec("get_weather"), "openai").document["function"]["name"] == "get_weather"


def test_an_illegal_name_gets_an_alias_that_never_changes():
    spec = read_spec(GET_WEATHER.read_bytes())

    assert export(spec, "openai").document["function"]["name"] == "Get_weather_498ebfb0"
    assert changes_of(export(spec, "openai"))["/definition/name"] == "rewritten"


def test_names_that_look_the_same_get_different_aliases():
    assert alias("a b", OPENAI.name) != alias("a_b!", OPENAI.name)


@pytest.mark.parametrize(
    "name", ["", " ", "天気", "x" * 500, "-", "1st place!", "日本 a", "\U0001f600"]
)
@pytest.mark.parametrize("rules", [MCP, OPENAI, ANTHROPIC, GEMINI])
def test_every_alias_is_legal(name, rules):
    assert rules.name.allows(alias(name, rules.name))


def test_mcp_keeps_an_illegal_name_as_the_title():
    document = export(make_spec("t", name="Get weather"), "mcp").document

    assert document["title"] == "Get weather"
