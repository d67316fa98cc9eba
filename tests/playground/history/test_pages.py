import re
import time

import pytest
from django.urls import reverse
from selectolax.lexbor import LexborHTMLParser

from catalog.organise.lifecycle import deprecate
from catalog.tools.publishing import publish
from playground.configurations.models import SavedConfiguration
from playground.history.response_table import make_table
from playground.runs import running
from playground.runs.celery.app import BrokerError
from playground.runs.models import Run
from tests.factories import make_tool
from tests.playground.form.driver import Page
from tests.playground.runs.stored_runs import add_run
from toolspec.errors import Problem
from toolspec.spec import read_spec

pytestmark = pytest.mark.usefixtures("runs")

HTMX = {"HX-Request": "true"}


def tree_of(answer):
    return LexborHTMLParser(answer.content.decode())


def text_of(answer, selector="main"):
    html = answer.content.decode().replace(
        "<wbr>", ""
    )  # an opportunity for a line break, not a space
    node = LexborHTMLParser(html).css_first(selector)
    return " ".join(node.text(separator=" ").split()) if node else ""


def form_of(answer):
    """The playground's form, as a browser would send it."""
    return Page(tree_of(answer).css_first("form#trial").html)


def press(browser, answer, button, *, typed=None, **headers):
    """Send the playground's form by one of its buttons ("name=value"), with some controls filled in."""
    name, _, value = button.partition("=")
    typed = {key: [text] for key, text in (typed or {}).items()}
    pairs = [
        (key, text)
        for key, text in form_of(answer).submit(typed=typed)
        if key not in {"run", "use", "op"}
    ] + [(name, value)]
    data = {}
    for key, text in pairs:
        data.setdefault(key, []).append(text)
    url = tree_of(answer).css_first("form#trial").attributes["action"]
    return browser.post(url, data, headers=headers)


def control(answer, ending):
    """The name of the form's control that ends so."""
    names = [node.attributes["name"] for node in form_of(answer).controls]
    return next(name for name in names if name.endswith(ending))


# -- trying -----------------------------------------------------------------------------------------------------------


def test_an_example_fills_the_form_and_a_press_leads_to_the_runs_page(browser, builtin):
    builtin("convert_units")

    page = browser.get("/tools/convert_units/try/?example=1")
    answer = press(browser, page, "run=1")

    run = Run.objects.get()
    assert answer.status_code == 302
    assert answer["Location"] == f"/runs/{run.pk}/"
    running.wait(run, 10)
    assert "Matches its return type" in text_of(browser.get(answer["Location"], follow=True))


def test_with_htmx_only_the_result_is_replaced(browser, builtin):
    builtin("get-weather")
    page = browser.get("/tools/get-weather-498ebfb0/try/?example=1")

    answer = press(browser, page, "run=1", **HTMX)

    run = Run.objects.get()
    assert answer.status_code == 200
    assert (answer["HX-Retarget"], answer["HX-Reswap"]) == ("#run", "innerMorph")
    assert answer["HX-Replace-Url"] == f"/tools/get-weather-498ebfb0/try/?run={run.pk}"
    assert "<html" not in answer.content.decode()


def test_errors_are_shown_at_their_fields_and_no_entry_is_lost(browser, builtin):
    builtin("convert_units")
    page = browser.get("/tools/convert_units/try/")

    answer = press(
        browser, page, "run=1", typed={control(page, "/.from_unit"): "furlong per fortnight"}
    )

    assert answer.status_code == 422
    tree = tree_of(answer)
    assert tree.css_first("title").text().startswith("Error:")
    target = tree.css_first(".error-summary a").attributes["href"]
    assert tree.css_first(f'[id="{target[1:]}"]').attributes["aria-invalid"] == "true"
    assert "furlong per fortnight" in answer.content.decode()
    assert not Run.objects.exists()


def test_a_press_that_is_not_run_draws_the_form_again_and_runs_nothing(browser, builtin):
    builtin("convert_units")
    page = browser.get("/tools/convert_units/try/?example=1")

    as_json = press(browser, page, "op=parameters:view::json")

    assert as_json.status_code == 200
    assert '"from_unit": "km"' in text_of(as_json, "textarea")
    again = press(browser, as_json, "op=parameters:view::fields", **HTMX)
    assert control(again, "/.from_unit")
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("query", "title", "response"),
    [
        ("", "Response in example 1", "kilometer = 26.2187574565 mile"),
        ("?example=1", "Expected response (example 1)", "kilometer = 26.2187574565 mile"),
        ("?example=2", "Expected response (example 2)", "degree_Celsius = 82.4 degree_Fahrenheit"),
    ],
)
def test_before_the_first_run_the_page_shows_the_expected_response(
    browser, builtin, query, title, response
):
    builtin("convert_units")

    page = browser.get(f"/tools/convert_units/try/{query}")

    assert text_of(page, "#expected .code-title") == title
    assert response in text_of(page, "#expected")


