"""Filters of the catalog by toolkit, tag, owner and deprecation, and groups of the API."""

import json

import pytest
from django.http import QueryDict

from catalog.index.parser import Query
from catalog.organise.lifecycle import archive, deprecate
from catalog.organise.metadata import Organisation, organise
from catalog.search.catalog_search import CatalogSearch
from catalog.search.facets import facets_of
from catalog.search.pagination import Cursor
from catalog.search.results import page_of
from catalog.tools.publishing import publish, publish_many
from tests.factories import make_spec, make_tool, make_user
from tests.pages import page

pytestmark = pytest.mark.django_db


def ids(search):
    return [result.tool.tool_id for result in page_of(search).results]


def facet(label, search):
    """The options of a facet as {label: (count, whether it is all, chosen)}."""
    found = {one.label: one for one in facets_of(search)}
    if label not in found:
        return None
    return {
        option.label: (option.count, option.counted, option.chosen)
        for option in found[label].options
    }


def option(label, search):
    [found] = [one for facet in facets_of(search) for one in facet.options if one.label == label]
    return found


@pytest.fixture
def catalog_tools(db):
    """Tools of two toolkits and one of none, with tags."""
    make_tool("mail.send", tags=["office", "writing"])
    make_tool("mail.read", tags=["office"])
    make_tool("clock.now", tags=["time"], description="Sends the time.")
    make_tool("plain", description="Sends nothing.")


# -- results ----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("catalog_tools")
@pytest.mark.parametrize("words", ["", "send"])
@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("toolkit=Mail", {"mail.send", "mail.read"}),
        ("toolkit=no+such", set()),
        ("toolkit=--", set()),
        ("tag=Office", {"mail.send", "mail.read"}),
        ("tag=office&tag=writing", {"mail.send"}),
        ("tag=office&tag=time", set()),
        ("owner=ada", {"plain"}),
        ("owner=nobody", set()),
        ("deprecated=1", {"clock.now"}),
        ("deprecated=0&toolkit=clock", set()),
    ],
)
def test_parameters_of_the_url_filter_lists_and_searches_alike(words, parameters, expected):
    ada = make_user()
    organise(
        page_of(CatalogSearch(words="plain")).results[0].tool, Organisation(owner="ada"), by=ada
    )
    deprecate(page_of(CatalogSearch(words="clock")).results[0].tool)

    search = CatalogSearch.from_query(QueryDict(f"q={words}&{parameters}"), None)
    found = set(ids(search))

    assert found == (expected if not words else expected - {"mail.read"})


@pytest.mark.usefixtures("catalog_tools")
def test_a_list_by_tag_is_ordered_by_name_and_read_by_cursor():
    publish_many([make_spec(f"tool-{number:02}", tags=["many"]) for number in range(5)], by=None)
    first = CatalogSearch(words="tag:many", limit=2)
    second = CatalogSearch(words="tag:many", limit=2, cursor=cursor_of(page_of(first).next))
    third = CatalogSearch(words="tag:many", limit=2, cursor=cursor_of(page_of(second).next))

    assert ids(first) == ["tool-00", "tool-01"]
    assert ids(second) == ["tool-02", "tool-03"]
    assert ids(third) == ["tool-04"]
    assert page_of(third).next is None


@pytest.mark.parametrize("few", [0, 2_000])
def test_a_list_by_several_facets_is_the_same_for_few_and_many_tools(monkeypatch, few):
    monkeypatch.setattr("catalog.search.catalog_search.FEW", few)
    publish_many(
        [make_spec(f"kit.tool-{number}", tags=["x", "y"][: 1 + number % 2]) for number in range(9)],
        by=None,
    )
    search = CatalogSearch(words="toolkit:kit tag:x tag:y", limit=2)
    seen, page = [], page_of(search)
    while page.next:
        seen += [result.tool.tool_id for result in page.results]
        page = page_of(
            CatalogSearch(words="toolkit:kit tag:x tag:y", limit=2, cursor=cursor_of(page.next))
        )

    assert [*seen, *(one.tool.tool_id for one in page.results)] == [
        f"kit.tool-{number}" for number in (1, 3, 5, 7)
    ]
    assert page.count == 4


