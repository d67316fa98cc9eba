"""Docstrings in the styles of Google, numpy and Sphinx."""

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


def test_one_line_is_the_description_and_no_docstring_an_empty_one():
    assert read_docstring("Add numbers.") == Docstring("Add numbers.")
    assert read_docstring(None) == Docstring()


def test_a_type_before_the_return_value_is_not_its_description():
    docstring = read_docstring("List.\n\nReturns:\n    dict[str, int] | None: The counts: by name.")

    assert docstring.returns == "The counts: by name."


NUMPY = """Look up the weather.

    It is that of the
    nearest station.

    Parameters
    ----------
    place : str
        Where; "city: country" is fine.
    at, until : datetime, optional
        The time,

        in UTC.
    undescribed
    **more
        Ignored.

    Other Parameters
    ----------------
    unit : {"C", "F"}, default: "C"
        Of the temperature.

    Returns
    -------
    weather : Weather
        The weather
        there.

    Raises
    ------
    ToolError
        The place is unknown.

    Examples
    --------
    >>> look_up("Oslo")
    """


SPHINX = """Look up the weather.

    It is that of the
    nearest station.

    :param place: Where; "city: country" is fine.
    :type place: str
    :param datetime at: The time,
        in UTC.
    :keyword unit: Of the temperature.
    :param undescribed:
    :return: The weather
        there.
    :rtype: Weather
    :raises ToolError: the place is unknown.
    """


@pytest.mark.parametrize(
    ("text", "others"),
    [
        (DOCSTRING, {"more": "Ignored."}),
        (
            NUMPY,
            {"until": "The time, in UTC.", "more": "Ignored.", "unit": "Of the temperature."},
        ),
        (SPHINX, {"unit": "Of the temperature."}),
    ],
    ids=["Google", "numpy", "Sphinx"],
)
def test_a_docstring_has_a_description_arguments_and_a_return_value(text, others):
    common = {
        "place": 'Where; "city: country" is fine.',
        "at": "The time, in UTC.",
        "undescribed": "",
    }

    assert read_docstring(text) == Docstring(
        "Look up the weather.\n\nIt is that of the nearest station.",
        common | others,
        "The weather there.",
    )


@pytest.mark.parametrize(
    "text",
    [
        "Sum: add numbers.\n\nNotes on it\n-----------\nnone",
        "Add numbers::\n\n    1 + 2",
        ":mod:`math` adds numbers.",
        "Parameters of a sum.\n\nReturns and adds.",
    ],
)
def test_text_that_only_looks_like_a_section_belongs_to_the_description(text):
    docstring = read_docstring(text)

    assert docstring.description.split() == text.split()
    assert (docstring.arguments, docstring.returns) == ({}, "")
