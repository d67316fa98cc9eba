import io
from datetime import timedelta
from xml.etree import ElementTree as ET

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from catalog.tools.publishing import publish
from playground.configurations.secret_members import Configuration
from playground.examples import checks as example_checks
from playground.examples.checks import begin_check, wait_for
from playground.examples.models import ExampleCheck
from playground.examples.results import results_of, settle
from playground.runs import running, waiting_room
from playground.runs.celery.app import BrokerError
from playground.runs.models import Run
from playground.runs.orphans import recover_runs
from tests.factories import make_tool
from tests.playground.history.test_pages import tree_of
from tests.terminal import Terminal
from toolshelf_core.errors import Unreachable
from toolshelf_core.fairness import SharedSlots
from toolspec.spec import read_spec
from toolspec.text import reader
from toolspec.value_differences import compare

pytestmark = pytest.mark.usefixtures("runs")


def check(tool, **how):
    done = wait_for(begin_check(tool, tool.current, by=None, **how), 30)
    return ExampleCheck.objects.get(pk=done.pk)


def with_examples(tool, *examples):
    """The tool with other examples."""
    document = reader.loads(tool.current.source)
    document["definition"]["examples"] = list(examples)
    return publish(read_spec(reader.dumps(document)), by=None).tool


KILOMETER = {"value": 1, "from_unit": "km", "to_unit": "m"}


def test_the_examples_of_a_conforming_tool_pass(builtin):
    done = check(builtin("convert_units"))

    assert (done.has_passed, done.failed) == (True, 0)
    assert done.passed == len(results_of(done)) == done.runs.count()
    assert done.factory


def test_a_call_that_ends_before_the_next_has_started_does_not_end_the_check(builtin, monkeypatch):
    def start_and_wait(*arguments, example, **options):
        run = running.wait(running.start(*arguments, example=example, **options), 30)
        settle(example.check)
        return run

    monkeypatch.setattr(example_checks, "start", start_and_wait)

    done = check(builtin("convert_units"))

    assert (done.has_passed, done.passed) == (True, 4)


def test_a_check_whose_server_was_killed_before_all_calls_started_is_deleted(builtin):
    tool = builtin("convert_units")
    long_ago = timezone.now() - timedelta(hours=1)
    killed = ExampleCheck.objects.create(tool=tool, revision=tool.current, created_at=long_ago)
    run = Run.objects.create(
        tool=tool,
        revision=tool.current,
        parameters_json="{}",
        outcome="returned",
        example_check=killed,
    )
    starting = ExampleCheck.objects.create(tool=tool, revision=tool.current)

    recover_runs()

    assert [*ExampleCheck.objects.all()] == [starting]
    run.refresh_from_db()
    assert run.example_check is None


def test_a_check_whose_last_run_crashed_fails(builtin):
    tool = with_examples(builtin("convert_units"), {"parameters": KILOMETER})
    stopped = ExampleCheck.objects.create(tool=tool, revision=tool.current, has_all_runs=True)
    Run.objects.create(
        tool=tool,
        revision=tool.current,
        parameters_json="{}",
        outcome="running",
        host="elsewhere/1/1",
        created_at=timezone.now() - timedelta(hours=1),
        example_check=stopped,
        example_number=1,
    )

    recover_runs()

    stopped.refresh_from_db()
    assert (stopped.has_passed, stopped.failed) == (False, 1)


def test_a_check_is_waited_for_even_if_many_threads_wait_for_runs(builtin, monkeypatch):
    """Such threads leave a call of `wait` a tenth of a second; the run of the first example takes three."""
    tool = builtin("count_slowly")
    monkeypatch.setattr(waiting_room, "_threads", SharedSlots(1, reserve=0))
    waiting_room.enter("")  # the owner of a check without a user

    done = check(tool)

    assert (done.has_passed, done.passed) == (True, 2)


def test_a_response_that_differs_from_the_example_is_reported_with_its_pointer(builtin):
    tool = with_examples(
        builtin("convert_units"), {"parameters": KILOMETER, "returnValue": {"value": 999}}
    )

    [result] = results_of(check(tool, exactly=True))

    assert result.passed is False
    assert "/value differs" in [str(difference) for difference in result.differences]


