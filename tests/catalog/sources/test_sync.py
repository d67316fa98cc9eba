"""Syncs of a source whose document changes, under each policy."""

import json

import pytest

from catalog.proposals.actions import AlreadyDecided, approve, reject
from catalog.proposals.models import Proposal
from catalog.sources import sync as syncing
from catalog.sources.models import Source, SourceSync, SourceTool
from catalog.sources.sync import AlreadySyncing, begin, carry_out, sync
from catalog.tools.models import Tool
from catalog.tools.origins import RevisionOrigin
from catalog.tools.publishing import publish, publish_many
from tests.catalog.sources.documents import (
    ALERTS,
    BREAKING,
    COMPATIBLE,
    DESCRIBED,
    FORECAST,
    add_document,
    change_settings,
    document,
    replace_document,
)
from toolshelf_core.errors import RevisionConflict
from toolspec.imports import import_document
from toolspec.spec import read_spec

pytestmark = pytest.mark.django_db


def counts(record):
    names = ("created", "revised", "unchanged", "held", "refused", "gone", "returned")
    return {name: getattr(record, name) for name in names if getattr(record, name)}


def forecast():
    return Tool.objects.get(tool_id="weather.forecast")


def test_the_first_sync_creates_the_tools_with_the_prefix_of_the_source(ada):
    source = add_document(document(FORECAST, ALERTS))

    record = sync(source, by=ada)

    assert (record.state, record.listed, counts(record)) == ("succeeded", 2, {"created": 2})
    tool = forecast()
    assert (tool.owner, tool.toolkit) == (None, "weather")
    assert tool.current.origin == {"kind": "source", "name": "weather"}
    assert (tool.source_tool.source, tool.source_tool.remote_name) == (source, "forecast")
    assert tool.source_tool.differs is False


def test_tools_belong_to_the_owner_of_the_source(ada):
    source = add_document(document(FORECAST))
    source.owner = ada
    source.save()

    sync(source)

    assert forecast().owner == ada


def test_a_second_sync_changes_nothing():
    source = add_document(document(FORECAST))
    sync(source)

    assert counts(sync(source)) == {"unchanged": 1}
    assert forecast().revisions.count() == 1


@pytest.mark.parametrize(
    ("policy", "change", "outcome"),
    [
        ("compatible", COMPATIBLE, "revised"),
        ("compatible", DESCRIBED, "held"),
        ("compatible", BREAKING, "held"),
        ("automatic", COMPATIBLE, "revised"),
        ("automatic", DESCRIBED, "revised"),
        ("automatic", BREAKING, "revised"),
        ("review", COMPATIBLE, "held"),
        ("review", DESCRIBED, "held"),
        ("review", BREAKING, "held"),
    ],
    ids=lambda value: (
        value if isinstance(value, str) else value["summary"][:8] + str(len(value["parameters"]))
    ),
)
def test_the_policy_decides_what_becomes_current(policy, change, outcome):
    source = add_document(document(FORECAST), policy="automatic")
    sync(source)
    change_settings(source, policy=policy)

    record = sync(replace_document(source, document(change)))

    assert counts(record) == {outcome: 1}
    assert forecast().revisions.count() == (2 if outcome == "revised" else 1)
    assert Proposal.objects.filter(state="held").count() == (1 if outcome == "held" else 0)
    assert forecast().source_tool.differs is (outcome == "held")


def test_new_tools_are_published_by_default_and_held_by_the_policy_review(ada):
    source = add_document(document(FORECAST), policy="review")
    record = sync(source)
    assert counts(record) == {"held": 1}
    assert not Tool.objects.exists()

    ada.is_staff = True
    approve(Proposal.objects.get(), by=ada)

    assert forecast().current.origin == {"kind": "source", "name": "weather"}
    assert forecast().source_tool.differs is False
    assert counts(sync(source)) == {"unchanged": 1}


