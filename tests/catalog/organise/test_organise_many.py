"""One change of all tools that a search finds; and the comparison of two tools."""

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from selectolax.lexbor import LexborHTMLParser

from catalog.organise.metadata import Organisation, organise
from catalog.tools.models import Tool
from tests.factories import make_tool, make_user, properties
from tests.pages import page, text_of, texts_of
from toolshelf_core.audit import AuditEvent

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed_in(client):
    user = make_user("ada")
    user.groups.add(Group.objects.get(name="publisher"))
    client.force_login(user)
    return client


def tools(*names, **fields):
    return [make_tool(name, **fields) for name in names]


def change(client, query, **fields):
    """Send the form of the page with these fields."""
    seen = page(client, f"/organise/{query}").css_first("[name=seen]").attributes["value"]
    return client.post(f"/organise/{query}", {"seen": seen, **fields}, follow=True)


def stored(name):
    return Tool.objects.get(tool_id=name)


def test_the_list_of_a_visitor_holds_no_token_and_no_way_to_organise(client):
    tools("a", description="fruit")

    answer = client.get("/tools/?q=fruit")

    assert b"csrfmiddlewaretoken" not in answer.content
    assert b"/organise/" not in answer.content
    assert not answer.cookies


def test_the_list_leads_to_a_page_with_all_tools_that_match(signed_in):
    for number in range(25):
        make_tool(f"tool{number:02}", description="fruit")
    make_tool("other")

    link = page(signed_in, "/tools/?q=fruit").css_first(".results-all a")
    tree = page(signed_in, link.attributes["href"])

    assert link.text() == "Organise these 25 tools"
    assert text_of(tree, "h1") == "Organise these 25 tools"
    assert len(tree.css(".fold-body li")) == 25


def test_a_list_of_everything_has_no_link(signed_in):
    tools("a")

    assert page(signed_in, "/tools/").css_first(".results-all") is None


def test_an_id_that_is_the_name_is_not_repeated(signed_in):
    make_tool("mail.send", name="send", description="fruit")
    make_tool("translate", name="translate", description="fruit")

    tree = page(signed_in, "/organise/?q=fruit")

    assert texts_of(tree, ".fold-body li .id") == ["mail.send"]


def test_a_tool_that_matches_only_some_of_the_words_is_not_changed(signed_in):
    tools("a", description="fruit basket")
    tools("b", description="fruit")

    listed = page(signed_in, "/tools/?q=fruit+basket")

    assert text_of(listed, ".results-all") == "Organise this tool"
    assert text_of(page(signed_in, "/organise/?q=fruit+basket"), "h1") == "Organise this tool"


def test_words_and_facets_and_personal_filters_narrow_the_tools(signed_in):
    make_tool("mail.send", description="fruit")
    make_tool("mail.read", description="fruit", examples=[{"description": "x", "parameters": {}}])
    make_tool("other", description="fruit")
    organise(stored("mail.send"), Organisation(owner="ada"), by=None)

    def found(query):
        return len(page(signed_in, f"/organise/{query}").css(".fold-body li"))

    assert found("?q=fruit") == 3
    assert found("?q=fruit&toolkit=mail") == found("?q=toolkit:mail") == 2
    assert found("?q=has:examples") == found("?examples=1") == 1
    assert found("?q=owner:me") == 1
    assert found("?q=-owner:me+fruit") == 2


def test_starred_tools_are_those_of_the_person(signed_in):
    tools("a", "b")
    signed_in.post("/tools/a/star/", {"starred": "1"})

    starred = page(signed_in, "/organise/?q=is:starred")

    assert texts_of(starred, ".fold-body li a") == ["a"]


def test_a_query_with_a_problem_finds_nothing_to_change(signed_in):
    tools("a")

    assert page(signed_in, "/organise/?q=is:nonsense").css_first("main form.stack") is None


def test_tags_are_added_and_removed(signed_in):
    tools("a", "b", description="fruit")

    change(signed_in, "?q=fruit", add_tags="billing, finance")
    answer = change(signed_in, "?q=fruit", remove_tags="finance")

    assert stored("a").tags == stored("b").tags == ["billing"]
    assert "2 tools changed." in answer.content.decode()


def test_the_page_suggests_tags_and_toolkits(signed_in):
    make_tool("mail.send", tags=["letters"])

    tree = page(signed_in, "/organise/?q=send")

    assert texts_of(tree, ".tag-suggestions button") == ["letters"]
    assert [one.attributes["value"] for one in tree.css("#toolkits option")] == ["mail"]


def test_tools_are_moved_to_a_toolkit_and_out_of_it(signed_in):
    tools("a", "b", description="fruit")

    change(signed_in, "?q=fruit", toolkit="mail")
    moved = {stored("a").toolkit, stored("b").toolkit}
    change(signed_in, "?toolkit=mail", set_toolkit="on")

    assert moved == {"mail"}
    assert {stored("a").toolkit, stored("b").toolkit} == {""}


def test_tools_are_given_to_another_owner(signed_in):
    tools("a", description="fruit")
    make_user("olivia")

    change(signed_in, "?q=fruit", owner="olivia")

    assert stored("a").owner.username == "olivia"


def test_tools_are_deprecated_with_a_successor(signed_in):
    tools("a", "b", description="fruit")
    tools("new")

    change(signed_in, "?q=fruit", deprecate="on", note="Old.", superseded_by="new")

    assert stored("a").deprecation_note == stored("b").deprecation_note == "Old."
    assert stored("a").superseded_by.tool_id == "new"


