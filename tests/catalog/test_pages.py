import io
import json

import pytest
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from catalog.tools.models import Tool
from catalog.tools.publishing import publish
from catalog.uploads.models import Upload
from tests.factories import GET_WEATHER, make_tool, properties, real_specs, spec_text
from tests.pages import page, text_of, texts_of
from toolspec.spec import read_spec

pytestmark = pytest.mark.django_db

EVIL = '</script><script>window.x=1</script>"><img src=x onerror=alert(1)>'


# -- the list ---------------------------------------------------------------------------------------------------------


def test_an_empty_catalog_suggests_an_upload(client):
    tree = page(client, "/tools/")

    assert "The catalog is empty" in tree.body.text()
    assert tree.css_first(".results-note a").attributes["href"] == "/add/"


def test_tools_are_listed_with_their_facts(client):
    make_tool(
        "acme.greet",
        name="greet",
        description="Says hello.",
        parameters=properties(who={"type": "string"}),
        configuration={"type": "object", "required": ["key"]},
        examples=[{}],
    )

    tree = page(client, "/tools/")

    assert text_of(tree, "h1") == "1 tool in 1 toolkit"
    assert tree.css_first(".result-name a").attributes["href"] == "/tools/acme.greet/"
    assert text_of(tree, ".result-text") == "Says hello."
    assert texts_of(tree, ".result-qualifier") == ["needs key"]
    assert text_of(tree, ".result-required") == "0 of 1 required"
    assert text_of(tree, ".result-toolkit") == "acme"


def test_whatever_a_tool_is_called_its_row_is_text(client):
    make_tool(
        "evil",
        name=EVIL,
        description=EVIL,
        tags=[EVIL],
        parameters=properties(**{EVIL: {"description": EVIL}}),
    )

    for address in ("/tools/", "/tools/?q=window", "/tools/?q=onerror", "/tools/?q=takes:onerror"):
        tree = page(client, address)
        assert text_of(tree, ".result-name") == EVIL
        assert not tree.css(".result img, .result script, .facets img, .facets script")


def test_matches_are_marked_and_explained(client):
    make_tool(
        "greet",
        description="Says hello.",
        parameters=properties(city={"description": "Where it is."}),
    )

    tree = page(client, "/tools/?q=hello+city")

    assert texts_of(tree, ".result-text mark") == ["hello"]
    assert text_of(tree, ".result-why") == "matched in parameter city"
    assert tree.css_first("#q").attributes["value"] == "hello city"
    assert tree.css_first("title").text().startswith("hello city")


def test_htmx_gets_the_results_alone_and_the_same_ones(client):
    make_tool("greet")

    whole = client.get("/tools/?q=greet")
    part = client.get("/tools/?q=greet", headers={"HX-Request": "true"})

    assert b"<html" not in part.content
    assert part.content.decode().strip() in whole.content.decode()
    assert "HX-Request" in part["Vary"]


def test_the_page_and_the_api_give_the_same_tools_in_the_same_order(client):
    for number in range(25):
        make_tool(f"tool{number}", description="fruit " * (number % 5))

    for query in ("sort=name", "q=fruit", "q=tool"):
        on_page = [
            node.attributes["href"].split("/")[2]
            for node in page(client, f"/tools/?{query}").css(".result-name a")
        ]
        by_api = [
            item["slug"]
            for item in client.get(f"/api/v1/tools?{query.removeprefix('sort=name')}").json()[
                "items"
            ]
        ]
        assert on_page == by_api


def test_pages_are_linked_both_ways(client):
    for number in range(45):
        make_tool(f"tool{number:02}")

    second = page(
        client,
        "/tools/" + page(client, "/tools/?sort=name").css_first("a[rel=next]").attributes["href"],
    )
    third = page(client, "/tools/" + second.css_first("a[rel=next]").attributes["href"])
    back = page(client, "/tools/" + third.css_first("a[rel=prev]").attributes["href"])

    assert (
        texts_of(second, ".result-name")
        == texts_of(back, ".result-name")
        == [f"tool{n}" for n in range(20, 40)]
    )
    assert len(third.css(".result")) == 5
    assert third.css_first("a[rel=next]") is None


