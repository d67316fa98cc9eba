"""The settings page of a tool: one address, with a form for each section."""

import pytest
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from catalog.organise.lifecycle import deprecate
from catalog.organise.metadata import Organisation, organise
from catalog.tools.models import Tool
from catalog.tools.publishing import publish
from tests.factories import make_spec, make_tool, make_user
from tests.pages import texts_of

pytestmark = pytest.mark.django_db

SETTINGS = "/tools/now/settings/"


def post(browser, section, **entries):
    return browser.post(SETTINGS, {"section": section, **entries}, follow=True)


def page_of(answer):
    return HTMLParser(answer.content)


@pytest.mark.parametrize("path", ["organise/", "access/"])
def test_former_addresses_lead_to_the_settings(browser, path):
    answer = browser.get(f"/tools/now/{path}")

    assert answer.status_code == 301
    assert answer["Location"] == SETTINGS


def test_an_unknown_section_changes_nothing(browser):
    make_tool("now")

    answer = post(browser, "nothing", note="Old.")

    assert answer.status_code == 200
    assert not Tool.objects.get().deprecated


# -- toolkit and tags -------------------------------------------------------------------------------------------------


def test_toolkit_and_tags_are_saved(browser):
    tool = make_tool("now", tags=["office"])

    answer = post(
        browser,
        "organisation",
        toolkit_from="typed",
        toolkit="Letters",
        tags="one, two ,, one",
        seen=tool.etag,
    )

    tool.refresh_from_db()
    assert answer.redirect_chain == [(SETTINGS, 302)]
    assert texts_of(page_of(answer), ".messages") == ["Toolkit and tags saved."]
    assert (tool.toolkit, tool.tags) == ("Letters", ["office", "one", "two"])
    assert page_of(answer).css_first("#tags").attributes["value"] == "one, two"


def test_tags_that_are_missing_in_the_form_are_removed(browser, ada):
    tool = organise(make_tool("now"), Organisation(add_tags=["one", "two"], toolkit="X"), by=ada)

    post(browser, "organisation", toolkit_from="id", tags="two")

    tool.refresh_from_db()
    assert (tool.tags, tool.toolkit, tool.toolkit_chosen) == (["two"], "", False)


def test_a_refused_value_stays_in_its_field_with_the_reason(browser):
    make_tool("now")

    answer = post(browser, "organisation", toolkit_from="typed", toolkit="--", tags="good, !!")

    page = page_of(answer)
    assert answer.status_code == 422
    assert page.css_first("#tags").attributes["value"] == "good, !!"
    for field in ("toolkit", "tags"):
        assert page.css_first(f".error-summary a[href='#{field}']") is not None
        assert page.css_first(f"#{field}-error") is not None


def test_an_outdated_form_changes_nothing(browser, ada):
    tool = make_tool("now")
    organise(tool, Organisation(add_tags=["one"]), by=ada)

    answer = post(browser, "organisation", toolkit_from="id", tags="", seen=tool.etag)

    tool.refresh_from_db()
    assert answer.status_code == 409
    assert tool.tags == ["one"]


# -- access -----------------------------------------------------------------------------------------------------------


def test_access_is_saved(browser, ada):
    make_tool("now")
    make_user("grace")

    answer = post(browser, "access", owner="ada", maintainers="grace", visibility="signed-in")

    tool = Tool.objects.get()
    assert answer.redirect_chain == [(SETTINGS, 302)]
    assert (tool.owner, tool.visibility) == (ada, "signed-in")
    assert [user.username for user in tool.maintainers.all()] == ["grace"]


def test_an_unknown_maintainer_is_refused_at_the_field(browser):
    make_tool("now")

    answer = post(browser, "access", maintainers="nobody-here", visibility="everyone")

    page = page_of(answer)
    assert answer.status_code == 422
    assert page.css_first("#maintainers").attributes["value"] == "nobody-here"
    assert "There is no user 'nobody-here'." in page.css_first("#maintainers-error").text()


def test_only_the_owner_can_change_the_owner(browser, ada):
    tool = publish(make_spec("now"), by=make_user("grace")).tool
    tool.maintainers.add(ada)

    fields = page_of(browser.get(SETTINGS)).css("[name=owner]")
    answer = post(browser, "access", owner="ada")

    assert fields == []
    assert answer.status_code == 403


def test_those_who_give_a_tool_away_return_to_its_page(browser, ada):
    publish(make_spec("now"), by=ada)
    make_user("grace")

    answer = post(browser, "access", owner="grace", visibility="everyone")

    assert answer.redirect_chain == [("/tools/now/", 302)]


# -- deprecation and archive ------------------------------------------------------------------------------------------


def test_a_tool_is_deprecated_and_restored(browser):
    tool = make_tool("now")
    make_tool("new")

    post(browser, "deprecation", note="One\r\ntwo", superseded_by=" new ")
    tool.refresh_from_db()
    deprecation = (tool.deprecated, tool.deprecation_note, tool.superseded_by.tool_id)
    post(browser, "undo-deprecation")
    tool.refresh_from_db()

    assert deprecation == (True, "One\ntwo", "new")
    assert not tool.deprecated


def test_an_unknown_successor_is_refused_at_its_field(browser):
    make_tool("now")

    answer = post(browser, "deprecation", note="Kept.", superseded_by="nowhere")

    page = page_of(answer)
    assert answer.status_code == 422
    assert page.css_first("#superseded_by-error") is not None
    assert page.css_first("#note").text() == "Kept."


def test_a_deprecation_by_the_spec_cannot_be_removed(browser):
    make_tool("now", deprecated=True)

    answer = post(browser, "undo-deprecation")

    assert answer.status_code == 409
    assert "publish a revision without it" in answer.content.decode()


def test_removing_a_deprecation_leaves_that_of_the_spec(browser):
    deprecate(make_tool("now", deprecated=True), note="Old.")

    answer = post(browser, "undo-deprecation")

    assert "Deprecated by its spec" in answer.content.decode()
    assert Tool.objects.get().deprecation_note == ""


def test_an_archived_tool_can_be_restored(browser):
    make_tool("now", archived=True)

    page = page_of(browser.get(SETTINGS))

    assert page.css_first("#archive button").attributes["value"] == "restore"