def test_pointers_can_be_left_out_of_the_comparison(builtin):
    tool = builtin("convert_units")
    good = results_of(check(tool))[0].run
    tool = with_examples(
        tool, {"parameters": good.parameters, "returnValue": {**good.response, "value": 999}}
    )

    assert check(tool).has_passed is False
    assert check(tool, ignored=["/value"]).has_passed is True


def test_secrets_among_the_parameters_are_no_difference(builtin):
    document = reader.loads(builtin("query_json").current.source)
    document["definition"]["parameters"]["properties"]["document"]["x-secret"] = True
    document["definition"]["examples"] = [
        {
            "parameters": {"document": {"key": "mrk-5e1f-par-77"}, "expression": "key"},
            "returnValue": {"result": result, "type": "string"},
        }
        for result in ("mrk-5e1f-par-77", "something else")
    ]
    tool = publish(read_spec(reader.dumps(document)), by=None).tool

    redacted, differing = results_of(check(tool, exactly=True))

    assert redacted.run.response["result"] == "[secret]"
    assert redacted.passed is True
    assert differing.passed is False


def test_it_can_be_enough_that_the_response_conforms(builtin):
    tool = builtin("convert_units")
    good = results_of(check(tool))[0].run
    tool = with_examples(
        tool, {"parameters": good.parameters, "returnValue": {**good.response, "value": 999}}
    )

    assert check(tool, exactly=False).has_passed is True


def test_an_example_whose_parameters_do_not_fit_is_not_called(builtin):
    tool = with_examples(builtin("convert_units"), {"parameters": {"value": "x"}})

    done = check(tool)

    assert done.has_passed is False
    assert not Run.objects.exists()
    assert results_of(done)[0].message.startswith("Its parameters are not valid")


def test_an_example_whose_return_value_breaks_return_type_fails(builtin):
    tool = with_examples(
        builtin("convert_units"), {"parameters": KILOMETER, "returnValue": {"value": "x"}}
    )

    [result] = results_of(check(tool, exactly=False))

    assert result.passed is False
    assert result.message.startswith("Its return value does not match the return type")


def test_a_call_that_fails_fails_the_example(builtin):
    tool = with_examples(
        builtin("count_slowly"), {"parameters": {"steps": 1, "seconds": 0, "fail_at": 1}}
    )

    [result] = results_of(check(tool))

    assert (result.passed, result.message) == (False, "The call raised.")


def test_a_check_that_cannot_start_all_its_runs_is_not_stored(builtin, settings, monkeypatch):
    sent = []

    def send_one(run_id, encrypted):
        if sent:
            raise BrokerError("gone")
        sent.append(run_id)

    settings.RUNNER = "celery"
    monkeypatch.setattr("playground.runs.celery.app.send", send_one)
    tool = builtin("convert_units")

    with pytest.raises(Unreachable):
        begin_check(tool, tool.current, by=None)

    assert not ExampleCheck.objects.exists()
    assert Run.objects.get(example_check=None).pk == sent[0]


def test_without_a_factory_no_example_passes():
    tool = make_tool(examples=[{"parameters": {}, "returnValue": {}}])

    assert check(tool).has_passed is False


def test_an_ignored_pointer_covers_only_the_values_below_it():
    found = compare({"a": {"b": 1}, "ab": 1}, {"a": {"b": 2}, "ab": 2}, ignored=["/a"])

    assert [difference.pointer for difference in found] == ["/ab"]


# -- the command ------------------------------------------------------------------------------------------------------


def check_examples(*words, stream=io.StringIO):
    out = stream()
    try:
        call_command("check_examples", *words, stdout=out)
    except SystemExit as ending:
        return out.getvalue(), ending.code
    return out.getvalue(), 0


def test_an_example_cannot_control_the_terminal(builtin):
    with_examples(
        builtin("convert_units"), {"description": "One\x1b[2J\u009b km", "parameters": KILOMETER}
    )

    shown, _ = check_examples("convert_units", stream=Terminal)
    piped, _ = check_examples("convert_units")

    assert "1. One\ufffd[2J\ufffd km" in shown
    assert "1. One\x1b[2J\u009b km" in piped