def test_a_facet_is_a_link_that_can_be_undone(client):
    make_tool("a", examples=[{}])
    make_tool("b")

    tree = page(client, "/tools/?examples=1")

    assert texts_of(tree, ".result-name") == ["a"]
    [chosen] = tree.css(".facet-link[aria-current]")
    assert chosen.attributes["href"] == "?"
    assert tree.css_first('#catalog-search input[name="q"]').attributes["value"] == "has:examples "


def test_words_that_nothing_has_lead_on(client):
    make_tool("a")

    assert "Nothing for “zebra”" in page(client, "/tools/?q=zebra").body.text()
    assert "Search without the filters" in page(client, "/tools/?q=a&examples=1").body.text()


@pytest.mark.parametrize(
    "query",
    [
        "cursor=x",
        "cursor=" + "A" * 3000,
        "runnable=maybe",
        "include=x",
        "q=%FF",
        "page=2",
        "page=x",
    ],
)
def test_an_address_that_makes_no_sense_is_the_first_page(client, query):
    make_tool("a")

    assert len(page(client, f"/tools/?{query}").css("main")) == 1


# -- one tool ---------------------------------------------------------------------------------------------------------


def test_a_tools_page_documents_its_schemas(client):
    parameters = {
        "type": "object",
        "required": ["city"],
        "properties": {
            "city": {
                "type": "string",
                "description": "Where.",
                "minLength": 1,
                "maxLength": 50,
                "default": "Paris",
            },
            "days": {"type": "integer", "minimum": 1, "maximum": 14},
            "units": {"enum": ["metric", "imperial"]},
        },
    }
    make_tool("weather", parameters=parameters)

    tree = page(client, "/tools/weather/")

    names = (
        "#parameters > .properties > .property > .property-fold > .property-head > .property-name"
    )
    assert texts_of(tree, names) == ["city", "days", "units"]
    city = tree.css_first("[id='parameters.city']")
    assert "required" in city.text()
    assert texts_of(city, ".property-facts > div") == [
        'Default "Paris"',
        "Length 1 to 50 characters",
    ]
    assert "Range 1 to 14" in texts_of(tree, "[id='parameters.days'] .property-facts > div")
    assert "The spec has no return type." in text_of(tree, "#returns")


def test_a_tool_that_only_has_mocks_names_who_can_connect_it(client, browser, ada):
    make_tool("translate")
    anonymous = text_of(page(client, "/tools/translate/try/"), "#why-not-live")
    ada.is_staff = True
    ada.save()

    tree = page(browser, "/tools/translate/try/")

    assert anonymous == ("Mock only. An administrator can connect its server · Write it in Python")
    assert text_of(tree, "#why-not-live") == ("Mock only. Connect its server · Write it in Python")
    assert tree.css_first("#why-not-live a").attributes["href"] == "/add/"


def test_a_tools_page_shows_its_id_only_if_it_is_not_its_name(client):
    make_tool("mail.send", name="send")
    make_tool("translate")

    facts = text_of(page(client, "/tools/mail.send/"), ".tool-metadata")
    facts_without_id = text_of(page(client, "/tools/translate/"), ".tool-metadata")

    assert facts.startswith("Id mail.send Toolkit mail Revision 1, ")
    assert facts.endswith(
        "Runnable no. An administrator can connect its server · Write it in Python"
    )
    assert facts_without_id.startswith("Revision 1, ")


def test_a_tools_page_lists_findings_only_if_there_are_some(client):
    make_tool("greet")
    with_findings = page(client, "/tools/greet/")
    Tool.objects.update(score=100)

    without_findings = page(client, "/tools/greet/")

    assert with_findings.css_first("#lint") is not None
    assert without_findings.css_first("#lint") is None


def test_each_example_can_be_tried(client):
    tool = publish(read_spec(GET_WEATHER.read_bytes()), by=None).tool

    tree = page(client, tool.get_absolute_url())

    assert text_of(tree, "#example-1 h3") == "Get weather of New York"
    assert tree.css_first("#example-1 a").attributes["href"] == f"/tools/{tool.slug}/try/?example=1"
    assert '"Sunny"' in text_of(tree, "#example-1-returns")


def test_the_spec_is_shown_as_it_was_uploaded(client):
    text = GET_WEATHER.read_text(encoding="utf-8")
    tool = publish(read_spec(text), by=None).tool

    tree = page(client, f"{tool.get_absolute_url()}formats/spec/")

    lines = [node.text() for node in tree.css("#spec-text .json-line")]
    assert len(lines) == text.count("\n") + 1
    assert '"location": {' in lines[7]
    assert (
        tree.css_first(".tool-spec-note a").attributes["href"] == f"/api/v1/tools/{tool.slug}/spec"
    )


