import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.work import at_most
from toolshelf_core.rendering.text_diff import MAX_ROWS, compare, remove_indent, write_unified

LINES = st.lists(st.sampled_from(["a", "b", "c", "{", "}"]), max_size=40).map(
    lambda lines: "\n".join(["x", "y", *lines])
)


def marks(old, new):
    return [(row.mark, row.text) for hunk in compare(old, new).hunks for row in hunk]


def test_equal_texts_have_no_difference():
    assert compare("a\nb", "a\nb").hunks == ()
    assert write_unified("a\nb", "a\nb", old_name="1", new_name="2") == ""


def test_lines_are_added_and_removed():
    difference = compare("a\nb\nc", "a\nB\nc\nd")

    assert [(row.old, row.new, row.mark, row.text) for row in difference.hunks[0]] == [
        (1, 1, "same", "a"),
        (2, None, "del", "b"),
        (None, 2, "add", "B"),
        (3, 3, "same", "c"),
        (None, 4, "add", "d"),
    ]
    assert (difference.added, difference.removed) == (2, 1)


def test_specs_on_a_single_line_are_laid_out():
    difference = compare('{"a": 1, "b": 2}', '{"a": 1, "b": 3}\n')

    assert difference.laid_out
    assert marks('{"a": 1, "b": 2}', '{"a": 1, "b": 3}')[2:4] == [
        ("del", '  "b": 2'),
        ("add", '  "b": 3'),
    ]


@settings(max_examples=15, deadline=None)
@given(LINES, LINES)
def test_the_unified_text_leads_from_the_old_to_the_new(tmp_path_factory, old, new):
    folder = tmp_path_factory.mktemp("patch")
    (folder / "old").write_text(old + "\n")
    (folder / "changes").write_text(write_unified(old, new, old_name="old", new_name="new"))

    if (folder / "changes").read_text():
        subprocess.run(
            ["patch", "-s", "old", "changes"], cwd=folder, check=True, capture_output=True
        )

    assert (folder / "old").read_text() == new + "\n"


def test_texts_that_have_nothing_in_common_are_compared_quickly():
    lines = 60_000
    old = "\n".join('"a": 1,' if number % 3 else "{" for number in range(lines))
    new = "\n".join('"b": 1,' if number % 2 else "{" for number in range(lines))

    with at_most(8_000_000):
        compare(old, new)


# -- side by side, and words ------------------------------------------------------------------------------------------


def pairs(old, new):
    return [
        (before.text if before else None, after.text if after else None)
        for stretch in compare(old, new).stretches
        for before, after in stretch.pairs
    ]


def changed_words(old, new):
    [pair] = [
        pair
        for stretch in compare(old, new).stretches
        for pair in stretch.pairs
        if pair[0] is not pair[1]
    ]
    return tuple([piece for piece, changed in row.pieces if changed] for row in pair)


def test_a_changed_line_is_beside_its_old_version():
    old = '{\n"type": "number",\n"title": "How warm"\n}'
    new = '{\n"kind": 3,\n"type": "integer",\n"title": "How warm it is"\n}'

    assert pairs(old, new)[1:4] == [
        (None, '"kind": 3,'),
        ('"type": "number",', '"type": "integer",'),
        ('"title": "How warm"', '"title": "How warm it is"'),
    ]


def test_lines_without_common_words_are_side_by_side_without_marks():
    assert pairs("a\nold\nz", "a\nnew thing\nand more\nz") == [
        ("a", "a"), ("old", "new thing"), (None, "and more"), ("z", "z"),
    ]  # fmt: skip
    assert changed_words("a\nold\nz", "a\nnew\nz") == ([], [])


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"type": "number",', '"type": "integer",', (["number"], ["integer"])),
        ('"a": "one two three"', '"a": "one 2 three"', (["two"], ["2"])),
        ('"a": "the red fox runs"', '"a": "the big blue fox runs"', (["red"], ["big blue "])),
        ('"a": "Größe in Metern"', '"a": "Größe in cm"', (["Metern"], ["cm"])),
        ('  "a": [1, 2],', '    "a": [1, 2],', (["  "], ["    "])),
    ],
)
def test_the_words_of_a_line_that_changed_are_marked(old, new, expected):
    assert changed_words(f"{{\n{old}\n}}", f"{{\n{new}\n}}") == expected


def test_lines_far_from_changes_are_folded_with_their_number():
    old = "\n".join(map(str, range(40)))

    stretches = compare(old, old.replace("20", "twenty")).stretches

    assert [(stretch.folded, stretch.lines) for stretch in stretches] == [
        (True, 17),
        (False, 8),
        (True, 16),
    ]


def test_a_few_lines_between_changes_are_not_folded():
    old = "\n".join(map(str, range(13)))

    assert [stretch.folded for stretch in compare(old, old.replace("0\n", "x\n", 1)).stretches] == [
        False,
        True,
    ]
    assert [
        s.folded
        for s in compare("a\n" + "\n".join("123456"), "b\n" + "\n".join("123456")).stretches
    ] == [False]


def test_no_more_lines_are_shown_than_a_page_bears():
    old, new = ("\n".join(f"{word} {number}" for number in range(5_000)) for word in ("old", "new"))
    same = "\n".join(["x"] * 3_000)

    many, folded = compare(old, new), compare(f"{same}\na", f"{same}\nb")

    assert (sum(stretch.lines for stretch in many.stretches), many.left_out) == (4_000, 6_000)
    assert (folded.stretches[0].pairs, folded.stretches[0].lines, folded.left_out) == ((), 2_997, 0)


@settings(max_examples=50, deadline=None)
@given(LINES, LINES)
def test_no_line_is_lost_side_by_side(old, new):
    found = pairs(old, new)

    assert [before for before, _ in found if before is not None] == old.splitlines()
    assert [after for _, after in found if after is not None] == new.splitlines()
    shown = [row for stretch in compare(old, new).stretches for row in stretch.rows]
    assert [row.text for row in shown if row.old] == old.splitlines()
    assert [row.text for row in shown if row.new] == new.splitlines()


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet='ab "{}:\t', max_size=30), st.text(alphabet='ab "{}:\t', max_size=30))
def test_the_pieces_of_a_line_are_the_line(old, new):
    for stretch in compare(f"x\n{old}\ny", f"x\n{new}\ny").stretches:
        for row in stretch.rows:
            assert "".join(piece for piece, _ in row.pieces) == row.text


def test_long_lines_and_many_changes_take_no_long_time():
    old = "\n".join(" ".join(f"a{x}{y}" for y in range(200)) for x in range(50))
    new = "\n".join(" ".join(f"a{x}{y * 2}" for y in range(200)) for x in range(50))

    with at_most(12_000_000):
        assert compare(old, new).stretches


def test_the_number_of_lines_in_folds_is_limited():
    old = [f"line {number}" for number in range(20_000)]
    new = [f"{line}!" if number % 400 == 0 else line for number, line in enumerate(old)]

    folds = [one for one in compare("\n".join(old), "\n".join(new)).stretches if one.folded]

    assert sum(len(fold.pairs) for fold in folds) <= MAX_ROWS
    assert sum(fold.lines for fold in folds) > 15_000


def test_lines_lose_the_indentation_that_all_of_them_share():
    [hunk] = compare("    {\n      old\n\n    }\n", "    {\n      new\n\n    }\n").hunks

    texts = [row.text for row in remove_indent(hunk)]

    assert texts == ["{", "  old", "  new", "", "}"]
    assert remove_indent([]) == []
