"""The page to try a tool: chips, the preview, the folded configuration, the history, and what a response equals."""

import json

import pytest

from playground.configurations.models import SavedConfiguration
from playground.configurations.saved import save_configuration
from playground.configurations.secret_members import Configuration
from playground.runs import running
from playground.runs.models import Run
from playground.trying.models import SavedInput
from playground.trying.saved_inputs import save_input
from tests.factories import make_tool, make_user, properties
from tests.playground.history.test_pages import HTMX, control, press, text_of, tree_of
from toolspec.text.reader import dumps

pytestmark = pytest.mark.usefixtures("runs")


@pytest.fixture
def bob(db):
    return make_user("bob")


KILOMETRES = {"value": 42.195, "from_unit": "km", "to_unit": "mile"}


def run(tool, parameters, by):
    return running.wait(running.start(tool, tool.current, parameters, by=by), 10)


def fold_of(answer):
    return tree_of(answer).css_first("#configuration-fold")


def page_with_response(browser, ada, builtin, response):
    """The page of a run that has this response."""
    done = run(builtin("drifting_thermometer"), {}, ada)
    Run.objects.filter(pk=done.pk).update(response_json=dumps(response))
    return tree_of(browser.get(done.get_absolute_url(), follow=True))


def pressed(answer):
    chips = tree_of(answer).css("#inputs .menu-item[aria-pressed=true]")
    return [chip.attributes["value"] for chip in chips]


def test_the_chip_of_the_example_or_saved_input_that_is_filled_in_is_marked(browser, ada, builtin):
    tool = builtin("convert_units")
    save_input(ada, tool.current, "mine", {**KILOMETRES, "value": 7})

    page = browser.get("/tools/convert_units/try/?example=1")
    own = press(browser, page, "use=input:mine")
    edited = press(browser, page, "use=refresh", typed={control(page, "/.value"): "8"})

    assert pressed(page) == ["example:1"]
    assert pressed(own) == ["input:mine"]
    assert pressed(edited) == []


def test_an_example_with_a_secret_is_recognized(browser, ada):
    secret = properties(key={"type": "string", "writeOnly": True})
    make_tool("login", parameters=secret, examples=[{"parameters": {"key": "hunter22"}}])

    assert pressed(browser.get("/tools/login/try/?example=1")) == ["example:1"]


def test_a_number_that_cannot_be_read_is_marked_and_the_preview_says_that_it_is_left_out(
    browser, builtin
):
    builtin("convert_units")
    page = browser.get("/tools/convert_units/try/?example=1")
    typed = {control(page, "/.value"): "abc"}

    preview = press(browser, page, "use=preview", typed=typed, **HTMX)
    drawn = press(browser, page, "use=refresh", typed=typed)
    as_json = press(browser, page, "op=parameters:view::json", typed=typed)

    assert "Left out: value . “abc” is not a number" in text_of(preview, "#left-out")
    assert "“abc” is not a number" in text_of(drawn, "#parameters-form .form-errors")
    assert drawn.status_code == 200
    assert "The JSON leaves out value, which cannot be read. “abc” is not a number" in text_of(
        as_json, ".notice"
    )


def test_the_result_of_a_run_has_the_digest_of_its_input(browser, ada, builtin):
    tool = builtin("convert_units")
    last = run(tool, KILOMETRES, ada)

    page = tree_of(browser.get(f"/tools/convert_units/try/?run={last.pk}"))

    notice = page.css_first("[data-input-of-run]")
    assert notice.attributes["data-input-of-run"] == page.css_first("#input-digest").text()
    assert "hidden" in notice.attributes
    assert page.css_first(f"[data-input-of-run] button[value='run:{last.pk}']")


def test_the_input_of_the_last_run_is_filled_in_by_its_chip(browser, ada, builtin):
    tool = builtin("convert_units")
    last = run(tool, KILOMETRES, ada)

    answer = press(browser, browser.get("/tools/convert_units/try/"), f"use=run:{last.pk}")

    assert '"value": 42.195' in text_of(answer, "#preview")


def test_the_input_of_someone_else_s_run_is_not_filled_in(browser, builtin, bob):
    tool = builtin("convert_units")
    other = run(tool, KILOMETRES, bob)

    answer = press(browser, browser.get("/tools/convert_units/try/"), f"use=run:{other.pk}")

    assert "42.195" not in text_of(answer, "#preview")
    assert "no such run" in text_of(answer)


def test_the_preview_is_drawn_alone_and_nothing_is_run(browser, builtin):
    builtin("convert_units")
    page = browser.get("/tools/convert_units/try/")

    answer = press(
        browser, page, "use=preview", typed={control(page, "/.from_unit"): "mile"}, **HTMX
    )

    assert '"from_unit": "mile"' in answer.content.decode().replace("&quot;", '"')
    assert "<form" not in answer.content.decode()