def test_the_expected_response_follows_the_input(browser, builtin):
    builtin("convert_units")
    page = browser.get("/tools/convert_units/try/?example=1")

    other = press(browser, page, "use=example:2", **HTMX)
    edited = press(browser, page, "use=preview", typed={control(page, "/.value"): "7"}, **HTMX)

    assert text_of(other, "#expected .code-title") == "Expected response (example 2)"
    assert text_of(edited, "#expected .code-title") == "Response in example 1"


def test_the_parameters_of_a_run_fill_the_form(browser, ada, builtin):
    tool = builtin("convert_units")
    run = running.start(
        tool, tool.current, {"value": 7, "from_unit": "km", "to_unit": "m"}, by=ada, mode="mock"
    )

    page = browser.get(f"/tools/convert_units/try/?run={run.pk}")

    assert '"value": 7' in text_of(page, "#preview")
    assert "Mock: the saved response of example" in text_of(page, "#run")
    assert "Timing" not in text_of(page, "#run")  # nothing was called


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("parameters={bad", "could not be used"),
        ("example=99", "no such example"),
        ("example=x", "no such example"),
        ("run=" + "0" * 32, "no such run"),
        ("run=%27", "no such run"),
        ("configuration=nobody", ""),
    ],
)
def test_an_address_that_cannot_be_used_gives_a_notice_and_an_empty_form(
    browser, builtin, query, says
):
    builtin("convert_units")

    page = browser.get(f"/tools/convert_units/try/?{query}")

    assert page.status_code == 200
    assert says in text_of(page)
    assert form_of(page).select("[data-run-button]")


def test_text_from_the_address_is_shown_as_text(browser, builtin):
    builtin("convert_units")

    page = browser.get("/tools/convert_units/try/", {"parameters": "<script>alert(1)</script>"})

    assert "<script>alert" not in page.content.decode()


def test_without_a_factory_the_page_offers_a_mock_with_the_reason(browser):
    tool = make_tool("nobody-makes-this")

    page = browser.get(reverse("playground:try", args=[tool.slug]))
    answer = press(browser, page, "run=1")

    why = tree_of(page).css_first("#why-not-live")
    assert " ".join(why.text().split()).startswith(
        "Mock only. An administrator can connect its server"
    )
    assert answer.status_code == 302
    assert Run.objects.get().mode == "mock"


def test_an_invalid_time_limit_is_shown_at_its_field(browser, builtin):
    builtin("convert_units")
    page = browser.get("/tools/convert_units/try/?example=1")

    for typed in ("soon", "0", "-1", "nan", "1e9"):
        answer = press(browser, page, "run=1", typed={"timeout_s": typed})

        assert answer.status_code == 422
        assert "time limit" in text_of(answer, ".error-summary")


def test_an_unreachable_queue_is_reported_and_the_entries_stay(
    browser, runs, builtin, settings, monkeypatch
):
    def refuse(run_id, encrypted):
        raise BrokerError("gone")

    settings.RUNNER = "celery"
    monkeypatch.setattr("playground.runs.celery.app.send", refuse)
    builtin("count_slowly")
    page = browser.get('/tools/count_slowly/try/?parameters={"steps": 7}')

    answer = press(browser, page, "run=1")

    assert answer.status_code == 503
    assert "The queue for runs cannot be reached, so the run was not started." in text_of(
        answer, ".error-summary"
    )
    assert '"steps": 7' in text_of(answer, "#preview")


def test_a_full_queue_preserves_the_entries(browser, ada, builtin, settings):
    settings.RUN_SLOTS, settings.WEB_PROCESSES, settings.RUN_QUEUE_MAX = 1, 1, 0
    tool = builtin("count_slowly")
    first = running.start(tool, tool.current, {"seconds": 30}, by=ada)
    page = browser.get('/tools/count_slowly/try/?parameters={"steps": 7}')

    answer = press(browser, page, "run=1")

    assert answer.status_code == 429
    assert '"steps": 7' in text_of(answer, "#preview")
    running.cancel(first)


def test_a_tool_that_is_not_there(browser):
    assert browser.get("/tools/nobody/try/").status_code == 404


# -- configurations ---------------------------------------------------------------------------------------------------


