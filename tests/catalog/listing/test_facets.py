"""Narrowing the catalog by toolkit, tag, owner and deprecation; and pages of toolkits and tags."""

import json

import pytest
from django.http import QueryDict

from catalog.lifecycle import archive, deprecate
from catalog.listing.facets import GROUP_COUNT_AT_MOST, LOOKED_AT, OPTIONS_OF_GROUP, facets_of
from catalog.listing.results import CatalogSearch
from catalog.metadata import Organisation, organise
from catalog.publishing import publish, publish_many
from tests.factories import make_spec, make_tool, make_user

pytestmark = pytest.mark.django_db


def ids(search):
    return [result.tool.tool_id for result in search.page().results]


def facet(label, search, **who):
    """The options of a facet as {label: (count, whether it is all, chosen)}."""
    found = {one.label: one for one in facets_of(search, **who)}
    if label not in found:
        return None
    return {option.label: (option.count, option.counted, option.chosen) for option in found[label].options}


def option(label, search, **who):
    [found] = [one for facet in facets_of(search, **who) for one in facet.options if one.label == label]
    return found


@pytest.fixture
def shelf(db):
    """Tools of two toolkits and one of none, with tags."""
    make_tool("mail.send", tags=["office", "writing"])
    make_tool("mail.read", tags=["office"])
    make_tool("clock.now", tags=["time"], description="Sends the time.")
    make_tool("plain", description="Sends nothing.")


# -- what is found ----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize("words", ["", "send"])
@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"toolkit": "Mail"}, {"mail.send", "mail.read"}),
        ({"toolkit": "no such"}, set()),
        ({"toolkit": "--"}, set()),
        ({"tags": ("Office",)}, {"mail.send", "mail.read"}),
        ({"tags": ("office", "writing")}, {"mail.send"}),
        ({"tags": ("office", "time")}, set()),
        ({"owner": "ada"}, {"plain"}),
        ({"owner": "nobody"}, set()),
        ({"deprecated": True}, {"clock.now"}),
        ({"deprecated": False, "toolkit": "clock"}, set()),
    ],
)
def test_lists_and_searches_are_narrowed_alike(words, choice, expected):
    ada = make_user()
    organise(CatalogSearch(words="plain").page().results[0].tool, Organisation(owner="ada"), by=ada)
    deprecate(CatalogSearch(words="clock").page().results[0].tool)

    found = set(ids(CatalogSearch(words=words, **choice)))

    assert found == (expected if not words else expected - {"mail.read"})


@pytest.mark.usefixtures("shelf")
def test_a_list_by_tag_is_walked_by_name_and_page_by_page_both_ways():
    publish_many([make_spec(f"tool-{number:02}", tags=["many"]) for number in range(5)], by=None)
    first = CatalogSearch(tags=("many",), limit=2)
    second = CatalogSearch(tags=("many",), limit=2, cursor=cursor_of(first.page().next))
    third = CatalogSearch(tags=("many",), limit=2, cursor=cursor_of(second.page().next))
    back = CatalogSearch(tags=("many",), limit=2, cursor=cursor_of(third.page().previous))

    assert ids(first) == ["tool-00", "tool-01"]
    assert ids(second) == ["tool-02", "tool-03"]
    assert ids(third) == ["tool-04"]
    assert ids(back) == ids(second)


@pytest.mark.parametrize("few", [0, 2_000])
def test_a_list_by_several_facets_is_the_same_whether_few_tools_have_them_or_many(monkeypatch, few):
    monkeypatch.setattr("catalog.listing.results.FEW", few)
    publish_many([make_spec(f"kit.tool-{number}", tags=["x", "y"][: 1 + number % 2]) for number in range(9)], by=None)
    search = CatalogSearch(toolkit="kit", tags=("x", "y"), limit=2)
    seen, page = [], search.page()
    while page.next:
        seen += [result.tool.tool_id for result in page.results]
        page = CatalogSearch(toolkit="kit", tags=("x", "y"), limit=2, cursor=cursor_of(page.next)).page()

    assert [*seen, *(one.tool.tool_id for one in page.results)] == [f"kit.tool-{number}" for number in (1, 3, 5, 7)]
    assert page.count == 4


def cursor_of(text):
    return CatalogSearch.from_query(QueryDict(f"cursor={text}")).cursor


def test_a_renamed_tool_stands_at_its_place_in_the_list_of_its_tag():
    make_tool("a", tags=["x"])
    make_tool("b", tags=["x"])
    make_tool("a", name="z", tags=["x"])

    assert ids(CatalogSearch(tags=("x",))) == ["b", "a"]


