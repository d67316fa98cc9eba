import keyword
import unicodedata

import pytest

from toolspec.code.java_names import (
    KEYWORDS,
    MAX_NAME,
    Names,
    artifact_id,
    component_name,
    constant_name,
    package_segment,
    type_name,
)

TEXTS = [
    "", " ", "_", "-", "1", "3d model", "a" * 500, "a_" * 300, "user-id", "HTTPServer2Go", "class", "Ünïcödé Straße",
    "城市", "имя", "😀", "\u202eabc", "\\u0041", "a;b", "*/", '"', "\n", "\u3164", "a\u0301", "ﬁ", "\uff21", "\u0661",
    "ß", "\ud800", "$x", "toString", "true", "con", "\U0001d400", "ა", "ŉ", "İ",
]  # fmt: skip
MAKERS = [type_name, component_name, constant_name, package_segment]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("get weather", "GetWeather"),
        ("getWeather", "GetWeather"),
        ("get_weather-v2", "GetWeatherV2"),
        ("HTTPServer", "HTTPServer"),
        ("3d model", "Type3dModel"),
        ("Ünïcödé", "Unicode"),
        ("城市", "Type"),
        ("a\\u0041;b", "AU0041B"),
    ],
)
def test_a_type_has_an_ascii_name_in_upper_camel_case(text, name):
    assert type_name(text) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("user_id", "userId"),
        ("userID", "userID"),
        ("URL", "url"),
        ("HTTPServer", "httpServer"),
        ("class", "class_"),
        ("hashCode", "hashCode_"),
        ("toString", "toString_"),
        ("_", "value"),
        ("", "value"),
        ("1st", "_1st"),
        ("城市", "城市"),
        ("Straße", "straße"),
        ("\u3164", "value"),
        ("a\u202eb", "aB"),
    ],
)
def test_a_component_has_a_name_in_lower_camel_case(text, name):
    assert component_name(text) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("not found", "NOT_FOUND"),
        ("notFound", "NOT_FOUND"),
        ("10", "VALUE_10"),
        ("-5", "MINUS_5"),
        (">=", "GREATER_THAN_SIGN_EQUALS_SIGN"),
        ("", "VALUE"),
        ("class", "CLASS"),
        ("城市", "城市"),
    ],
)
def test_a_constant_has_a_name_in_upper_case(text, name):
    assert constant_name(text) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Get weather", "getweather"),
        ("import", "toolimport"),
        ("3d", "tool3d"),
        ("con", "toolcon"),
        ("a.b/../c", "abc"),
    ],
)
def test_a_package_segment_is_small_ascii(text, name):
    assert package_segment(text) == name


def test_tools_whose_names_have_no_ascii_letter_have_packages_of_their_own():
    assert package_segment("城市") != package_segment("天气")
    assert artifact_id("城市") != artifact_id("天气")


@pytest.mark.parametrize("maker", MAKERS)
def test_every_text_becomes_a_legal_identifier(maker):
    for text in TEXTS:
        name = maker(text)

        assert 0 < len(name) <= MAX_NAME + len("VALUE_"), text
        assert name not in KEYWORDS, text
        assert all(
            character == "_" or unicodedata.category(character)[0] in "LNM" for character in name
        ), text
        assert name.isidentifier() or keyword.iskeyword(name), text
        if maker in {type_name, package_segment}:
            assert name.isascii()  # files are named after them


def test_a_name_that_is_in_use_gets_a_number():
    names = Names(["value"])

    unique = [names.make_unique(name) for name in ("value", "value", "value3", "v")]

    assert unique == ["value2", "value3", "value3_2", "v"]


def test_names_of_files_differ_in_more_than_case_and_a_thousand_equal_ones_stay_different():
    names = Names(ignore_case=True)
    found = [names.make_unique(name) for name in ("User", "USER", "user")]

    assert found == ["User", "USER2", "user3"]
    assert len({names.make_unique("a") for _ in range(1000)}) == 1000
