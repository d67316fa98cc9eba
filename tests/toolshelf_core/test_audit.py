"""The audit log: which actions it records, for whom, and that nothing changes or removes an event."""

import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone

from accounts.deletion import delete_person
from accounts.models import ApiToken
from accounts.oidc.groups import update_groups
from accounts.sign_in_links import create_sign_in_link
from accounts.tokens import revoke_token
from accounts.users import create_account
from catalog.lint.apply_fixes import apply_fixes_to_tool
from catalog.lint.waivers import delete_waiver, waive
from catalog.organise.access import Access, change_tool_access, change_toolkit_access
from catalog.organise.lifecycle import archive, deprecate, restore, undo_deprecation
from catalog.organise.metadata import Organisation, organise
from catalog.proposals.actions import approve, publish_or_hold, reject
from catalog.sources.registration import remove_source
from catalog.sources.sync import sync
from catalog.tools.lookup import toolkit_for
from catalog.tools.publishing import publish, publish_many
from playground.configurations.saved import delete_configuration, save_configuration
from playground.configurations.secret_members import Configuration
from playground.configurations.sharing import share_with_groups
from playground.runs import running
from playground.runs.models import Run
from tests.catalog.lint.test_pages import FAULTY
from tests.catalog.sources.documents import (
    BREAKING,
    FORECAST,
    add_document,
    change_settings,
    document,
    replace_document,
    store_source,
)
from tests.conftest import Program
from tests.factories import make_spec, make_token, make_tool, make_user, spec_text
from toolshelf_core import audit
from toolshelf_core.audit import Actor, AuditEvent, Origin, act_for, prune, record
from toolshelf_core.db.append_only import protect, unprotect
from toolspec.lint import RULES

pytestmark = pytest.mark.django_db

TABLE = AuditEvent._meta.db_table


@pytest.fixture(autouse=True)
def _no_events_so_far(db):
    """Data that many tests share, loaded once, has events, too."""
    unprotect(connection, TABLE)
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {TABLE}")
    protect(connection, TABLE)


def events(**wanted):
    return list(AuditEvent.objects.filter(**wanted).order_by("pk"))


def shown(action):
    """(object, before, after) of each event of this action."""
    return [
        (event.object_id, event.as_json()["before"], event.as_json()["after"])
        for event in events(action=action)
    ]


def the(action):
    [event] = events(action=action)
    return event


# -- append-only ------------------------------------------------------------------------------------------------------


