"""The ids of imported tools in the preview and in a check: their fields, and what they do."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from accounts.cell_rate import Rate
from catalog.access.models import Toolkit
from catalog.tools.models import Tool
from catalog.uploads.models import Upload
from tests.factories import make_tool, make_user, spec_text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_data_dir")]


def mcp(*names: str) -> str:
    tools = [
        {"name": name, "description": "Does it.", "inputSchema": {"type": "object"}}
        for name in names
    ]
    return json.dumps({"tools": tools})


def file(name: str, *names: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, mcp(*names).encode())


def tree_of(answer) -> HTMLParser:
    return HTMLParser(answer.content)


def preview_of(browser, text="", **more) -> HTMLParser:
    return tree_of(browser.post("/add/preview/", {"text": text, **more}))


def fields(tree: HTMLParser, *names: str) -> dict[str, list[str]]:
    """What the browser sends of the preview, as `new_ids` of these tools are typed."""
    values = {
        name: [one.attributes["value"] or "" for one in tree.css(f'[name="{name}"]')]
        for name in ("choices", "offered", "checked")
    }
    rows = {
        name: [one.attributes["value"] or "" for one in tree.css(f'[name="{name}"]')]
        for name in ("row", "offered_id", "new_id")
    }
    take = [one.attributes["value"] for one in tree.css('[name="take"][checked]')]
    return {**{name: one for name, one in values.items() if one}, **rows, "take": take}


def typed(tree: HTMLParser, **new_ids: str) -> dict[str, list[str]]:
    """The entries of the form of `tree` once these ids are typed, by the names of the tools."""
    sent = fields(tree)
    rows = [row.rpartition("#")[2] for row in sent["row"]]
    assert set(new_ids) <= set(rows)
    sent["new_id"] = [
        new_ids.get(row, value) for row, value in zip(rows, sent["new_id"], strict=True)
    ]
    return sent


def values(tree: HTMLParser) -> list[str]:
    return [one.attributes["value"] for one in tree.css('[name="new_id"]')]


def words(tree, selector: str) -> str:
    return " ".join(tree.css_first(selector).text().split())


def stored_ids() -> list[str]:
    return sorted(Tool.objects.values_list("tool_id", flat=True))


def test_each_imported_tool_has_a_field_with_the_id_that_it_would_get(browser):
    tree = preview_of(browser, files=[file("mail.json", "find", "send")])

    assert values(tree) == ["mail.find", "mail.send"]
    assert [words(one, ".entry-new-id span") for one in tree.css(".entry")] == [
        "Id of find",
        "Id of send",
    ]


def test_a_spec_and_an_unchanged_tool_have_no_field(browser):
    browser.post("/add/", {"text": mcp("find")})

    assert values(preview_of(browser, spec_text("own"))) == []
    assert values(preview_of(browser, mcp("find"))) == []


def test_a_typed_id_is_checked_and_published(browser):
    text = mcp("find", "send")
    sent = typed(preview_of(browser, text), find=" post.search ")

    again = preview_of(browser, text, **sent)
    browser.post("/add/", {"text": text, **sent})

    assert values(again) == ["post.search", "send"]
    assert words(again, "button.button-primary") == "Publish 2 specs"
    assert stored_ids() == ["post.search", "send"]


def test_an_empty_field_means_the_offered_id(browser):
    text = mcp("find")

    again = preview_of(browser, text, **typed(preview_of(browser, text), find=" "))

    assert values(again) == ["find"]


def test_a_wrong_id_stays_in_its_field_with_the_problem_at_its_row(browser):
    text = mcp("find", "send")

    tree = preview_of(browser, text, **typed(preview_of(browser, text), find="a\u202eb"))

    row = tree.css_first(".entry-rejected")
    field = row.css_first('[name="new_id"]')
    assert field.attributes["value"] == "a\u202eb"
    assert "aria-invalid" in field.attributes
    problems = row.css_first(f"#{field.attributes['aria-describedby']}")
    assert words(problems, ".problem-message").startswith("id contains the control character")


def test_rows_keep_their_order_while_ids_are_typed(browser):
    text = mcp("find", "send")

    tree = preview_of(browser, text, **typed(preview_of(browser, text), send="find"))

    assert [one.attributes["value"].rpartition("#")[2] for one in tree.css('[name="row"]')] == [
        "find",
        "send",
    ]
    assert [words(one, ".badge") for one in tree.css(".entry")] == ["new", "rejected"]


def test_a_typed_id_that_belongs_to_a_tool_says_so(browser):
    browser.post("/add/", {"files": [file("mail.json", "find")]})
    sent = {"files": [file("mail.json", "send")], "replace": "on"}
    first = preview_of(browser, **sent)

    sent["files"] = [file("mail.json", "send")]
    tree = preview_of(browser, **sent, **typed(first, send="mail.find"))

    note = tree.css_first(".entry-same-id")
    assert (
        " ".join(note.text().split())
        == "The tool mail.find is in the catalog. Publishing adds revision 2 to it."
    )
    assert note.css_first("a").attributes["href"] == "/tools/mail.find/"
    assert tree.css_first('[name="new_id"]').attributes["aria-describedby"] == note.attributes["id"]


def test_a_typed_id_of_an_equal_tool_keeps_its_field(browser):
    first = preview_of(browser, files=[file("mail.json", "find")])
    browser.post("/add/", {"files": [file("mail.json", "find")], **typed(first, find="own")})

    tree = preview_of(browser, files=[file("mail.json", "find")])

    assert values(tree) == ["own"]
    assert (
        words(tree, ".entry-same-id")
        == "The tool own is in the catalog. Publishing does not change it."
    )


def test_a_typed_id_stays_when_the_prefix_changes(browser):
    sent = typed(preview_of(browser, files=[file("mail.json", "find", "send")]), find="own")

    tree = preview_of(browser, files=[file("mail.json", "find", "send")], prefix="post", **sent)

    assert values(tree) == ["own", "post.send"]


def test_choices_stay_while_the_text_cannot_be_read(browser):
    text = mcp("find", "send", "open")
    sent = typed(preview_of(browser, text), find="own")
    sent["take"].remove("pasted text#1#send")

    broken = preview_of(browser, text[:-1], **sent)
    repaired = preview_of(browser, text, **fields(broken))

    assert values(broken) == []
    assert values(repaired) == ["own", "send", "open"]
    assert [one.attributes["value"] for one in repaired.css('[name="take"]:not([checked])')] == [
        "pasted text#1#send"
    ]


def test_choices_stay_while_there_is_no_preview(browser, settings):
    settings.UPLOAD_RATE = Rate(1, 60)
    text = mcp("find")
    sent = typed(preview_of(browser, text), find="own")

    busy = preview_of(browser, text, **sent)
    long_prefix = tree_of(browser.post("/add/", {"text": text, "prefix": "x" * 101, **sent}))

    for tree in (busy, long_prefix):
        assert json.loads(tree.css_first('[name="choices"]').attributes["value"])["new_ids"] == {
            "pasted text#1#find": "own"
        }


def test_an_id_is_forgotten_when_its_tool_is_removed(browser):
    sent = typed(preview_of(browser, mcp("find", "send")), find="own")

    without = preview_of(browser, mcp("send"), **sent)
    again = preview_of(browser, mcp("find", "send"), **typed(without, send="own"))

    assert [words(one, ".badge") for one in again.css(".entry")] == ["new", "new"]


def test_tools_with_the_same_problem_have_their_fields_in_the_list(browser):
    for name in "abc":
        make_tool(name)

    tree = preview_of(browser, mcp(*"abc"))
    changed = preview_of(browser, mcp(*"abc"), **typed(tree, b="other"))

    assert len(tree.css(".entry")) == 1
    assert len(tree.css('.repeated [name="new_id"]')) == 3
    assert sorted(words(one, ".badge") for one in changed.css(".entry")) == [
        "needs review",
        "needs review",
        "new",
    ]


def test_the_same_tool_in_two_documents_of_a_file_has_two_fields(browser):
    tool = {"name": "find", "description": "x", "inputSchema": {"type": "object"}}
    text = "\n".join(json.dumps(tool | {"description": one}) for one in ("One.", "Two."))

    tree = preview_of(browser, files=[SimpleUploadedFile("mail.ndjson", text.encode())])

    assert len({one.attributes["data-key"] for one in tree.css('[name="new_id"]')}) == 2


def test_a_preview_groups_the_tools_of_several_files(browser):
    files = [file("mail.json", "find", "send"), file("maps.json", "find", "route", "show")]
    once = preview_of(browser, files=[files[0]])
    files[0].seek(0)

    tree = preview_of(browser, files=files)

    assert not once.css(".entries-title")
    assert [" ".join(one.text().split()) for one in tree.css("h3.entries-title")] == [
        "mail.json 2 new",
        "maps.json 3 new",
    ]
    assert [len(one.css(".entry")) for one in tree.css(".entries")] == [2, 3]


def test_the_options_of_imported_tools_are_open_beside_them(browser):
    make_tool("find")

    pages = [tree_of(one) for one in (browser.get("/add/"), browser.post("/add/", {"text": "{}"}))]
    imported = check_upload(browser, text=mcp("find"))

    assert [
        "open" in one.css_first("#import-options").attributes for one in (*pages, imported)
    ] == [False, False, True]
    assert imported.css_first("#import-options + #preview .import-choice")
    assert [len(one.css('[name="prefix"]')) for one in (*pages, imported)] == [1, 1, 1]


def check_upload(browser, **sent) -> HTMLParser:
    return tree_of(browser.post("/add/", {"dry_run": "on", **sent}))


def test_a_check_is_repeated_and_published_with_the_typed_ids(browser):
    first = check_upload(browser, files=[file("mail.json", "find", "send", "open")])
    sent = typed(first, find="both", send="both")
    sent["take"].remove("mail.json#1#open")

    refused = check_upload(browser, **sent)
    second = check_upload(browser, **typed(refused, send="own"))
    browser.post("/add/", fields(second))

    assert words(first, 'button[name="dry_run"]') == "Check again"
    assert sorted(values(refused)) == ["both", "both", "mail.open"]
    assert len(refused.css(".entry-rejected")) == 2
    assert (
        refused.css_first('[name="take"]:not([checked])').attributes["value"] == "mail.json#1#open"
    )
    assert sorted(values(second)) == ["both", "mail.open", "own"]
    assert stored_ids() == ["both", "own"]


def test_a_check_is_published_with_ids_typed_since(browser):
    page = check_upload(browser, files=[file("mail.json", "find", "send")])

    browser.post("/add/", typed(page, find="own"))

    assert stored_ids() == ["mail.send", "own"]


def test_a_check_in_which_all_ids_are_refused_can_be_corrected(browser):
    names = [f"t{number}" for number in range(6)]
    first = check_upload(browser, files=[file("tools.json", *names)], no_prefix="on")
    shared = typed(first, **dict.fromkeys(names, "both"))
    page = check_upload(browser, no_prefix="on", **shared)
    assert len(page.css(".entry-rejected, .repeated > li")) >= 6

    again = check_upload(browser, no_prefix="on", **typed(page, t0="new"))

    assert words(again, "button.button-primary") == "Publish 1 spec"


def test_replacing_keeps_the_typed_ids_and_the_file(browser):
    make_tool("find")
    page = check_upload(browser, files=[file("mail.json", "find", "send")], no_prefix="on")

    again = check_upload(browser, replace="on", no_prefix="on", **typed(page, send="own"))

    assert sorted(values(again)) == ["find", "own"]
    assert "2 new" not in again.body.text()
    browser.post("/add/", {"replace": "on", "no_prefix": "on", **fields(again)})
    assert Tool.objects.get(tool_id="find").current.number == 2
    assert stored_ids() == ["find", "own"]


def test_a_check_without_selected_tools_publishes_nothing_and_keeps_its_files(browser):
    page = check_upload(browser, files=[file("mail.json", "find", "send")])

    answer = browser.post("/add/", fields(page) | {"take": []})

    again = tree_of(answer)
    assert answer.status_code == 422
    assert "Nothing was published, because no tool is selected." in words(again, ".error-summary")
    assert len(again.css('[name="take"]:not([checked])')) == 2
    assert stored_ids() == []
    browser.post("/add/", fields(again) | {"take": ["mail.json#1#find"]})
    assert stored_ids() == ["mail.find"]


def test_a_check_lists_more_tools_than_a_preview_and_publishes_those_that_it_does_not_list(browser):
    names = [f"t{number}" for number in range(410)]

    page = check_upload(browser, files=[file("mail.json", *names)])
    sent = fields(page)
    browser.post("/add/", sent)

    assert len(sent["row"]) == 400
    assert "and 10 more" in page.css_first("#preview").text()
    assert Tool.objects.count() == 410


def test_a_published_report_has_no_fields(browser):
    address = browser.post("/add/", {"text": mcp("find")})["Location"]

    assert not tree_of(browser.get(address)).css('[name="new_id"]')


def test_tools_that_need_approval_for_the_same_reason_stay_selected_in_a_check(browser):
    Toolkit.objects.create(key="mail", name="mail", owner=make_user("olivia"))
    page = check_upload(browser, files=[file("mail.json", "find", "send", "open")])
    assert words(page, ".entry-held .entry-name") == "3 specs with the same problem"

    browser.post("/add/", fields(page))

    assert Upload.objects.get().held == 3
