"""Large values in forms: folded into JSON text beyond a page's budget, opened on demand, never changed by that."""

import pytest

from playground.form.collapse import FULL_PAGE, fold, fold_value
from playground.form.draft import Folded, draft_of
from playground.form.form import MAX_FIELDS
from playground.form.nodes import count_fields
from playground.form.to_value import read
from tests.playground.form.use import FormInUse

LARGE = {
    "rows": list(range(1000)),
    "objects": [{"a": n, "b": [str(n)]} for n in range(300)],
    "members": {f"m{n}": n for n in range(700)},
    "map of maps": {f"a{n}": {f"b{m}": {"c": m} for m in range(20)} for n in range(20)},
    "one deep": {"a": {"b": {"c": list(range(600))}}, "d": "x"},
    "many large": {f"p{n}": list(range(100)) for n in range(10)},
}


@pytest.mark.parametrize("value", LARGE.values(), ids=LARGE)
def test_a_large_value_makes_a_page_of_bounded_size_and_comes_back(value):
    form = FormInUse(True, value)

    assert count_fields(form.submission.form.root) <= MAX_FIELDS
    assert form.send().value == value


@pytest.mark.deep
@pytest.mark.parametrize("value", LARGE.values(), ids=LARGE)
def test_whatever_is_opened_the_value_stays_and_the_page_is_bounded(value):
    form = FormInUse(True, value)

    for _ in range(6):
        folded = [path for path, kind in form.kinds().items() if kind == "folded"]
        if not folded:
            break
        form.press("open", folded[0])

        assert form.value == value
        assert count_fields(form.submission.form.root) <= 1.5 * MAX_FIELDS


def test_a_value_within_the_budget_is_not_folded():
    value = {"a": list(range(100)), "b": {"c": "d"}}

    assert fold_value(value) == draft_of(value)


def test_a_run_of_rows_is_one_text_and_opens_as_rows():
    form = FormInUse({"type": "array", "items": {"type": "integer"}}, list(range(1000)))
    run = next(path for path, kind in form.kinds().items() if kind == "folded")

    form.press("open", run)

    assert form.node(f"/@{run.removeprefix('/@~')}").text == run.removeprefix("/@~")
    assert form.value == list(range(1000))


def test_a_folded_text_can_be_edited():
    form = FormInUse({"type": "array", "items": {"type": "integer"}}, list(range(1000)))
    run = next(path for path, kind in form.kinds().items() if kind == "folded")

    form.type("z", run, "[7]").send()

    assert form.value == [*range(int(run.removeprefix("/@~"))), 7]


def test_invalid_folded_text_stays_and_has_an_error():
    form = FormInUse({"type": "array", "items": {"type": "integer"}}, list(range(1000)))
    run = next(path for path, kind in form.kinds().items() if kind == "folded")

    form.type("z", run, "[7,").send()

    assert not form.is_valid
    assert form.node(run).text == "[7,"
    assert form.node(run).head.errors


def test_a_row_that_is_added_to_a_folded_list_is_shown_after_it():
    form = FormInUse({"type": "array", "items": {"type": "integer"}}, list(range(1000)))

    form.press("item", "")

    assert form.kinds()["/@1000"] == "number"
    assert form.type("n", "/@1000", "5").send().value == [*range(1000), 5]


def test_members_that_are_folded_are_not_offered_again():
    schema = {"type": "object", "properties": {f"m{n}": {"type": "integer"} for n in range(700)}}
    form = FormInUse(schema, {f"m{n}": n for n in range(700)})

    assert [
        path for path, kind in form.kinds().items() if kind == "number" and not form.node(path).text
    ] == []
    assert form.send().value == {f"m{n}": n for n in range(700)}


def test_text_that_cannot_be_parsed_is_never_folded():
    form = FormInUse(True, {"a": list(range(390)), "b": {"c": 1}})
    form.type("n", "/@0/@0", "1,5").send()

    draft = fold(form.submission.draft, 50)

    assert read(draft).faults == read(form.submission.draft).faults


def test_a_full_page_folds_the_parts_without_focus():
    draft = draft_of({"a": {f"x{n}": n for n in range(600)}, "b": {f"y{n}": n for n in range(600)}})

    shown = fold(draft, FULL_PAGE, focus="/.b/.y1")

    assert isinstance(shown.members["a"], Folded)
    assert not isinstance(shown.members["b"], Folded)


def test_an_object_with_very_many_empty_members_offers_the_rest_by_name():
    form = FormInUse(
        {"type": "object", "properties": {f"m{n}": {"type": "integer"} for n in range(500)}}, {}
    )

    assert "m400" in form.node().adder.suggestions
    form.type("nk", "", "m400").press("entry", "")

    assert form.type("n", "/.m400", "7").send().value == {"m400": 7}
