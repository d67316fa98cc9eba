"""What a person chooses about imported tools: new ids, and tools that are left out."""

import io
import json

import pytest
from django.conf import settings

from catalog.models import HeldChange, Tool, Toolkit
from catalog.publishing import publish
from catalog.uploads.choices import NO_CHOICES, Choices, key_of
from catalog.uploads.readers import pieces_of
from catalog.uploads.store import upload
from tests.factories import make_spec, make_tool, make_user, spec_text

pytestmark = pytest.mark.django_db


def mcp(*names, description="Does it."):
    return {"tools": [{"name": one, "description": description, "inputSchema": {"type": "object"}} for one in names]}


def uploaded(document, name="mail.json", *, by=None, skip=(), dry_run=False, replace=False, **new_ids):
    """The entries of a document whose tools, by their names, get new ids."""
    data = json.dumps(document).encode()
    choices = Choices(
        frozenset(f"{name}#{one}" for one in skip), {f"{name}#{key}": one for key, one in new_ids.items()}
    )
    pieces = pieces_of(name, io.BytesIO(data), max_bytes=settings.MAX_SPEC_BYTES)
    return list(upload(pieces, by=by, choices=choices, dry_run=dry_run, replace=replace))


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
        {"type": "function", "function": {"name": "find", "description": "x", "parameters": PARAMETERS}},
        {"name": "find", "description": "x", "input_schema": PARAMETERS},
        {"functionDeclarations": [{"name": "find", "description": "x", "parameters": PARAMETERS}]},
    ],
    ids=["mcp", "openapi", "openai", "anthropic", "gemini"],
)
def test_an_imported_tool_gets_its_new_id(document):
    [entry] = uploaded(document, find="post.search")

    assert (entry.outcome, entry.tool_id, entry.name) == ("created", "post.search", "find")
    assert (entry.origin.key, entry.origin.new_id) == ("mail.json#find", "post.search")
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


def test_two_tools_of_two_files_with_the_same_new_id_are_refused():
    files = {name: json.dumps(mcp("find")).encode() for name in ("a.json", "b.json")}
    pieces = [one for name, data in files.items() for one in pieces_of(name, io.BytesIO(data))]

    entries = list(upload(pieces, by=None, choices=Choices(new_ids={"a.json#find": "x", "b.json#find": "x"})))

    assert [rules(entry) for entry in entries] == [["import.same-id"]] * 2


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
    entries = {one.name: one for one in uploaded(mcp(*names), skip=["send"], find="mail.send", dry_run=dry_run)}

    assert (entries["find"].outcome, entries["find"].tool_id) == ("created", "mail.send")
    assert set(entries) == ({"find", "send"} if dry_run else {"find"})


def test_tools_with_the_same_name_in_two_files_are_different_tools():
    files = {name: json.dumps(mcp("find")).encode() for name in ("a.json", "b.json")}
    pieces = [one for name, data in files.items() for one in pieces_of(name, io.BytesIO(data))]

    list(upload(pieces, by=None, prefix="", choices=Choices(new_ids={"b.json#find": "other"})))

    assert stored_ids() == ["find", "other"]


def test_a_new_id_stays_when_the_prefix_changes():
    assert key_of("a.json", "mail.find", "mail") == key_of("a.json", "post.find", "post") == "a.json#find"


def test_a_new_id_of_a_tool_from_elsewhere_is_refused_as_any_import():
    publish(make_spec("mine"), by=None)

    [refused] = uploaded(mcp("find"), find="mine")
    [replaced] = uploaded(mcp("find"), find="mine", replace=True)

    assert (refused.outcome, rules(refused)) == ("rejected", ["publish.other-origin"])
    assert (replaced.outcome, replaced.revision) == ("revised", 2)


def test_a_new_id_of_a_tool_of_the_same_document_makes_a_revision():
    uploaded(mcp("find", "send"))

    [entry, _] = uploaded(mcp("find", "send", description="Two."), find="mail.found", send="mail.find")[::-1]

    assert (entry.outcome, entry.revision, entry.tool_id) == ("revised", 2, "mail.find")


def test_a_new_id_that_has_the_address_of_another_tool_is_refused():
    holder = make_tool("find a place")

    [entry] = uploaded(mcp("find"), find=holder.slug)

    assert rules(entry) == ["publish.address-taken"]


def test_a_new_id_does_not_open_the_tool_of_another_owner(ada):
    uploaded(mcp("find"), by=ada)
    eve = make_user("eve")

    [refused] = uploaded(mcp("send", description="Two."), by=eve, send="mail.find")
    [held] = uploaded(mcp("send", description="Two."), by=eve, send="mail.find", replace=True)

    assert rules(refused) == ["publish.other-owner"]
    assert held.outcome == "held"
    assert HeldChange.objects.get().proposed_by == eve
    assert Tool.objects.get().current.number == 1


def test_a_new_id_in_the_toolkit_of_others_waits_for_approval(ada):
    Toolkit.objects.create(key="official", name="official", owner=ada)

    [entry] = uploaded(mcp("find"), by=make_user("eve"), find="official.find")

    assert entry.outcome == "held"
    assert not Tool.objects.exists()


def test_choices_are_read_as_they_were_written():
    choices = Choices(frozenset({"a#b"}), {"a#c": "d"})

    assert Choices.from_json(choices.to_json()) == choices
    assert NO_CHOICES.to_json() == ""


@pytest.mark.parametrize(
    "text", ["", "{", "7", "[]", "[" * 100_000, '{"skip": 7, "new_ids": []}', '{"new_ids": {"a": 1}}']
)
def test_other_json_contains_no_choices(text):
    assert Choices.from_json(text) == NO_CHOICES
