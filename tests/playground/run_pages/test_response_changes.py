from playground.run_pages.response_changes import Change, changes_between, marks_of

OLD = {"unit": "C", "list": [1, 2], "same": True, "a": 1, "b": 2, "c": 3, "d": 4}


def test_each_value_that_differs_is_a_change():
    assert changes_between({"unit": "C", "list": [1, 2]}, {"list": [1, 3, 4]}) == [
        Change("/unit", "removed", '"C"'),
        Change("/list/1", "changed", "2"),
        Change("/list/2", "added"),
    ]


def test_a_former_value_that_is_long_or_has_parts_is_left_out():
    assert changes_between(["x" * 100, {"a": 1}], [1, 2]) == [
        Change("/0", "changed"),
        Change("/1", "changed"),
    ]


def test_what_was_removed_is_marked_where_it_was():
    changes = changes_between(OLD, {"unit": "F", "list": [1], "same": True})

    assert [(mark.pointer, mark.words) for mark in marks_of(changes, "last")] == [
        ("/unit", 'changed, was "C"'),
        ("/list", "removed: 1"),
        ("", "removed: a, b, c and 1 more"),
    ]


def test_a_response_that_is_another_value_as_a_whole_has_one_mark():
    [mark] = marks_of(changes_between(1, 2), "last")

    assert (mark.pointer, mark.kind, mark.words, mark.compared_with) == (
        "",
        "changed",
        "changed, was 1",
        "last",
    )
