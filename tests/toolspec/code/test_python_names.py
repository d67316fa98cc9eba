"""Python names for names that may be any text."""

import keyword

import pytest
from pydantic import BaseModel

from toolspec.code.python_names import identifier, identifiers, pascal_name, snake_name

STRANGE = ["", " ", "日本語", "\n", "'''", '"""', "a\nimport os", "1", "1st", "_private", "__class__", "-", "x" * 300,
           "x" * 299 + "y", "ünïcode", "class", "None", "self", "model_config", "copy", "json", "list", "ﬁ", "Request",
           "a.b", "a b", "a-b", "a_b", "__proto__", "$ref", "Field"]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("user_id", "user_id"),
        ("userId", "userId"),
        ("user-id", "user_id"),
        ("class", "class_"),
        ("copy", "copy_"),
        ("2fa", "member_2fa"),
        ("", "member"),
        ("日本語", "member"),
        ("Überschrift", "Uberschrift"),
        ("_id", "id"),
        ("RequestItem", "RequestItem_"),
    ],
)
def test_a_member_has_an_identifier(name, expected):
    assert identifier(name) == expected


def test_every_name_gets_its_own_identifier():
    made = identifiers(STRANGE)

    assert len(set(made.values())) == len(STRANGE)
    for name in made.values():
        assert name.isidentifier()
        assert name.isascii()
        assert not keyword.iskeyword(name)
        assert not name.startswith("_")
        assert not hasattr(BaseModel, name)
        assert len(name) < 70


def test_identifiers_do_not_depend_on_the_order_of_the_names():
    assert identifiers(STRANGE) == identifiers(reversed(STRANGE))


def test_a_name_that_is_an_identifier_stays_even_if_another_becomes_the_same():
    assert identifiers(["a-b", "a_b"]) == {"a_b": "a_b", "a-b": "a_b_2"}


def test_functions_and_classes_are_named_after_the_words_of_a_tool():
    assert (
        snake_name("Get weather", default="tool")
        == snake_name("getWeather", default="tool")
        == "get_weather"
    )
    assert snake_name("", default="tool") == "tool"
    assert snake_name("3d", default="tool") == "tool_3d"
    assert pascal_name("get-weather v2") == "GetWeatherV2"