def test_the_report_names_what_changed_and_the_verdict():
    source = add_document(document(FORECAST, ALERTS))
    sync(source)

    record = sync(replace_document(source, document(BREAKING, ALERTS)))
    record.refresh_from_db()

    [change] = record.changes
    held = Proposal.objects.get()
    assert change == {
        "tool_id": "weather.forecast",
        "outcome": "held",
        "change": held.pk,
        "message": "The change is breaking.",
        "slug": "weather.forecast",
        "verdict": "breaking",
    }
    assert (held.verdict, held.base) == ("breaking", forecast().current)


def test_a_tool_that_vanished_is_marked_and_not_deleted():
    source = add_document(document(FORECAST, ALERTS))
    sync(source)

    record = sync(replace_document(source, document(ALERTS)))

    assert counts(record) == {"unchanged": 1, "gone": 1}
    assert forecast().source_tool.gone_at is not None
    assert forecast().archived_at is None


def test_a_tool_that_returns_is_no_longer_marked():
    source = add_document(document(FORECAST, ALERTS))
    sync(source)
    sync(replace_document(source, document(ALERTS)))

    record = sync(replace_document(source, document(FORECAST, ALERTS)))

    assert counts(record) == {"unchanged": 2, "returned": 1}
    assert forecast().source_tool.gone_at is None


def test_a_failed_sync_changes_nothing_and_says_why():
    source = add_document(document(FORECAST, ALERTS))
    sync(source)

    record = sync(replace_document(source, "{not JSON"))

    assert record.state == "failed"
    assert record.error.startswith("The document cannot be read: ")
    assert "(line 1, column 2)" in record.error
    assert counts(record) == {}
    assert SourceTool.objects.filter(gone_at=None).count() == 2


def test_an_internal_fault_is_reported_and_logged(monkeypatch, caplog):
    source = add_document(document(FORECAST))
    monkeypatch.setattr(syncing, "read_source", lambda _: 1 / 0)

    record = sync(source)

    assert record.error == "An internal error stopped the sync. The server's log has the details."
    assert "ZeroDivisionError" in caplog.text
    assert SourceSync.objects.get().state == "failed"


def test_a_document_that_is_no_openapi_document_is_refused():
    source = add_document(document(FORECAST))

    record = sync(replace_document(source, '{"a": 1}'))

    assert (
        record.error == "This is not an OpenAPI document: it has no `openapi` or `swagger` field."
    )


def test_a_document_in_yaml_is_read():
    text = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:\n  /a:\n    get: {operationId: a, responses: {}}\n"

    assert counts(sync(add_document(text))) == {"created": 1}


def test_a_tool_that_was_in_the_catalog_before_is_not_overwritten(ada):
    publish(
        read_spec(
            '{"definition": {"id": "weather.forecast", "name": "mine", "description": "Mine"}}'
        ),
        by=ada,
    )
    source = add_document(document(FORECAST), policy="automatic")

    record = sync(source)

    assert counts(record) == {"held": 1}
    assert forecast().name == "mine"
    assert (
        Proposal.objects.get().reason
        == "A tool with this id was in the catalog before the source listed it."
    )
    approve(Proposal.objects.get(), by=ada)
    assert forecast().current.origin == {"kind": "source", "name": "weather"}


def test_a_revision_that_was_published_here_is_not_overwritten(ada):
    source = add_document(document(FORECAST))
    sync(source)
    publish(
        read_spec(
            '{"definition": {"id": "weather.forecast", "name": "forecast", "description": "By Ada"}}'
        ),
        by=ada,
    )
    assert counts(sync(source)) == {"unchanged": 1}

    record = sync(replace_document(source, document(DESCRIBED)))

    assert counts(record) == {"held": 1}
    assert Proposal.objects.get().reason.startswith("Revision 2 was published here")
    assert forecast().description == "By Ada"


