import subprocess
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.text_diff import compare, unified

LINES = st.lists(st.sampled_from(["a", "b", "c", "{", "}"]), max_size=40).map(
    lambda lines: "\n".join(["x", "y", *lines])
)


def marks(old, new):
    return [(row.mark, row.text) for hunk in compare(old, new).hunks for row in hunk]


def test_equal_texts_have_no_difference():
    assert compare("a\nb", "a\nb").hunks == ()
    assert unified("a\nb", "a\nb", old_name="1", new_name="2") == ""


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


def test_changes_far_apart_are_apart():
    old = "\n".join(str(number) for number in range(40))
    new = old.replace("5\n", "five\n", 1).replace("\n35", "\nthirty-five")

    assert len(compare(old, new).hunks) == 2


def test_specs_on_a_single_line_are_laid_out():
    difference = compare('{"a": 1, "b": 2}', '{"a": 1, "b": 3}\n')

    assert difference.laid_out
    assert marks('{"a": 1, "b": 2}', '{"a": 1, "b": 3}')[2:4] == [("del", '  "b": 2'), ("add", '  "b": 3')]


@settings(max_examples=60, deadline=None)
@given(LINES, LINES)
def test_the_unified_text_leads_from_the_old_to_the_new(tmp_path_factory, old, new):
    folder = tmp_path_factory.mktemp("patch")
    (folder / "old").write_text(old + "\n")
    (folder / "changes").write_text(unified(old, new, old_name="old", new_name="new"))

    if (folder / "changes").read_text():
        subprocess.run(["patch", "-s", "old", "changes"], cwd=folder, check=True, capture_output=True)

    assert (folder / "old").read_text() == new + "\n"


@pytest.mark.parametrize("lines", [2_000, 60_000])
def test_texts_that_have_nothing_in_common_are_compared_quickly(lines):
    old = "\n".join('"a": 1,' if number % 3 else "{" for number in range(lines))
    new = "\n".join('"b": 1,' if number % 2 else "{" for number in range(lines))

    started = time.thread_time()
    compare(old, new)

    assert time.thread_time() - started < 3