def test_the_query_language_knows_deprecated_tools():
    make_tool("now")
    deprecate(make_tool("old"))

    assert ids(CatalogSearch(words="deprecated:yes")) == ["old"]
    assert ids(CatalogSearch(words="deprecated:no")) == ["now"]
    assert ids(CatalogSearch(words="-is:deprecated")) == ["now"]
    assert CatalogSearch(words="deprecated:perhaps").query.notes == ("`deprecated:` takes yes or no.",)


@pytest.mark.usefixtures("shelf")
def test_the_api_narrows_by_what_the_page_narrows_by(stranger):
    def found(**query):
        return [tool["id"] for tool in stranger.ask("/tools", **query).json()["items"]]

    assert found(toolkit="mail") == ["mail.read", "mail.send"]
    assert found(tag=["office", "writing"]) == ["mail.send"]
    assert found(tag="office", q="send") == ["mail.send"]
    assert found(owner="nobody") == []
    assert found(deprecated="1") == []
    assert len(found(deprecated="0", toolkit="", owner="")) == 4


# -- facets -----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("shelf")
def test_the_largest_groups_are_offered_with_their_counts():
    assert facet("Toolkit", CatalogSearch()) == {"mail": (2, True, False), "clock": (1, True, False)}
    assert facet("Tag", CatalogSearch()) == {
        "office": (2, True, False),
        "time": (1, True, False),
        "writing": (1, True, False),
    }


@pytest.mark.usefixtures("shelf")
def test_groups_are_counted_among_what_was_found():
    assert facet("Toolkit", CatalogSearch(words="send")) == {"mail": (1, True, False), "clock": (1, True, False)}
    assert facet("Tag", CatalogSearch(toolkit="mail")) == {"office": (2, True, False), "writing": (1, True, False)}


@pytest.mark.usefixtures("shelf")
def test_a_chosen_group_can_be_given_up_and_a_tag_goes_with_others():
    search = CatalogSearch(words="send", toolkit="Mail", tags=("office",))

    assert facet("Toolkit", search) == {"Mail": (1, True, True)}
    assert option("Mail", search).query == "?q=send&tag=office"
    assert option("office", search).query == "?q=send&toolkit=Mail"
    assert option("writing", search).query == "?q=send&toolkit=Mail&tag=office&tag=writing"


def test_more_than_can_be_looked_at_is_counted_up_to_a_bound(monkeypatch):
    monkeypatch.setattr("catalog.listing.facets.LOOKED_AT", 3)
    monkeypatch.setattr("catalog.listing.facets.GROUP_COUNT_AT_MOST", 4)
    publish_many([make_spec(f"mail.tool-{number}") for number in range(6)], by=None)
    publish_many([make_spec(f"clock.tool-{number}") for number in range(2)], by=None)

    assert facet("Toolkit", CatalogSearch(words="has:parameters")) is None
    assert facet("Toolkit", CatalogSearch(words="-nowhere")) == {"mail": (4, False, False), "clock": (2, True, False)}


def test_a_facet_leads_to_all_its_groups_where_it_cannot_show_them():
    publish_many([make_spec(f"kit{number}.tool") for number in range(OPTIONS_OF_GROUP)], by=None)

    [many] = [one for one in facets_of(CatalogSearch()) if one.label == "Toolkit"]

    assert len(many.options) == OPTIONS_OF_GROUP
    assert many.more == "/toolkits/"
    assert LOOKED_AT < GROUP_COUNT_AT_MOST


def test_a_person_is_offered_her_own_tools():
    publish(make_spec("mine"), by=make_user("ada"))
    make_tool("other")

    assert facet("Owner", CatalogSearch()) is None
    assert facet("Owner", CatalogSearch(), person="ada") == {"Mine": (1, True, False)}
    assert facet("Owner", CatalogSearch(owner="ada")) == {"Of ada": (1, True, True)}
    assert option("Mine", CatalogSearch(), person="ada").query == "?owner=ada"


def test_deprecated_tools_are_counted_and_offered():
    deprecate(make_tool("old"))
    make_tool("now")

    assert option("Deprecated", CatalogSearch()).count == 1
    assert option("Deprecated", CatalogSearch(deprecated=True)).query == "?"


@pytest.mark.usefixtures("shelf")
def test_archived_tools_are_in_no_facet_unless_they_are_shown():
    archive(CatalogSearch(toolkit="clock").page().results[0].tool)

    assert facet("Toolkit", CatalogSearch()) == {"mail": (2, True, False)}
    assert facet("Toolkit", CatalogSearch(archived=True)) == {"mail": (2, True, False), "clock": (1, True, False)}