def test_the_command_exits_with_0_if_all_pass(builtin):
    builtin("convert_units")

    output, code = check_examples("convert_units")

    assert code == 0
    assert "4 passed, 0 failed." in output


def test_the_command_exits_with_one_and_writes_junit_xml(builtin, tmp_path):
    tool = builtin("convert_units")
    good = results_of(check(tool))[0].run
    with_examples(
        tool,
        {
            "description": "a < b \x01",
            "parameters": good.parameters,
            "returnValue": {**good.response, "value": 999},
        },
        {"parameters": good.parameters},
    )

    output, code = check_examples("convert_units", "--junit", str(tmp_path / "report.xml"))

    assert code == 1
    assert "FAIL convert_units 1. a < b" in output
    suite = ET.parse(tmp_path / "report.xml").getroot().find("testsuite")
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == (
        "convert_units",
        "2",
        "1",
    )
    assert "/value differs" in suite.find("testcase/failure").text


def test_without_a_tool_the_command_checks_all_that_can_be_run(builtin):
    builtin("convert_units")
    builtin("hash_text")
    make_tool("nobody-makes-this", examples=[{"parameters": {}}])

    output, code = check_examples()

    assert code == 0
    assert "convert_units" in output
    assert "hash_text" in output
    assert "nobody" not in output


@pytest.mark.parametrize(
    "words",
    [["nobody"], ["convert_units", "--ignore", "value"], ["convert_units", "--configuration", "{"]],
)
def test_a_command_that_is_not_understood_exits_with_two(builtin, words):
    builtin("convert_units")

    with pytest.raises(CommandError) as caught:
        check_examples(*words)

    assert caught.value.returncode == 2


# -- the page ---------------------------------------------------------------------------------------------------------


def main_text(answer):
    return " ".join(tree_of(answer).css_first("main, #examples").text(separator=" ").split())


def test_a_check_is_started_from_the_page_and_shown_there(browser, builtin):
    builtin("convert_units")

    answer = browser.post(
        "/tools/convert_units/tests/", {"how": "exact", "ignored": "/sentence nonsense"}
    )
    wait_for(ExampleCheck.objects.get(), 30)
    page = browser.get(answer["Location"])

    assert "All 4 examples pass." in main_text(page)
    assert "/sentence" in main_text(page)
    assert ExampleCheck.objects.get().ignored == ["/sentence"]


def test_while_a_check_lasts_the_page_asks_again(browser, builtin):
    tool = with_examples(builtin("count_slowly"), {"parameters": {"steps": 1, "seconds": 30}})
    begin_check(tool, tool.current, by=None)

    page = browser.get("/tools/count_slowly/tests/")
    part = browser.get("/tools/count_slowly/tests/", headers={"HX-Request": "true"})

    assert "Calling the tool for each example." in main_text(page)
    assert tree_of(page).css_first('noscript meta[http-equiv="refresh"]')
    assert "<html" not in part.content.decode()
    assert tree_of(part).css_first("[hx-get]")


def test_the_page_of_a_spec_without_examples_explains_what_to_do(browser):
    make_tool("plain")

    assert "The spec has no examples" in main_text(browser.get("/tools/plain/tests/"))


# -- comparing and keeping --------------------------------------------------------------------------------------------


def live(tool, parameters, by):

    return running.wait(running.start(tool, tool.current, parameters, by=by), 20)


def test_two_runs_are_shown_side_by_side_with_their_differences(browser, ada, builtin):
    tool = builtin("convert_units")
    first = live(tool, KILOMETER, ada)
    second = live(tool, {**KILOMETER, "value": 2}, ada)

    page = browser.get(f"/runs/{second.pk}..{first.pk}/")

    tree = tree_of(page)
    earlier, later = tree.css(".compared-response")
    assert [sorted(number.text() for number in side.css(".jn")) for side in (earlier, later)] == [
        ["1000"],
        ["2000"],
    ]
    assert "changed" in [mark.text() for mark in earlier.css(".json-line .value-change")]
    assert "changed, was 1000" in [mark.text() for mark in later.css(".json-line .value-change")]
    assert "matches" in later.css_first(".compared-facts").text()
    assert '"value": 1' in " ".join(row.text() for row in tree.css("tr.diff-del"))
    assert "Outcome" not in tree.css_first(".stack > .small").text()


