from playground.history.response_changes import marks_of
from toolspec.value_differences import compare

OLD = {"unit": "C", "list": [1, 2], "same": True, "a": 1, "b": 2, "c": 3, "d": 4}


def test_what_was_removed_is_marked_where_it_was():
    changes = compare(OLD, {"unit": "F", "list": [1], "same": True})

    assert [(mark.pointer, mark.words) for mark in marks_of(changes, "last")] == [
        ("/unit", 'changed, was "C"'),
        ("/list", "removed: 1"),
        ("", "removed: a, b, c and 1 more"),
    ]


def test_a_response_that_is_another_value_as_a_whole_has_one_mark():
    [mark] = marks_of(compare(1, 2), "last")

    assert (mark.pointer, mark.kind, mark.words, mark.compared_with) == (
        "",
        "changed",
        "changed, was 1",
        "last",
    )
