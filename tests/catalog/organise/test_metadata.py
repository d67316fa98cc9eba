"""Toolkit, tags, owner and deprecation, as people say; and old revisions that come back."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from accounts.models import SCOPES
from accounts.tokens import create_token
from catalog.access.models import Toolkit
from catalog.organise.access import Access, change_toolkit_access
from catalog.organise.lifecycle import deprecate
from catalog.organise.metadata import Organisation, organise
from catalog.proposals.actions import PendingSpec, publish_or_hold
from catalog.tools.lookup import toolkit_for
from catalog.tools.models import Tool, ToolTag
from catalog.tools.publishing import publish
from tests.conftest import Program
from tests.factories import make_spec, make_token, make_tool, make_user
from tests.terminal import Terminal
from toolshelf_core.errors import NotAllowed
from toolspec.errors import DocumentError

pytestmark = pytest.mark.django_db


def patch(program, slug, **body):
    return program.send("PATCH", f"/tools/{slug}", json.dumps(body))


def put_deprecation(program, slug, **body):
    return program.send("PUT", f"/tools/{slug}/deprecation", json.dumps(body))


def found(program, **query):
    return [tool["id"] for tool in program.ask("/tools", **query).json()["items"]]


@pytest.fixture
def reader(db):
    """A program whose token may but read."""
    return Program(make_token("read", user=make_user("reader")))


# -- toolkit ----------------------------------------------------------------------------------------------------------


def test_a_tool_is_put_into_a_toolkit_and_found_there(program):
    make_tool("github.create_issue")

    answer = patch(program, "github.create_issue", toolkit="  Issue   trackers ")

    assert answer.status_code == 200
    assert answer.json()["toolkit"] == "Issue trackers"
    assert found(program, q='toolkit:"issue trackers"') == ["github.create_issue"]
    assert found(program, q="toolkit:github") == []


def test_a_chosen_toolkit_stays_over_revisions_and_is_given_up_for_that_of_the_id(program):
    make_tool("github.create_issue")
    patch(program, "github.create_issue", toolkit="Trackers")
    make_tool("github.create_issue", description="Anew.")

    stored = program.ask("/tools/github.create_issue").json()["toolkit"]
    given_up = patch(program, "github.create_issue", toolkit=None).json()["toolkit"]

    assert (stored, given_up) == ("Trackers", "github")


def test_a_tool_can_be_in_no_toolkit_whatever_its_id_begins_with(program):
    make_tool("github.create_issue")

    assert patch(program, "github.create_issue", toolkit="").json()["toolkit"] == ""
    assert program.ask("/toolkits").json()["items"] == []


@pytest.mark.parametrize("name", ["--", "x" * 101, "a\x00b"])
def test_an_invalid_toolkit_is_refused_with_its_pointer(program, name):
    make_tool("now")

    answer = patch(program, "now", toolkit=name)

    assert answer.status_code in {400, 422}
    assert Tool.objects.get().toolkit == ""


@pytest.fixture
def official(ada):
    """A toolkit of ada, with a tool."""
    make_tool("official.one")
    change_toolkit_access(
        toolkit_for(None, "organise", "official"),
        Access(owner="ada", visibility="everyone"),
        by=None,
    )


def test_only_who_maintains_a_toolkit_of_others_puts_tools_into_it(program, official, ada):
    make_tool("evil1")

    refused = patch(program, "evil1", toolkit="Official", add_tags=["x"])
    allowed = patch(Program(make_token(user=ada)), "evil1", toolkit="Official")

    assert refused.status_code == 403
    assert (
        "Only the owner (ada), the maintainers and administrators can organise official."
        in refused.json()["detail"]
    )
    assert allowed.json()["toolkit"] == "Official"
    assert Tool.objects.get(tool_id="evil1").tags == []


def test_a_tool_returns_to_a_toolkit_of_others_in_its_id_only_with_their_right(program, official):
    organise(make_tool("official.two"), Organisation(toolkit="mine"), by=None)

    assert patch(program, "official.two", toolkit=None).status_code == 403
    assert patch(program, "official.two", add_tags=["x"]).status_code == 200
    assert Tool.objects.get(tool_id="official.two").toolkit == "mine"


def test_the_form_suggests_owners_tags_and_tools_of_the_toolkit(client):
    organise(
        make_tool("kit.one"),
        Organisation(owner=make_user("olivia").username, add_tags=["mail", "old"]),
        by=None,
    )
    organise(make_tool("kit.two"), Organisation(add_tags=["mail"]), by=None)
    make_tool("other")
    client.force_login(make_user("root", is_staff=True, is_superuser=True))

    context = client.get("/tools/kit.two/settings/").context

    assert (list(context["owners"]), context["tags"], list(context["successors"])) == (
        ["olivia"],
        ["old"],
        ["kit.one"],
    )


def test_the_form_shows_at_the_toolkit_that_it_belongs_to_others(client, official):
    make_tool("evil1")
    client.force_login(make_user("eve"))

    answer = client.post(
        "/tools/evil1/settings/",
        {"section": "organisation", "toolkit_from": "typed", "toolkit": "official", "tags": ""},
    )

    assert answer.status_code == 403
    assert "can organise official." in answer.content.decode()
    assert answer.context["form"].errors.keys() == {"toolkit"}


@pytest.mark.parametrize("is_staff", [False, True])
def test_a_token_that_is_limited_to_toolkits_moves_tools_only_between_them(is_staff):
    user = make_user("eve", is_staff=is_staff)
    make_tool("mine.tool")
    limited = Program(create_token(user, scopes=SCOPES, toolkits=["mine", "ours"])[1])

    assert patch(limited, "mine.tool", toolkit="theirs").status_code == 403
    assert patch(limited, "mine.tool", toolkit="").status_code == 403
    assert patch(limited, "mine.tool", toolkit="Ours").status_code == 200


# -- tags -------------------------------------------------------------------------------------------------------------


def test_tags_are_added_found_and_removed(program):
    make_tool("now", tags=["clock"])

    added = patch(program, "now", add_tags=["Time  zones", "time-zones", "CLOCK"]).json()["tags"]
    by_tag = found(program, q='tag:"time zones"')
    removed = patch(program, "now", remove_tags=["time zones", "never there"]).json()["tags"]

    assert added == ["clock", "Time zones"]
    assert by_tag == ["now"]
    assert removed == ["clock"]
    assert list(ToolTag.objects.values_list("key", flat=True)) == ["clock"]


def test_a_tag_of_the_spec_cannot_be_removed_and_nothing_else_is_done_then(program):
    make_tool("now", tags=["clock"])

    answer = patch(program, "now", toolkit="Times", remove_tags=["Clock"])

    assert answer.status_code == 409
    assert "is part of the spec" in answer.json()["detail"]
    assert Tool.objects.get().toolkit == ""


def test_each_invalid_tag_is_reported_with_its_pointer(program):
    make_tool("now")

    answer = patch(program, "now", add_tags=["good", "", "x" * 61, "two, in one"])

    assert answer.status_code == 422
    assert [error["pointer"] for error in answer.json()["errors"]] == [
        "/add_tags/1",
        "/add_tags/2",
        "/add_tags/3",
    ]
    assert Tool.objects.get().tags == []


def test_a_tool_has_at_most_fifty_tags_of_people():
    tool = make_tool("now")
    ada = make_user()
    organise(tool, Organisation(add_tags=[f"tag {number}" for number in range(50)]), by=ada)

    with pytest.raises(DocumentError, match="at most 50 tags"):
        organise(tool, Organisation(add_tags=["one more"]), by=ada)


# -- owner ------------------------------------------------------------------------------------------------------------


def test_the_owner_hands_a_tool_over_and_cannot_take_it_back():
    ada, grace = make_user("ada"), make_user("grace")
    tool = publish(make_spec("now"), by=ada).tool

    tool = organise(tool, Organisation(owner="grace"), by=ada)

    assert tool.owner == grace
    with pytest.raises(NotAllowed):
        organise(tool, Organisation(owner="ada"), by=ada)


def test_staff_may_change_any_owner_and_anyone_may_take_a_tool_without_an_owner():
    ada, staff = make_user("ada"), make_user("chief", is_staff=True)
    owned, free = publish(make_spec("owned"), by=ada).tool, make_tool("free")

    assert organise(owned, Organisation(owner=""), by=staff).owner is None
    assert organise(free, Organisation(owner="ada"), by=ada).owner == ada


def test_users_who_do_not_own_a_tool_may_not_organise_it(program):
    publish(make_spec("now"), by=make_user("ada"))

    refused = patch(program, "now", add_tags=["clock"])

    reason = "Only the owner (ada), the maintainers and administrators can organise now."
    assert (refused.status_code, refused.json()["detail"]) == (403, reason)


@pytest.mark.parametrize("name", ["nobody", "gone"])
def test_a_tool_cannot_get_an_unknown_owner(program, name):
    make_user("gone", is_active=False)
    make_tool("now")

    answer = patch(program, "now", owner=name)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/owner"


# -- who may, and when ------------------------------------------------------------------------------------------------

CHANGES = [
    ("PATCH", "/tools/{}", "{}"),
    ("PUT", "/tools/{}/deprecation", "{}"),
    ("DELETE", "/tools/{}/deprecation", ""),
    ("POST", "/tools/{}/revisions/1/restore", ""),
]


@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
def test_a_change_of_a_tool_that_is_not_there_finds_nothing(program, method, path, body):
    answer = program.send(method, path.format("nowhere"), body, **{"If-Match": "*"})

    assert answer.status_code == 404


@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
def test_a_change_is_done_to_the_tool_that_was_seen_and_refused_to_another(
    program, method, path, body
):
    make_tool("now")
    seen = program.ask("/tools/now")["ETag"]
    patch(program, "now", add_tags=["clock"])
    current = program.ask("/tools/now")["ETag"]

    refused = program.send(method, path.format("now"), body, **{"If-Match": seen})
    done = program.send(method, path.format("now"), body, **{"If-Match": current})

    assert refused.status_code == 412
    assert done.status_code in {200, 204}


@pytest.mark.parametrize(
    ("method", "path"), [("PATCH", "/tools/now"), ("PUT", "/tools/now/deprecation")]
)
@pytest.mark.parametrize(
    "body", ["null", "[]", '"x"', "", '{"toolkit": 1, "note": 1}', '{"add_tags": "x", "note": []}']
)
def test_a_body_that_is_not_an_object_or_has_wrong_types_is_refused(program, method, path, body):
    make_tool("now")

    answer = program.send(method, path, body)

    assert answer.status_code in {400, 422}
    assert answer["Content-Type"] == "application/problem+json"
    assert not Tool.objects.get().deprecated


# -- deprecation ------------------------------------------------------------------------------------------------------


def test_a_deprecated_tool_shows_its_deprecation_and_its_successor(program, stranger):
    make_tool("old")
    make_tool("new")

    answer = put_deprecation(program, "old", note=" Too slow. ", superseded_by="new")

    tool = Tool.objects.get(tool_id="old")
    assert answer.status_code == 200
    assert answer.json()["deprecation"] == {
        "since": tool.deprecated_at.isoformat().replace("+00:00", "Z"),
        "note": "Too slow.",
        "superseded_by": {"id": "new", "slug": "new"},
        "by_spec": False,
    }
    for path in ("/tools/old", "/tools/old/spec", "/tools/old/export/mcp"):
        got = stranger.ask(path)
        assert got["Deprecation"] == f"@{int(tool.deprecated_at.timestamp())}"
        assert got["Link"] == '</api/v1/tools/new>; rel="successor-version"'
    assert "Deprecation" not in stranger.ask("/tools/new")
    known = {"If-None-Match": stranger.ask("/tools/old")["ETag"]}
    unchanged = stranger.send("GET", "/tools/old", **known)
    assert (unchanged.status_code, unchanged["Deprecation"]) == (304, got["Deprecation"])


def test_the_date_of_a_deprecation_stays_when_its_note_changes(program):
    make_tool("old")
    first = put_deprecation(program, "old").json()["deprecation"]["since"]

    second = put_deprecation(program, "old", note="More.").json()["deprecation"]

    assert (second["since"], second["note"]) == (first, "More.")


def test_a_deprecation_outlives_revisions_and_can_be_removed(program):
    make_tool("old")
    put_deprecation(program, "old", note="Too slow.")
    make_tool("old", description="Anew.")

    stored = program.ask("/tools/old").json()["deprecation"]["note"]
    withdrawn = program.send("DELETE", "/tools/old/deprecation")

    assert stored == "Too slow."
    assert withdrawn.status_code == 204
    assert program.ask("/tools/old").json()["deprecation"] is None
    assert "Deprecation" not in program.ask("/tools/old")


def test_only_the_users_deprecation_is_removed_if_the_spec_has_one_too(program):
    make_tool("old", deprecated=True)
    put_deprecation(program, "old", note="Too slow.")

    removed = program.send("DELETE", "/tools/old/deprecation")
    by_spec = program.send("DELETE", "/tools/old/deprecation")

    left = program.ask("/tools/old").json()["deprecation"]
    assert (removed.status_code, by_spec.status_code) == (204, 409)
    assert (left["note"], left["by_spec"]) == ("", True)


@pytest.mark.parametrize("successor", ["nowhere", "old", "new"])
def test_a_successor_is_another_tool_and_does_not_lead_back(program, successor):
    make_tool("old")
    make_tool("new")
    make_tool("newest")
    put_deprecation(program, "new", superseded_by="newest")
    put_deprecation(program, "newest", superseded_by="old")

    answer = put_deprecation(program, "old", superseded_by=successor)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/superseded_by"


def test_a_chain_of_successors_has_an_end(program, monkeypatch):
    monkeypatch.setattr("catalog.organise.lifecycle.MAX_CHAIN", 2)
    for tool_id in "abcd":
        make_tool(tool_id)
    put_deprecation(program, "c", superseded_by="d")
    put_deprecation(program, "b", superseded_by="c")

    assert put_deprecation(program, "a", superseded_by="b").status_code == 422
    assert put_deprecation(program, "a", superseded_by="c").status_code == 200


def test_a_note_has_its_bounds(program):
    make_tool("old")

    assert put_deprecation(program, "old", note="x" * 500).status_code == 200
    assert put_deprecation(program, "old", note="x" * 501).status_code == 422


def test_a_deprecated_tool_is_found_after_others_that_answer_as_well(program):
    make_tool("weather.a", name="get_weather", description="Weather of a place.")
    make_tool("weather.b", name="get_weather", description="Weather of a place.")
    before = found(program, q="get weather")

    put_deprecation(program, "weather.a")

    assert before == ["weather.a", "weather.b"]
    assert found(program, q="get weather") == ["weather.b", "weather.a"]
    assert found(program, q="get weather is:deprecated") == ["weather.a"]


def test_a_deprecated_tool_ranks_first_if_only_its_name_matches(program):
    make_tool("get_weather", description="Weather of a place.")
    make_tool("plan_trip", description="Plans a trip. It looks how the weather will get.")
    make_tool("list_stations", description="Stations that measure weather, to get readings from.")

    put_deprecation(program, "get_weather")

    assert found(program, q="get_weather")[0] == "get_weather"
    assert found(program, id="get_weather") == ["get_weather"]


# -- restoring a revision ---------------------------------------------------------------------------------------------


def restore(program, slug, number, **headers):
    return program.send("POST", f"/tools/{slug}/revisions/{number}/restore", **headers)


def test_an_old_revision_is_published_again_as_the_newest(program):
    first = publish(make_spec("now", description="First."), by=None).revision
    publish(make_spec("now", description="Second."), by=None)

    answer = restore(program, "now", 1, **{"If-Match": program.ask("/tools/now")["ETag"]})

    newest = Tool.objects.with_current().get()
    assert answer.status_code == 201
    assert answer.json()["outcome"] == "revised"
    assert answer["ETag"] == newest.etag
    assert (newest.current.number, newest.current.source) == (3, first.source)
    assert newest.current.created_by.username == "program"
    assert newest.description == "First."


def test_the_current_revision_is_not_published_again(program):
    make_tool("now")

    answer = restore(program, "now", 1, **{"If-Match": "*"})

    assert (answer.status_code, answer.json()["outcome"]) == (200, "unchanged")


def test_a_revision_is_restored_only_if_the_current_one_was_seen(program):
    make_tool("now")

    assert restore(program, "now", 1).status_code == 428
    assert restore(program, "now", 2, **{"If-Match": "*"}).status_code == 404


# -- many at once -----------------------------------------------------------------------------------------------------


def run(*words):
    out = io.StringIO()
    try:
        call_command("organise_tools", *words, stdout=out, stderr=io.StringIO())
    except SystemExit as end:
        return end.code, json.loads(out.getvalue())
    return 0, json.loads(out.getvalue())


def test_all_tools_that_a_query_finds_are_organised_by_one_command():
    grace = make_user("grace")
    publish(make_spec("mail.send"), by=make_user("ada"))
    make_tool("mail.read")
    make_tool("clock.now")

    done = run(
        "--query=toolkit:mail",
        "--toolkit=Letters",
        "--add-tag=office",
        "--owner=grace",
        "--deprecate=Old.",
    )

    assert done == (0, {"organised": 2, "refused": []})
    changed = Tool.objects.filter(
        toolkit="Letters", owner=grace, added_tags="office", deprecation_note="Old."
    )
    assert changed.count() == 2
    assert Tool.objects.get(tool_id="clock.now").tags == []


def test_the_command_removes_a_deprecation():
    make_tool("mail.send")
    run("mail.send", "--toolkit=X", "--add-tag=office", "--deprecate", "--owner=")

    assert run("mail.send", "--toolkit-of-id", "--remove-tag=office", "--undo-deprecation")[0] == 0

    tool = Tool.objects.get()
    assert (tool.toolkit, tool.tags, tool.deprecated) == ("mail", [], False)


def test_the_command_goes_on_after_a_refusal_and_ends_with_1():
    make_tool("a", tags=["office"])
    tool = make_tool("b")
    organise(tool, Organisation(add_tags=["office"]), by=None)

    code, report = run("a", "b", "--remove-tag=office")

    assert (code, report["organised"], [one["id"] for one in report["refused"]]) == (1, 1, ["a"])


def test_a_terminal_shows_the_refusals_and_counts_and_json_only_if_asked():
    make_tool("a", tags=["office"])
    out, err = Terminal(), Terminal()
    asked = Terminal()

    with pytest.raises(SystemExit):
        call_command("organise_tools", "a", "--remove-tag=office", stdout=out, stderr=err)
    call_command("organise_tools", "a", "--add-tag=b", "--json", stdout=asked, stderr=Terminal())

    assert out.getvalue() == ""
    assert err.getvalue().startswith("a: ")
    assert err.getvalue().endswith("0 tools organised, 1 refused\n")
    assert json.loads(asked.getvalue()) == {"organised": 1, "refused": []}


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["nowhere", "--toolkit=x"],
        ["a", "--superseded-by=b"],
        ["--query=a", "nowhere", "--toolkit=x"],
    ],
)
def test_a_command_that_cannot_be_carried_out_ends_with_2(words):
    make_tool("a")

    with pytest.raises(CommandError) as refusal:
        run(*words)

    assert refusal.value.returncode == 2


# -- what is not meant ------------------------------------------------------------------------------------------------


def test_a_tag_that_people_gave_can_go_although_the_spec_has_it_by_now(program):
    make_tool("now")
    patch(program, "now", add_tags=["clock"])
    make_tool("now", tags=["clock"])

    assert patch(program, "now", remove_tags=["clock"]).status_code == 200
    assert program.ask("/tools/now").json()["tags"] == ["clock"]


def test_a_tag_without_a_letter_asks_for_no_tools(program):
    make_tool("now")

    answer = program.ask("/tools", tag="!!!")

    assert answer.status_code == 422
    assert "!!!" in answer.json()["detail"]


@pytest.mark.parametrize("query", ["is:depricated", "score:900", "", "clock is:depricated"])
def test_a_command_that_was_not_understood_changes_no_tool(query):
    make_tool("now", description="A clock.")

    with pytest.raises(CommandError) as refused:
        call_command("organise_tools", "--query", query, "--deprecate")

    assert refused.value.returncode == 2
    assert not Tool.objects.exclude(deprecated_at=None).exists()


def test_removing_a_deprecation_checks_for_a_newer_change(browser):
    tool = make_tool("now")
    seen = deprecate(tool, note="one").etag
    deprecate(tool, note="two")

    answer = browser.post("/tools/now/settings/", {"section": "undo-deprecation", "seen": seen})

    assert answer.status_code == 409
    assert Tool.objects.get().deprecation_note == "two"


def test_a_toolkit_that_is_written_into_the_empty_field_is_meant(browser):
    make_tool("now")

    form = {"section": "organisation", "toolkit_from": "id", "toolkit": "Clocks", "tags": ""}
    browser.post("/tools/now/settings/", form)

    assert Tool.objects.get().toolkit == "Clocks"


def test_a_tag_added_by_another_user_stays_when_the_form_is_submitted(browser):
    tool = make_tool("now")
    organise(tool, Organisation(add_tags=["old"]), by=None)
    form = {
        "section": "organisation",
        "toolkit_from": "id",
        "toolkit": "",
        "tags": "mine",
        "tags_were": "old",
        "seen": Tool.objects.get().etag,
    }
    organise(tool, Organisation(add_tags=["theirs"]), by=None)

    refused = browser.post("/tools/now/settings/", form)
    assert refused.status_code == 409
    assert 'name="tags_were" value="old"' in refused.content.decode()
    browser.post("/tools/now/settings/", form | {"seen": Tool.objects.get().etag})

    assert sorted(Tool.objects.get().added_tags.splitlines()) == ["mine", "theirs"]


def test_a_long_prefix_is_checked_as_the_toolkit_that_it_is_stored_in(ada):
    eve = make_user("eve")
    Toolkit.objects.create(key="official", name="official", owner=ada)
    spec = make_spec("official" + "-" * 92 + "evil.x")

    outcome = publish_or_hold(spec, by=eve)

    assert isinstance(outcome, PendingSpec)