def test_a_spec_on_a_single_line_is_pretty_printed_with_a_note(client):
    publish(read_spec(json.dumps(json.loads(spec_text("a")))), by=None)

    tree = page(client, "/tools/a/formats/spec/")

    assert len(tree.css("#spec-text .json-line")) == 7
    assert "shown pretty-printed" in text_of(tree, ".tool-spec-note")


def test_a_tools_page_shows_code_that_calls_it(client):
    make_tool("greet", parameters=properties(who={"type": "string"}) | {"required": ["who"]})

    tree = page(client, "/tools/greet/")

    assert (
        "curl http://testserver/api/v1/tools/greet/runs" in tree.css_first("#use-curl-code").text()
    )
    assert "urllib.request" in tree.css_first("#use-python-code").text()


@pytest.mark.parametrize(
    ("key", "member"), [("mcp", '"inputSchema"'), ("anthropic", '"input_schema"')]
)
def test_an_export_has_its_own_page_which_a_tools_page_links_to(client, key, member):
    make_tool("greet", parameters=properties(who={"type": "string"}))

    link = page(client, "/tools/greet/").css_first(f"#use-{key} a").attributes["href"]

    assert member in page(client, link).css_first(f"#use-{key}-code").text()


@pytest.mark.parametrize(
    "path", ["formats/spec/", "formats/", "formats/openai/", "formats/python/"]
)
def test_each_page_of_the_exports_leads_to_all_others(client, path):
    make_tool("greet", name="Say: greet!")

    links = page(client, f"/tools/greet/{path}").css(".formats a")

    assert {
        "/tools/greet/formats/spec/",
        "/tools/greet/formats/openai-strict/",
        "/tools/greet/formats/java/",
    } <= {link.attributes["href"] for link in links}
    current = [link.attributes["href"] for link in links if "aria-current" in link.attributes]
    assert current == [
        f"/tools/greet/{path}".replace("/formats/", "/formats/spec/", path == "formats/")
    ]


def test_the_formats_are_compared_by_what_a_model_sees_and_what_is_left_out(client):
    examples = [{"description": "One.", "parameters": {}, "returnValue": 1}]
    make_tool("greet", returnType={"type": "integer"}, examples=examples)

    rows = page(client, "/tools/greet/formats/").css(".formats tr")

    cells = {text_of(row, "th"): texts_of(row, "td") for row in rows[1:]}
    assert cells["LLM Tool Spec"] == ["as published"]
    assert cells["OpenAI"] == ["unchanged", "return type, examples"]
    assert cells["Anthropic"] == ["unchanged", "responses, return type"]
    assert cells["OpenAPI"] == ["unchanged", "nothing"]
    assert cells["Java project"] == ["generated code"]


def test_the_table_of_formats_is_open_until_one_is_chosen(client):
    make_tool("greet")

    first, chosen = (page(client, f"/tools/greet/formats/{key}") for key in ("", "spec/"))

    assert "open" in first.css_first(".exports-fold").attributes
    assert "open" not in chosen.css_first(".exports-fold").attributes
    assert first.css_first("#spec-text").text() == chosen.css_first("#spec-text").text()


def test_the_head_counts_the_formats_that_are_unchanged(client):
    make_tool("greet", parameters=properties(who={"type": "string", "minLength": 1}))

    tree = page(client, "/tools/greet/formats/openai/")

    states = texts_of(tree, ".formats .fit")
    number = f"{states.count('unchanged')} of {len(states)}"
    assert f"works unchanged in {number} formats" in texts_of(tree, ".tool-head-facts li")


def test_an_export_marks_its_changes_at_their_lines(client):
    make_tool("greet", parameters=properties(who={"type": "string", "minLength": 1}))

    tree = page(client, "/tools/greet/formats/openai-strict/")

    links = {link.text(): link.attributes["href"] for link in tree.css(".losses a")}
    marked = {f"#{line.id}": line for line in tree.css(".has-note")}
    assert set(links.values()) == marked.keys()
    [who] = [line for line in marked.values() if '"who"' in line.text()]
    assert "note-rewritten" in who.attributes["class"]
    assert "`minLength`" not in tree.text()
    assert "does not support minLength here" in who.next.text()


