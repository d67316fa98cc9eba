"""The upload page: its preview, publishing what was checked, and the report of each upload."""

from __future__ import annotations

import json
import re
import tracemalloc
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from accounts.cell_rate import Rate
from accounts.roles import set_role
from catalog.lint.waivers import waive
from catalog.tools.models import Tool
from catalog.uploads import lint_errors, store
from catalog.uploads.models import Upload
from catalog.uploads.summary import NARROWEST, WIDTH, Summary
from tests.factories import make_tool, make_user, properties, spec_text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_data_dir")]

MCP_TOOLS = {
    "tools": [
        {
            "name": name,
            "description": "Does something.",
            "inputSchema": {"type": "object"},
            "icons": [{"src": "x"}],
        }
        for name in ("read", "write")
    ]
}


def preview_of(browser, text="", **more) -> HTMLParser:
    answer = browser.post("/add/preview/", {"text": text, **more})
    assert answer.status_code == 200, answer.content
    return HTMLParser(answer.content)


def words(tree, selector: str) -> str:
    return " ".join(tree.css_first(selector).text().split())


def check_of(browser, **sent) -> HTMLParser:
    """The page that shows what publishing would do."""
    return HTMLParser(browser.post("/add/", {"dry_run": "on", **sent}).content)


def listed(*texts: str) -> str:
    return f"[{','.join(texts)}]"


def three_kinds() -> str:
    """One breaking change, one new spec, one that is stored already, one that is wrong."""
    make_tool("old", parameters=properties(a={"type": "string"}))
    make_tool("same")
    changed = spec_text("old", parameters=properties(a={"type": "number"}))
    return listed(spec_text("new"), changed, spec_text("same"), '{"definition": {"id": "x"}}')


def test_a_preview_counts_and_stores_nothing(browser):
    tree = preview_of(browser, three_kinds())

    assert words(tree, "[role=status]") == "1 new, 1 changed (1 breaking), 1 unchanged, 1 rejected"
    assert [words(entry, ".badge") for entry in tree.css(".entry")] == [
        "rejected",
        "changed",
        "new",
    ]
    assert words(tree, "button.button-primary") == "Publish 2 specs, 1 breaking"
    assert Tool.objects.count() == 2
    assert not Upload.objects.exists()


def test_a_preview_colours_only_the_numbers_above_zero(browser):
    numbers = preview_of(browser, spec_text("new")).css(".outcome-numbers dd")

    assert [(one.text(strip=True), one.attributes.get("class")) for one in numbers] == [
        ("1", "tone-good"), ("0", None), ("0", None), ("0", None),
    ]  # fmt: skip


def test_a_preview_of_broken_text_links_each_problem_to_its_line(browser):
    tree = preview_of(
        browser, '{\n  "definition": {\n    "name": 5,\n    "description": ""\n  }\n}'
    )

    links = [
        (link.attributes["data-line"], link.attributes["data-column"])
        for link in tree.css("a[data-line]")
    ]
    assert ("3", "13") in links
    assert not tree.css("button.button-primary")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"definition": {"name": "a"}}', "Fix the problem above to publish."),
        ('{"definition": {"name": 5, "description": 6}}', "Fix the 2 problems above to publish."),
    ],
)
def test_a_preview_counts_the_problems_to_fix(browser, text, sentence):
    assert words(preview_of(browser, text), ".preview-actions p") == sentence


def test_a_warning_of_a_preview_links_to_its_line_and_its_rule(browser):
    warning = preview_of(browser, spec_text("odd", paramters={"type": "object"})).css_first(
        ".problem-warning"
    )

    link = warning.css_first("a[data-line]")
    assert (link.attributes["data-line"], link.text()) == ("6", "Line 6, column 18")
    assert warning.css_first('a[href="/lint/member-misspelt/"]')


BAD_EXAMPLE = {
    "parameters": properties(number={"type": "string"}) | {"required": ["number"]},
    "examples": [{"parameters": {"numbr": "5"}}],
}


def test_a_preview_warns_about_an_example_that_does_not_fit(browser):
    text = spec_text("two", **BAD_EXAMPLE)

    tree = preview_of(browser, text)

    warning = tree.css_first(".entry-created .problem-warning")
    link = warning.css_first("a[data-line]")
    line = text.split("\n")[int(link.attributes["data-line"]) - 1]
    assert line.strip() == '"parameters": {'
    assert line[int(link.attributes["data-column"]) - 1] == "{"
    assert warning.css_first('a[href="/lint/example-parameters-invalid/"]')
    assert words(tree, ".preview-warned") == "1 spec with warnings"