def test_a_configuration_is_saved_picked_and_used_and_its_secret_is_not_in_any_page(
    browser, builtin
):
    builtin("sign_text")
    page = browser.get('/tools/sign_text/try/?parameters={"text": "a"}')

    saved = press(
        browser,
        page,
        "use=save",
        typed={control(page, "/.key"): "hunter22-hunter22", "save_as": "work"},
    )
    opened = browser.get('/tools/sign_text/try/?parameters={"text": "a"}&configuration=work')
    answer = press(browser, opened, "run=1")

    assert SavedConfiguration.objects.get().name == "work"
    run = Run.objects.get()
    assert (run.configuration_name, len(run.configuration_fingerprint)) == ("work", 64)
    running.wait(run, 10)
    followed = browser.get(answer["Location"], follow=True)
    pages = [saved, opened, followed, browser.get("/runs/")]
    assert not any("hunter22" in one.content.decode() for one in pages)


def test_a_secret_that_was_just_typed_is_not_written_back_into_the_page(browser, builtin):
    builtin("sign_text")
    page = browser.get("/tools/sign_text/try/")

    refused = press(browser, page, "run=1", typed={control(page, "/.key"): "short77"})
    drawn_again = press(
        browser, page, "use=refresh", typed={control(page, "/.key"): "hunter22-hunter22"}
    )

    assert refused.status_code == 422
    assert "short77" not in refused.content.decode()
    assert "hunter22" not in drawn_again.content.decode()
    press(browser, drawn_again, "run=1", typed={control(drawn_again, "/.text"): "hello"})
    assert len(Run.objects.get().configuration_fingerprint) == 64


def test_a_saved_configuration_is_removed_on_the_page(browser, ada, builtin):
    tool = builtin("sign_text")
    page = browser.get("/tools/sign_text/try/")
    press(
        browser,
        page,
        "use=save",
        typed={control(page, "/.key"): "hunter22-hunter22", "save_as": "work"},
    )

    press(browser, browser.get("/tools/sign_text/try/?configuration=work"), "use=forget")

    assert not SavedConfiguration.objects.filter(tool=tool, owner=ada).exists()


def test_a_run_with_an_unsaved_configuration_asks_for_it_again(browser, ada, builtin):
    from playground.configurations.secret_members import Configuration

    tool = builtin("sign_text")
    run = running.start(
        tool,
        tool.current,
        {"text": "a"},
        by=ada,
        configuration=Configuration({"algorithm": "sha1"}),
    )
    running.wait(run, 10)

    answer = browser.post(f"/runs/{run.pk}/again/")

    assert answer["Location"] == f"/tools/sign_text/try/?run={run.pk}"
    assert "was not stored" in text_of(browser.get(answer["Location"], follow=True))


# -- a run's page -----------------------------------------------------------------------------------------------------


def test_a_violation_is_at_its_line_with_a_link_to_the_rule(browser, ada, builtin):
    tool = builtin("drifting_thermometer")
    run = running.wait(
        running.start(tool, tool.current, {"hours_since_calibration": 50}, by=ada), 10
    )

    page = browser.get(run.get_absolute_url(), follow=True)

    assert "Does not match its return type" in text_of(page)
    tree = tree_of(page)
    notes = tree.css("#response .json-note")
    assert notes
    for note in notes:
        assert tree.css_first(note.css_first("a").attributes["href"])
    assert "lukewarm" in text_of(page, "#response")
    assert "lukewarm" in text_of(page, "#raw")


def test_a_list_of_objects_is_a_table_as_well(browser, ada, builtin):
    tool = builtin("drifting_thermometer")
    run = running.wait(running.start(tool, tool.current, {}, by=ada), 10)

    page = browser.get(run.get_absolute_url(), follow=True)

    tree = tree_of(page)
    assert [cell.text() for cell in tree.css("#table th")] == ["#", "hours_ago", "temperature"]
    assert len(tree.css("#table tbody tr")) == 2


def test_a_violation_is_in_its_cell_of_the_table(browser, ada, builtin):
    tool = builtin("drifting_thermometer")
    run = running.wait(
        running.start(tool, tool.current, {"hours_since_calibration": 50}, by=ada), 10
    )

    tree = tree_of(browser.get(run.get_absolute_url(), follow=True))

    [cell] = [cell for cell in tree.css("#table td.cell-bad") if "lukewarm" in cell.text()]
    assert "must be a number" in cell.css_first(".cell-problem").text()


def tabs_of(browser, run):
    tree = tree_of(browser.get(run.get_absolute_url(), follow=True))
    names = [link.attributes["href"] for link in tree.css("[data-tabs] > .tabs-list a")]
    panels = [f"#{panel.id}" for panel in tree.css("[data-tabs] > .tab-panel")]
    assert names == panels
    return names