@pytest.mark.usefixtures("shelf")
def test_the_list_is_narrowed_by_its_address(client):
    page = client.get("/?toolkit=mail&tag=office&tag=writing&deprecated=0").content.decode()

    assert "/tools/mail.send/" in page
    assert "/tools/mail.read/" not in page
    assert page.count('type="hidden" name="tag"') == 2


# -- pages of groups --------------------------------------------------------------------------------------------------


def test_all_toolkits_are_listed_the_largest_first_or_by_name(client):
    publish_many([make_spec(tool_id) for tool_id in ("b.one", "b.two", "a.one", "c d.one")], by=None)

    largest, named = client.get("/toolkits/").content.decode(), client.get("/toolkits/?order=name").content.decode()

    assert largest.index(">b<") < largest.index(">a<") < largest.index(">c d<")
    assert named.index(">a<") < named.index(">b<") < named.index(">c d<")
    assert "/?toolkit=c%20d" in largest


@pytest.mark.parametrize("order", ["", "order=name&", "q=kit&"])
def test_all_tags_come_page_by_page(client, order):
    publish_many([make_spec(f"t{n}", tags=[f"kit {m}" for m in range(n, n + 50)]) for n in range(0, 201, 50)], by=None)
    address, seen = f"?{order}", []
    while address:
        page = client.get(f"/tags/{address}")
        seen += [group.key for group in page.context["groups"]]
        address = page.context["next_url"]

    assert len(seen) == 250
    assert len(set(seen)) == 250


@pytest.mark.parametrize("query", [{}, {"order": "name"}, {"q": "K"}])
def test_the_api_lists_groups_page_by_page(stranger, query):
    publish_many([make_spec(f"t{n}", tags=[f"kit {m}" for m in range(n, 9)]) for n in range(9)], by=None)
    seen, cursor = [], ""
    while cursor is not None:
        page = stranger.ask("/tags", limit="4", cursor=cursor, **query).json()
        seen += [(group["name"], group["tools"]) for group in page["items"]]
        cursor = page["next"]

    by_name = [(f"kit {m}", m + 1) for m in range(9)]
    assert seen == (by_name if query else by_name[::-1])
    assert stranger.ask("/toolkits").json() == {"items": [], "next": None}
    assert stranger.ask("/toolkits", limit="0").status_code == 422


def test_tags_that_begin_so_are_found_whatever_their_case(client):
    make_tool("a", tags=["E-Mail", "email lists", "time"])

    page = client.get("/tags/", {"q": "EMAIL"}).content.decode()

    assert ">E-Mail<" in page
    assert ">email lists<" in page
    assert ">time<" not in page


@pytest.mark.parametrize("address", ["/toolkits/", "/tags/", "/tags/?q=none", "/tags/?after=x", "/tags/?after=9.%F0"])
def test_where_there_are_no_groups_the_page_says_what_they_are(client, address):
    assert client.get(address).status_code == 200


# -- the pages of a tool ----------------------------------------------------------------------------------------------


def test_a_tools_page_leads_to_its_toolkit_tags_owner_and_successor(client):
    publish(make_spec("new"), by=None)
    tool = publish(make_spec("mail.send", tags=["to do"]), by=make_user("ada")).tool
    deprecate(tool, note="Use another.\n<b>", superseded_by="new")

    page = client.get("/tools/mail.send/").content.decode()

    for href in ("/?toolkit=mail", "/?tag=to%20do", "/?owner=ada", "/tools/new/"):
        assert f'href="{href}"' in page
    assert "This tool is deprecated" in page
    assert "Use another.\n&lt;b&gt;" in page
    assert "/tools/mail.send/organise/" not in page


def test_a_tool_is_organised_on_its_page(browser):
    tool = make_tool("mail.send", tags=["office"])
    form = {"toolkit_from": "typed", "toolkit": "Letters", "tags": "one, two ,, one", "owner": "ada", "seen": tool.etag}

    answer = browser.post("/tools/mail.send/organise/", form, follow=True)

    tool.refresh_from_db()
    assert answer.redirect_chain == [("/tools/mail.send/", 302)]
    assert (tool.toolkit, tool.tags, tool.owner.username) == ("Letters", ["office", "one", "two"], "ada")
    assert "one, two" in browser.get("/tools/mail.send/organise/").content.decode()