def test_warnings_about_imported_tools_are_folded_because_they_repeat(browser):
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in "abc"]

    tree = preview_of(browser, json.dumps({"tools": tools}))

    assert words(tree, ".preview-warned") == "3 specs with warnings"
    folds = tree.css("details:has(.problem-warning)")
    assert [words(one, "summary") for one in folds] == ["1 warning: description-empty"] * 3
    assert not tree.css("details[open]")


def test_a_check_warns_too_and_the_report_of_a_publication_links_to_lint(browser):
    text = spec_text("two", **BAD_EXAMPLE)
    checked = browser.post("/add/", {"text": text, "dry_run": "on"}, follow=True)
    published = browser.post("/add/", {"text": text}, follow=True)

    assert HTMLParser(checked.content).css_first(
        '.problem-warning a[href="/lint/example-parameters-invalid/"]'
    )
    tree = HTMLParser(published.content)
    assert not tree.css_first(".problem-warning")
    assert words(tree, '.entry a[href^="/tools/two/lint/"]').startswith("Lint ")


def test_a_preview_leaves_out_lint_errors_that_the_tool_waives(browser):
    tool = make_tool("two")
    waive(
        tool,
        rule="example-parameters-invalid",
        reason="It is known.",
        by=make_user("eve", is_superuser=True),
    )

    tree = preview_of(browser, spec_text("two", **BAD_EXAMPLE))

    assert tree.css_first(".entry-revised")
    assert not tree.css_first(".problem-warning")


def test_a_preview_lints_a_limited_number_of_specs(browser, monkeypatch):
    monkeypatch.setattr(lint_errors, "MAX_SPECS", 2)

    tree = preview_of(
        browser, listed(*(spec_text(f"t{number}", **BAD_EXAMPLE) for number in range(4)))
    )

    assert len(tree.css(".entry")) == 4
    assert len(tree.css(".problem-warning")) == 2


def test_a_preview_of_a_large_text_offers_the_check_with_a_button(browser):
    tree = preview_of(browser, "[" + " " * 1_100_000 + "]")

    assert "too large for a preview" in tree.body.text()
    assert words(tree, 'button[name="dry_run"]') == "Check first"


def test_a_preview_is_for_people_who_may_upload(client):
    assert client.post("/add/preview/", {"text": spec_text("a")}).status_code == 302

    reader = make_user("reader")
    set_role(reader, "reader")
    client.force_login(reader)

    assert client.post("/add/preview/", {"text": spec_text("a")}).status_code == 403


@pytest.fixture
def reader(client):
    """A browser in which a person who may only read is signed in."""
    person = make_user("reader")
    set_role(person, "reader")
    client.force_login(person)
    return client


def test_people_who_may_not_upload_see_a_reason_instead_of_the_form(reader):
    tree = HTMLParser(reader.get("/add/").content)

    assert "Only people in the groups publisher and administrator can upload tools." in words(
        tree, ".notice"
    )
    assert not tree.css_first("form#upload")


def test_an_upload_that_is_not_allowed_shows_its_text_again(reader):
    answer = reader.post("/add/", {"text": spec_text("a")})

    tree = HTMLParser(answer.content)
    assert answer.status_code == 403
    assert "Nothing was published. Your text is below." in words(tree, ".notice")
    assert tree.css_first("#text").text() == spec_text("a")
    assert not tree.css_first("form#upload button[type=submit]")
    assert not Tool.objects.exists()


def test_typing_does_not_use_up_the_uploads(browser, settings):
    settings.UPLOAD_RATE = Rate(1, 60)
    preview_of(browser, spec_text("a"))

    refused = browser.post("/add/preview/", {"text": spec_text("a")})

    assert refused.status_code == 429
    assert int(refused["Retry-After"]) > 0
    assert browser.post("/add/", {"text": spec_text("a")}).status_code == 302


def test_a_reload_of_the_report_publishes_nothing(browser):
    address = browser.post("/add/", {"text": three_kinds()})["Location"]

    for _ in range(2):
        assert browser.get(address).status_code == 200

    upload = Upload.objects.get()
    assert (upload.created, upload.revised, upload.breaking, upload.unchanged, upload.rejected) == (
        1,
        1,
        1,
        1,
        1,
    )
    assert (upload.is_unfinished, Tool.objects.get(tool_id="old").current.number) == (False, 2)