def test_a_response_that_matches_opens_on_its_kind_and_json_is_last(browser, ada, builtin):
    tool = builtin("drifting_thermometer")
    run = running.wait(running.start(tool, tool.current, {}, by=ada), 10)

    assert run.verdict == "conforms"
    assert tabs_of(browser, run)[:3] == ["#table", "#response", "#raw"]


def test_a_response_that_does_not_match_opens_on_the_response(browser, ada, builtin):
    tool = builtin("drifting_thermometer")
    broken = {"hours_since_calibration": 50}
    run = running.wait(running.start(tool, tool.current, broken, by=ada), 10)

    assert tabs_of(browser, run)[:3] == ["#response", "#table", "#raw"]
    tree = tree_of(browser.get(run.get_absolute_url(), follow=True))
    # the view that the browser remembers is not opened instead
    assert tree.css_first(".result-of-run .tabs").attributes["data-tabs"] == ""


def test_a_violation_of_a_whole_row_is_at_its_number():
    problems = [
        Problem("/a~1b/1", '"x" is missing', "r"),
        Problem("/other/1", "no", "r"),
        Problem("", "no", "r"),
    ]

    table = make_table({"a/b": [{"y": 1}, {"y": 2}]}, problems)

    assert table is not None
    assert [row.problems for row in table.rows] == [[], ['"x" is missing']]
    assert [cell.problems for row in table.rows for cell in row.cells] == [[], []]


def test_a_refused_run_shows_the_problems(browser, ada, builtin):
    tool = builtin("convert_units")
    run = running.start(tool, tool.current, {"value": "x"}, by=ada)

    page = browser.get(run.get_absolute_url(), follow=True)

    assert "Refused: the tool was not called." in text_of(page)
    assert "/parameters/value" in text_of(page)


def test_a_running_run_shows_how_far_it_is_and_can_be_cancelled(browser, ada, builtin):
    tool = builtin("count_slowly")
    run = running.start(tool, tool.current, {"steps": 10, "seconds": 30}, by=ada)

    page = browser.get(run.get_absolute_url(), follow=True)

    tree = tree_of(page)
    assert tree.css_first("progress")
    assert tree.css_first('noscript meta[http-equiv="refresh"]')
    assert tree.css_first(f'#run [hx-get="{run.get_absolute_url()}"]')
    answer = browser.post(tree.css_first("#run form").attributes["action"])
    assert answer["Location"] == run.get_absolute_url()
    page = browser.get(run.get_absolute_url(), follow=True)
    assert "Cancelled" in text_of(page)
    assert "refresh" not in page.content.decode().split("<body>")[0]


def test_the_try_page_shows_a_deprecation_and_the_successor(browser, builtin):
    tool, other = builtin("convert_units"), builtin("hash_text")

    before = text_of(browser.get(f"/tools/{tool.slug}/try/"))
    deprecate(tool, note="Too coarse.", superseded_by=other.tool_id)
    text = " ".join(text_of(browser.get(f"/tools/{tool.slug}/try/")).split())

    assert "deprecated" not in before
    assert f"This tool is deprecated Use {other.name} instead. Too coarse." in text


def rows(tool, *outcomes, host):
    """Runs as another process wrote them down."""
    made = [
        Run(tool=tool, revision=tool.current, outcome=outcome, host=host) for outcome in outcomes
    ]
    for run in made:
        run.parameters_json = "{}"
        run.save()
    return made


def test_the_position_of_another_processs_run_does_not_count_running_ones(builtin, settings):
    settings.RUN_SLOTS, settings.WEB_PROCESSES = 4, 2
    tool = builtin("count_slowly")
    rows(tool, "queued", "running", host="third")

    found = rows(
        tool, "running", "returned", "queued", "queued", "cancelled", "queued", host="other"
    )

    assert [running.queue_position(run) for run in found] == [0, 0, 0, 1, 0, 2]


def test_the_position_of_a_run_that_waits_for_a_worker_counts_all_waiting_runs(builtin):
    tool = builtin("count_slowly")
    rows(tool, "queued", host="a worker")

    found = rows(tool, "queued", "queued", host="")

    assert [running.queue_position(run) for run in found] == [1, 2]


def test_a_waiting_run_shows_its_position(browser, ada, builtin, settings):
    settings.RUN_SLOTS, settings.WEB_PROCESSES = 1, 1
    tool = builtin("count_slowly")
    started = [running.start(tool, tool.current, {"seconds": 30}, by=ada) for _ in range(4)]

    deadline = time.monotonic() + 60
    text = ""
    while (
        "number 3" not in text and time.monotonic() < deadline
    ):  # the first leaves the queue in a moment
        text = text_of(browser.get(started[3].get_absolute_url(), headers=HTMX), ".verdict")

    assert "Waiting: number 3 in the queue." in text
    assert "next in the queue" in text_of(
        browser.get(started[1].get_absolute_url(), headers=HTMX), ".verdict"
    )
    assert "Running." in text_of(
        browser.get(started[0].get_absolute_url(), headers=HTMX), ".verdict"
    )
    for one in started[::-1]:
        running.cancel(one)