def cursor_of(text):
    return Cursor.decode(text)


def test_a_renamed_tool_moves_in_the_list_of_its_tag():
    make_tool("a", tags=["x"])
    make_tool("b", tags=["x"])
    make_tool("a", name="z", tags=["x"])

    assert ids(CatalogSearch(words="tag:x")) == ["b", "a"]


def test_deprecation_is_a_condition_of_the_query_language():
    make_tool("now")
    deprecate(make_tool("old"))

    assert ids(CatalogSearch(words="deprecated:yes")) == ["old"]
    assert ids(CatalogSearch(words="deprecated:no")) == ["now"]
    assert ids(CatalogSearch(words="-is:deprecated")) == ["now"]
    [problem] = CatalogSearch(words="deprecated:perhaps").query.problems
    assert problem.message == "`deprecated:` takes yes or no. For example, write `deprecated:yes`."


def test_a_value_of_another_filter_is_corrected_rather_than_an_example_given():
    [problem] = Query.from_text("has:runnable").problems

    assert problem.message.endswith(". Write `is:runnable` instead.")


@pytest.mark.usefixtures("catalog_tools")
def test_the_api_has_the_same_filters_as_the_page(stranger):
    def found(**query):
        return [tool["id"] for tool in stranger.ask("/tools", **query).json()["items"]]

    assert found(toolkit="mail") == ["mail.read", "mail.send"]
    assert found(tag=["office", "writing"]) == ["mail.send"]
    assert found(tag="office", q="send") == ["mail.send"]
    assert found(owner="nobody") == []
    assert found(deprecated="1") == []
    assert len(found(deprecated="0", toolkit="", owner="")) == 4


# -- facets -----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("catalog_tools")
def test_the_largest_groups_are_shown_with_their_counts():
    assert facet("Toolkit", CatalogSearch()) == {
        "mail": (2, True, False),
        "clock": (1, True, False),
    }
    assert facet("Tag", CatalogSearch()) == {
        "office": (2, True, False),
        "time": (1, True, False),
        "writing": (1, True, False),
    }


@pytest.mark.usefixtures("catalog_tools")
def test_groups_are_counted_among_the_results():
    assert facet("Toolkit", CatalogSearch(words="send")) == {
        "mail": (1, True, False),
        "clock": (1, True, False),
    }
    assert facet("Tag", CatalogSearch(words="toolkit:mail")) == {"writing": (1, True, False)}


@pytest.mark.usefixtures("catalog_tools")
def test_only_options_that_narrow_the_list_are_shown():
    everywhere = {one.label: one for facet in facets_of(CatalogSearch()) for one in facet.options}
    in_mail = CatalogSearch(words="toolkit:mail")

    assert {"Runs here", "Mock only", "Examples"}.isdisjoint(everywhere)  # none, all, none
    assert "office" in everywhere
    assert "office" not in {one.label for facet in facets_of(in_mail) for one in facet.options}


@pytest.mark.usefixtures("catalog_tools")
def test_a_chosen_group_can_be_removed_and_tags_combine():
    make_tool("mail.draft", description="Sends later.", tags=["office"])
    search = CatalogSearch(words="toolkit:Mail tag:office send")

    assert facet("Toolkit", search) == {"mail": (2, True, True)}
    assert option("mail", search).query == "?q=tag%3Aoffice+send"
    assert option("office", search).query == "?q=toolkit%3AMail+send"
    assert option("writing", search).query == "?q=toolkit%3AMail+tag%3Aoffice+send+tag%3Awriting"


@pytest.mark.usefixtures("catalog_tools")
@pytest.mark.parametrize("words", ["sen", "send", "sends "])
def test_a_filter_added_to_a_word_that_is_typed_finds_what_it_counts(words):
    make_tool("sender", tags=["office"])
    office = option("office", CatalogSearch(words=words))

    found = ids(CatalogSearch.from_query(QueryDict(office.query.removeprefix("?")), None))

    assert len(found) == office.count