def test_tags_that_a_form_leaves_out_are_removed(browser, ada):
    tool = organise(make_tool("now"), Organisation(add_tags=["one", "two"], toolkit="X"), by=ada)

    browser.post("/tools/now/organise/", {"toolkit_from": "id", "tags": "two"})

    tool.refresh_from_db()
    assert (tool.tags, tool.toolkit, tool.toolkit_chosen) == (["two"], "", False)


def test_what_is_refused_stays_typed_with_the_reason_at_its_field(browser):
    make_tool("now")
    form = {"toolkit_from": "typed", "toolkit": "--", "tags": "good, !!", "owner": "nobody"}

    answer = browser.post("/tools/now/organise/", form)

    page = answer.content.decode()
    assert answer.status_code == 422
    assert 'value="good, !!"' in page
    for field in ("toolkit", "tags", "owner"):
        assert f'href="#{field}"' in page
        assert f'id="{field}-error"' in page


def test_a_form_that_is_older_than_the_tool_changes_nothing(browser, ada):
    tool = make_tool("now")
    organise(tool, Organisation(add_tags=["one"]), by=ada)

    answer = browser.post("/tools/now/organise/", {"toolkit_from": "id", "tags": "", "seen": tool.etag})

    tool.refresh_from_db()
    assert answer.status_code == 409
    assert tool.tags == ["one"]


def test_who_does_not_own_a_tool_is_not_offered_to_hand_it_over_and_cannot(browser):
    publish(make_spec("now"), by=make_user("grace"))

    page = browser.get("/tools/now/organise/").content.decode()
    answer = browser.post("/tools/now/organise/", {"toolkit_from": "id", "tags": "", "owner": "ada"})

    assert 'name="owner"' not in page
    assert answer.status_code == 403


def test_a_tool_is_deprecated_and_taken_back_on_its_page(browser):
    tool = make_tool("old")
    make_tool("new")

    browser.post("/tools/old/deprecate/", {"note": "One\r\ntwo", "superseded_by": " new "})
    tool.refresh_from_db()
    said = (tool.deprecated, tool.deprecation_note, tool.superseded_by.tool_id)
    browser.post("/tools/old/deprecate/undo/")
    tool.refresh_from_db()

    assert said == (True, "One\ntwo", "new")
    assert not tool.deprecated


def test_a_successor_that_is_not_there_is_refused_at_its_field(browser):
    make_tool("old")

    answer = browser.post("/tools/old/deprecate/", {"note": "Kept.", "superseded_by": "nowhere"})

    page = answer.content.decode()
    assert answer.status_code == 422
    assert 'id="superseded_by-error"' in page
    assert "Kept." in page


def test_what_the_spec_says_cannot_be_taken_back_on_the_page(browser):
    make_tool("old", deprecated=True)

    answer = browser.post("/tools/old/deprecate/undo/")

    assert answer.status_code == 409
    assert "publish a revision that does not" in answer.content.decode()


@pytest.mark.parametrize("path", ["organise/", "deprecate/", "deprecate/undo/", "revisions/1/restore/"])
def test_nobody_organises_who_is_not_signed_in(client, path):
    make_tool("now")

    answer = client.post(f"/tools/now/{path}")

    assert answer.status_code == 302
    assert answer["Location"].startswith("/sign-in/")


@pytest.mark.parametrize("path", ["organise/", "deprecate/", "deprecate/undo/", "revisions/1/restore/"])
def test_a_tool_that_is_not_there_cannot_be_organised(browser, path):
    assert browser.post(f"/tools/nowhere/{path}").status_code == 404


def test_a_revision_is_restored_on_the_page_if_nothing_came_between(browser):
    first = publish(make_spec("now", description="First."), by=None)
    publish(make_spec("now", description="Second."), by=None)

    late = browser.post("/tools/now/revisions/1/restore/", {"current": "1"}, follow=True)
    browser.post("/tools/now/revisions/1/restore/", {"current": "2"})
    again = browser.post("/tools/now/revisions/1/restore/", {"current": "3"}, follow=True)

    tool = first.tool
    tool.refresh_from_db()
    assert "Nothing was restored" in late.content.decode()
    assert (tool.current.number, tool.description) == (3, "First.")
    assert "has the text of revision 1 already" in again.content.decode()


def test_a_tool_in_json_says_how_it_is_organised(stranger):
    publish(make_spec("mail.send", tags=["office"]), by=make_user("ada"))

    tool = json.loads(stranger.ask("/tools/mail.send").content)

    assert (tool["owner"], tool["toolkit"], tool["tags"], tool["deprecation"]) == ("ada", "mail", ["office"], None)