def test_in_json_mode_the_parameters_are_not_shown_twice(browser, builtin):
    builtin("convert_units")

    answer = press(
        browser, browser.get("/tools/convert_units/try/?example=1"), "op=parameters:view::json"
    )

    assert tree_of(answer).css_first("#preview") is None


def test_the_history_has_only_one_s_own_runs_and_the_newest_is_last(browser, ada, bob, builtin):
    tool = builtin("drifting_thermometer")
    runs = [run(tool, {"hours_since_calibration": hours}, ada) for hours in (0, 50)]
    run(tool, {}, bob)

    answer = browser.get("/tools/drifting_thermometer/try/?part=history", headers=HTMX)

    bars = tree_of(answer).css("[data-run]")
    assert [bar.attributes["data-run"] for bar in bars] == [one.pk for one in runs]
    assert [bar.attributes["title"].split(",")[0] for bar in bars] == ["Matches", "Does not match"]


def test_two_runs_of_the_history_are_compared_without_scripts(browser, ada, builtin):
    tool = builtin("drifting_thermometer")
    first, second, third = (
        run(tool, {"hours_since_calibration": hours}, ada) for hours in (0, 50, 60)
    )

    page = tree_of(browser.get(f"/tools/drifting_thermometer/try/?run={second.pk}"))
    form = page.css_first("form.history-compare")
    other = [option.attributes["value"] for option in form.css("option")]
    shown = [field.attributes["value"] for field in form.css("input[name=compare]")]
    answer = browser.get(
        form.attributes["action"], {"tool": tool.slug, "compare": [*shown, other[1]]}
    )

    assert (shown, other) == ([second.pk], [third.pk, first.pk])
    assert answer["Location"] == f"/runs/{first.pk}..{second.pk}/"


def test_there_is_nothing_to_compare_before_a_second_run(browser, ada, builtin):
    only = run(builtin("drifting_thermometer"), {}, ada)

    page = browser.get(f"/tools/drifting_thermometer/try/?run={only.pk}")

    assert "history-compare" not in page.content.decode()


def test_a_response_like_the_example_s_says_so(browser, ada, builtin):
    tool = builtin("convert_units")

    answer = browser.get(run(tool, KILOMETRES, ada).get_absolute_url(), follow=True)

    assert "same as example 1" in text_of(answer, ".run-facts")


def test_a_response_is_compared_with_the_last_run_of_the_same_input(browser, ada, builtin):
    tool = builtin("convert_units")
    run(tool, KILOMETRES, ada)

    again = browser.get(run(tool, KILOMETRES, ada).get_absolute_url(), follow=True)
    other = browser.get(run(tool, KILOMETRES | {"value": 1}, ada).get_absolute_url(), follow=True)

    assert "same as last run" in text_of(again, ".run-facts")
    assert "last run" not in text_of(other, ".run-facts")


def test_changes_against_the_last_run_with_the_same_input_are_marked_at_their_lines(
    browser, ada, builtin
):
    tool = builtin("convert_units")
    before = run(tool, KILOMETRES, ada)
    Run.objects.filter(pk=before.pk).update(response_json='{"value": 7, "note": "<b>"}')
    run(tool, KILOMETRES | {"value": 1}, ada)

    page = tree_of(browser.get(run(tool, KILOMETRES, ada).get_absolute_url(), follow=True))

    marks = {mark.text() for mark in page.css(".json-line .value-change.compared-with-last")}
    assert {"changed, was 7", "removed: note"} <= marks
    choices = [choice.attributes["value"] for choice in page.css(".compare-choice input")]
    assert choices == ["last", "off"]
    assert "checked" in page.css_first(".compare-choice [value=last]").attributes


def test_a_response_that_differs_from_its_example_is_marked(browser, ada, builtin):
    tool = builtin("convert_units")
    one = run(tool, KILOMETRES, ada)
    Run.objects.filter(pk=one.pk).update(response_json='{"value": 7}')

    page = tree_of(browser.get(one.get_absolute_url(), follow=True))

    assert "changed" in page.css_first(".json-line .value-changed.compared-with-example").text()
    assert [choice.attributes["value"] for choice in page.css(".compare-choice input")] == [
        "example",
        "off",
    ]


def test_the_configuration_used_last_is_selected_and_folded(browser, ada, builtin):
    tool = builtin("sign_text")
    value = Configuration({"key": "hunter22-hunter22"})
    save_configuration(ada, tool, "work", value, None)
    running.wait(
        running.start(
            tool,
            tool.current,
            {"text": "a"},
            by=ada,
            configuration=value,
            configuration_name="work",
        ),
        10,
    )

    fold = fold_of(browser.get("/tools/sign_text/try/"))

    assert "open" not in fold.attributes
    assert fold.css_first(".configuration-name").text() == "work"