def test_tools_are_archived(signed_in):
    tools("a", "b", description="fruit")
    tools("c")

    answer = change(signed_in, "?q=fruit", archive="on")

    assert [stored(name).archived for name in "abc"] == [True, True, False]
    assert "2 tools changed." in answer.content.decode()


def test_tools_of_others_are_named_and_skipped(signed_in):
    tools("mine", "theirs", description="fruit")
    organise(stored("theirs"), Organisation(owner=make_user("olivia").username), by=None)

    tree = page(signed_in, "/organise/?q=fruit")
    answer = change(signed_in, "?q=fruit", archive="on")

    assert text_of(tree, ".page-lead") == "You can change 1 of 2; the others are skipped."
    assert stored("mine").archived
    assert not stored("theirs").archived
    assert "1 tool skipped. theirs: Only the owner (olivia)" in answer.content.decode()


def test_a_tool_is_changed_completely_or_not_at_all(signed_in):
    tools("a", description="fruit")

    answer = change(signed_in, "?q=fruit", add_tags="x", deprecate="on", superseded_by="missing")

    assert stored("a").tags == []
    assert "1 tool skipped." in answer.content.decode()


def test_nothing_is_changed_if_other_tools_match_by_now(signed_in):
    tools("a", description="fruit")
    seen = page(signed_in, "/organise/?q=fruit").css_first("[name=seen]").attributes["value"]
    tools("b", description="fruit")

    answer = signed_in.post("/organise/?q=fruit", {"seen": seen, "archive": "on"})

    tree = LexborHTMLParser(answer.content)
    assert answer.status_code == 422
    assert "Other tools match now." in text_of(tree, ".error-summary")
    assert text_of(tree, "h1") == "Organise these 2 tools"
    assert "checked" in tree.css_first("[name=archive]").attributes
    assert not stored("a").archived


def test_a_form_without_a_change_is_refused(signed_in):
    tools("a", description="fruit")

    answer = change(signed_in, "?q=fruit", add_tags=" , ")

    assert answer.status_code == 422
    assert "Choose at least one change." in answer.content.decode()


def test_too_many_tools_are_refused(signed_in, monkeypatch):
    monkeypatch.setattr("catalog.organise.views.MAX_TOOLS", 1)
    tools("a", "b", description="fruit")

    shown = page(signed_in, "/organise/?q=fruit")
    signed_in.post("/organise/?q=fruit", {"archive": "on"})

    assert shown.css_first("main form.stack") is None
    assert not stored("a").archived


def test_each_change_is_in_the_audit_log(signed_in):
    tools("a", "b", description="fruit")

    change(signed_in, "?q=fruit", archive="on")

    assert AuditEvent.objects.filter(action="tool.archive").count() == 2


def test_a_change_needs_a_session_and_a_token(client):
    tools("a", description="fruit")

    assert client.get("/organise/?q=fruit").headers["Location"].startswith("/sign-in/")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(make_user("eve"))
    assert strict.post("/organise/?q=fruit", {"archive": "on"}).status_code == 403
    assert not stored("a").archived


# -- two tools --------------------------------------------------------------------------------------------------------


def test_similar_tools_lead_to_a_comparison(client):
    make_tool("mail.send", description="Send a letter.", parameters=properties(to={}, text={}))
    make_tool("post.send", description="Send a letter.", parameters=properties(to={}, text={}))

    tree = page(client, "/tools/mail.send/similar/")

    links = [link.attributes["href"] for link in tree.css(".similar-name a")]
    assert "/tools/mail.send..post.send/" in links


def test_two_tools_are_compared(client):
    make_tool("a", description="Says hello.")
    make_tool("b", description="Says goodbye.")

    tree = page(client, "/tools/a..b/")

    assert text_of(tree, "h1") == "a and b"
    assert "goodbye" in text_of(tree, ".diff-view")
    assert client.get("/tools/a..nowhere/").status_code == 404


def test_any_name_heads_the_column_of_its_tool(client):
    make_tool("a", name="in | out", parameters=properties(x={}))
    make_tool("b", name="<b>|hidden", parameters=properties(x={}))

    tree = page(client, "/tools/a..b/")

    assert texts_of(tree, ".compared thead th") == ["Property", "in | out", "<b>|hidden"]


def test_two_tools_are_compared_property_by_property(client):
    make_tool(
        "a", parameters={**properties(both={"type": "string"}, first={}), "required": ["both"]}
    )
    make_tool("b", parameters=properties(both={"type": "integer"}, second={"type": "array"}))

    tree = page(client, "/tools/a..b/")

    assert texts_of(tree, "#compared-1 + p") == ["1 in both, 1 only in a, 1 only in b"]
    assert [texts_of(row, "th, td") for row in tree.css(".compared tbody tr")] == [
        ["both", "string required", "integer"],
        ["first", "any value", "not there"],
        ["second", "not there", "array"],
    ]
    assert "open" not in tree.css_first("details.section").attributes
    unfolded = page(client, "/tools/a..b/?view=split")
    assert "open" in unfolded.css_first("details.section").attributes


@pytest.mark.parametrize("path", ["x..y..c", "c..x..y"])
def test_a_tool_whose_id_has_two_dots_is_compared(client, path):
    make_tool("x..y")
    make_tool("c")

    assert sorted(text_of(page(client, f"/tools/{path}/"), "h1").split(" and ")) == ["c", "x..y"]


def test_a_tool_whose_id_has_two_dots_keeps_its_page(client):
    make_tool("a")
    make_tool("b")
    make_tool("a..b")

    assert page(client, "/tools/a..b/").css_first(".tool-head").attributes["data-tool-id"] == "a..b"