def test_an_export_says_what_is_dropped_at_the_line_around_it(client):
    make_tool("greet", configuration={"type": "object"})

    tree = page(client, "/tools/greet/formats/mcp/")

    assert text_of(tree, ".exports-main h2") == "MCP: works unchanged"
    assert "1 other difference from the spec" in text_of(tree, ".exports-main header")
    [line] = tree.css(".has-note")
    assert line.id == "use-mcp-code-L1"
    assert "note-dropped" in line.attributes["class"]
    assert line.next.text(strip=True).startswith("Dropped here:configuration.")


def test_an_export_without_differences_says_so(client):
    make_tool("greet")

    head = page(client, "/tools/greet/formats/mcp/")

    assert "no differences from the spec" in text_of(head, ".exports-main header")


def test_an_export_has_a_line_for_each_reason_with_its_pointers(client):
    limited = {"type": "string", "minLength": 1}
    make_tool(
        "greet", parameters=properties(who=limited, names={"type": "array", "items": limited})
    )

    tree = page(client, "/tools/greet/formats/openai-strict/")

    lines = {
        text_of(loss, "p"): texts_of(loss, ".loss-where a") for loss in tree.css(".losses .loss")
    }
    support = (
        "OpenAI's strict mode does not support minLength here; the description explains it instead."
    )
    assert lines[support] == ["/who", "/names/items"]
    assert lines["Became required; it is null instead of being omitted."] == ["/who", "/names"]


def test_a_line_that_the_export_page_does_not_show_has_no_link(client):
    many = {f"p{number:04}": {"type": "string", "description": "One."} for number in range(700)}
    make_tool(
        "greet", parameters=properties(**many, last={"type": "string", "format": "uri-template"})
    )

    tree = page(client, "/tools/greet/formats/gemini/")

    [loss] = tree.css(".losses li")
    assert loss.css("a") == []
    assert (
        tree.css_first(".json-cut .note-rewritten, .json-cut .note-dropped")
        .text(strip=True)
        .startswith("Line 2")
    )


def test_an_export_within_a_tools_page_has_no_marks(client):
    make_tool("greet", configuration={"type": "object"})

    part = HTMLParser(
        client.get("/tools/greet/formats/mcp/", headers={"HX-Request": "true"}).content
    )

    assert part.css(".has-note, .losses") == []
    assert "No changes for models, 1 other difference from the spec" in text_of(part, "p")


def test_the_export_page_of_an_unknown_format_is_not_found(client):
    make_tool("greet")

    assert client.get("/tools/greet/formats/soap/").status_code == 404


@pytest.mark.parametrize("part", ["lint", "similar", "formats/mcp"])
def test_a_part_of_a_tools_page_is_loaded_from_its_own_address(client, part):
    make_tool("greet")
    tree = page(client, "/tools/greet/")

    [loading] = tree.css(f"[hx-get='/tools/greet/{part}/']")

    assert (
        loading.css_first("a").attributes["href"] == f"/tools/greet/{part}/"
    )  # without JavaScript
    assert page(client, f"/tools/greet/{part}/").css_first("h1") is not None
    answer = client.get(f"/tools/greet/{part}/", headers={"HX-Request": "true"})
    assert "<html" not in answer.content.decode()
    assert "HX-Request" in answer.headers["Vary"]


@pytest.mark.parametrize("part", ["formats", "formats/spec"])
def test_a_page_of_a_tool_answers_htmx_with_its_part(client, part):
    make_tool("greet")

    answer = client.get(f"/tools/greet/{part}/", headers={"HX-Request": "true"})

    assert "<html" not in answer.content.decode()
    assert "HX-Request" in answer.headers["Vary"]


def test_the_line_of_a_property_has_its_code_as_code(client):
    make_tool(
        "a",
        parameters=properties(
            value={"type": "number", "description": "The amount in `from_unit`."}
        ),
    )

    lead = page(client, "/tools/a/").css_first(".property-lead")

    assert (lead.text().strip(), text_of(lead, "code")) == ("The amount in from_unit.", "from_unit")