def test_a_button_in_the_empty_configuration_does_not_fold_it(browser, builtin):
    builtin("sign_text")

    answer = press(browser, browser.get("/tools/sign_text/try/"), "op=configuration:view::json")

    assert "open" in fold_of(answer).attributes


def folded_of(answer):
    tree = tree_of(answer)
    return [node.attributes["id"].rpartition(".")[2] for node in tree.css(".form-member.is-unset")]


MANY = properties(**{name: {"type": "string"} for name in (*"abcdefghijkl", "last")})


def test_required_fields_come_first_and_optional_ones_are_folded(browser, ada):
    make_tool("many", parameters={**MANY, "required": ["last"]})

    page = browser.get("/tools/many/try/")

    tree = tree_of(page)
    assert tree.css_first(".form-member").attributes["id"].endswith(".last-member")
    assert folded_of(page) == [f"{name}-member" for name in "abcdefghijkl"]
    assert text_of(page, ".form-optional summary") == "12 more: a, b, c…"


def test_optional_fields_with_a_value_stay_in_view(browser, ada):
    make_tool("many", parameters=MANY)

    page = browser.get('/tools/many/try/?parameters={"b":"x"}')

    assert folded_of(page) == [f"{name}-member" for name in (*"acdefghijkl", "last")]


def test_a_response_with_markdown_is_rendered_without_its_markup_being_trusted(
    browser, ada, builtin
):
    page = page_with_response(browser, ada, builtin, "# Title\n\n<script>x</script>\n\n**bold**")

    shown = page.css_first("#text .text-markdown")
    assert shown.css_first("strong") is not None
    assert shown.css_first("script") is None


def test_the_cells_of_markdown_keep_their_alignment_and_its_source_is_there_to_copy(
    browser, ada, builtin
):
    source = "| a | n |\n|---|---:|\n| x | 1 |"
    page = page_with_response(browser, ada, builtin, source)

    assert [cell.attributes.get("class") for cell in page.css("#text .text-markdown td")] == [
        None,
        "align-right",
    ]
    assert page.css_first("#text-1").text() == source
    assert page.css_first("#text [data-copy='#text-1']")


def test_a_column_of_numbers_has_its_heading_above_them(browser, ada, builtin):
    page = page_with_response(browser, ada, builtin, [{"name": "a", "n": 1}, {"name": "b"}])

    headings = [(cell.text(), cell.attributes.get("class")) for cell in page.css("#table th")]
    assert headings == [("#", "number"), ("name", None), ("n", "number")]


def test_the_history_brings_the_number_of_runs_in_the_header(browser, ada, builtin):
    tool = builtin("convert_units")
    run(tool, KILOMETRES, ada)

    answer = browser.get("/tools/convert_units/try/?part=history", headers=HTMX)

    assert text_of(answer, "#tab-runs") == "Runs 1"


def chips(answer):
    """The data that the chips of saved inputs send."""
    page = tree_of(answer)
    return [chip.attributes["value"] for chip in page.css("#trial .inputs-pair .menu-item")]


def test_an_input_is_saved_under_a_name_filled_in_again_and_deleted(browser, builtin):
    builtin("convert_units")
    page = browser.get("/tools/convert_units/try/?example=1")
    value = text_of(page, "#preview")

    page = press(browser, page, "use=save-input", typed={"input_name": "To <metres>"})
    assert "Saved “To <metres>”." in text_of(page)
    assert chips(page) == ["input:To <metres>"]

    empty = browser.get("/tools/convert_units/try/")
    assert text_of(empty, "#preview") != value
    filled = press(browser, empty, "use=input:To <metres>")
    assert text_of(filled, "#preview") == value

    assert chips(press(browser, filled, "use=forget-input:To <metres>")) == []


def test_an_input_of_an_older_revision_says_so(browser, ada, builtin):
    tool = builtin("convert_units")
    save_input(ada, tool.current, "old", {"value": 1, "from_unit": "m", "to_unit": "km"})
    SavedInput.objects.update(revision_number=7)

    page = press(browser, browser.get("/tools/convert_units/try/"), "use=input:old")

    assert "saved for revision 7" in text_of(page)


def test_an_input_without_a_name_is_not_saved_and_nothing_typed_is_lost(browser, builtin):
    builtin("convert_units")
    page = browser.get("/tools/convert_units/try/?example=1")

    answer = press(browser, page, "use=save-input", typed={"input_name": " "})

    assert answer.status_code == 422
    assert "Enter a name of 1 to 100 characters" in text_of(answer)
    assert text_of(answer, "#preview") == text_of(page, "#preview")
    assert not SavedInput.objects.exists()