def test_a_report_lists_the_worst_first_and_folds_unchanged_specs(browser):
    address = browser.post("/add/", {"text": three_kinds()})["Location"]

    tree = HTMLParser(browser.get(address).content)

    assert [words(entry, ".badge") for entry in tree.css(".entry")] == [
        "rejected",
        "changed",
        "new",
    ]
    assert [" ".join(link.text().split()) for link in tree.css(".outcomes a")] == [
        "All 4", "Rejected 1", "Breaking 1", "Changed 1", "New 1", "Unchanged 1",
    ]  # fmt: skip
    assert not tree.css("a[data-line]")  # there is no editor here
    folded = tree.css_first('a[href$="?outcome=unchanged"]:not(.outcomes a)')
    assert folded.text() == "Show 1 unchanged"
    only = HTMLParser(browser.get(f"{address}?outcome=breaking").content)
    assert [words(entry, ".entry-name") for entry in only.css(".entry")] == ["old"]


@pytest.mark.parametrize(
    ("text", "style"),
    [
        (
            listed(spec_text("new"), spec_text("old", parameters=properties(a={"type": "number"}))),
            "notice-warn",
        ),
        (listed(spec_text("new"), '{"definition": 7}'), "notice-warn"),
        (listed(spec_text("new"), spec_text("other")), "notice-good"),
    ],
    ids=["breaking", "rejected", "new"],
)
def test_a_report_warns_about_breaking_changes_and_rejected_specs(browser, text, style):
    make_tool("old", parameters=properties(a={"type": "string"}))

    tree = HTMLParser(browser.post("/add/", {"text": text}, follow=True).content)

    assert style in tree.css_first(".notice").attributes["class"].split()


def test_the_title_of_a_page_with_a_rejected_spec_begins_with_error(browser):
    sent = {"text": '{"definition": {"name": 5}}', "dry_run": "on"}

    tree = HTMLParser(browser.post("/add/", sent).content)

    assert tree.css_first("title").text().startswith("Error: ")


def test_a_held_tool_of_a_list_is_named(browser):
    make_tool("read")
    text = json.dumps(MCP_TOOLS)

    for tree in (
        preview_of(browser, text),
        HTMLParser(browser.post("/add/", {"text": text}, follow=True).content),
    ):
        assert words(tree, ".entry-held .entry-name") == "read"


def tool_list(*names: str) -> str:
    tools = [
        {"name": name, "description": "Does it.", "inputSchema": {"type": "object"}}
        for name in names
    ]
    return json.dumps({"tools": tools})


def report_of(browser, **sent) -> HTMLParser:
    return HTMLParser(browser.post("/add/", sent, follow=True).content)


def test_tools_that_are_held_for_the_same_reason_are_one_item(browser):
    names = ["a", "b", "c", "d"]
    for name in names:
        make_tool(name)
    text = listed(tool_list(*names, "new"), '{"definition": {"name": "x"}}')

    for tree in (preview_of(browser, text), report_of(browser, text=text)):
        assert len(tree.css(".entry-rejected")) == 1
        [held] = tree.css(".entry-held")
        assert words(held, ".entry-name") == "4 specs with the same problem"
        assert len(held.css(".problem")) == 1
        assert "was in the catalog before" in words(held, ".problem-message")
        fold = held.css_first("details:has(.repeated)")
        assert "open" not in fold.attributes
        assert words(fold, "summary") == "All 4 specs"
        assert [one.text() for one in fold.css(".repeated b")] == names


def test_each_spec_of_a_group_can_be_corrected_where_it_is_listed(browser):
    wrong = [json.dumps({"definition": {"name": f"x{number}"}}) for number in range(6)]

    tree = report_of(browser, files=[SimpleUploadedFile("wrong.ndjson", "\n".join(wrong).encode())])

    assert words(tree, ".entry-rejected .entry-name") == "6 specs with the same problem"
    items = tree.css(".repeated > li")
    assert [words(one, ".problem-where") for one in items] == [
        f"Line {number}, column 16" for number in range(1, 7)
    ]
    assert [json.loads(one.css_first("textarea").text()) for one in items] == list(
        map(json.loads, wrong)
    )


def test_two_specs_with_the_same_problem_are_listed_as_they_are(browser):
    text = listed(*['{"definition": {"name": "x"}}'] * 2, spec_text("good"))

    assert len(report_of(browser, text=text).css(".entry-rejected")) == 2


