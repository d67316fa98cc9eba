"""The cards of toolkits, and the page of one."""

import json

import pytest
from django.contrib.auth.models import Group

from catalog.access import Access, change_tool_access, change_toolkit_access
from catalog.accounts.rates import Rate
from catalog.hooks import hooks
from catalog.lifecycle import archive
from catalog.models import Tool
from catalog.shortcuts import toolkit_for
from tests.factories import make_tool, make_user, properties
from tests.pages import page, text_of, texts_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def mail(db, monkeypatch):
    """A toolkit of four tools, of which one runs here, and an archived one."""
    scores = {"read": 90, "send": 71, "move": None, "copy": None}
    tools = {
        name: make_tool(f"Mail.{name}", name=name, description=f"Can *{name}*.") for name in scores
    }
    for name, tool in tools.items():
        Tool.objects.filter(pk=tool.pk).update(score=scores[name])
    archive(make_tool("Mail.old"))
    make_tool("other.tool", configuration=properties(key={}))
    monkeypatch.setattr(hooks, "runnable_tool_ids", lambda: frozenset({"Mail.send"}))
    monkeypatch.setattr(hooks, "installed_tool_ids", lambda: frozenset({"Mail.send"}))
    return tools


def card(client, name):
    return next(
        one
        for one in page(client, "/toolkits/").css(".toolkit-card")
        if text_of(one, ".toolkit-card-name") == name
    )


def facts(client, address):
    shown = page(client, address)
    return dict(zip(texts_of(shown, ".facts dt"), texts_of(shown, ".facts dd"), strict=True))


def test_a_card_shows_the_number_score_and_first_tools_of_a_toolkit(client, mail):
    shown = card(client, "Mail")

    assert text_of(shown, ".toolkit-card-figures") == "4 tools · 1 runnable"
    assert text_of(shown, ".ring-number") == "80"
    assert text_of(shown, ".toolkit-card-tools") == "copy, move, read and 1 more"
    assert shown.css_first("a").attributes["href"] == "/toolkits/mail/"
    assert text_of(card(client, "other"), ".toolkit-card-figures") == "1 tool · none runnable"


def test_cards_follow_changes_of_the_catalog(client, mail):
    card(client, "Mail")

    make_tool("Mail.add", name="add")
    archive(mail["copy"])

    assert text_of(card(client, "Mail"), ".toolkit-card-tools") == "add, move, read and 1 more"


@pytest.mark.parametrize("address", ["/toolkits/mail/", "/toolkits/Mail/"])
def test_the_page_of_a_toolkit_shows_its_figures_and_tools(client, mail, address):
    shown = page(client, address)

    assert text_of(shown, "h1") == "Mail"
    assert texts_of(shown, ".toolkit-tool-name a") == ["copy", "move", "read", "send"]
    assert text_of(shown, ".toolkit-tool .result-text") == "Can copy."
    assert facts(client, address) == {
        "Tools": "4",
        "Runnable": "1",
        "Average lint score": "80",
        "Owner": "none",
        "Visible to": "Everyone",
        "MCP endpoint": "http://testserver/mcp/mail",
    }
    links = {link.attributes["href"] for link in shown.css("main a")}
    assert {
        "/connect/toolkits/mail/",
        "/tools/?q=toolkit%3AMail",
    } <= links
    assert "/toolkits/mail/access/" not in links


def test_its_tools_are_exported_as_one_list(client, mail):
    answer = client.get("/toolkits/mail/export/?format=openai")

    names = [one["function"]["name"] for one in json.loads(answer.content)]
    assert names == ["copy", "move", "read", "send"]
    assert client.get("/toolkits/mail/export/?format=x").status_code == 404
    assert client.get("/toolkits/nothing/export/").status_code == 404


def test_a_toolkit_of_large_specs_is_not_exported_at_once(client, mail, monkeypatch):
    monkeypatch.setattr("catalog.views.toolkits.MAX_EXPORTED_CHARACTERS", 100)

    answer = client.get("/toolkits/mail/export/", follow=True)

    assert answer.redirect_chain == [("/toolkits/mail/", 302)]
    assert "This toolkit is too large to be exported at once." in answer.content.decode()


def test_exports_of_toolkits_are_limited(client, mail, monkeypatch):
    monkeypatch.setattr("catalog.accounts.rate_limits.EXPORTS", Rate(2, 60))

    answers = [client.get("/toolkits/mail/export/") for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2].headers["Retry-After"]) > 0


def test_its_owner_gets_a_link_to_its_access(client, mail):
    owner = make_user("olga")
    change_toolkit_access(
        toolkit_for(None, "organise", "mail"), Access(owner="olga", visibility="signed-in"), by=None
    )
    assert client.get("/toolkits/mail/").status_code == 404
    client.force_login(owner)

    assert facts(client, "/toolkits/mail/") | {
        "Owner": "olga",
        "Visible to": "Signed-in people",
    } == facts(client, "/toolkits/mail/")
    assert page(client, "/toolkits/mail/").css_first("a[href='/toolkits/mail/access/']") is not None
    assert page(client, "/toolkits/mail/access/").css_first("#maintainers") is not None


def test_tools_that_a_person_may_not_see_are_not_counted(client, mail):
    Group.objects.create(name="team")
    for name in ("copy", "send"):
        change_tool_access(mail[name], Access(visibility="groups", groups=["team"]), by=None)

    assert text_of(card(client, "Mail"), ".toolkit-card-figures") == "2 tools · none runnable"
    assert texts_of(page(client, "/toolkits/mail/"), ".toolkit-tool-name a") == ["move", "read"]
    for name in ("read", "move"):
        change_tool_access(mail[name], Access(visibility="groups", groups=["team"]), by=None)
    assert client.get("/toolkits/mail/").status_code == 404


@pytest.mark.parametrize("name", ["none", "...", "a%00b", "x" * 2000])
def test_an_unknown_toolkit_has_no_page(client, name):
    assert client.get(f"/toolkits/{name}/").status_code in {400, 404}


def test_a_long_toolkit_shows_its_first_tools(client):
    for number in range(52):
        make_tool(f"kit.tool{number:02}")

    shown = page(client, "/toolkits/kit/")

    assert len(shown.css(".toolkit-tool")) == 50
    assert "Show all 52 tools in the catalog" in shown.text()


def test_a_list_of_one_toolkit_links_to_its_page(client, mail):
    link = page(client, "/tools/?toolkit=MAIL").css_first(".results-head a.small")

    assert link.text() == "About this toolkit"
