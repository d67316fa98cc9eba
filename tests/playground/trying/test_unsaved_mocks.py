"""Users who may not run a tool, such as visitors, get mocks on the page to try it: checked, but not stored."""

from traceback import walk_tb

import pytest
from django.contrib.auth.models import Group

from accounts.cell_rate import Rate
from accounts.models import Session
from catalog.organise.access import Access, change_tool_access
from catalog.tools.models import Tool
from config.error_pages import AlwaysHiding
from playground.runs import running
from playground.runs.models import Run
from tests.factories import make_tool, make_user, properties
from tests.playground.history.test_pages import HTMX, control, press, text_of, tree_of
from tests.playground.runs.stored_runs import add_run
from toolshelf_core.audit import AuditEvent

pytestmark = pytest.mark.usefixtures("runs", "no_runs_of_visitors")

TRY = "/tools/convert_units/try/"


@pytest.fixture
def no_runs_of_visitors(settings):
    """With them, built-in tools run live (`test_visitor_runs.py`)."""
    settings.VISITOR_RUNS = False


@pytest.fixture
def page(client, builtin):
    """The page of a tool with a working factory, with an example filled in."""
    builtin("convert_units")
    return client.get(f"{TRY}?example=1")


def links_of(answer, selector):
    return [node.attributes["href"] for node in tree_of(answer).css(f"{selector} a[href]")]


def test_a_mock_is_shown_with_its_verdict_and_nothing_is_stored(client, page):
    events = AuditEvent.objects.count()

    answer = press(client, page, "run=1")

    assert answer.status_code == 200
    assert text_of(answer, "#run .verdict") == "Mock: the saved response of example 1"
    assert not tree_of(answer).css(".verdict-good")
    assert '"from_unit": "km"' in text_of(answer, "#preview")
    assert not Run.objects.exists()
    assert not Session.objects.exists()
    assert AuditEvent.objects.count() == events


def test_an_unsaved_mock_has_no_link_to_a_run(client, page):
    answer = press(client, page, "run=1", **HTMX)

    assert "This mock was not saved. Sign in to run the tool itself." in text_of(
        answer, ".notice:not(.input-changed)"
    )
    assert (answer["HX-Retarget"], answer["HX-Reswap"]) == ("#run", "innerMorph")
    assert "HX-Replace-Url" not in answer
    assert "/runs/" not in answer.content.decode()
    assert links_of(answer, ".notice:not(.input-changed)") == [
        "/sign-in/?next=/tools/convert_units/try/"
    ]


def test_the_page_offers_a_mock_and_says_why_it_is_not_live(page):
    live, mock = tree_of(page).css("[name=mode]")

    assert text_of(page, "[data-run-button]").startswith("Run mock")
    assert ("disabled" in live.attributes, "checked" in mock.attributes) == (True, True)
    assert "Sign in to run it live" in text_of(page, f"#{live.attributes['aria-describedby']}")


def test_a_reader_reads_who_may_run_the_tool(client, builtin):
    builtin("convert_units")
    reader = make_user("reader")
    reader.groups.add(Group.objects.get(name="reader"))
    client.force_login(reader)
    page = client.get(f"{TRY}?example=1")

    who = "Only people in the groups runner, publisher and administrator can run tools."
    assert f"{who} You can still run a mock; it is not saved." in text_of(page, "#why-not-live")
    assert f"This mock was not saved. {who}" in text_of(
        press(client, page, "run=1"), "#run .notice:not(.input-changed)"
    )
    assert press(client, page, "run=1", typed={"mode": "live"}).status_code == 403
    assert not Run.objects.exists()


def test_an_unsaved_mock_is_not_offered_to_be_compared(client, builtin):
    tool = builtin("convert_units")
    reader = make_user("reader")
    reader.groups.add(Group.objects.get(name="reader"))
    for _ in range(2):
        add_run(tool, reader)
    client.force_login(reader)

    answer = press(client, client.get(f"{TRY}?example=1"), "run=1")

    assert len(tree_of(answer).css(".history-bar")) == 2
    assert not text_of(answer, ".history-compare")
    assert tree_of(answer).css_first(".result-of-run").id is None


