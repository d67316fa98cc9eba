"""The playground's part of the first page."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import Group
from django.utils import timezone

from catalog.organise.access import Access, change_tool_access
from catalog.proposals.actions import changes_to_review
from catalog.proposals.models import Proposal
from catalog.tools.models import Revision
from catalog.tools.stars import star
from playground.examples.models import ExampleCheck
from playground.history.charts import parts_of
from playground.home import attention
from playground.home import page as home
from playground.runs.models import Run
from tests.factories import make_spec, make_tool, make_user
from tests.playground.history.test_pages import tree_of
from toolshelf_core.caching import LRUCache

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_caches(monkeypatch):
    """Other tests had revisions with the same keys."""
    for name in ("_breaking", "_revised"):
        monkeypatch.setattr(attention, name, LRUCache(max_weight=10))


@pytest.fixture
def bob(db):
    return make_user("bob")


def run_of(tool, person, *, days_ago=0, **columns):
    day = datetime.now(UTC).date() - timedelta(days=days_ago)
    number = Run.objects.count() + 1
    columns = {"outcome": "returned", "verdict": "conforms", **columns}
    key = f"{int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000):012x}{number:020x}"
    return Run.objects.create(
        pk=key, tool=tool, revision=tool.current, by=person, parameters_json="{}", **columns
    )


def hide(tool):
    Group.objects.get_or_create(name="others")
    change_tool_access(tool, Access(visibility="groups", groups=["others"]), by=None)


def page(client, person=None):
    if person:
        client.force_login(person)
    return tree_of(client.get("/"))


# -- recent and starred tools -----------------------------------------------------------------------------------------


def test_recent_tools_are_those_that_the_person_tried_last(client, ada, bob):
    first, second, other, hidden = (
        make_tool(name) for name in ("first", "second", "other", "hidden")
    )
    for tool in (first, second, first, hidden):
        run_of(tool, ada)
    run_of(other, bob)
    hide(hidden)

    assert [tool.tool_id for tool in home.list_recent_tools(ada)] == ["first", "second"]
    assert [node.text() for node in page(client, ada).css(".home-chips a")] == ["first", "second"]


def test_starred_tools_are_shown_with_a_link_to_all_of_them(client, ada):
    for number in range(9):
        star(make_tool(f"shiny{number}"), ada)

    tree = page(client, ada)

    assert [node.text() for node in tree.css(".home-chips a")] == [
        f"shiny{number}" for number in range(8, 0, -1)
    ]
    assert tree.css_first('.home-heading a[href="/tools/?starred=1"]').text() == "All starred tools"


def test_a_starred_tool_that_was_tried_is_shown_once(client, ada):
    tried, other = make_tool("tried"), make_tool("other")
    for tool in (tried, other):
        star(tool, ada)
    run_of(tried, ada)

    assert [node.text() for node in page(client, ada).css(".home-chips a")] == ["tried", "other"]


def test_a_visitor_sees_no_activity(client):
    tree = page(client)

    assert [node.text().strip() for node in tree.css("main h2")] == [
        "Now break a spec",
        "Now mock a server",
        "0 of 0 tools run here",
    ]


def test_a_person_who_has_done_nothing_sees_what_a_visitor_sees(client, ada):
    assert page(client, ada).css_first("h1").text() == "Know what your agent's tools really do."


def test_a_person_who_has_begun_sees_an_inbox_instead(client, ada):
    run_of(make_tool("a"), ada)

    tree = page(client, ada)

    assert tree.css_first("h1").text() == "Inbox"
    assert tree.css_first("#demonstration, .home-next") is None


# -- runs of the week -------------------------------------------------------------------------------------------------


def test_the_week_counts_own_runs_by_day_and_kind(ada, bob):
    tool = make_tool("a")
    run_of(tool, ada)
    run_of(tool, ada, verdict="violates")
    run_of(tool, ada, days_ago=2, outcome="raised", verdict="")
    run_of(tool, ada, days_ago=2, outcome="cancelled", verdict="")
    run_of(tool, ada, days_ago=6, verdict="unchecked")
    run_of(tool, ada, days_ago=7)  # too old
    run_of(tool, ada, outcome="running", verdict="")  # not ended
    run_of(tool, bob)

    week = home.count_week(ada)

    assert [day.runs for day in week.days] == [1, 0, 0, 0, 2, 0, 2]
    # matching, not matching, not checked, failed, cancelled or refused
    assert parts_of(week.days[6]) == (1, 1, 0, 0, 0)
    assert parts_of(week.days[4]) == (0, 0, 0, 1, 1)
    assert parts_of(week.days[0]) == (0, 0, 1, 0, 0)


def test_runs_of_one_day_make_no_chart(client, ada):
    tool = make_tool("a")
    for _ in range(2):
        run_of(tool, ada)

    assert page(client, ada).css_first(".chart-bars") is None


def test_a_bar_links_to_the_runs_of_its_day(client, ada):
    tool = make_tool("a")
    run_of(tool, ada, days_ago=1)
    run_of(tool, ada)
    today = datetime.now(UTC).date()

    links = [node.attributes["href"] for node in page(client, ada).css(".chart-bars svg a")]

    assert len(links) == 7
    assert links[-1] == f"/runs/?since={today}&until={today}"
    assert (
        client.get(links[-1]).content.decode().count(f'href="/runs/{Run.objects.latest("pk").pk}/"')
        >= 1
    )


def test_the_week_has_the_words_of_the_runs_page(client, ada):
    tool = make_tool("a")
    run_of(tool, ada, days_ago=1)
    run_of(tool, ada)

    legends = [
        [key.text().rstrip(" 0123456789") for key in tree.css(".chart-bars .chart-key")]
        for tree in (page(client, ada), tree_of(client.get("/runs/")))
    ]

    assert (
        legends
        == [["matching", "not matching", "not checked", "failed", "cancelled or refused"]] * 2
    )


def test_only_the_latest_runs_are_counted(ada, monkeypatch):
    monkeypatch.setattr(home, "RUNS_COUNTED", 2)
    tool = make_tool("a")
    for days_ago in (3, 2, 1):
        run_of(tool, ada, days_ago=days_ago)

    week = home.count_week(ada)

    assert [day.runs for day in week.days] == [0, 0, 0, 0, 1, 1, 0]
    assert week.is_cut


# -- what needs attention ---------------------------------------------------------------------------------------------


def concerns(person):
    found = attention.list_concerns(person, home.count_week(person), changes_to_review(person))
    return [f"{concern.name}: {concern.text}" for concern in found]


@pytest.fixture
def no_factories(monkeypatch):
    class Registry:
        @staticmethod
        def all():
            return ()

    monkeypatch.setattr(attention, "registry", Registry)


@pytest.mark.usefixtures("no_factories")
def test_nothing_needs_attention_in_a_quiet_catalog(client, ada):
    run_of(make_tool("a"), ada)

    assert concerns(ada) == []
    assert page(client, ada).css_first(".inbox") is None


@pytest.mark.usefixtures("no_factories")
def test_examples_that_fail_need_attention_until_they_pass_again(ada):
    tool, hidden = make_tool("a"), make_tool("b")
    for one in (tool, hidden):
        ExampleCheck.objects.create(
            tool=one, revision=one.current, failed=2, finished_at=timezone.now()
        )
    hide(hidden)

    assert concerns(ada) == ["a: 2 examples fail"]

    ExampleCheck.objects.create(
        tool=tool, revision=tool.current, passed=2, finished_at=timezone.now()
    )
    assert concerns(ada) == []


@pytest.mark.usefixtures("no_factories")
def test_own_responses_that_violate_need_attention(client, ada, bob):
    run_of(make_tool("a"), ada, verdict="violates")

    assert concerns(ada) == ["1 response: in the last 7 days"]
    assert concerns(bob) == []
    link = page(client, ada).css_first(".concern a").attributes["href"]
    assert "verdict=violates" in link
    assert client.get(link).status_code == 200


@pytest.mark.usefixtures("no_factories")
def test_a_breaking_revision_of_this_week_needs_the_attention_of_those_who_use_the_tool(ada, bob):
    make_tool("a", parameters={"type": "object", "properties": {"x": {}}})
    tool = make_tool("a", parameters={"type": "object", "properties": {"x": {}}, "required": ["x"]})
    star(tool, ada)

    assert concerns(ada) == ["a: revision 2 is breaking"]
    assert concerns(bob) == []

    hide(tool)
    assert concerns(ada) == []


@pytest.mark.usefixtures("no_factories")
def test_the_breaking_revisions_of_a_tool_are_named_together(client, ada):
    for required in ([], ["x"], ["x"], ["x", "y"], ["x", "y", "z"]):
        parameters = {
            "type": "object",
            "properties": {"x": {}, "y": {}, "z": {}},
            "required": required,
        }
        tool = make_tool("a", parameters=parameters, description=f"Revision of {required}.")
    star(tool, ada)

    assert concerns(ada) == ["a: revisions 2, 3 and 4 are breaking"]
    concern = page(client, ada).css_first(".concern")
    assert concern.css_first("a").attributes["href"] == f"/tools/{tool.slug}/changes/"
    assert concern.css_first("time").text() == "just now"


@pytest.mark.usefixtures("no_factories")
def test_the_inbox_lists_kind_name_and_text_the_latest_of_a_kind_first(client, ada):
    for name in ("a", "b"):
        tool = make_tool(name)
        ExampleCheck.objects.create(
            tool=tool, revision=tool.current, failed=1, finished_at=timezone.now()
        )
    run_of(tool, ada, verdict="violates")

    tree = page(client, ada)

    assert " ".join(tree.css_first("h1").text().split()) == "Inbox 3"
    assert [node.text().strip() for node in tree.css(".concern-kind")] == [
        "Test fails",
        "Test fails",
        "Does not match",
    ]
    assert [" ".join(node.text().split()) for node in tree.css(".concern-text")] == [
        "b 1 example fails",
        "a 1 example fails",
        "1 response in the last 7 days",
    ]


@pytest.mark.usefixtures("no_factories")
def test_an_old_breaking_revision_does_not(ada):
    make_tool("a", parameters={"type": "object"})
    tool = make_tool("a", parameters={"type": "object", "required": ["x"]})
    star(tool, ada)
    Revision.objects.update(created_at=timezone.now() - timedelta(days=8))

    assert concerns(ada) == []


@pytest.mark.usefixtures("no_factories")
def test_a_change_that_the_person_may_decide_needs_attention(ada, bob):
    tool = make_tool("a")
    tool.owner = ada
    tool.save()
    spec = make_spec("a", description="Another one.")
    Proposal.objects.create(
        tool_id="a",
        proposed_by=bob,
        base=tool.current,
        text=spec.source,
        sha256=spec.sha256,
        reason="Not the owner.",
    )

    assert concerns(ada) == ["a: a change waits for your approval"]
    assert concerns(bob) == []

    Proposal.objects.create(
        tool_id="a",
        proposed_by=bob,
        base=tool.current,
        text=spec.source,
        sha256=spec.sha256,
        reason="Not the owner.",
    )
    assert concerns(ada) == ["a: 2 changes wait for your approval"]


def test_broken_factories_need_attention_unless_their_tool_is_hidden(ada, monkeypatch):
    from playground.factories.info import FactoryInfo

    hide(make_tool("secret"))
    shared = {
        "origin": "settings",
        "distribution": None,
        "version": None,
        "state": "broken",
        "error": "No.",
    }
    broken = [
        FactoryInfo(key="one", reference="m:one", tool_id=None, **shared),
        FactoryInfo(key="two", reference="m:two", tool_id="secret", **shared),
    ]
    monkeypatch.setattr(attention, "registry", type("R", (), {"all": lambda self: broken}))

    assert concerns(ada) == ["one: its code cannot be loaded"]


# -- cost -------------------------------------------------------------------------------------------------------------


def test_the_page_needs_few_queries_however_many_tools_there_are(
    client, ada, django_assert_max_num_queries
):
    for number in range(12):
        tool = make_tool(f"kit.t{number}")
        run_of(tool, ada)
        star(tool, ada)
    page(client, ada)

    with django_assert_max_num_queries(26):
        page(client)
    client.logout()
    page(client)
    with django_assert_max_num_queries(6):
        page(client)
