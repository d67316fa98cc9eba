"""Docstrings in Google's style."""

import pytest

from toolshelf_tools.docstrings import Docstring, read_docstring

pytestmark = pytest.mark.unit

DOCSTRING = """Look up the weather.

    It is that of the
    nearest station.

    Args:
        place: Where; "city: country" is fine.
        at (datetime): The time,
            in UTC.
        **more: Ignored.
        undescribed:

    Returns:
        The weather
        there.

    Raises:
        ToolError: the place is unknown.
    """


def test_a_docstring_has_a_description_arguments_and_a_return_value():
    assert read_docstring(DOCSTRING) == Docstring(
        "Look up the weather.\n\nIt is that of the nearest station.",
        {
            "place": 'Where; "city: country" is fine.',
            "at": "The time, in UTC.",
            "more": "Ignored.",
            "undescribed": "",
        },
        "The weather there.",
    )


def test_one_line_is_the_description():
    assert read_docstring("Add numbers.") == Docstring("Add numbers.")


def test_no_docstring_is_an_empty_one():
    assert read_docstring(None) == Docstring()