def test_a_report_lists_the_specs_of_several_files_by_file(browser):
    make_tool("old")
    files = {
        "one.ndjson": "\n".join(json.dumps(json.loads(spec_text(name))) for name in ("a", "old")),
        "two.ndjson": json.dumps(json.loads(spec_text("b")))
        + '\n{"definition": 7}\n{"definition": "x"}',
        "three.json": spec_text("c"),
        "four.json": spec_text("d"),
    }

    tree = report_of(
        browser, files=[SimpleUploadedFile(name, text.encode()) for name, text in files.items()]
    )

    assert [" ".join(one.text().split()) for one in tree.css(".entries-title")] == [
        "two.ndjson 1 new, 2 rejected", "one.ndjson 1 new, 1 changed", "Other files 2 new",
    ]  # fmt: skip
    assert [
        [words(one, ".entry-source") for one in part.css(".entry")] for part in tree.css(".entries")
    ] == [
        ["line 2", "line 3", "line 1"],
        ["line 2", "line 1"],
        ["three.json", "four.json"],
    ]


def test_the_only_file_with_a_single_spec_has_its_own_heading(browser):
    files = {"list.json": listed(spec_text("a"), spec_text("b")), "bad.json": "{}"}

    tree = report_of(
        browser, files=[SimpleUploadedFile(name, text.encode()) for name, text in files.items()]
    )

    assert [" ".join(one.text().split()) for one in tree.css(".entries-title")] == [
        "bad.json 1 rejected", "list.json 2 new",
    ]  # fmt: skip


def test_a_report_of_one_spec_has_only_its_row(browser):
    tree = report_of(browser, text=spec_text("a"))

    assert [words(one, ".badge") for one in tree.css(".entry")] == ["new"]
    assert not tree.css("main .notice, .outcome-bar, .outcomes")


def test_a_check_says_that_nothing_is_published(browser):
    tree = check_of(browser, text=spec_text("a"))

    assert "Nothing is published yet: 1 new" in words(tree, ".notice")
    assert words(tree, "#preview .button-primary") == "Publish 1 spec"
    assert not Tool.objects.exists()
    assert not Upload.objects.exists()


def test_a_report_of_one_file_names_it_only_in_its_title(browser):
    tree = report_of(browser, text=listed(spec_text("a"), spec_text("b")))

    assert words(tree, "h1") == "Upload of pasted text"
    assert not tree.css(".entries-title")
    [second] = tree.css(".entry-source")
    assert re.fullmatch(r"line \d+", second.text(strip=True))


def test_a_preview_names_the_files_if_there_are_several(browser):
    files = [SimpleUploadedFile(name, spec_text(name[0]).encode()) for name in ("a.json", "b.json")]

    assert not preview_of(browser, spec_text("a")).css(".entry-source")
    assert [
        one.text(strip=True) for one in preview_of(browser, files=files).css(".entry-source")
    ] == [
        "a.json",
        "b.json",
    ]


def test_a_preview_shows_what_breaks_once_and_unfolded(browser):
    make_tool("old", parameters=properties(a={"type": "string"}))
    parameters = {**properties(a={"type": "string"}, c={"type": "string"}), "required": ["c"]}

    tree = preview_of(browser, spec_text("old", parameters=parameters))

    assert words(tree, ".entry > .entry-change").startswith("New required parameter c.")
    assert words(tree, "button.button-primary") == "Publish 1 breaking change"
    assert not tree.css_first(".preview-breaking")
    for fold in tree.css("details"):
        fold.decompose()
    assert [one.text(strip=True) for one in tree.css(".badge-bad")] == ["breaking"]


@pytest.mark.parametrize("sent", [{}, {"dry_run": "on"}], ids=["published", "checked"])
def test_a_report_keeps_the_sentence_about_what_breaks(browser, sent):
    make_tool("old", parameters=properties(a={"type": "string"}))

    tree = report_of(
        browser, text=spec_text("old", parameters=properties(a={"type": "number"})), **sent
    )

    assert words(tree, ".entry > .entry-change").startswith("a changed from string to number.")


def test_rejected_specs_are_named_by_the_id_and_name_that_they_declare(browser):
    named = json.dumps(
        {"definition": {"id": "maps.find", "name": "Find a place", "description": 7}}
    )
    text = listed(named, '{"definition": {"id": "second"}}', '{"definition": {"id": "a\\u202eb"}}')

    tree = preview_of(browser, text)

    assert [words(one, ".entry-head") for one in tree.css(".entry-rejected")] == [
        "rejected Find a place maps.find",
        "rejected second",
        "rejected",
    ]