def test_htmx_gets_the_result_alone(browser, ada, builtin):
    tool = builtin("convert_units")
    run = running.start(tool, tool.current, {}, by=ada, mode="mock")

    answer = browser.get(run.get_absolute_url(), headers=HTMX)

    assert "<html" not in answer.content.decode()
    assert answer.content.decode().strip().startswith("<div")


def test_a_run_is_made_again(browser, ada, builtin):
    tool = builtin("convert_units")
    run = running.wait(
        running.start(tool, tool.current, {"value": 1, "from_unit": "km", "to_unit": "m"}, by=ada),
        10,
    )

    answer = browser.post(f"/runs/{run.pk}/again/")

    again = Run.objects.exclude(pk=run.pk).get()
    assert answer["Location"] == again.get_absolute_url()
    assert again.parameters_json == run.parameters_json


def test_a_run_of_an_older_revision_is_made_again_by_either(browser, ada, builtin):
    tool = builtin("count_slowly")
    run = running.start(tool, tool.current, {"steps": 1}, by=ada, mode="mock")
    publish(read_spec(tool.current.source.replace("How far to count.", "Up to where.")), by=None)

    browser.post(f"/runs/{run.pk}/again/")
    browser.post(f"/runs/{run.pk}/again/", {"revision": "same"})

    assert [one.revision.number for one in Run.objects.order_by("id")] == [1, 2, 1]


def test_the_snippets_contain_the_parameters_but_no_secret(browser, ada, builtin):
    from playground.configurations.secret_members import Configuration

    tool = builtin("sign_text")
    run = running.start(
        tool,
        tool.current,
        {"text": "it's"},
        by=ada,
        configuration=Configuration({"key": "hunter22-hunter22"}),
    )
    running.wait(run, 10)

    page = browser.get(run.get_absolute_url(), follow=True)

    assert "curl" in text_of(page, "#use-curl")
    assert "it'\"'\"'s" in text_of(page, "#snippet-command")
    assert "fill it in" in text_of(page, "#snippet-python")
    assert "hunter22" not in page.content.decode()


def test_the_run_and_its_response_are_downloaded_whole(browser, ada, builtin):
    tool = builtin("get-weather")
    run = running.start(tool, tool.current, {"location": "New York"}, by=ada, mode="mock")

    whole = browser.get(f"/runs/{run.pk}/run.json")
    response = browser.get(f"/runs/{run.pk}/response.json")

    assert whole.json()["response"] == response.json()
    assert re.fullmatch(r'attachment; filename="[\w.-]+"', response["Content-Disposition"])


def test_markup_in_a_response_stays_text(browser, ada):
    value = {"<img src=x>": "<script>alert(1)</script>", "list": [{"<u>": "<i>"}]}
    tool = make_tool(examples=[{"parameters": {}, "returnValue": value}])
    run = running.start(tool, tool.current, {}, by=ada, mode="mock")

    html = browser.get(run.get_absolute_url(), follow=True).content.decode()

    assert not re.search(r"<img src=x|<script>alert|<i>|<u>", html)


def test_a_big_response_is_cut_on_the_page_and_whole_in_the_download(browser, ada):
    value = {"list": ["x" * 1000 for _ in range(200)]}
    tool = make_tool(examples=[{"parameters": {}, "returnValue": value}])
    run = running.start(tool, tool.current, {}, by=ada, mode="mock")

    page = browser.get(run.get_absolute_url(), follow=True)

    assert "Only the beginning is shown" in text_of(page, "#raw")
    assert browser.get(f"/runs/{run.pk}/response.json").json() == value


# -- the list ---------------------------------------------------------------------------------------------------------


def test_the_list_shows_ones_own_runs(browser, ada, builtin, django_user_model):
    tool = builtin("get-weather")
    mine = running.start(tool, tool.current, {}, by=ada, mode="mock")
    other = running.start(
        tool, tool.current, {}, by=django_user_model.objects.create_user("eve"), mode="mock"
    )

    html = browser.get("/runs/").content.decode()

    assert mine.get_absolute_url() in html
    assert other.get_absolute_url() not in html