def test_a_later_change_replaces_the_held_one():
    source = add_document(document(FORECAST))
    sync(source)
    sync(replace_document(source, document(BREAKING)))

    sync(replace_document(source, document(FORECAST)))

    assert [change.state for change in Proposal.objects.all()] == ["replaced"]
    assert forecast().source_tool.differs is False


def test_an_approved_change_becomes_the_next_revision(ada):
    source = add_document(document(FORECAST))
    sync(source)
    sync(replace_document(source, document(BREAKING)))
    ada.is_staff = True

    publication = approve(Proposal.objects.get(), by=ada, seen=1)

    assert (publication.outcome, publication.revision.number, publication.revision.created_by) == (
        "revised",
        2,
        ada,
    )
    change = Proposal.objects.get()
    assert (change.state, change.decided_by) == ("approved", ada)
    assert forecast().source_tool.differs is False
    with pytest.raises(AlreadyDecided, match=r"no longer in review: approved\."):
        approve(change, by=ada)


def test_a_change_is_not_approved_on_top_of_a_revision_that_was_not_seen(ada):
    source = add_document(document(FORECAST))
    sync(source)
    sync(replace_document(source, document(BREAKING)))
    publish(
        read_spec(
            '{"definition": {"id": "weather.forecast", "name": "forecast", "description": "By Ada"}}'
        ),
        by=ada,
    )
    ada.is_staff = True

    with pytest.raises(RevisionConflict, match="a newer revision than the one you saw"):
        approve(Proposal.objects.get(), by=ada, seen=1)

    assert Proposal.objects.get().is_held


def test_a_rejected_change_is_not_held_again(ada):
    source = add_document(document(FORECAST))
    sync(source)
    sync(replace_document(source, document(BREAKING)))
    ada.is_staff = True

    reject(Proposal.objects.get(), by=ada)

    assert counts(sync(source)) == {"unchanged": 1}
    assert [change.state for change in Proposal.objects.all()] == ["rejected"]
    assert forecast().source_tool.differs is True


def test_an_invalid_tool_is_reported_and_does_not_stop_the_others():
    bad = {**ALERTS, "summary": "x" * 1_200_000}
    source = add_document(document(bad, FORECAST))

    record = sync(source)

    assert counts(record) == {"created": 1, "refused": 1}
    assert "bytes" in record.changes[0]["message"]


def test_one_sync_of_a_source_runs_at_a_time():
    source = add_document(document(FORECAST))
    record = begin(source)

    with pytest.raises(AlreadySyncing, match="The source weather is being synced already"):
        begin(source)

    assert carry_out(record).state == "succeeded"
    assert begin(source)


def test_a_sync_whose_process_was_stopped_does_not_block_the_next_one():
    source = add_document(document(FORECAST))
    record = begin(source)
    SourceSync.objects.update(started_at="2026-01-01T00:00Z")

    assert sync(source).state == "succeeded"

    record.refresh_from_db()
    assert (record.state, record.message) == (
        "failed",
        "The sync was interrupted: its process was stopped.",
    )


def test_a_sync_sets_the_time_of_the_next_one():
    source = add_document(document(FORECAST), every_minutes=60)
    assert list(Source.objects.due()) == [source]

    record = sync(source)

    source.refresh_from_db()
    assert (source.next_sync_at - record.ended_at).total_seconds() == 3600
    assert list(Source.objects.due()) == []


def test_old_reports_are_deleted(monkeypatch):
    monkeypatch.setattr(syncing, "STORED_SYNCS", 2)
    source = add_document(document(FORECAST))

    for _ in range(4):
        sync(source)

    assert source.syncs.count() == 2


def test_an_identical_tool_that_was_in_the_catalog_before_waits_for_approval(ada):
    [imported] = import_document(json.loads(document(FORECAST)), prefix="weather").specs
    publish(imported.spec, by=ada)
    source = add_document(document(FORECAST), policy="automatic")

    assert counts(sync(source)) == {"held": 1}
    assert (
        Proposal.objects.get().reason
        == "A tool with this id was in the catalog before the source listed it."
    )
    assert forecast().source_tool.published_sha256 == ""
    assert counts(sync(source)) == {"unchanged": 1}

    approved = approve(Proposal.objects.get(), by=ada)

    assert (approved.revision.number, approved.revision.source) == (2, imported.spec.source)
    assert forecast().current.origin == {"kind": "source", "name": "weather"}
    assert counts(sync(source)) == {"unchanged": 1}