def test_a_published_report_links_to_the_options_that_let_a_document_in(browser):
    named = json.dumps(json.loads(tool_list("old")) | {"serverInfo": {"name": "mail"}})
    report_of(browser, text=named)

    spec = '{"definition": {"name": "x", "description": "X."}}'
    tree = report_of(browser, text=listed(named.replace("Does it.", "Does that."), spec))

    links = [link.attributes["href"] for link in tree.css(".entry-rejected .import-actions a")]
    assert links == ["/add/?replace=on", "/add/?prefix=#prefix"]
    replacing, prefixing = (HTMLParser(browser.get(link).content) for link in links)
    assert "checked" in replacing.css_first("details[open] #replace").attributes
    assert "checked" not in prefixing.css_first("details[open] #replace").attributes
    assert not HTMLParser(browser.get("/add/").content).css("details[open] #replace")


def test_tools_that_a_request_has_no_time_for_are_rejected_with_the_ways(browser, monkeypatch):
    monkeypatch.setattr("catalog.uploads.forms.REQUEST_S", 0.0)

    answer = browser.post("/add/", {"text": tool_list("one", "two")})

    tree = HTMLParser(answer.content)
    assert answer.status_code == 422
    assert "import.too-long" in tree.css_first(".problem-where").text()
    assert "Add the document as a source" in tree.css_first(".problem-message").text()
    assert json.loads(tree.css_first("#text").text()) == json.loads(tool_list("one", "two"))
    assert not Tool.objects.exists()


@pytest.mark.parametrize("dry_run", [{}, {"dry_run": "on"}], ids=["publish", "check"])
def test_an_upload_of_too_many_bytes_is_refused_with_the_ways_and_keeps_its_text(
    browser, settings, dry_run
):
    settings.MAX_UPLOAD_BYTES = 300
    file = SimpleUploadedFile("a.json", spec_text("a").ljust(290).encode())

    answer = browser.post("/add/", {"text": spec_text("b"), "files": [file], **dry_run})

    assert answer.status_code == 413
    message = words(HTMLParser(answer.content), ".error-summary")
    assert "An upload can have at most 300 bytes" in message
    assert "Load more with manage.py load_specs, or add the document as a source." in message
    assert HTMLParser(answer.content).css_first("#text").text() == spec_text("b")
    assert not Tool.objects.exists()
    assert not Upload.objects.exists()


@pytest.mark.parametrize("dry_run", [{}, {"dry_run": "on"}], ids=["publish", "check"])
def test_an_upload_of_too_many_specs_in_all_its_files_is_refused(browser, settings, dry_run):
    settings.MAX_UPLOAD_SPECS = 3
    files = [
        SimpleUploadedFile("a.json", listed(spec_text("a"), spec_text("b")).encode()),
        SimpleUploadedFile("b.json", tool_list("c", "d").encode()),
    ]

    answer = browser.post("/add/", {"files": files, **dry_run})

    assert answer.status_code == 413
    assert "at most 3 specs" in words(HTMLParser(answer.content), ".error-summary")
    assert not Tool.objects.exists()
    assert not Upload.objects.exists()


def test_as_many_specs_as_an_upload_can_have_are_published(browser, settings):
    settings.MAX_UPLOAD_SPECS = 2

    answer = browser.post("/add/", {"text": listed(spec_text("a"), spec_text("b"))})

    assert answer.status_code == 302
    assert Tool.objects.count() == 2


def test_a_preview_of_too_many_specs_says_so(browser, settings):
    settings.MAX_UPLOAD_SPECS = 1

    tree = preview_of(browser, listed(spec_text("a"), spec_text("b")))

    assert "at most 1 specs" in words(tree, '[role="status"]')


def test_a_preview_says_before_files_are_sent_that_they_are_too_large(browser, settings):
    tree = preview_of(browser, unsent_bytes=settings.MAX_UPLOAD_BYTES + 1)

    assert "at most 8,388,608 bytes" in words(tree, '[role="status"]')
    assert not tree.css('button[name="dry_run"]')


def test_the_report_of_an_upload_that_stopped_lists_what_is_stored(browser, monkeypatch):
    monkeypatch.setattr("catalog.uploads.store.SHORT_BATCH", 2)
    publish = store.publish_or_hold_many

    def stop_at_third(specs, **options):
        if specs[0].tool_id == "e":
            raise RuntimeError("stopped")
        return publish(specs, **options)

    monkeypatch.setattr(store, "publish_or_hold_many", stop_at_third)
    with pytest.raises(RuntimeError):
        browser.post("/add/", {"text": listed(*map(spec_text, "abcdef"))})

    report = Upload.objects.get()
    tree = HTMLParser(browser.get(report.get_absolute_url()).content)
    assert words(tree, ".notice-title") == "Unfinished: 4 of 6 specs done"
    assert [words(entry, ".entry-name") for entry in tree.css(".entry")] == list("abcd")
    assert sorted(Tool.objects.values_list("tool_id", flat=True)) == list("abcd")
    assert "4 new" in words(HTMLParser(browser.get("/add/").content), ".recent-uploads")
    assert "unfinished" in words(HTMLParser(browser.get("/add/").content), ".recent-uploads")