def test_a_part_of_the_page_with_errors_is_no_failed_request(browser, builtin):
    builtin("convert_units")
    page = browser.get("/tools/convert_units/try/")

    whole, part = press(browser, page, "run=1"), press(browser, page, "run=1", **HTMX)

    assert (whole.status_code, part.status_code) == (
        422,
        200,
    )  # browsers log an error status in their console
    assert text_of(part, ".error-summary") == text_of(whole, ".error-summary") != ""


def test_enter_saves_a_new_name_and_runs_otherwise(browser, builtin):
    builtin("convert_units")
    page = browser.get("/tools/convert_units/try/?example=1")

    page = press(browser, page, "run=enter", typed={"input_name": "metres"})

    assert chips(page) == ["input:metres"]
    assert not Run.objects.exists()
    press(browser, page, "run=enter")
    assert Run.objects.count() == 1


def test_enter_in_the_name_of_a_configuration_saves_it_and_does_not_run(browser, builtin):
    builtin("sign_text")
    page = browser.get('/tools/sign_text/try/?parameters={"text": "a"}')

    typed = {control(page, "/.key"): "hunter22-hunter22", "save_as": "work"}
    page = press(browser, page, "run=enter", typed=typed)

    assert SavedConfiguration.objects.get().name == "work"
    assert not Run.objects.exists()
    press(browser, page, "run=enter")
    assert Run.objects.get().configuration_name == "work"


def test_another_person_s_input_cannot_be_used(browser, bob, builtin):
    tool = builtin("convert_units")
    save_input(bob, tool.current, "his", {"value": 9_999})

    page = browser.get("/tools/convert_units/try/")

    assert chips(page) == []
    answer = press(browser, page, "use=input:his")
    assert "no saved input of this name" in text_of(answer)
    assert "9999" not in text_of(answer, "#preview")


def as_json(text, *, more=()):
    """The data that the page sends for `convert_units` in JSON mode, with `more` names and values."""
    return {"parameters:e:": text, "mode": "live", **dict(more)}


def test_json_is_checked_without_a_run(browser, builtin):
    builtin("convert_units")
    text = '{\n"value": "many",\n"from_unit": "m",\n"to_unit": "km"}'

    answer = browser.post("/tools/convert_units/try/", as_json(text, more=[("use", "check")]))

    assert answer.status_code == 200
    [mark] = answer.json()["parameters"]
    assert (mark["line"], mark["column"]) == (2, 10)
    assert not Run.objects.exists()


def test_valid_json_has_no_marks(browser, builtin):
    builtin("convert_units")

    answer = browser.post(
        "/tools/convert_units/try/", as_json(json.dumps(KILOMETRES), more=[("use", "check")])
    )

    assert answer.json() == {"parameters": []}


@pytest.mark.parametrize(("checked", "errors"), [({"checked": "1"}, 1), ({}, 0)])
def test_the_switch_to_the_form_shows_the_errors_that_were_shown(browser, builtin, checked, errors):
    builtin("convert_units")
    text = '{"value": 1, "from_unit": "m", "to_unit": 5}'
    sent = as_json(text, more=[("op", "parameters:view::fields"), *checked.items()])

    answer = browser.post("/tools/convert_units/try/", sent)

    page = tree_of(answer)
    assert len(page.css("#parameters-form .field-error")) == errors
    assert len(page.css(".error-summary li")) == errors
    assert len(page.css('input[name="checked"]')) == errors
    assert not Run.objects.exists()


def test_a_check_does_not_quote_secrets(browser, ada):
    pin = {"type": "string", "format": "password", "maxLength": 4}
    make_tool("safe", parameters={"properties": {"pin": pin}})
    page = press(browser, browser.get("/tools/safe/try/"), "op=parameters:view::json")

    answer = press(browser, page, "use=check", typed={control(page, ":e:"): '{"pin": "hunter22"}'})

    assert len(answer.json()["parameters"]) == 1
    assert "hunter22" not in answer.content.decode()


def test_a_text_with_conditions_offers_no_update_of_its_fields(browser, ada):
    condition = {"if": {"required": ["a"]}, "then": {"required": ["b"]}}
    parameters = {"type": "object", "properties": {"a": {}, "b": {}}, **condition}
    make_tool("depends", parameters=parameters)
    fields = browser.get("/tools/depends/try/")

    text = press(browser, fields, "op=parameters:view::json")

    assert b"data-form-live" in fields.content
    assert b"data-form-live" not in text.content
