"""A name under *Save this configuration*, then *Run*: the configuration is saved, whatever becomes of the run."""

import pytest

from playground.configurations.models import SavedConfiguration
from playground.configurations.saved import open_configuration, save_configuration
from playground.configurations.secret_members import Configuration
from playground.runs import running
from playground.runs.models import Run
from tests.factories import make_tool
from tests.playground.history.test_pages import HTMX, control, press, text_of, tree_of

pytestmark = pytest.mark.usefixtures("runs")

SECRET = "hunter22-hunter22"
TRY = '/tools/sign_text/try/?parameters={"text": "a"}'


@pytest.fixture
def page(browser, builtin):
    builtin("sign_text")
    return browser.get(TRY)


def typed(page, **more):
    return {control(page, "/.key"): SECRET, "save_as": "work", **more}


def saved_secret(person):
    return open_configuration(SavedConfiguration.objects.get(), person).value["key"]


def test_run_saves_the_configuration_and_uses_it_by_its_name(browser, ada, page):
    answer = press(browser, page, "run=1", typed=typed(page))

    run = Run.objects.get()
    running.wait(run, 10)
    followed = browser.get(answer["Location"], follow=True)
    assert saved_secret(ada) == SECRET
    assert run.configuration_name == "work"
    assert "The configuration is saved as “work”." in text_of(followed, ".messages")
    assert SECRET not in followed.text


def test_with_scripts_the_form_shows_what_was_saved(browser, ada, page):
    answer = press(browser, page, "run=1", typed=typed(page), **HTMX)

    assert saved_secret(ada) == SECRET
    fold = tree_of(answer).css_first("#configuration-fold")
    assert fold.attributes["hx-swap-oob"] == "innerMorph"
    assert "Saved as “work”." in fold.text()
    assert fold.css_first("#saved option[selected]").attributes["value"] == "work"
    assert SECRET not in answer.text


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["without scripts", "with scripts"])
def test_the_configuration_is_saved_although_the_parameters_are_refused(
    browser, ada, page, headers
):
    wrong = typed(page, **{control(page, "/.text"): ""})

    answer = press(browser, page, "run=1", typed=wrong, **headers)

    assert not Run.objects.exists()
    assert saved_secret(ada) == SECRET
    assert "Saved as “work”." in text_of(answer, "#configuration-fold")
    assert "Fix 1 problem to run" in answer.text
    assert SECRET not in answer.text


def test_the_configuration_is_saved_although_the_run_fails(browser, ada, page):
    key = control(page, "/.key")

    press(browser, page, "run=1", typed={key: "short", "save_as": "work"})

    assert saved_secret(ada) == "short"


def test_the_configuration_is_saved_with_a_mock(browser, ada, page):
    press(browser, page, "run=1", typed=typed(page, mode="mock"))

    assert saved_secret(ada) == SECRET


def test_the_run_uses_the_stored_secret_that_the_new_configuration_leaves_out(
    browser, ada, builtin
):
    tool = builtin("sign_text")
    save_configuration(ada, tool, "work", Configuration({"key": SECRET}), None)
    page = browser.get(TRY + "&configuration=")

    press(browser, page, "run=1", typed={"save_as": "work"})

    assert saved_secret(ada) == SECRET
    run = running.wait(Run.objects.get(), 10)
    assert (run.outcome, run.configuration_name) == ("returned", "work")


def test_the_prefilled_name_of_the_selected_configuration_does_not_replace_it(
    browser, ada, builtin
):
    tool = builtin("sign_text")
    save_configuration(ada, tool, "work", Configuration({"key": SECRET, "algorithm": "sha1"}), None)
    page = browser.get(TRY + "&configuration=work")

    press(browser, page, "run=1", typed={control(page, "/.algorithm"): '"sha512"'})

    stored = open_configuration(SavedConfiguration.objects.get(), ada).value
    assert stored["algorithm"] == "sha1"
    assert Run.objects.get().configuration_name == ""


def test_a_name_that_cannot_be_used_stops_the_run_and_stays_in_its_field(browser, page):
    answer = press(browser, page, "run=1", typed=typed(page, save_as="a/b"))

    assert answer.status_code == 422
    assert not Run.objects.exists()
    assert not SavedConfiguration.objects.exists()
    assert 'Enter a name without "/"' in text_of(answer, ".error-summary")
    assert tree_of(answer).css_first("#save_as").attributes["value"] == "a/b"


def test_text_that_cannot_be_read_is_not_lost_by_saving_without_it(browser, ada):
    properties = {"key": {"type": "string", "writeOnly": True}, "limit": {"type": "integer"}}
    make_tool("limited", parameters={}, configuration={"type": "object", "properties": properties})
    page = browser.get("/tools/limited/try/")
    texts = {control(page, "/.key"): SECRET, control(page, "/.limit"): "many", "save_as": "work"}

    answer = press(browser, page, "run=1", typed=texts)

    assert answer.status_code == 422
    assert "“many” is not a number" in text_of(answer, ".error-summary")
    assert not Run.objects.exists()
    assert not SavedConfiguration.objects.exists()