def test_a_report_counts_warnings_and_can_be_filtered_by_them(browser):
    misspelt = spec_text("odd", paramters={"type": "object"})
    address = browser.post("/add/", {"text": listed(misspelt, spec_text("good"))})["Location"]

    tree = HTMLParser(browser.get(f"{address}?outcome=warnings").content)

    assert [words(entry, ".entry-name") for entry in tree.css(".entry")] == ["odd"]
    assert words(tree, ".outcomes [aria-current]") == "With warnings 1"


def test_a_long_report_is_paged_in_its_order(browser):
    names = [f"t{number:03}" for number in range(150)]
    address = browser.post("/add/", {"text": listed(*map(spec_text, names), '{"definition": 7}')})[
        "Location"
    ]

    first = HTMLParser(browser.get(address).content)
    second = HTMLParser(
        browser.get(address + first.css_first('a[rel="next"]').attributes["href"]).content
    )

    assert words(first, ".entry .badge") == "rejected"
    assert words(first, ".pagination") == "Next"
    shown = [
        words(entry, ".entry-name")
        for tree in (first, second)
        for entry in tree.css(".entry:has(.entry-name)")
    ]
    assert shown == names


def checked_in(tree) -> list[str]:
    return [box.attributes["value"] for box in tree.css('[name="checked"][checked]')]


def test_what_was_checked_is_published_without_choosing_it_again(browser):
    text = listed(spec_text("a"), spec_text("b", description="Ünï\r\n")).encode()
    tree = check_of(browser, files=[SimpleUploadedFile("two.json", text)])

    answer = browser.post("/add/", {"checked": checked_in(tree)})

    assert words(tree, ".checked-files label") == "two.json"
    assert words(HTMLParser(browser.get(answer["Location"]).content), "h1") == "Upload of two.json"
    assert json.loads(Tool.objects.get(tool_id="b").current.source) == json.loads(
        spec_text("b", description="Ünï\r\n")
    )


def test_the_text_beside_a_checked_file_stays_and_is_published_with_it(browser):
    files = [SimpleUploadedFile("a.json", spec_text("a").encode())]

    tree = check_of(browser, files=files, text=spec_text("b"))
    browser.post("/add/", {"checked": checked_in(tree), "text": tree.css_first("#text").text()})

    assert sorted(Tool.objects.values_list("tool_id", flat=True)) == ["a", "b"]


def test_a_file_that_is_chosen_again_replaces_the_checked_one(browser):
    tree = check_of(browser, files=[SimpleUploadedFile("one.json", spec_text("a").encode())])
    repaired = SimpleUploadedFile("one.json", spec_text("b").encode())

    browser.post("/add/", {"checked": checked_in(tree), "files": [repaired]})

    assert Tool.objects.get().tool_id == "b"


def test_a_checked_file_that_was_changed_is_refused_and_the_text_stays(browser):
    tree = check_of(browser, files=[SimpleUploadedFile("one.json", spec_text("a").encode())])
    [text] = checked_in(tree)

    answer = browser.post("/add/", {"checked": [text[1:]], "text": spec_text("b")})

    page = HTMLParser(answer.content)
    assert answer.status_code == 422
    assert "A checked file could not be read. Choose it again." in words(page, ".error-summary")
    assert page.css_first("#text").text() == spec_text("b")
    assert not Tool.objects.exists()


def test_checked_files_that_become_large_are_read_up_to_the_bound_of_an_upload(browser, settings):
    blanks = SimpleUploadedFile("one.json", (spec_text("a") + " " * 600_000).encode())
    [text] = checked_in(check_of(browser, files=[blanks]))
    settings.MAX_UPLOAD_BYTES = 1_000_000

    alone = browser.post("/add/", {"checked": [text], "dry_run": "on"})
    tracemalloc.start()
    refused = browser.post("/add/", {"checked": [text] * 200})
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert alone.status_code == 200
    assert refused.status_code == 422
    assert "The checked files are too large together." in refused.content.decode()
    assert most_bytes < 20_000_000
    assert not Tool.objects.exists()