def test_a_tool_that_an_earlier_sync_took_over_waits_for_approval(ada):
    [imported] = import_document(json.loads(document(FORECAST)), prefix="weather").specs
    tool = publish(imported.spec, by=ada).tool
    source = add_document(document(FORECAST))
    sha256 = imported.spec.sha256
    SourceTool.objects.create(
        source=source,
        tool_id=tool.tool_id,
        catalog_tool=tool,
        remote_name="forecast",
        listed_sha256=sha256,
        published_sha256=sha256,
    )

    assert counts(sync(source)) == {"held": 1}
    assert counts(sync(source)) == {"unchanged": 1}


def test_a_tool_that_an_earlier_version_stored_under_an_untrimmed_id_waits_for_approval():
    source = add_document(document(FORECAST))
    sync(source)
    SourceTool.objects.update(tool_id="weather.forecast ")

    record = sync(replace_document(source, document(DESCRIBED)))

    assert (record.error, counts(record)) == ("", {"held": 1})
    assert SourceTool.objects.get().tool_id == "weather.forecast"


def test_a_tool_that_was_stored_on_several_lines_is_unchanged():
    [imported] = import_document(json.loads(document(FORECAST)), prefix="weather").specs
    indented = read_spec(json.dumps(imported.document, indent=2))
    source = add_document(document(FORECAST))
    [stored] = publish_many(
        [indented], by=None, origins={indented.sha256: RevisionOrigin("source", "weather")}
    )
    SourceTool.objects.create(
        source=source,
        tool_id=indented.tool_id,
        catalog_tool=stored.tool,
        remote_name="forecast",
        listed_sha256=indented.sha256,
        published_sha256=indented.sha256,
    )

    assert counts(sync(source)) == {"unchanged": 1}
    assert forecast().current.source == indented.source
    assert counts(sync(source)) == {"unchanged": 1}


def signed_in(server="https://api.example/v1", token_url="https://login.example/token", **scheme):
    """A document whose operation needs credentials."""
    flows = {"clientCredentials": {"tokenUrl": token_url, "scopes": {}}}
    schemes = {"login": {"type": "oauth2", "flows": flows, **scheme}}
    changed = {
        "servers": [{"url": server}],
        "security": [{"login": []}],
        "components": {"securitySchemes": schemes},
    }
    return json.dumps(json.loads(document(FORECAST)) | changed)


@pytest.mark.parametrize(
    "changed",
    [
        signed_in(server="https://evil.example/v1"),
        signed_in(server="http://api.example/v1"),
        signed_in(token_url="https://evil.example/token"),
        signed_in(type="apiKey", **{"in": "query"}, name="key"),
    ],
)
def test_a_change_of_where_credentials_go_is_held(changed):
    source = add_document(signed_in())
    sync(source)

    assert counts(sync(replace_document(source, changed))) == {"held": 1}
    assert (
        Proposal.objects.get().reason
        == "The URL that receives requests or credentials has changed."
    )


@pytest.mark.parametrize("policy", ["compatible", "automatic"])
def test_another_path_on_the_same_server_is_not_held(policy):
    source = add_document(signed_in(), policy=policy)
    sync(source)

    changed = signed_in(server="https://api.example/v2", token_url="https://login.example/oauth")

    assert counts(sync(replace_document(source, changed))) == {"revised": 1}


def test_the_policy_automatic_publishes_another_server():
    source = add_document(signed_in(), policy="automatic")
    sync(source)

    assert counts(sync(replace_document(source, signed_in(server="https://other.example")))) == {
        "revised": 1
    }
