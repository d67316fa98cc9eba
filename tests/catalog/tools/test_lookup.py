"""Names that are made from addresses."""

import pytest

from catalog.tools.lookup import file_stem

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("slug", "stem"),
    [
        ("get_weather", "get_weather"),
        ("get-weather-498ebfb0", "get-weather-498ebfb0"),
        ("-5ec1f7e7", "5ec1f7e7"),
        ("NUL.json", "tool-NUL.json"),
        ("con", "tool-con"),
        ("Com1.x", "tool-Com1.x"),
        ("console", "console"),
    ],
)
def test_a_file_about_a_tool_is_neither_an_option_nor_a_device(slug, stem):
    assert file_stem(slug) == stem