def test_checked_files_stay_when_publishing_is_refused(browser, settings):
    settings.UPLOAD_RATE = Rate(1, 60)
    tree = check_of(browser, files=[SimpleUploadedFile("one.json", spec_text("a").encode())])

    refused = browser.post("/add/", {"checked": checked_in(tree)})

    assert refused.status_code == 429
    assert checked_in(HTMLParser(refused.content)) == checked_in(tree)


def test_new_files_of_a_refused_upload_are_not_sent_again_with_its_page(browser, reader, settings):
    settings.MAX_UPLOAD_BYTES = 10
    file = SimpleUploadedFile("one.json", spec_text("a").encode())

    too_large = browser.post("/add/", {"files": file})
    file.seek(0)
    not_allowed = reader.post("/add/", {"files": file})

    for response, status in ((too_large, 413), (not_allowed, 403)):
        assert response.status_code == status
        assert not checked_in(HTMLParser(response.content))


def test_files_that_are_too_large_for_the_page_of_their_check_are_chosen_again(
    browser, monkeypatch
):
    monkeypatch.setattr("catalog.uploads.forms.MAX_CHARS", 50)

    tree = check_of(browser, files=[SimpleUploadedFile("one.json", spec_text("a").encode())])

    assert "choose them again before you publish" in words(tree, ".notice")
    assert not checked_in(tree)


def test_reports_of_old_uploads_are_deleted_and_their_tools_stay(browser):
    browser.post("/add/", {"text": spec_text("a")})
    Upload.objects.update(created_at=timezone.now() - timedelta(days=31))

    browser.post("/add/", {"text": spec_text("b")})

    assert Upload.objects.count() == 1
    assert Tool.objects.count() == 2


def test_nobody_sees_the_report_of_another_person(browser):
    address = browser.post("/add/", {"text": spec_text("a")})["Location"]
    Upload.objects.update(by=make_user("eve"))

    assert browser.get(address).status_code == 404


def test_only_the_chosen_tools_of_a_list_are_published(browser):
    text = json.dumps(MCP_TOOLS)
    tree = preview_of(browser, text)
    offered = tree.css_first('input[name="offered"]').attributes["value"]
    assert [
        box.attributes["value"] for box in tree.css('input[name="take"][checked]')
    ] == json.loads(offered)

    again = preview_of(browser, text, offered=offered, take=["pasted text#1#read"])
    browser.post("/add/", {"text": text, "offered": offered, "take": ["pasted text#1#read"]})

    assert words(again, "button.button-primary") == "Publish 1 spec"
    assert [tool.tool_id for tool in Tool.objects.all()] == ["read"]


def test_a_checked_list_has_boxes_and_a_published_one_has_none(browser):
    text = json.dumps(MCP_TOOLS)

    trees = [
        check_of(browser, text=text),
        report_of(browser, text=text),
        check_of(browser, text=text),  # nothing is left to publish
    ]

    assert [len(tree.css('input[name="take"]')) for tree in trees] == [2, 0, 0]


def test_conversion_notes_are_summarised_once_per_kind(browser):
    tree = preview_of(browser, json.dumps(MCP_TOOLS))

    notes = [" ".join(one.text().split()) for one in tree.css("#lost-kinds li")]
    assert any(note.endswith("2 tools") for note in notes)
    assert len(notes) == len(set(notes))


def test_the_summary_of_conversion_notes_is_above_the_tools_which_have_one_fold_each(browser):
    for tree in (
        preview_of(browser, json.dumps(MCP_TOOLS)),
        HTMLParser(browser.post("/add/", {"text": json.dumps(MCP_TOOLS)}, follow=True).content),
    ):
        assert tree.css_first("#lost-kinds ~ .entries")
        assert [words(one, ".entry-operation") for one in tree.css(".entry")] == [
            "/tools/0",
            "/tools/1",
        ]
        assert words(tree, ".import-choice").startswith("Imported from MCP tools.")
        assert [len(one.css("summary")) for one in tree.css(".entry")] == [1, 1]


def test_a_wrong_list_of_tools_to_take_is_ignored(browser):
    for offered in ("{", "{}", "[[1]]", "7"):
        preview_of(browser, json.dumps(MCP_TOOLS), offered=offered)


def test_the_bar_shows_every_outcome_and_fills_its_width():
    bar = Summary(created=100_000, rejected=1, revised=2, breaking=1).segments

    assert [part.outcome for part in bar] == ["rejected", "breaking", "revised", "created"]
    assert all(part.width >= NARROWEST for part in bar)
    assert bar[-1].x + bar[-1].width == WIDTH
    assert (
        sum(part.width for part in Summary(created=13, revised=3, breaking=1, rejected=2).segments)
        == WIDTH
    )


