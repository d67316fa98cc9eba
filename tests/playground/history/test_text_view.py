import pytest

from playground.history.text_view import MAX_CHARACTERS, MAX_TEXTS, find_texts


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new", "diff"),
        ("| a | b |\n| --- | --- |\n| 1 | 2 |", "markdown"),
        ("# Title\n\nText", "markdown"),
        ("one\ntwo", "plain"),
        ("#hashtag\n- only one item", "plain"),
    ],
)
def test_the_kind_of_a_text(text, kind):
    assert [(view.pointer, view.kind) for view in find_texts({"a/b": text})] == [("/a~1b", kind)]


def test_texts_of_one_line_are_not_shown():
    assert find_texts({"a": "one line\n", "b": 1, "c": ["x"]}) == []


def test_texts_come_in_the_order_of_the_response_and_are_few():
    found = find_texts([f"{n}\nx" for n in range(20)])

    assert [view.pointer for view in found] == [f"/{n}" for n in range(MAX_TEXTS)]


def test_a_long_text_is_cut():
    [view] = find_texts("x\n" * MAX_CHARACTERS)

    assert (len(view.text), view.is_cut) == (MAX_CHARACTERS, True)


def test_lines_of_a_diff_have_tones():
    [view] = find_texts("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same")

    assert [tone for tone, _ in view.diff_lines] == ["head", "head", "hunk", "removed", "added", ""]


def test_a_text_that_changed_has_the_difference_and_a_new_one_has_none():
    first, second, third = find_texts(
        {"a": "1\n2", "b": "1\n2", "c": "1\n2"}, {"last": {"a": "1\n3", "b": 5, "c": "1\n2"}}
    )

    assert (first.changes["last"].added, first.changes["last"].removed) == (1, 1)
    assert second.changes == {"last": None}
    assert third.changes == {}
