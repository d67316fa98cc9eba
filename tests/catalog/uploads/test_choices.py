"""What a person chooses about imported tools: new ids, and tools that are left out."""

import io
import json

import pytest
from django.conf import settings

from catalog.access.models import Toolkit
from catalog.access.rights import may
from catalog.proposals.models import Proposal
from catalog.sources.models import Source
from catalog.tools.models import Tool
from catalog.tools.publishing import publish
from catalog.uploads.choices import (
    MAX_NEW_ID_CHARACTERS,
    NO_CHOICES,
    Choices,
    ImportOptions,
    key_of,
)
from catalog.uploads.readers import pieces_of
from catalog.uploads.reports import publish_upload, read_files
from catalog.uploads.store import upload
from tests.factories import make_spec, make_tool, make_user, spec_text
from toolspec.imports import import_document

pytestmark = pytest.mark.django_db


def mcp(*names, description="Does it."):
    return {
        "tools": [
            {"name": one, "description": description, "inputSchema": {"type": "object"}}
            for one in names
        ]
    }


def uploaded(
    document,
    name="mail.json",
    *,
    by=None,
    skip=(),
    dry_run=False,
    replace=False,
    prefix=None,
    **new_ids,
):
    """The entries of a document whose tools, by their names, get new ids."""
    data = json.dumps(document).encode()
    choices = Choices(
        frozenset(f"{name}#1#{one}" for one in skip),
        {f"{name}#1#{key}": one for key, one in new_ids.items()},
    )
    pieces = pieces_of(name, io.BytesIO(data), max_bytes=settings.MAX_SPEC_BYTES)
    return list(
        upload(pieces, by=by, dry_run=dry_run, options=ImportOptions(prefix, replace, choices))
    )


def stored_ids():
    return sorted(Tool.objects.values_list("tool_id", flat=True))


def rules(entry):
    return [fault.problem.rule for fault in entry.faults]