def refused(statement, *values):
    with (
        pytest.raises(IntegrityError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement, values)


def old_event(days):
    at = timezone.now() - timedelta(days=days)
    return AuditEvent.objects.create(
        at=at, action="tool.archive", object_type="tool", object_id="x", interface="page"
    )


def test_an_event_cannot_be_changed(ada):
    record("tool.archive", "tool", "x", by=ada)

    refused(f"UPDATE {TABLE} SET person = 'bob'")
    refused(f"UPDATE {TABLE} SET at = %s", "2001-01-01 00:00:00+00:00")

    assert the("tool.archive").person == "ada"


def test_a_young_event_cannot_be_deleted():
    old_event(29)

    refused(f"DELETE FROM {TABLE}")
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        AuditEvent.objects.all().delete()

    assert AuditEvent.objects.count() == 1


def test_an_event_cannot_be_replaced_by_another_with_its_key():
    event = old_event(0)
    names = "id, at, action, object_type, object_id, interface, person, client, address, request_id, before, after"
    values = [event.pk, "2001-01-01 00:00:00+00:00", *["x"] * 10]
    places = ", ".join(["%s"] * 12)
    conflict = " ON CONFLICT (id) DO UPDATE SET person = 'bob'"

    refused(f"INSERT INTO {TABLE} ({names}) VALUES ({places}){conflict}", *values)
    if connection.vendor == "sqlite":
        refused(f"INSERT OR REPLACE INTO {TABLE} ({names}) VALUES ({places})", *values)

    assert AuditEvent.objects.get() == event


def test_the_table_cannot_be_truncated():
    if connection.vendor == "sqlite":
        return  # which has no such statement
    old_event(100)

    refused(f"TRUNCATE {TABLE}")


def test_events_past_their_retention_are_deleted_and_that_is_recorded():
    old_event(41)
    young = old_event(39)

    assert prune(40) == 1

    assert events()[0] == young
    assert the("audit.prune").as_json()["after"]["deleted"] == 1


def test_the_retention_cannot_be_shorter_than_the_database_allows():
    with pytest.raises(ValueError, match="at least 30 days"):
        prune(29)


def test_a_dry_run_and_a_change_that_is_rolled_back_are_no_events(ada):
    publish(make_spec("x"), by=ada, dry_run=True)
    with transaction.atomic():
        publish(make_spec("x"), by=ada)
        transaction.set_rollback(True)

    assert events() == []


# -- events ------------------------------------------------------------------------------------------------------------


def test_publishing_records_revisions(ada):
    publish(make_spec("weather"), by=ada)
    publish(make_spec("weather", description="Other."), by=ada)
    publish(make_spec("weather", description="Other."), by=ada)

    created, revised = events()
    assert (created.action, created.person, created.person_key) == ("tool.create", "ada", ada.pk)
    assert created.before == ""
    assert revised.action == "tool.revise"
    assert (revised.object_type, revised.object_id) == ("tool", "weather")
    assert revised.as_json()["before"] == {"revision": 1}
    assert revised.as_json()["after"]["revision"] == 2
    assert len(revised.as_json()["after"]["sha256"]) == 64


def test_a_bulk_upload_records_each_tool(ada):
    publish_many([make_spec(f"tool-{number}") for number in range(4)], by=ada)

    assert len(events(action="tool.create", person="ada")) == 4


def test_archiving_and_restoring_are_recorded_once():
    tool = make_tool("x")
    archive(tool)
    archive(tool)
    restore(tool)

    assert shown("tool.archive") == [("x", {"archived": False}, {"archived": True})]
    assert shown("tool.restore") == [("x", {"archived": True}, {"archived": False})]


def test_a_deprecation_is_recorded_with_its_note_and_successor():
    tool = make_tool("x")
    make_tool("y")
    deprecate(tool, note="Use y.", superseded_by="y")
    undo_deprecation(tool)

    none = {"deprecated": False, "note": "", "superseded_by": None}
    some = {"deprecated": True, "note": "Use y.", "superseded_by": "y"}
    assert shown("tool.deprecate") == [("x", none, some)]
    assert shown("tool.undeprecate") == [("x", some, none)]


def test_organising_records_only_what_differs(ada):
    tool = make_tool("x")

    organise(tool, Organisation(add_tags=["weather"], owner="ada"), by=ada)
    organise(tool, Organisation(add_tags=["weather"]), by=ada)

    assert shown("tool.organise") == [
        ("x", {"tags": [], "owner": None}, {"tags": ["weather"], "owner": "ada"})
    ]


def test_waivers_are_recorded(ada):
    tool = make_tool("x")
    rule = next(iter(RULES))
    waiver = waive(tool, rule=rule, reason="It is fine.", by=ada)
    delete_waiver(waiver)

    facts = {"rule": rule, "pointer": "", "reason": "It is fine."}
    assert shown("waiver.add") == [("x", None, facts)]
    assert shown("waiver.remove") == [("x", facts, None)]


def test_applied_fixes_are_recorded(ada):
    tool = make_tool("x", **FAULTY)
    apply_fixes_to_tool(tool, None, by=ada, seen=1, dry_run=True)
    apply_fixes_to_tool(tool, None, by=ada, seen=1)

    [(object_id, before, after)] = shown("tool.fix")
    assert (object_id, before, after["revision"]) == ("x", {"revision": 1}, 2)
    assert after["fixes"] == ["Remove it (2 times)"]


def test_sources_are_recorded_without_their_credentials(ada):
    source = add_document(document(FORECAST), by=ada, headers={"X-Key": "hunter2-secret"})
    change_settings(source, policy="review", headers={"X-Key": "hunter3-secret"})
    sync(source, by=ada)
    remove_source(source)

    [(_, _, added)] = shown("source.add")
    assert added["credentials"] == ["X-Key"]
    [(_, before, after)] = shown("source.change")
    assert (before["policy"], after["policy"]) == ("compatible", "review")
    assert after["credentials"] == "replaced"
    assert len(shown("source.sync")) == 1
    assert len(shown("source.remove")) == 1
    address = "https://api.example.com/o?key=hunter2-secret"
    store_source("s", "openapi", address=address)
    assert not any("secret" in event.before + event.after for event in events())


def test_a_sync_acts_as_itself_for_the_person_who_asked(ada):
    source = add_document(document(FORECAST), by=ada)
    sync(source, by=ada)

    event = the("tool.create")
    assert (event.interface, event.client, event.person) == ("sync", "source weather", "ada")


def test_held_changes_and_decisions_are_recorded():
    grace = make_user("grace", is_staff=True)
    source = add_document(document(FORECAST))
    sync(source)
    sync(replace_document(source, document(BREAKING)))
    reject(source.proposals.get(), by=grace)

    held = the("change.hold")
    assert (held.object_id, held.interface) == ("weather.forecast", "sync")
    assert held.as_json()["after"]["verdict"] == "breaking"
    assert the("change.reject").person == "grace"


def test_a_proposal_and_its_approval_are_recorded(ada):
    publish(make_spec("x"), by=ada)
    proposal = publish_or_hold(make_spec("x", description="Proposed."), by=make_user("grace"))

    approve(proposal.change, by=ada)

    assert (the("change.hold").object_id, the("change.approve").object_id) == ("x", "x")


def test_runs_and_used_configurations_are_recorded(ada):
    tool = make_tool("x", returnType={"type": "object"}, configuration={"type": "object"})
    run = running.start(
        tool,
        tool.current,
        {},
        by=ada,
        mode="mock",
        configuration=Configuration({}),
        configuration_name="work",
    )

    started = the("run.start")
    assert (started.object_id, started.person) == (run.pk, "ada")
    run_facts = {"tool": "x", "revision": 1, "mode": "mock", "outcome": "returned"}
    assert started.as_json()["after"] == run_facts
    used = the("configuration.use")
    assert (used.object_id, used.as_json()["after"]["configuration"]) == ("x", "work")


def test_saved_configurations_are_recorded_by_name_only(ada):
    tool = make_tool(
        "x", configuration={"type": "object", "properties": {"password": {"type": "string"}}}
    )
    save_configuration(ada, tool, "work", Configuration({"password": "hunter2-secret"}), None)
    assert delete_configuration(ada, tool, "work")
    assert not delete_configuration(ada, tool, "work")

    assert shown("configuration.save") == [
        ("x", None, {"configuration": "work", "is_new": True, "members": ["password"]})
    ]
    assert shown("configuration.delete") == [("x", {"configuration": "work"}, None)]
    assert not any("hunter2" in event.before + event.after for event in events())


def test_tokens_are_recorded_without_their_secret(ada):
    secret = make_token("read", user=ada)
    token = ApiToken.objects.get()
    revoke_token(token)
    revoke_token(token)

    [(_, _, created)] = shown("token.create")
    assert (created["person"], created["scopes"]) == ("ada", ["read"])
    assert len(shown("token.revoke")) == 1
    assert not any(secret in json.dumps(event.as_json()) for event in events())


def test_people_are_recorded_and_their_events_stay_when_they_are_deleted(ada):
    ada_key = ada.pk
    create_account("bob")
    record("tool.archive", "tool", "x", by=ada)

    delete_person(ada)

    assert the("person.create").object_id == "bob"
    assert the("person.delete").object_id == "ada"
    stays = the("tool.archive")
    assert (stays.person, stays.person_key) == ("ada", ada_key)


def test_an_administrators_change_of_a_person_is_recorded(ada):
    root = make_user("root", is_staff=True, is_superuser=True)
    client = Client()
    client.force_login(root)

    assert client.post(f"/admin/accounts/user/{ada.pk}/change/", {}).status_code == 302

    event = the("person.change")
    assert (event.person, event.interface, event.object_id) == ("root", "page", "ada")
    assert event.as_json()["before"] == {"is_active": True}
    assert event.as_json()["after"] == {"is_active": False}


# -- rights -----------------------------------------------------------------------------------------------------------


def test_who_owns_maintains_and_sees_a_tool_is_recorded(ada):
    tool = publish(make_spec("kit.one"), by=ada).tool
    Group.objects.create(name="weather team")
    wanted = Access(owner="ada", visibility="groups", groups=["weather team"], maintainers=["ada"])

    change_tool_access(tool, wanted, by=ada)
    change_tool_access(tool, wanted, by=ada)

    [(name, before, after)] = shown("tool.access")
    assert (name, before) == ("kit.one", {"visibility": "", "groups": [], "maintainers": []})
    assert after == {"visibility": "groups", "groups": ["weather team"], "maintainers": ["ada"]}


def test_who_owns_maintains_and_sees_a_toolkit_is_recorded(ada):
    make_tool("kit.one")

    change_toolkit_access(
        toolkit_for(None, "organise", "kit"), Access(owner="ada", visibility="signed-in"), by=None
    )

    before = {"owner": "", "visibility": "everyone"}
    after = {"owner": "ada", "visibility": "signed-in"}
    assert shown("toolkit.access") == [("kit", before, after)]


def test_roles_and_groups_of_people_are_recorded(ada):
    client = Client()
    client.force_login(make_user("root", is_staff=True))

    client.post("/people/groups/", {"name": "team"})
    client.post(f"/people/{ada.pk}/", {"role": "administrator", "groups": ["team"]})
    client.post("/people/groups/", {"name": "team", "delete": "1"})
    client.post("/people/groups/", {"name": "team", "delete": "1"})

    assert (the("group.create").object_id, the("group.create").person) == ("team", "root")
    [(name, before, after)] = shown("person.change")
    assert (name, before["is_staff"], after) == (
        "ada",
        False,
        {"groups": ["administrator", "team"], "is_staff": True},
    )
    assert shown("group.delete") == [("team", {"people": ["ada"]}, None)]


def test_groups_that_the_provider_changes_are_recorded(ada, settings):
    settings.OIDC_GROUPS = {"staff": ["administrator"]}

    update_groups(ada, {settings.OIDC_GROUPS_CLAIM: ["staff"]})

    assert the("person.change").as_json()["after"] == {
        "groups": ["administrator"],
        "is_staff": True,
    }


def test_sharing_with_groups_is_recorded(ada):
    tool = make_tool("x", configuration={"type": "object"})
    ada.groups.add(Group.objects.create(name="team"))
    run = Run.objects.create(
        tool=tool, revision=tool.current, by=ada, parameters_json="{}", outcome="returned"
    )
    saved = save_configuration(ada, tool, "work", Configuration({}), None)

    for one in (run, saved):
        share_with_groups(one, ["team"], by=ada)
        share_with_groups(one, ["team"], by=ada)
    share_with_groups(run, [], by=ada)

    none, team = {"groups": []}, {"groups": ["team"]}
    assert shown("run.share") == [(run.pk, none, team), (run.pk, team, none)]
    work = {"configuration": "work"}
    assert shown("configuration.share") == [("x", work | none, work | team)]


# -- sign-in ----------------------------------------------------------------------------------------------------------


def sign_in(name, password, address="192.0.2.7"):
    return Client().post("/sign-in/", {"username": name, "password": password}, REMOTE_ADDR=address)


def test_signing_in_and_out_is_recorded_with_the_address():
    make_user("ada", password="correct horse")
    client = Client(REMOTE_ADDR="192.0.2.7")

    client.post("/sign-in/", {"username": "ada", "password": "correct horse"})
    client.post("/sign-out/")
    Client().post(f"/sign-in/{create_sign_in_link('ada')}/")

    [entered, by_link], left = events(action="sign-in"), the("sign-out")
    assert (entered.person, entered.object_id, entered.address) == ("ada", "ada", "192.0.2.7")
    assert by_link.person == the("link.create").object_id == "ada"
    assert (left.person, left.interface) == ("ada", "page")


def test_a_failed_sign_in_names_only_accounts_that_exist():
    make_user("ada", password="correct horse")

    sign_in("Ada", "wrong")
    sign_in("my-password-by-mistake", "wrong")

    assert [(event.object_id, event.person) for event in events(action="sign-in.failed")] == [
        ("ada", ""),
        ("unknown account", ""),
    ]


def test_throttled_attempts_are_recorded_but_cannot_fill_the_log():
    make_user("ada", password="correct horse")
    for _ in range(17):
        sign_in("ada", "wrong")

    assert len(events(action="sign-in.failed")) == 5
    assert len(events(action="sign-in.throttled")) == 10


# -- who and through what ---------------------------------------------------------------------------------------------


def test_a_change_by_the_api_names_the_token_and_the_request(ada):
    program = Program(make_token(user=ada))

    answer = program.send("POST", "/tools", spec_text("x"))

    event = the("tool.create")
    assert (event.interface, event.person) == ("api", "ada")
    assert event.client == f"token {ApiToken.objects.get()}"
    assert event.address == "127.0.0.1"
    assert event.request_id == answer["X-Request-ID"]


def test_a_page_is_recorded_as_one(browser):
    make_tool("x")

    browser.post("/tools/x/settings/", {"section": "archive"})

    assert (the("tool.archive").interface, the("tool.archive").person) == ("page", "ada")


def test_a_command_names_itself_and_nobody(tmp_path):
    (tmp_path / "a.json").write_text(spec_text("x"))

    call_command("load_specs", str(tmp_path / "a.json"), verbosity=0)

    event = the("tool.create")
    assert (event.interface, event.address) == ("command", "")
    assert " by " in event.client


def test_a_thread_goes_on_as_the_request_that_started_it(ada):
    with act_for(Origin("api", lambda: Actor.of(ada, client="token t", address="192.0.2.1"))):
        resolved = audit.current_origin().resolve()

    with act_for(resolved):
        record("tool.archive", "tool", "x")

    assert (the("tool.archive").interface, the("tool.archive").address) == ("api", "192.0.2.1")


def test_long_texts_and_lists_are_cut():
    record("tool.organise", "tool", "x" * 300, after={"note": "n" * 1000, "tags": list(range(100))})

    event = the("tool.organise")
    assert len(event.object_id) == 255
    assert len(event.as_json()["after"]["note"]) == 301
    assert len(event.as_json()["after"]["tags"]) == 31


def test_nul_characters_are_stored_on_both_databases():
    record("tool.organise", "tool", "a\x00b", after={"note": "c\x00d"})

    assert the("tool.organise").object_id == "a\ufffdb"
    assert the("tool.organise").as_json()["after"] == {"note": "c\x00d"}


def test_the_changes_of_an_event_have_both_values():
    event = AuditEvent(
        before='{"revision": 1, "owner": "ada"}',
        after='{"revision": 2, "tags": ["a"], "note": null}',
    )

    assert event.changes == [
        ("revision", "1", "2"),
        ("owner", "ada", ""),
        ("tags", "", '["a"]'),
        ("note", "", "null"),
    ]
    assert AuditEvent().changes == []