def test_required_properties_come_first_and_open_by_their_line(client):
    many = {f"p{number:02}": {"type": "string", "description": "One. Two."} for number in range(20)}
    make_tool("greet", parameters={"type": "object", "properties": many, "required": ["p19"]})

    tree = page(client, "/tools/greet/")

    names = texts_of(tree, "#parameters .property-name")
    assert names[:2] == ["p19", "p00"]
    assert texts_of(tree, "[data-outline] [data-filter]")[0] == "p19* required"
    first = tree.css_first("[id='parameters.p19']")
    assert text_of(first, ".property-lead") == "One."
    assert text_of(first, ".property-text") == "One. Two."
    assert "open" not in first.css_first("details").attributes


def test_a_short_schema_is_open(client):
    make_tool("greet", parameters=properties(name={"type": "string", "minLength": 1}))

    tree = page(client, "/tools/greet/")

    assert "open" in tree.css_first("[id='parameters.name'] details").attributes


def test_a_tools_page_shows_the_response_of_its_first_example_with_one(client):
    examples = [{"parameters": {}}, {"parameters": {}, "returnValue": {"greeting": "Hello"}}]
    make_tool("greet", parameters={"type": "object"}, examples=examples)

    assert '"greeting": "Hello"' in text_of(page(client, "/tools/greet/"), "#sample-response")


def test_a_tools_page_reads_the_text_of_a_spec_once(client, django_assert_max_num_queries):
    for number in range(3):
        make_tool("greet", description=f"Greets a person, revision {number}.")
    client.get("/tools/greet/")  # now the changes of each revision are cached

    with django_assert_max_num_queries(20) as queries:
        client.get("/tools/greet/")

    assert sum('"source"' in query["sql"] for query in queries.captured_queries) == 1


def test_nothing_of_a_spec_is_markup(client):
    schema = properties(
        **{
            EVIL: {
                "type": "string",
                "description": EVIL,
                "enum": [EVIL],
                "default": EVIL,
                "pattern": "<b>",
            }
        }
    )
    tool = make_tool(
        EVIL, description=EVIL, parameters=schema, returnType=schema,
        examples=[{"description": EVIL, "parameters": {EVIL: EVIL}}],
    )  # fmt: skip
    make_tool(EVIL, description="changed " + EVIL)

    parts = (
        "",
        "changes/",
        "changes/1..2/",
        "formats/spec/",
        "formats/",
        "formats/mcp/",
        "formats/python/",
        "lint/",
        "similar/",
    )
    for path in (
        "/",
        "/tools/",
        "/tools/?q=script",
        *(f"{tool.get_absolute_url()}{part}" for part in parts),
    ):
        tree = page(client, path)
        assert not tree.css("img, iframe, object, embed")
        assert all("src" in node.attributes and not node.text() for node in tree.css("script"))
        assert not [
            name
            for node in tree.css("*")
            for name in node.attributes
            if name.startswith("on") or name == "style"
        ]


def test_links_in_a_description_are_to_the_web_alone(client):
    make_tool(
        "a", description="[x](javascript:alert(1)) [y](https://example.org) [z](data:text/html,x)"
    )

    links = page(client, "/tools/a/").css(".tool-purpose a")

    assert [link.attributes["href"] for link in links] == ["https://example.org"]


@pytest.mark.corpora
def test_every_real_spec_has_a_page(client):
    for text in [
        *real_specs()[::40],
        *real_specs("specs_metatool")[:3],
        *real_specs("specs_taubench"),
    ]:
        tool = publish(read_spec(text), by=None).tool
        tree = page(client, tool.get_absolute_url())
        ids = [node.attributes["id"] for node in tree.css("[id]")]
        assert len(ids) == len(set(ids))


def test_only_visitors_are_asked_to_sign_in_if_a_page_is_not_found(client, django_user_model):
    lead = ".failure .page-lead"
    visitor = HTMLParser(client.get("/nothing/here/").text)
    client.force_login(django_user_model.objects.create_user("ada"))
    person = HTMLParser(client.get("/nothing/here/").text)

    assert text_of(visitor, lead) == "Not found, or no access. Check the URL, or sign in."
    assert text_of(person, lead) == "Not found, or no access. Check the URL."


def test_a_tool_that_is_not_there_is_404(client):
    for path in (
        "/tools/x/",
        "/tools/x/changes/",
        "/tools/x/changes/1..2/",
        "/tools/../",
        "/tools/%2e%2e/",
    ):
        assert client.get(path).status_code == 404


# -- archive ----------------------------------------------------------------------------------------------------------