PARAMETERS = {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(
    "document",
    [
        mcp("find"),
        {
            "openapi": "3.0.3",
            "info": {"title": "Mail", "version": "1"},
            "paths": {"/": {"get": {"operationId": "find"}}},
        },
        {
            "type": "function",
            "function": {"name": "find", "description": "x", "parameters": PARAMETERS},
        },
        {"name": "find", "description": "x", "input_schema": PARAMETERS},
        {"functionDeclarations": [{"name": "find", "description": "x", "parameters": PARAMETERS}]},
    ],
    ids=["mcp", "openapi", "openai", "anthropic", "gemini"],
)
def test_an_imported_tool_gets_its_new_id(document):
    [entry] = uploaded(document, find="post.search")

    assert (entry.outcome, entry.tool_id, entry.name) == ("created", "post.search", "find")
    assert (entry.origin.key, entry.origin.new_id) == ("mail.json#1#find", "post.search")
    stored = Tool.objects.with_current().get().current.spec
    assert list(stored.document["definition"])[:2] == ["id", "name"]
    assert stored.document["definition"]["id"] == "post.search"


def test_a_new_id_that_is_the_name_is_not_written_twice():
    uploaded(mcp("find"), find="find")

    assert "id" not in Tool.objects.with_current().get().current.spec.document["definition"]


def test_the_same_upload_with_the_same_new_id_changes_nothing():
    uploaded(mcp("find"), find="post.search")

    [entry] = uploaded(mcp("find"), find="post.search")

    assert entry.outcome == "unchanged"


@pytest.mark.parametrize(
    "document",
    [json.loads(spec_text("mail.find")), {"id": "mail.find", "tool": mcp("find")["tools"][0]}],
    ids=["spec", "tool beside its id"],
)
def test_an_id_that_the_document_states_is_not_changed(document):
    choices = {"find": "post.search", "mail.find": "post.search"}

    [entry] = uploaded(document, **choices)

    assert entry.tool_id == "mail.find"
    assert not entry.has_editable_id
    assert stored_ids() == ["mail.find"]


@pytest.mark.parametrize(
    ("new_id", "rule"),
    [("x" * 201, "spec.too-long"), ("a\u202eb", "spec.control"), ("a\u200bb", "spec.invisible")],
    ids=["long", "control character", "invisible character"],
)
def test_a_wrong_id_is_refused_and_not_lost(new_id, rule):
    wrong, right = uploaded(mcp("find", "send"), find=new_id)

    assert (wrong.outcome, rules(wrong)) == ("rejected", [rule])
    assert (wrong.origin.new_id, wrong.has_editable_id, wrong.has_wrong_id) == (new_id, True, True)
    assert wrong.faults[0].problem.line is None  # the person sees the field, not the text
    assert right.outcome == "created"


def test_two_tools_with_the_same_new_id_are_refused():
    entries = uploaded(mcp("find", "send"), find="both", send="both")

    assert [rules(entry) for entry in entries] == [["import.same-id"]] * 2
    assert stored_ids() == []


def test_of_two_tools_of_two_files_with_the_same_new_id_the_second_waits_for_review():
    files = {
        name: json.dumps(mcp("find", description=name)).encode() for name in ("a.json", "b.json")
    }
    pieces = [one for name, data in files.items() for one in pieces_of(name, io.BytesIO(data))]

    entries = list(
        upload(
            pieces,
            by=None,
            options=ImportOptions(
                choices=Choices(new_ids={"a.json#1#find": "x", "b.json#1#find": "x"})
            ),
        )
    )

    assert [rules(entry) for entry in entries] == [[], ["publish.other-origin"]]
    assert stored_ids() == ["x"]


@pytest.mark.parametrize("names", [("find", "send"), ("send", "find")])
def test_a_new_id_that_another_tool_of_the_document_has_is_refused(names):
    entries = {entry.name: entry for entry in uploaded(mcp(*names), find="mail.send")}

    assert rules(entries["find"]) == ["import.same-id"]
    assert entries["send"].outcome == "created"
    assert stored_ids() == ["mail.send"]


def test_two_tools_can_exchange_their_ids():
    entries = uploaded(mcp("find", "send"), find="mail.send", send="mail.find")

    assert [entry.outcome for entry in entries] == ["created", "created"]


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize("names", [("find", "send"), ("send", "find")])
def test_a_tool_that_is_left_out_does_not_occupy_its_id(names, dry_run):
    entries = {
        one.name: one
        for one in uploaded(mcp(*names), skip=["send"], find="mail.send", dry_run=dry_run)
    }

    assert (entries["find"].outcome, entries["find"].tool_id) == ("created", "mail.send")
    assert set(entries) == ({"find", "send"} if dry_run else {"find"})


def test_tools_with_the_same_name_in_two_files_are_different_tools():
    files = {name: json.dumps(mcp("find")).encode() for name in ("a.json", "b.json")}
    pieces = [one for name, data in files.items() for one in pieces_of(name, io.BytesIO(data))]

    list(
        upload(
            pieces,
            by=None,
            options=ImportOptions("", choices=Choices(new_ids={"b.json#1#find": "other"})),
        )
    )

    assert stored_ids() == ["find", "other"]


def test_a_new_id_stays_when_the_prefix_changes():
    [mail] = import_document(mcp("find"), prefix="mail").specs
    [post] = import_document(mcp("find"), prefix="post").specs

    assert (
        key_of("a.json", "1", mail, "mail")
        == key_of("a.json", "1", post, "post")
        == "a.json#1#find"
    )


def test_a_new_id_of_a_tool_from_elsewhere_waits_for_review_unless_it_is_to_be_replaced():
    publish(make_spec("mine"), by=None)

    [held] = uploaded(mcp("find"), find="mine", dry_run=True)
    [replaced] = uploaded(mcp("find"), find="mine", replace=True)

    assert (held.outcome, rules(held)) == ("held", ["publish.other-origin"])
    assert (replaced.outcome, replaced.revision) == ("revised", 2)


def test_a_new_id_of_a_tool_of_the_same_document_makes_a_revision():
    uploaded(mcp("find", "send"))

    [entry, _] = uploaded(
        mcp("find", "send", description="Two."), find="mail.found", send="mail.find", replace=True
    )[::-1]

    assert (entry.outcome, entry.revision, entry.tool_id) == ("revised", 2, "mail.find")


def test_a_new_id_stays_when_the_document_is_sent_again():
    uploaded(mcp("find"), find="mail.seek")

    [entry] = uploaded(mcp("find", description="Two."), replace=True)

    assert (entry.outcome, entry.revision, entry.tool_id) == ("revised", 2, "mail.seek")


def test_a_tool_that_was_left_out_stays_out_when_the_document_is_sent_again():
    uploaded(mcp("find", "send"), skip=["send"])

    entries = uploaded(mcp("find", "send", description="Two."), replace=True)

    assert [entry.tool_id for entry in entries] == ["mail.find"]
    assert stored_ids() == ["mail.find"]


def test_a_new_id_that_has_the_address_of_another_tool_is_refused():
    holder = make_tool("find a place")

    [entry] = uploaded(mcp("find"), find=holder.slug)

    assert rules(entry) == ["publish.address-taken"]


def test_a_new_id_does_not_open_the_tool_of_another_owner(ada):
    uploaded(mcp("find"), by=ada)
    eve = make_user("eve")

    [held] = uploaded(
        mcp("send", description="Two."), "post.json", by=eve, send="mail.find", replace=True
    )

    assert held.outcome == "held"
    change = Proposal.objects.get()
    assert change.source.owner == eve
    assert may(ada, "approve", change)
    assert not may(eve, "approve", change)
    assert not Proposal.objects.decidable_by(eve).exists()
    assert Tool.objects.get().current.number == 1


def test_a_new_id_in_the_toolkit_of_others_waits_for_approval(ada):
    Toolkit.objects.create(key="official", name="official", owner=ada)

    [entry] = uploaded(mcp("find"), by=make_user("eve"), find="official.find")

    assert (entry.outcome, entry.has_editable_id, entry.has_wrong_id) == ("held", True, False)
    assert not Tool.objects.exists()
    [change] = Proposal.objects.all()
    assert may(ada, "approve", change)
    assert not may(change.source.owner, "approve", change)
    assert not Proposal.objects.decidable_by(change.source.owner).exists()


def test_choices_are_read_as_they_were_written():
    choices = Choices(frozenset({"a#b"}), {"a#c": "d"})

    assert Choices.from_json(choices.to_json()) == choices
    assert NO_CHOICES.to_json() == ""


@pytest.mark.parametrize(
    "text",
    ["", "{", "7", "[]", "[" * 100_000, '{"skip": 7, "new_ids": []}', '{"new_ids": {"a": 1}}'],
)
def test_other_json_contains_no_choices(text):
    assert Choices.from_json(text) == NO_CHOICES


def uploaded_pieces(*files, choices=NO_CHOICES, **options):
    """The entries of files: (name, document or list of documents)."""
    pieces = [
        piece
        for name, document in files
        for piece in pieces_of(name, io.BytesIO(json.dumps(document).encode()))
    ]
    return list(upload(pieces, by=None, options=ImportOptions(choices=choices), **options))


def test_tools_of_files_with_the_same_name_are_chosen_separately():
    files = [("mail.json", mcp("find")), ("mail.json", mcp("find", description="Other."))]
    first, second = uploaded_pieces(*files, dry_run=True)

    entries = uploaded_pieces(*files, choices=Choices(frozenset({second.key}), {first.key: "mine"}))

    assert first.key != second.key
    assert [entry.tool_id for entry in entries] == ["mine"]


def test_tools_with_the_same_name_in_a_list_of_documents_have_keys_of_their_own():
    tools = [{"name": "a", "description": "x", "input_schema": {}} for _ in range(3)]

    for name in ("tools.json", "tools.yaml"):
        entries = uploaded_pieces((name, tools), dry_run=True)

        assert len({entry.key for entry in entries}) == 3


def test_without_a_prefix_no_id_loses_its_first_dot():
    entries = uploaded(mcp(".a", "a"), prefix="")

    assert [(entry.tool_id, entry.origin.new_id) for entry in entries] == [(".a", ""), ("a", "")]


@pytest.mark.parametrize("order", [1, -1], ids=["the new id first", "the new id second"])
def test_a_new_id_that_another_document_of_the_upload_has_waits_for_review(order):
    files = [("a.json", mcp("find")), ("b.json", mcp("send"))][::order]
    choices = Choices(new_ids={"a.json#1#find": "b.send"})

    first, second = uploaded_pieces(*files, choices=choices)

    assert (first.outcome, rules(second)) == ("created", ["publish.other-origin"])
    assert stored_ids() == ["b.send"]


def test_a_new_id_that_a_spec_of_the_upload_has_waits_for_review():
    files = [("a.json", json.loads(spec_text("own"))), ("b.json", mcp("send"))]

    first, second = uploaded_pieces(*files, choices=Choices(new_ids={"b.json#1#send": "own"}))

    assert (first.outcome, rules(second)) == ("created", ["publish.other-origin"])


@pytest.mark.parametrize(
    ("sent", "choices"),
    [
        ({"skip": ["", "a#1#b", 5]}, Choices(frozenset({"a#1#b"}))),
        ({"new_ids": {"": "x", "a#1#b": "\ud800", "a#1#c": 5}}, Choices(new_ids={"a#1#b": "?"})),
        (
            {"new_ids": {"a#1#b": " " + "x" * 5_000}},
            Choices(new_ids={"a#1#b": "x" * MAX_NEW_ID_CHARACTERS}),
        ),
    ],
    ids=["no key", "half a character", "too long"],
)
def test_what_no_form_sends_is_ignored_or_cut(sent, choices):
    assert Choices.from_json(json.dumps(sent)) == choices


def publish_chosen(document, person, *, skip=()):
    """The entries of a document on the page, where a person has seen all of its tools."""
    data = json.dumps(document).encode()
    choices = Choices(frozenset(f"mail.json#1#{name}" for name in skip))
    options = ImportOptions(replace=True, choices=choices, offers_all=True)
    report, entries = publish_upload(
        read_files([("mail.json", io.BytesIO(data))], options), by=person, options=options
    )
    report.refresh_from_db()
    return report, {entry.name: entry.outcome for entry in entries}


def test_a_tool_that_is_skipped_when_the_document_is_sent_again_stays_as_it_is():
    uploaded(mcp("find", "send"))

    entries = uploaded(mcp("find", "send", description="Two."), skip=["send"], replace=True)

    assert [entry.outcome for entry in entries] == ["revised"]
    source = Source.objects.get()
    assert source.left_out == []
    assert not source.tools.exclude(gone_at=None).exists()


def test_a_tool_that_was_left_out_can_be_chosen_later(ada):
    _, first = publish_chosen(mcp("find", "send"), ada, skip=["send"])
    report, again = publish_chosen(mcp("find", "send"), ada)

    assert first == {"find": "created"}
    assert again == {"find": "unchanged", "send": "created"}
    assert not report.is_unfinished


def test_a_report_of_an_upload_without_the_tools_that_its_source_leaves_out_is_finished(ada):
    uploaded(mcp("find", "send"), by=ada, skip=["send"])

    [entry] = uploaded(mcp("find", "send"), by=ada)
    report, entries = publish_chosen(mcp("find", "send"), ada, skip=["send"])

    assert entry.outcome == "unchanged"
    assert entries == {"find": "unchanged"}
    assert not report.is_unfinished