def test_violations_are_at_their_lines_in_a_comparison(browser, ada, builtin):
    tool = builtin("drifting_thermometer")
    first, second = (live(tool, {"hours_since_calibration": hours}, ada) for hours in (0, 73))

    earlier, later = tree_of(browser.get(f"/runs/{first.pk}..{second.pk}/")).css(
        ".compared-response"
    )

    assert earlier.css(".json-note") == []
    assert any("must be a number" in note.text() for note in later.css(".json-note"))


def test_both_runs_are_run_again_by_one_press(browser, ada, builtin):
    tool = builtin("convert_units")
    runs = [live(tool, {**KILOMETER, "value": value}, ada) for value in (1, 2)]

    answer = browser.post(f"/runs/{runs[0].pk}..{runs[1].pk}/")

    first, second = Run.objects.exclude(pk__in=[run.pk for run in runs]).order_by("id")
    assert answer["Location"] == f"/runs/{first.pk}..{second.pk}/"
    assert [run.parameters_json for run in (first, second)] == [run.parameters_json for run in runs]


def test_runs_whose_configuration_is_not_stored_are_not_run_again(browser, ada, builtin):
    tool = builtin("sign_text")
    configuration = Configuration({"key": "hunter22-hunter22"})
    runs = [
        running.wait(
            running.start(tool, tool.current, {"text": "a"}, by=ada, configuration=configuration),
            20,
        )
        for _ in range(2)
    ]

    page = browser.get(f"/runs/{runs[0].pk}..{runs[1].pk}/")
    answer = browser.post(f"/runs/{runs[0].pk}..{runs[1].pk}/", follow=True)

    assert "Run both again" not in page.content.decode()
    assert "hunter22" not in page.content.decode()
    assert "no longer available" in main_text(answer)
    assert Run.objects.count() == 2


def test_equal_runs_are_shown_as_equal(browser, ada, builtin):
    tool = builtin("convert_units")
    first, second = live(tool, KILOMETER, ada), live(tool, KILOMETER, ada)

    assert main_text(browser.get(f"/runs/{first.pk}..{second.pk}/")).count("Identical.") == 2


def test_runs_of_different_tools_or_people_are_not_compared(
    browser, ada, builtin, django_user_model
):
    one, other = builtin("convert_units"), builtin("hash_text")
    mine, another = live(one, KILOMETER, ada), live(other, {"text": "a"}, ada)
    eves = live(one, KILOMETER, django_user_model.objects.create_user("eve"))

    assert browser.get(f"/runs/{mine.pk}..{another.pk}/").status_code == 404
    assert browser.get(f"/runs/{mine.pk}..{eves.pk}/").status_code == 404


def test_a_run_is_saved_as_an_example_after_a_preview(browser, ada, builtin):
    tool = builtin("convert_units")
    run = live(tool, KILOMETER, ada)
    before = tool.current.spec.examples

    look = browser.get(f"/runs/{run.pk}/example/")
    answer = browser.post(
        f"/runs/{run.pk}/example/",
        {"do": "publish", "description": "One kilometer", "expected": str(tool.current.number)},
    )

    tree = tree_of(look)
    assert tree.css("tr.diff-add")
    assert answer["Location"] == "/tools/convert_units/"
    tool.refresh_from_db()
    assert tool.current.number == 2
    assert tool.current.spec.examples[:-1] == before
    saved = tool.current.spec.examples[-1]
    assert (saved.description, saved.parameters, saved.return_value) == (
        "One kilometer",
        run.parameters,
        run.response,
    )


@pytest.mark.parametrize("expected", ["1", "9" * 5000])
def test_a_run_is_not_saved_as_an_example_of_an_unseen_revision(browser, ada, builtin, expected):
    tool = builtin("convert_units")
    run = live(tool, KILOMETER, ada)
    publish(read_spec(tool.current.source + "\n"), by=None)

    answer = browser.post(f"/runs/{run.pk}/example/", {"do": "publish", "expected": expected})

    assert answer.status_code == 422
    tool.refresh_from_db()
    assert tool.current.number == 2
