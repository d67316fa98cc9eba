"""The list of a toolkit, its settings and its export."""

import json

import pytest
from django.contrib.auth.models import Group

from accounts.cell_rate import Rate
from catalog.access.models import Toolkit
from catalog.organise.access import Access, change_tool_access, change_toolkit_access
from catalog.organise.lifecycle import archive
from catalog.tools.hooks import hooks
from catalog.tools.lookup import toolkit_for
from catalog.tools.models import Tool
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


LIST = "/tools/?q=toolkit%3AMail"
SETTINGS = "/toolkits/mail/settings/"


@pytest.mark.parametrize("address", [LIST, "/tools/?toolkit=mail", "/toolkits/MAIL/"])
def test_the_list_of_a_toolkit_says_what_runs_and_where_to_use_it(client, mail, address):
    answer = client.get(address, follow=True)

    head = page(client, answer.request["PATH_INFO"] + "?" + answer.request["QUERY_STRING"])
    assert text_of(head, ".results-note") == ("1 of 4 runs here · Connect an agent · Settings")
    links = [link.attributes["href"] for link in head.css(".results-note a")]
    assert links == ["/connect/toolkits/mail/", SETTINGS]
    assert texts_of(head, ".result-name") == ["send", "copy", "move", "read"]


@pytest.mark.parametrize("query", ["", "?q=toolkit:mail+toolkit:other", "?q=toolkit:none"])
def test_another_list_has_no_line_about_a_toolkit(client, mail, query):
    assert "Connect an agent" not in page(client, f"/tools/{query}").css_first("#catalog").text()


def test_the_line_follows_changes_of_the_catalog(client, mail):
    page(client, LIST)

    archive(mail["send"])

    assert text_of(page(client, LIST), ".results-note").startswith("Mock only")


def test_its_settings_show_a_visitor_the_owner_and_the_export(client, mail):
    shown = page(client, SETTINGS)

    assert text_of(shown, "h1") == "Settings of Mail"
    assert texts_of(shown, ".facts dd") == ["none", "Everyone"]
    assert shown.css_first("select[name=format]") is not None
    assert shown.css("form[method=post] #maintainers, .button-danger") == []


def test_its_tools_are_exported_as_one_list(client, mail):
    answer = client.get(f"{SETTINGS}?format=openai")

    names = [one["function"]["name"] for one in json.loads(answer.content)]
    assert names == ["copy", "move", "read", "send"]
    assert client.get(f"{SETTINGS}?format=x").status_code == 404
    assert client.get("/toolkits/nothing/settings/?format=mcp").status_code == 404


def test_a_toolkit_of_large_specs_is_not_exported_at_once(client, mail, monkeypatch):
    monkeypatch.setattr("catalog.organise.views.MAX_EXPORTED_CHARACTERS", 100)

    answer = client.get(f"{SETTINGS}?format=mcp", follow=True)

    assert answer.redirect_chain == [(SETTINGS, 302)]
    assert "This toolkit is too large to be exported at once." in answer.content.decode()


def test_exports_of_toolkits_are_limited(client, mail, monkeypatch):
    monkeypatch.setattr("accounts.rate_limits.EXPORTS", Rate(2, 60))

    answers = [client.get(f"{SETTINGS}?format=mcp") for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2].headers["Retry-After"]) > 0


def test_its_owner_changes_who_sees_it(client, mail):
    owner = make_user("olga")
    access = Access(owner="olga", visibility="signed-in")
    change_toolkit_access(toolkit_for(None, "organise", "mail"), access, by=None)
    assert client.get(SETTINGS).status_code == 404
    client.force_login(owner)
    assert page(client, SETTINGS).css_first("#maintainers") is not None

    answer = client.post(SETTINGS, {"owner": "olga", "visibility": "everyone"}, follow=True)

    assert answer.redirect_chain == [(LIST, 302)]
    assert Toolkit.objects.get().visibility == "everyone"


def test_a_refused_owner_is_explained_and_stays(client, mail):
    client.force_login(make_user("ada", is_superuser=True))

    answer = client.post(SETTINGS, {"owner": "nobody", "visibility": "everyone"})

    assert answer.status_code == 422
    assert 'value="nobody"' in answer.content.decode()
    assert not Toolkit.objects.exists()


def test_all_of_its_tools_are_archived_after_a_confirmation(client, mail):
    client.force_login(make_user("ada", is_superuser=True))
    link = page(client, SETTINGS).css_first("a.button-danger").attributes["href"]

    form = page(client, link)
    assert "checked" in form.css_first("[name=archive]").attributes
    seen = form.css_first("[name=seen]").attributes["value"]
    client.post(link, {"seen": seen, "archive": "on"})

    assert [tool.tool_id for tool in Tool.objects.available()] == ["other.tool"]


def test_a_toolkit_without_available_tools_keeps_its_settings(client, mail):
    for tool in mail.values():
        archive(tool)
    assert client.get(SETTINGS).status_code == 404

    client.force_login(make_user("ada", is_superuser=True))

    assert text_of(page(client, SETTINGS), "h1") == "Settings of Mail"


def test_more_tools_than_can_be_changed_at_once_are_changed_on_the_server(
    client, mail, monkeypatch
):
    client.force_login(make_user("ada", is_superuser=True))
    monkeypatch.setattr("catalog.organise.views.MAX_EXPORTED", 3)

    shown = page(client, SETTINGS)

    assert shown.css("a.button-danger") == []
    assert "manage.py organise_tools" in shown.css_first("main").text()


def test_tools_that_a_person_may_not_see_are_not_counted(client, mail):
    Group.objects.create(name="team")
    for name in ("copy", "send"):
        change_tool_access(mail[name], Access(visibility="groups", groups=["team"]), by=None)

    assert text_of(page(client, LIST), ".results-note").startswith("Mock only")
    assert text_of(page(client, LIST), "h1") == "2 tools"
    for name in ("read", "move"):
        change_tool_access(mail[name], Access(visibility="groups", groups=["team"]), by=None)
    assert client.get(SETTINGS).status_code == 404
    assert "Mail" not in page(client, "/tools/?q=toolkit:mail").css_first(".results-area").text()


@pytest.mark.parametrize("name", ["none", "...", "a%00b", "x" * 2000])
def test_an_unknown_toolkit_has_no_settings(client, name):
    assert client.get(f"/toolkits/{name}/settings/").status_code in {400, 404}
