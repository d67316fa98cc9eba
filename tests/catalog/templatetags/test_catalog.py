"""The notes at the lines of an export."""

from types import SimpleNamespace

import pytest

from catalog.templatetags.catalog import as_notes, by_reason, short_pointer
from toolspec.conversion_report import Loss


def rewritten(line, reason):
    return SimpleNamespace(line=line, what="rewritten", reason=reason, missing="")


def test_reasons_of_a_line_that_differ_in_a_code_span_are_one_sentence():
    losses = [
        rewritten(3, f"Strict mode does not support `{word}` here.")
        for word in ("default", "format", "examples")
    ]

    notes = as_notes(
        [*losses, rewritten(3, "`unit` was renamed."), rewritten(3, "`to` was renamed.")]
    )

    assert [note.message for note in notes] == [
        (
            "Strict mode does not support <code>default</code>, <code>format</code> and <code>examples</code> here.<br>"
            "<code>unit</code> was renamed.<br><code>to</code> was renamed."
        )
    ]


def test_reasons_of_other_lines_stay_apart():
    notes = as_notes(
        [rewritten(line, "Strict mode does not support `default` here.") for line in (3, 4)]
    )

    assert [note.line for note in notes] == [3, 4]


@pytest.mark.parametrize(
    ("pointer", "short"),
    [
        ("/definition/parameters/properties/date/format", "/date"),
        ("/definition/parameters/properties/a~1b", "/a~1b"),
        ("/definition/parameters/properties/until/anyOf/0/format", "/until/anyOf/0"),
        ("/definition/parameters/properties/properties/properties/x/format", "/properties/x"),
        ("/definition/parameters/additionalProperties", "/"),
        ("/definition/parameters", "/"),
        ("/definition/returnType/properties/date", "/returnType/properties/date"),
        ("/configuration", "/configuration"),
    ],
)
def test_a_pointer_is_short_in_the_parameters(pointer, short):
    assert short_pointer(Loss(pointer, "dropped", "No field.")) == short


def test_losses_with_one_reason_are_one_group():
    losses = [
        Loss("/a", "dropped", "No field."),
        Loss("/b", "rewritten", "Longer."),
        Loss("/c", "dropped", "No field."),
    ]

    assert by_reason(losses) == [(losses[0], [losses[0], losses[2]]), (losses[1], [losses[1]])]