def test_the_list_is_filtered_on_all_pages(browser, ada, builtin):
    tool = builtin("get-weather")
    for _ in range(51):
        add_run(tool, ada)
    running.start(tool, tool.current, {"location": 5}, by=ada, mode="mock")  # refused

    first = tree_of(browser.get("/runs/?outcome=returned"))
    older = first.css_first('a[rel="next"]').attributes["href"]
    second = tree_of(browser.get(f"/runs/{older}"))
    newer = second.css_first('a[rel="prev"]').attributes["href"]
    back = tree_of(browser.get(f"/runs/{newer}"))

    assert [len(page.css("table.runs tbody tr")) for page in (first, second, back)] == [50, 1, 50]
    assert "outcome=returned" in older


@pytest.mark.parametrize(
    "query",
    [
        "hour=9999-12-31T23&period=x&compare=x",
        "outcome=x&since=never&until=9999-12-31",
        "before=%27&tool=%3Cb%3E&person=x",
        "after=x",
    ],
)
def test_a_filter_that_means_nothing_does_no_harm(browser, query):
    assert browser.get(f"/runs/?{query}").status_code == 200


def test_an_empty_list_suggests_what_to_do(browser):
    assert "No runs yet" in text_of(browser.get("/runs/"))
    assert "No runs match these filters" in text_of(browser.get("/runs/?outcome=raised"))


def test_the_list_needs_signing_in(client):
    answer = client.get("/runs/", follow=True)

    assert answer.redirect_chain == [("/sign-in/?next=/runs/", 302)]
    assert "Sign in to see your runs." in text_of(answer)
    assert "Sign in to upload specs and run tools." in text_of(client.get("/sign-in/?next=/add/"))


def test_the_list_takes_few_questions(browser, ada, builtin, django_assert_max_num_queries):
    tool = builtin("get-weather")
    for _ in range(20):
        running.start(tool, tool.current, {}, by=ada, mode="mock")

    # With the groups of the user and their permissions: runs may be shared with them. The chart and its numbers take
    # two, the suggested tools one, the number of changes to review one.
    with django_assert_max_num_queries(10):
        browser.get("/runs/")
    with django_assert_max_num_queries(
        8
    ):  # what a filter replaces has neither suggestions nor figures
        browser.get(f"/runs/?tool={tool.slug}", headers=HTMX)


def test_the_chart_stands_above_the_list_and_its_bars_are_links(browser, ada, builtin):
    tool = builtin("get-weather")
    running.start(tool, tool.current, {"location": "x"}, by=ada, mode="mock")

    page = tree_of(browser.get("/runs/?period=24h"))

    assert len(page.css("svg[role=group] a.chart-slot")) == 24
    assert page.css_first('[aria-label="Period"] [aria-current]').text() == "24 hours"
    last = page.css("a.chart-slot")[-1].attributes["href"]
    of_last = tree_of(browser.get(f"/runs/{last}"))
    assert len(of_last.css("table.runs tbody tr")) == 1


def test_a_chosen_time_is_the_heading_and_its_numbers_and_is_removed_there(browser, ada, builtin):
    tool = builtin("get-weather")
    running.start(tool, tool.current, {"location": "x"}, by=ada, mode="mock")

    answer = browser.get("/runs/?mode=mock&since=2019-01-20&until=2019-01-22")

    page = tree_of(answer)
    remove = page.css_first("#overview-title a")
    assert text_of(answer, "#overview-title") == "20 to 22 Jan 2019 , show all times"
    assert remove.attributes["href"] == "?mode=mock"
    assert text_of(answer, ".run-numbers").startswith("Runs 0 ")
    assert "All times" not in text_of(answer)
    assert page.css_first("#overview-title a").attributes["href"] == "?mode=mock"
    assert text_of(browser.get("/runs/?mode=mock"), "#overview-title") == "Last 7 days"


def test_a_tool_without_runs_is_offered_to_try_and_has_no_empty_chart(browser, builtin):
    tool = builtin("get-weather")

    for headers in ({}, HTMX):
        answer = browser.get(f"/runs/?tool={tool.slug}", headers=headers)

        page = tree_of(answer)
        assert "No runs yet" in page.css_first("#runs").text()
        assert page.css_first("#runs .empty a").attributes["href"] == f"/tools/{tool.slug}/try/"
        assert page.css("#runs .chart") == []


def test_a_filter_without_runs_draws_no_empty_chart(browser, builtin):
    address = f"/runs/?tool={builtin('get-weather').slug}"

    page = tree_of(browser.get(f"{address}&mode=mock"))

    assert page.css("#runs .chart") == []
    assert "No runs in the last 7 days." in page.css_first("#runs").text()
    assert page.css_first("#runs .empty a").attributes["href"] == address