@pytest.mark.usefixtures("catalog_tools")
@pytest.mark.parametrize(
    ("words", "label", "query"),
    [
        ("send toolkit:Mail", "mail", "?q=send"),
        ('send tag:"office"', "office", "?q=send"),
        ("is:runnable", "Runs here", "?"),
        ("runnable:true", "Runs here", "?"),
        ("runnable:no", "Mock only", "?"),
        ("is:read-only", "Read-only", "?"),
        ("is:destructive", "Destructive", "?"),
        ("-needs:configuration", "No configuration", "?"),
        ("is:configurable", "Configuration", "?"),
        ("has:examples", "Examples", "?"),
        ("examples:pass", "Tests that pass", "?"),
        ("has:returns", "Return type", "?"),
        ("usable:OpenAI", "OpenAI", "?"),
        ("score:<80", "Below 80", "?"),
        ("score:<=79", "Below 80", "?"),
        ("is:starred", "Starred", "?"),
        ("owner:me", "Owned", "?"),
        ("owner:ada", "Owned", "?"),
        ("is:deprecated mail", "Deprecated", "?q=mail"),
    ],
)
def test_a_filter_in_the_query_is_marked_as_chosen_and_removed_from_it(words, label, query):
    ada = make_user("ada")

    found = option(label, CatalogSearch(words=words, person=ada))

    assert found.chosen
    assert found.query == query


def test_the_effect_of_tools_is_a_filter():
    for name, hints in {"look": {"readOnlyHint": True}, "drop": {"destructiveHint": True}}.items():
        publish(make_spec(name, siblings={"x-mcp": {"annotations": hints}}), by=None)
    make_tool("other")

    assert facet("Effect", CatalogSearch()) == {
        "Read-only": (1, True, False),
        "Destructive": (1, True, False),
    }
    assert ids(CatalogSearch(words="is:read-only")) == ["look"]
    assert ids(CatalogSearch(words="-is:destructive")) == ["look", "other"]


def test_many_matches_are_counted_up_to_a_limit(monkeypatch):
    monkeypatch.setattr("catalog.search.facets.COUNT_AT_MOST", 7)
    publish_many([make_spec(f"mail.tool-{number}") for number in range(6)], by=None)
    publish_many([make_spec(f"clock.tool-{number}") for number in range(2)], by=None)

    assert facet("Toolkit", CatalogSearch(words="has:parameters")) is None
    assert facet("Toolkit", CatalogSearch(words="-nowhere")) == {
        "mail": (6, False, False),
        "clock": (1, False, False),
    }
    assert option("No configuration", CatalogSearch(words="-nowhere")).count == 7
    assert option("Examples", CatalogSearch(words="-nowhere")).count is None


def test_a_facet_folds_further_groups(client):
    publish_many([make_spec(f"kit{number}.tool") for number in range(22)], by=None)

    [many] = [one for one in facets_of(CatalogSearch()) if one.label == "Toolkit"]

    assert (len(many.options), len(many.further)) == (6, 14)
    links = page(client, "/tools/").css("details.facet-more a")
    assert len(links) == 14
    assert {link.attributes["href"][:14] for link in links} == {"?q=toolkit%3Ak"}


def test_a_user_can_filter_by_their_own_tools():
    ada = make_user("ada")
    publish(make_spec("mine"), by=ada)
    make_tool("other")

    assert facet("Yours", CatalogSearch()) is None
    assert facet("Yours", CatalogSearch(person=ada)) == {"Owned": (1, True, False)}
    assert option("Owned", CatalogSearch(person=ada)).query == "?q=owner%3Ame"


def test_deprecated_tools_are_counted():
    deprecate(make_tool("old"))
    make_tool("now")

    assert option("Deprecated", CatalogSearch()).count == 1
    assert option("Deprecated", CatalogSearch(words="is:deprecated")).query == "?"


@pytest.mark.usefixtures("catalog_tools")
def test_archived_tools_are_counted_only_if_they_are_shown():
    archive(page_of(CatalogSearch(words="toolkit:clock")).results[0].tool)

    assert facet("Toolkit", CatalogSearch()) == {"mail": (2, True, False)}
    assert facet("Toolkit", CatalogSearch(archived=True)) == {
        "mail": (2, True, False),
        "clock": (1, True, False),
    }