def test_a_person_archives_a_tool_and_restores_it(browser):
    make_tool("greet")

    browser.post("/tools/greet/settings/", {"section": "archive"})
    assert "This tool is archived" in page(browser, "/tools/greet/").body.text()
    assert not Tool.objects.available().exists()

    browser.post("/tools/greet/settings/", {"section": "restore"})
    assert Tool.objects.available().exists()


def test_archiving_needs_a_signed_in_user_and_a_post(client, browser):
    make_tool("greet")

    assert client.post("/tools/greet/settings/", {"section": "archive"}).status_code == 302
    assert browser.get("/tools/greet/settings/", {"section": "archive"}).status_code == 200
    assert Tool.objects.available().exists()


# -- upload -----------------------------------------------------------------------------------------------------------


def file_of(text, name="spec.json"):
    file = io.BytesIO(text.encode() if isinstance(text, str) else text)
    file.name = name
    return file


def test_a_person_uploads_a_pasted_spec(browser, ada):
    answer = browser.post("/add/", {"text": spec_text("greet")})

    assert (answer.status_code, answer["Location"]) == (302, f"/uploads/{Upload.objects.get().pk}/")
    tree = page(browser, answer["Location"])
    assert text_of(tree, "#report-title") == "1 new"
    assert tree.css_first(".entry-name").attributes["href"] == "/tools/greet/"
    assert tree.css_first('.entry a[href="/tools/greet/try/"]')
    assert tree.css_first('.entry a[href^="/tools/greet/lint/"]').text().startswith("Lint ")
    assert Tool.objects.get().current.created_by == ada


def test_a_person_uploads_files_and_each_has_its_outcome(browser):
    files = [
        file_of(spec_text("a"), "a.json"),
        file_of("{}", "bad.json"),
        file_of("\n".join(real_specs()[:2]), "x.ndjson"),
    ]

    answer = browser.post("/add/", {"files": files}, follow=True)

    tree = HTMLParser(answer.content)
    assert text_of(tree, "#report-title") == "3 new, 1 rejected"
    assert texts_of(tree, ".entry .badge") == ["rejected", "new", "new", "new"]
    assert Tool.objects.count() == 3


def test_a_rejected_spec_shows_each_problem_with_its_line(browser):
    text = '{\n  "definition": {\n    "name": 5,\n    "description": ""\n  }\n}'

    answer = browser.post("/add/", {"text": text})

    tree = HTMLParser(answer.content)
    assert tree.css_first("title").text().startswith("Error: ")
    assert "Line 3, column 13" in text_of(tree, ".problem-where")
    assert "/definition/name" in text_of(tree, ".problem-where")
    assert "spec.type" in text_of(tree, ".problem-where")
    shown, caret = tree.css_first(".excerpt").text().split("\n")
    assert shown.index("5") == caret.index("^")


def test_nothing_typed_is_lost_by_a_refusal(browser):
    answer = browser.post("/add/", {"text": '{"definition": 1}\r\n', "dry_run": "on"})

    tree = HTMLParser(answer.content)
    assert tree.css_first("#text").text().strip() == '{"definition": 1}'


def test_a_rejected_file_can_be_put_right_on_the_page(browser):
    first = HTMLParser(
        browser.post("/add/", {"files": [file_of('{"definition": {"name": "a"}}')]}).content
    )
    field = first.css_first(".entry-fix textarea")
    source = first.css_first('.entry-fix input[name="source"]').attributes["value"]
    assert json.loads(field.text()) == {"definition": {"name": "a"}}

    answer = browser.post("/add/", {"source": [source], "fixed": [spec_text("a")]})

    assert answer.status_code == 302
    assert Tool.objects.get().tool_id == "a"


def test_a_check_on_the_page_publishes_nothing(browser):
    answer = browser.post("/add/", {"text": spec_text("greet"), "dry_run": "on"}, follow=True)

    assert "Nothing is published yet: 1 new" in text_of(HTMLParser(answer.content), ".notice")
    assert not Tool.objects.exists()


def test_an_empty_upload_is_reported_at_the_field(browser):
    answer = browser.post("/add/", {"text": "  "})

    tree = HTMLParser(answer.content)
    assert answer.status_code == 422
    assert tree.css_first(".error-summary a").attributes["href"] == "#text"
    assert tree.css_first("#text").attributes["aria-invalid"] == "true"