def test_a_row_shows_the_verdict_or_the_outcome_of_a_run_without_one(browser, ada, builtin):
    tool = builtin("get-weather")
    for outcome, verdict in (("returned", "conforms"), ("timed_out", "")):
        Run.objects.create(
            tool=tool,
            revision=tool.current,
            by=ada,
            parameters_json="{}",
            outcome=outcome,
            verdict=verdict,
        )

    rows = tree_of(browser.get("/runs/")).css("table.runs tbody tr")

    assert [[badge.text(strip=True) for badge in row.css(".badge")] for row in rows] == [
        ["timed out"],
        ["matches"],
    ]


def test_a_row_shows_the_first_parameters(browser, ada, builtin):
    tool = builtin("get-weather")
    for parameters in (
        {"location": "Oslo", "days": 3},
        {},
        {"location": 'say "a": b', "more": "x" * 300},
    ):
        running.start(tool, tool.current, parameters, by=ada, mode="mock")

    page = tree_of(browser.get("/runs/"))

    long, none, short = [node.text() for node in page.css(".run-parameters")]
    assert short == 'location: "Oslo", days: 3'
    assert none == "no parameters"
    assert long.startswith(r"""location: "say \"a\": b", more: "xxx""")
    assert len(long) < 200


def test_the_runs_of_a_tool_are_a_page_of_the_tool(browser, ada, builtin):
    tool = builtin("get-weather")
    run = running.start(tool, tool.current, {"location": "x"}, by=ada, mode="mock")

    answer = browser.get(f"/tools/{tool.slug}/runs/", follow=True)

    assert answer.redirect_chain == [(f"/runs/?tool={tool.slug}", 302)]
    page = tree_of(answer)
    assert text_of(answer, ".tool-lead") == "Your runs, newest first."
    assert page.css_first("form input[name=tool]").attributes == {
        "type": "hidden",
        "name": "tool",
        "value": tool.slug,
    }
    assert [head.text() for head in page.css("table.runs th")][1:3] == ["Parameters", "Result"]
    assert [link.attributes["href"] for link in page.css("table.runs tbody a")] == [
        run.get_absolute_url()
    ]
    assert page.css_first(".facets-fold").attributes.get("open", "closed") == "closed"


def test_without_its_filters_the_page_of_a_tool_shows_all_runs_of_the_tool(browser, builtin):
    address = f"/runs/?tool={builtin('get-weather').slug}"

    page = tree_of(browser.get(f"{address}&outcome=raised"))

    assert [link.attributes["href"] for link in page.css(".run-filter a")] == [address]
    assert "open" in page.css_first(".facets-fold").attributes


def test_the_runs_of_a_tool_that_is_not_there(browser):
    assert browser.get("/tools/nothing/runs/").status_code == 404


def test_the_tools_of_the_latest_runs_are_suggested(browser, ada, builtin):
    tool = builtin("get-weather")
    running.start(tool, tool.current, {"location": "x"}, by=ada, mode="mock")

    page = tree_of(browser.get("/runs/"))

    assert [option.attributes["value"] for option in page.css("datalist option")] == [tool.slug]


def test_a_run_and_a_comparison_are_pages_of_their_tool(browser, ada, builtin):
    tool = builtin("get-weather")
    first, second = (running.start(tool, tool.current, {}, by=ada, mode="mock") for _ in range(2))

    run = browser.get(f"/runs/{first.pk}/")
    page = tree_of(browser.get(f"/runs/{first.pk}..{second.pk}/"))

    assert run["Location"] == f"/tools/{tool.slug}/try/?run={first.pk}"
    assert page.css_first(".tool-head").attributes["data-tool-id"] == tool.tool_id
    assert page.css_first(".tool-tabs [aria-current]").attributes["id"] == "tab-runs"
    assert page.css_first(".page-header h2").text() == "Two runs compared"


def test_the_header_of_an_older_revisions_run_shows_the_current_revision(browser, ada, builtin):
    tool = builtin("get-weather")
    run = running.start(tool, tool.current, {}, by=ada, mode="mock")
    publish(read_spec(tool.current.source.replace('"name"', ' "name"', 1)), by=ada)

    answer = browser.get(f"/runs/{run.pk}/", follow=True)

    assert text_of(answer, "#tab-changes") == "Changes 2"
    assert "Revision 1 (not the current one)" in text_of(answer, ".run-details .facts")


