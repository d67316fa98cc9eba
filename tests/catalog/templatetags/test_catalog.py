"""The notes at the lines of an export."""

from types import SimpleNamespace

from catalog.templatetags.catalog import as_notes


def rewritten(line, reason):
    return SimpleNamespace(line=line, what="rewritten", reason=reason, missing="")


def test_reasons_of_a_line_that_differ_in_a_code_span_are_one_sentence():
    losses = [
        rewritten(3, f"Strict mode does not support `{word}` here.")
        for word in ("default", "format", "examples")
    ]

    notes = as_notes(
        [*losses, rewritten(3, "`unit` became required."), rewritten(3, "`to` became required.")]
    )

    assert [note.message for note in notes] == [
        (
            "Strict mode does not support <code>default</code>, <code>format</code> and <code>examples</code> here.<br>"
            "<code>unit</code> became required.<br><code>to</code> became required."
        )
    ]


def test_reasons_of_other_lines_stay_apart():
    notes = as_notes(
        [rewritten(line, "Strict mode does not support `default` here.") for line in (3, 4)]
    )

    assert [note.line for note in notes] == [3, 4]