def test_an_upload_needs_a_person(client):
    assert "Sign in to upload" in page(client, "/add/").body.text()

    answer = client.post("/add/", {"text": spec_text("greet")})

    assert (answer.status_code, answer["Location"]) == (302, "/sign-in/?next=%2Fadd%2F")
    assert not Tool.objects.exists()


@pytest.mark.parametrize(
    "content",
    [b"{", b"\xff\xfe", b"{}" * 10, b'{"definition": {"name": "a\\u0000", "description": ""}}', b"PK\x03\x04broken",
     b'{"definition":{"name":"a","description":"","parameters":{"$ref":"http://127.0.0.1:1/x"}}}', b"[" * 100_000,
     b"x" * 1_000_000],
    ids=["not JSON", "bytes", "two documents", "NUL", "broken archive", "remote reference", "deep", "1 MB"],
)  # fmt: skip
def test_a_bad_file_is_refused_and_nothing_is_stored(browser, content):
    answer = browser.post("/add/", {"files": [file_of(content)]})

    assert answer.status_code == 422
    assert len(HTMLParser(answer.content).css(".entry-rejected")) == 1
    assert not Tool.objects.exists()


def test_problems_of_one_rule_are_grouped_in_the_report(browser):
    schema = properties(**{f"p{number:02}": {"type": "sting"} for number in range(20)})

    tree = HTMLParser(browser.post("/add/", {"text": spec_text("a", parameters=schema)}).content)

    faults = tree.css_first(".entry-rejected > .problems")
    shown = [problem for problem in faults.css(".problem") if problem.parent == faults]
    assert [
        " ".join(problem.css_first("summary, .problem-message").text().split())
        for problem in shown[3:]
    ] == [f"{len(faults.css('.fold .problem'))} more problems of the rule spec.schema"]
    assert len(faults.css(".problem-message")) == 20


def test_warnings_of_one_rule_are_grouped_in_the_report(browser, monkeypatch):
    monkeypatch.setattr("catalog.templatetags.catalog.SHOWN_PER_RULE", 1)
    misspelt = {"return_type": {}, "exampels": [], "paramters": {}}

    tree = HTMLParser(
        browser.post("/add/", {"text": spec_text("a", **misspelt)}, follow=True).content
    )

    assert len(tree.css(".entry > .problems > .problem > .problem-message")) == 1
    assert text_of(tree, ".entry .fold summary").startswith("2 more warnings of the rule")


def test_a_tool_shows_its_compatibility_with_each_format(browser):
    tool = make_tool(
        "shop.order", name="order it", parameters=properties(**{"filter[id]": {"type": "string"}})
    )

    table = page(browser, f"{tool.get_absolute_url()}formats/").css_first("table")

    verdicts = {
        row.css_first("th").text(strip=True): row.css_first(".fit").text(strip=True)
        for row in table.css("tbody tr:has(.fit)")
    }
    assert verdicts["MCP"] == "1 change"
    assert verdicts["LangChain"] == "1 change"
    assert verdicts["Anthropic"] == "2 changes"
    assert len(verdicts) == 8
    losses = page(browser, f"{tool.get_absolute_url()}formats/anthropic/").css_first(".losses")
    assert "'filter[id]' was renamed to 'filter_id_" in losses.text()


@pytest.mark.parametrize(
    ("configuration", "needed"),
    [
        ({"type": "object"}, []),
        (properties(region={"type": "string", "default": "eu"}), []),
        ({"anyOf": [{"required": ["key"]}, {}]}, []),
        ({"required": ["key"]}, ["needs key"]),
        (properties(key={"title": "API\nkey"}) | {"required": ["key"]}, ["needs API key"]),
        (properties(key={"title": "K" * 80}) | {"required": ["key"]}, ["needs " + "K" * 60]),
        ({"required": [" "]}, ["needs configuration"]),
        (
            {"allOf": [{"$ref": "#/$defs/Key"}], "$defs": {"Key": {"required": ["key"]}}},
            ["needs configuration"],
        ),
        ({"minProperties": 1}, ["needs configuration"]),
    ],
    ids=str,
)
def test_a_tool_says_what_it_needs_only_if_something_in_its_configuration_is_required(
    client, db, configuration, needed
):
    make_tool("greet", configuration=configuration)

    listed = page(client, "/tools/")

    assert texts_of(listed, ".result-qualifier") == needed