def test_a_run_and_a_comparison_take_few_queries(
    browser, ada, builtin, django_assert_max_num_queries
):
    tool = builtin("convert_units")
    parameters = {"value": 1, "from_unit": "m", "to_unit": "km"}
    first, second = (
        running.wait(running.start(tool, tool.current, parameters, by=ada), 10) for _ in range(2)
    )
    page = f"/tools/{tool.slug}/try/?run="
    browser.get(f"{page}{first.pk}")  # compiles the spec

    # With the session, the user, their groups and permissions, and whether a change waits for review; the header of
    # the tool takes five.
    with django_assert_max_num_queries(20):
        browser.get(f"{page}{second.pk}")
    with django_assert_max_num_queries(12):
        browser.get(f"/runs/{first.pk}..{second.pk}/")


def test_two_selected_runs_of_one_tool_are_compared(browser, ada, builtin):
    tool = builtin("get-weather")
    first, second = (running.start(tool, tool.current, {}, by=ada, mode="mock") for _ in range(2))

    answer = browser.get(f"/runs/?compare={second.pk}&compare={first.pk}")

    assert answer["Location"] == f"/runs/{first.pk}..{second.pk}/"


def test_other_selections_are_not_compared(browser, ada, builtin, django_user_model):
    tool, other = builtin("get-weather"), builtin("convert_units")
    eve = django_user_model.objects.create_user("eve")
    run = running.start(tool, tool.current, {}, by=ada, mode="mock").pk
    of_other_tool = running.start(other, other.current, {}, by=ada, mode="mock").pk
    of_eve = running.start(tool, tool.current, {}, by=eve, mode="mock").pk

    for chosen in (
        [run],
        [run, run],
        [run, of_other_tool],
        [run, of_eve],
        [run, of_eve, of_other_tool],
    ):
        answer = browser.get("/runs/?mode=mock&" + "&".join(f"compare={pk}" for pk in chosen))
        assert answer.status_code == 200
        assert text_of(answer, ".compare-bar .field-error") == "Select two runs of one tool."
        page = tree_of(answer)
        selected = {box.attributes["value"] for box in page.css(".select-run input[checked]")}
        assert selected == {*chosen} - {of_eve}
        assert page.css_first("#compare-runs input[name=mode]").attributes["value"] == "mock"


def test_the_people_of_the_latest_runs_are_suggested_to_administrators(
    browser, ada, builtin, django_user_model
):
    tool = builtin("get-weather")
    eve = django_user_model.objects.create_user("eve")
    for person in (ada, eve, eve):
        running.start(tool, tool.current, {}, by=person, mode="mock")

    def suggested():
        page = tree_of(browser.get("/runs/"))
        return [option.attributes["value"] for option in page.css("#recent-people option")]

    assert suggested() == []
    django_user_model.objects.filter(pk=ada.pk).update(is_staff=True)
    assert suggested() == ["ada", "eve"]


def test_facts_that_differ_are_one_line_above_the_responses(browser, ada, builtin):
    tool = builtin("get-weather")
    runs = [running.start(tool, tool.current, {}, by=ada, mode="mock") for _ in range(2)]
    for run, call_ms, verdict in zip(runs, (4089.8, 12.0), ("conforms", "violates"), strict=True):
        Run.objects.filter(pk=run.pk).update(call_ms=call_ms, verdict=verdict)

    answer = browser.get(f"/runs/{runs[0].pk}..{runs[1].pk}/")

    page = tree_of(answer)
    facts = text_of(answer, ".stack > .small")
    assert facts.startswith(
        "Verdict matches → does not match · Violations — → 0 · Duration 4.1 s → "
    )
    assert "Mode" not in facts
    assert "4089" not in text_of(answer)
    titles = [title.text() for title in page.css("h2.section-title")]
    assert titles == ["Response", "Parameters"]


def test_the_runs_of_a_tool_show_each_number_once(browser, ada, builtin):
    tool = builtin("convert_units")
    running.wait(
        running.start(tool, tool.current, {"value": 1, "from_unit": "m", "to_unit": "km"}, by=ada),
        10,
    )

    answer = browser.get("/runs/?tool=convert_units")

    assert text_of(answer).count("Median call") == 1


def test_a_run_is_shared_in_its_details(browser, ada, builtin):
    tool = builtin("get-weather")
    run = running.start(tool, tool.current, {}, by=ada, mode="mock")

    page = tree_of(browser.get(f"/runs/{run.pk}/", follow=True))

    [form] = page.css(f'.run-details form[action="/runs/{run.pk}/share/"]')
    assert form.css_first("label").text() == "Share with groups"


def test_the_overview_explains_changes_only_where_it_shows_one(browser, ada, builtin):
    tool = builtin("get-weather")
    running.start(tool, tool.current, {}, by=ada, mode="mock")

    assert "Changes are relative" not in text_of(browser.get("/runs/"), "#runs")