@pytest.mark.parametrize("broken", ["request_problems", "make_mock"])
def test_a_report_of_an_error_in_a_mock_hides_the_parameters(broken, monkeypatch):
    tool = make_tool("unlock", parameters=properties(key={"type": "string", "writeOnly": True}))
    monkeypatch.setattr(running, broken, lambda *_, **__: 1 / 0)

    with pytest.raises(ZeroDivisionError) as raised:
        running.unsaved_mock(tool, tool.current, {"key": "marker-secret-5501"})

    frames = [
        frame
        for frame, _ in walk_tb(raised.tb)
        if frame.f_globals["__name__"] == "playground.runs.running"
    ]
    shown = [AlwaysHiding().get_traceback_frame_variables(None, frame) for frame in frames]
    assert shown
    assert "marker-secret-5501" not in str(shown)


def test_parameters_that_are_not_valid_have_errors_at_their_fields(client, page):
    answer = press(client, page, "run=1", typed={control(page, "/.value"): "many"})

    assert answer.status_code == 422
    assert "Fix 1 problem to run" in text_of(answer, ".error-summary")
    assert "is not a number" in text_of(answer, "#parameters-form .field-error")
    assert not text_of(answer, "#run .verdict")


@pytest.mark.parametrize("how", [{"mode": "live"}, {}])
def test_a_run_that_is_no_mock_leads_to_the_sign_in_page(client, page, how):
    answer = client.post(TRY, {"run": "1", **how})

    assert answer["Location"] == "/sign-in/?next=%2Ftools%2Fconvert_units%2Ftry%2F"
    assert not Run.objects.exists()


def test_mocks_are_limited_by_address(client, page, monkeypatch):
    monkeypatch.setattr("accounts.rate_limits.MOCKS", Rate(2, 60))

    answers = [press(client, page, "run=1", **HTMX) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2]["Retry-After"]) > 0
    assert "Your address has requested too many mocks" in text_of(answers[2], ".error-summary")
    assert press(client, page, "run=1").status_code == 429


def test_a_mock_that_cannot_be_made_says_why(client):
    make_tool("impossible", returnType={"type": "integer", "minimum": 2, "maximum": 1})

    answer = press(client, client.get("/tools/impossible/try/"), "run=1")

    assert "Refused" in text_of(answer, "#run .verdict")
    assert "returnType" in text_of(answer, "#run .problem")
    assert not Run.objects.exists()


def test_a_tool_that_cannot_run_here_offers_to_save_runs_instead(client):
    make_tool("greet")

    answer = press(client, client.get("/tools/greet/try/"), "run=1")

    assert "Sign in to save your runs." in text_of(answer, "#run .notice:not(.input-changed)")
    assert "Not checked: the spec has no return type." in text_of(answer, "#run .verdict")


def test_a_secret_among_the_parameters_is_not_shown(client):
    make_tool("unlock", parameters=properties(key={"type": "string", "writeOnly": True}))

    posted = {"run": "1", "mode": "mock", "parameters:e:": '{"key": "marker-secret-5501"}'}
    answer = client.post("/tools/unlock/try/", posted, headers=HTMX)

    assert "Mock: the parameters themselves" in text_of(answer, ".notice:not(.input-changed)")
    assert "marker-secret-5501" not in answer.content.decode()


def test_a_tool_that_a_visitor_may_not_see_has_no_mock(client, page):
    change_tool_access(Tool.objects.get(), Access(visibility="signed-in"), by=None)

    assert press(client, page, "run=1").status_code == 404


def test_there_is_no_mock_if_browsing_is_closed(client, page, settings):
    settings.ANONYMOUS_BROWSING = False

    assert press(client, page, "run=1")["Location"].startswith("/sign-in/")