@pytest.mark.parametrize(
    ("summary", "text"),
    [
        (Summary(created=1_200, rejected=1), "1,200 new, 1 rejected"),
        (
            Summary(revised=2, breaking=1, unchanged=3, held=4),
            "2 changed (1 breaking), 3 unchanged, 4 in review",
        ),
        (Summary(), "no specs"),
    ],
)
def test_a_summary_leaves_out_zeros(summary, text):
    assert summary.text == text


def test_recent_uploads_list_a_few_names_and_their_results(browser):
    files = [
        SimpleUploadedFile(f"{number}.json", spec_text(f"t{number}").encode())
        for number in range(1, 6)
    ]
    browser.post("/add/", {"files": [*files[:4], SimpleUploadedFile("bad.json", b"{}")]})

    recent = words(HTMLParser(browser.get("/add/").content), ".recent-uploads li")

    assert recent == "1.json, 2.json, 3.json and 2 more 4 new, 1 rejected · just now"


def test_an_empty_upload_has_no_bar():
    assert Summary().segments == []


def test_a_preview_offers_the_fixes_of_frequent_mistakes(browser):
    text = spec_text("a", paramters={"type": "object"}, returnType={"type": "sting"})

    buttons = preview_of(browser, text).css("button[data-old]")
    renamed = preview_of(browser, text.replace("sting", "string")).css("button[data-old]")

    assert [
        [(one.attributes["data-old"], one.attributes["data-replacement"]) for one in each]
        for each in (buttons, renamed)
    ] == [
        [('"paramters"', '"parameters"'), ('"sting"', '"string"')],
        [('"paramters"', '"parameters"')],
    ]


def test_specs_that_are_corrected_and_checked_again_are_published(browser):
    wrong = SimpleUploadedFile("wrong.json", b'{"definition": {"id": "x"}}')
    tree = check_of(browser, files=[wrong])
    source = tree.css_first('.entry-fix input[name="source"]').attributes["value"]

    right = check_of(browser, source=[source], fixed=[spec_text("good")])
    browser.post("/add/", {"checked": checked_in(right)})

    assert not checked_in(tree)
    assert Tool.objects.get().tool_id == "good"


def test_a_check_shows_the_changes_of_a_revision_and_links_only_tools_that_exist(browser):
    make_tool("old", description="Before.")

    tree = check_of(browser, text=listed(spec_text("new"), spec_text("old")))

    assert [(name.tag, name.text()) for name in tree.css(".entry-name")] == [
        ("a", "old"),
        ("span", "new"),
    ]
    assert "Before." in tree.css_first(".diff-del").text()


def test_a_preview_shows_the_changes_of_a_revision(browser):
    make_tool("old", description="Before.")

    tree = preview_of(browser, spec_text("old"))

    assert "Before." in tree.css_first(".entry .diff-del").text()


def test_a_stored_revision_links_to_its_changes(browser):
    make_tool("old", description="Before.")

    tree = report_of(browser, text=spec_text("old"))

    assert tree.css_first('.entry a[href="/tools/old/changes/1..2/"]')


def test_a_report_marks_the_position_of_a_problem_in_its_line(browser):
    tree = report_of(browser, text=listed(spec_text("a"), '{"definition": 7}'))

    excerpt = tree.css_first(".excerpt")
    shown, caret = excerpt.text().split("\n")
    assert excerpt.css_first("mark").text() == "7"
    assert shown[caret.index("^")] == "7"


def test_a_report_can_be_narrowed_to_an_outcome(browser):
    address = browser.post("/add/", {"text": listed(spec_text("a"), "{}")})["Location"]

    tree = HTMLParser(browser.get(f"{address}?outcome=rejected").content)

    assert len(tree.css(".entry")) == 1
    assert words(tree, '.tabs-links [aria-current="page"]') == "Rejected 1"


def test_the_page_of_an_upload_needs_a_person(browser, client):
    address = browser.post("/add/", {"text": spec_text("a")})["Location"]
    client.logout()

    assert client.get(address).status_code == 302


@pytest.mark.parametrize("prefix", ["a" * 300, "a\0b"])
def test_a_prefix_that_cannot_be_stored_is_refused_at_its_field(browser, prefix):
    answer = browser.post("/add/", {"text": "{}", "prefix": prefix})

    assert answer.status_code == 422
    assert HTMLParser(answer.content).css_first("#prefix-error")
    assert HTMLParser(answer.content).css_first('#prefix[aria-invalid="true"]')
    assert not Upload.objects.exists()