@pytest.mark.usefixtures("catalog_tools")
def test_the_list_is_filtered_by_its_url(client):
    page = client.get("/tools/?toolkit=mail&tag=office&tag=writing&deprecated=0").content.decode()

    assert "/tools/mail.send/" in page
    assert "/tools/mail.read/" not in page
    assert 'value="-is:deprecated toolkit:mail tag:office tag:writing "' in page


# -- groups of the API -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query", [{}, {"order": "name"}, {"q": "K"}, {"q": "IT"}, {"q": "it", "order": "size"}]
)
def test_groups_of_the_api_are_paginated(stranger, query):
    publish_many(
        [make_spec(f"t{n}", tags=[f"kit {m}" for m in range(n, 9)]) for n in range(9)], by=None
    )
    seen, cursor = [], ""
    while cursor is not None:
        page = stranger.ask("/tags", limit="4", cursor=cursor, **query).json()
        seen += [(group["name"], group["tools"]) for group in page["items"]]
        cursor = page["next"]

    by_name = [(f"kit {m}", m + 1) for m in range(9)]
    assert seen == (by_name if query else by_name[::-1])
    assert stranger.ask("/toolkits").json() == {"items": [], "next": None}
    assert stranger.ask("/toolkits", limit="0").status_code == 422


@pytest.mark.parametrize("address", ["/toolkits", "/tags"])
def test_groups_of_the_api_are_found_by_any_part_of_their_names(stranger, address):
    publish_many(
        [make_spec(f"{name}.run", tags=[name]) for name in ("text-mail", "Email-lists", "other")],
        by=None,
    )

    def found(words):
        return [group["name"] for group in stranger.ask(address, q=words).json()["items"]]

    assert found("MAIL") == ["Email-lists", "text-mail"]
    assert found("t-mail") == ["text-mail"]
    assert found("mailbox") == []
    assert found("kx") == found("gx") == []  # the prefixes of the stored keys


# -- the pages of a tool ----------------------------------------------------------------------------------------------


def test_the_page_of_a_tool_links_to_its_toolkit_tags_owner_and_successor(client):
    publish(make_spec("new"), by=None)
    tool = publish(make_spec("mail.send", tags=["to do"]), by=make_user("ada")).tool
    deprecate(tool, note="Use another.\n<b>", superseded_by="new")

    page = client.get("/tools/mail.send/").content.decode()

    for href in ("/tools/?toolkit=mail", "/tools/?tag=to%20do", "/tools/?owner=ada", "/tools/new/"):
        assert f'href="{href}"' in page
    assert "This tool is deprecated" in page
    assert "Use another.\n&lt;b&gt;" in page
    assert "/tools/mail.send/settings/" not in page


@pytest.mark.parametrize("path", ["settings/", "changes/1/restore/"])
def test_an_anonymous_user_cannot_organise_tools(client, path):
    make_tool("now")

    answer = client.post(f"/tools/now/{path}")

    assert answer.status_code == 302
    assert answer["Location"].startswith("/sign-in/")


@pytest.mark.parametrize("path", ["settings/", "changes/1/restore/"])
def test_an_unknown_tool_cannot_be_organised(browser, path):
    assert browser.post(f"/tools/nowhere/{path}").status_code == 404


def test_a_revision_is_restored_on_the_page_unless_another_one_was_published(browser):
    first = publish(make_spec("now", description="First."), by=None)
    publish(make_spec("now", description="Second."), by=None)

    late = browser.post("/tools/now/changes/1/restore/", {"current": "1"}, follow=True)
    browser.post("/tools/now/changes/1/restore/", {"current": "2"})
    again = browser.post("/tools/now/changes/1/restore/", {"current": "3"}, follow=True)

    tool = first.tool
    tool.refresh_from_db()
    assert "Nothing was restored" in late.content.decode()
    assert (tool.current.number, tool.description) == (3, "First.")
    assert "already has the text of revision 1" in again.content.decode()


def test_the_api_returns_the_metadata_of_a_tool(stranger):
    publish(make_spec("mail.send", tags=["office"]), by=make_user("ada"))

    tool = json.loads(stranger.ask("/tools/mail.send").content)

    assert (tool["owner"], tool["toolkit"], tool["tags"], tool["deprecation"]) == (
        "ada",
        "mail",
        ["office"],
        None,
    )
