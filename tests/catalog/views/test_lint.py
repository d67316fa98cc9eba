"""The lint of a tool: its page and the API, fixes that are applied, waivers."""

import json

import pytest
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from catalog.errors import DocumentError
from catalog.models import Assessment, Revision, Tool, Waiver
from catalog.specs.lint import lint
from catalog.specs.lint.assessment import ASSESSED_BY
from catalog.waivers import waive
from tests.catalog.views.test_pages import page, text_of, texts_of
from tests.factories import make_tool, properties, spec_text

pytestmark = pytest.mark.django_db

FAULTY = {
    "name": "Get weather",
    "description": "Tell the present weather of a city, not a forecast.",
    "parameters": properties(
        city={"type": "string", "minimum": 3, "description": "Name of the city."},
        days={"enum": [1, 2, 2], "description": "Number of days."},
    ),
    "returnType": properties(temperature={"type": "number"}),
    "examples": [{"parameters": {"city": "Lisbon"}}],
}


def findings(program, slug="a", **query):
    return program.ask(f"/tools/{slug}/lint", **query).json()


def fix_of(answer, rule):
    return next(one["fix"]["key"] for one in answer["findings"] if one["rule"] == rule)


# -- reading ----------------------------------------------------------------------------------------------------------


def test_the_lint_of_a_tool_names_every_finding_with_its_place_and_its_fix(stranger):
    tool = make_tool("a", **FAULTY)

    answer = findings(stranger)

    assert (answer["revision"], answer["current"], answer["score"]) == (1, True, tool.score)
    assert answer["counts"] == {"error": 0, "warning": 3, "info": 0}
    assert [one["rule"] for one in answer["findings"]] == [one.rule for one in lint(tool.current.spec)]
    assert all(one["line"] and one["help"] == f"/lint/{one['rule']}/" for one in answer["findings"])
    assert answer["usable"] == []


def test_the_lint_of_an_earlier_revision_can_be_read(stranger):
    make_tool("a", **FAULTY)
    make_tool("a", **{**FAULTY, "description": ""})

    answer = findings(stranger, revision=1)

    assert (answer["revision"], answer["current"]) == (1, False)
    assert stranger.ask("/tools/a/lint", revision=7).status_code == 404


def test_the_page_shows_findings_by_severity_with_line_rule_and_change(client):
    make_tool("a", **FAULTY)

    tree = page(client, "/tools/a/lint/")

    assert texts_of(tree, ".section-title")[:1] == ["Warnings 3 #"]
    assert len(tree.css(".finding")) == 3
    line = tree.css_first(".finding-where a").attributes["href"]
    assert tree.css_first(line) is not None
    assert tree.css_first(".finding .diff-del")
    assert tree.css_first(".finding .diff-add")
    assert not tree.css(".finding button")


def test_a_spec_on_one_line_is_laid_out_and_its_findings_lead_to_the_lines_shown(client):
    from catalog.publishing import publish
    from catalog.specs.spec import read_spec

    publish(read_spec(json.dumps(json.loads(spec_text("a", **FAULTY)))), by=None)

    tree = page(client, "/tools/a/lint/")

    lines = {link.attributes["href"] for link in tree.css(".finding-where a[href^='#']")}
    assert len(lines) == 3
    assert all(tree.css_first(line) is not None for line in lines)


def test_a_spec_without_faults_says_so(client):
    make_tool("a", **{**FAULTY, "name": "a", "parameters": properties()})

    assert "Nothing to say against it" in page(client, "/tools/a/lint/").body.text()


@pytest.mark.parametrize("revision", ["x", "0", "99999999999", "7"])
def test_the_lint_of_no_revision_is_not_found(client, revision):
    make_tool("a")

    assert client.get(f"/tools/a/lint/?revision={revision}").status_code == 404


# -- fixes ------------------------------------------------------------------------------------------------------------


def test_a_fix_is_applied_as_the_next_revision(program):
    make_tool("a", **FAULTY)
    key = fix_of(findings(program), "keyword-without-effect")

    answer = program.send("POST", "/tools/a/lint/fixes", json.dumps({"revision": 1, "fixes": [key]}))

    assert answer.status_code == 201, answer.content
    assert answer.json()["applied"] == [key]
    assert '-          "minimum": 3,' in answer.json()["difference"]
    tool = Tool.objects.with_current().get()
    assert tool.current.number == 2
    assert "minimum" not in tool.current.source
    assert tool.current.created_by.username == "program"
    assert tool.score == Assessment.objects.get(revision=tool.current).score


def test_all_safe_fixes_are_applied_at_once_and_no_other(program):
    make_tool("a", **FAULTY)

    answer = program.send("POST", "/tools/a/lint/fixes", json.dumps({"revision": 1}))

    assert len(answer.json()["applied"]) == 2
    spec = Tool.objects.with_current().get().current.spec
    assert spec.name == "Get weather"
    assert {one.rule for one in lint(spec)} == {"name-not-portable"}


def test_a_renamed_tool_stays_the_same_tool(program):
    make_tool("Get weather", **{**FAULTY, "id": "Get weather"})
    slug = Tool.objects.get().slug

    key = fix_of(findings(program, slug), "name-not-portable")
    program.send("POST", f"/tools/{slug}/lint/fixes", json.dumps({"revision": 1, "fixes": [key]}))

    tool = Tool.objects.with_current().get()
    assert (tool.tool_id, tool.name, tool.current.number) == ("Get weather", "Get_weather", 2)


def test_a_dry_run_of_fixes_stores_nothing(program):
    make_tool("a", **FAULTY)

    answer = program.send("POST", "/tools/a/lint/fixes", json.dumps({"revision": 1, "dry_run": True}))

    assert (answer.status_code, answer.json()["revision"]) == (200, 1)
    assert answer.json()["difference"]
    assert Revision.objects.count() == 1


def test_fixes_of_a_revision_that_is_not_current_any_more_are_refused(program):
    make_tool("a", **FAULTY)
    make_tool("a", **{**FAULTY, "description": "Other words, and enough of them."})

    answer = program.send("POST", "/tools/a/lint/fixes", json.dumps({"revision": 1}))

    assert answer.status_code == 409
    assert Revision.objects.count() == 2


@pytest.mark.parametrize(
    ("body", "rule"), [({"revision": 1, "fixes": ["nothing"]}, "lint.no-such-fix"), ({"revision": 1}, "lint.no-fix")]
)
def test_a_fix_that_there_is_not_is_refused(program, body, rule):
    make_tool("a")

    answer = program.send("POST", "/tools/a/lint/fixes", json.dumps(body))

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["rule"] == rule


def test_a_stranger_applies_and_waives_nothing(stranger, client):
    make_tool("a", **FAULTY)

    assert stranger.send("POST", "/tools/a/lint/fixes", json.dumps({"revision": 1})).status_code == 401
    assert stranger.send("POST", "/tools/a/lint/waivers", json.dumps({"rule": "x", "reason": "y"})).status_code == 401
    for path in ("fixes/", "waivers/", "waivers/1/remove/"):
        assert client.post(f"/tools/a/lint/{path}").url.startswith("/sign-in/")
    assert Revision.objects.count() == 1


def test_a_fix_is_applied_by_a_button(browser):
    make_tool("a", **FAULTY)
    form = page(browser, "/tools/a/lint/").css_first(".finding-fix form")
    fields = {field.attributes["name"]: field.attributes["value"] for field in form.css("input[type=hidden]")}

    answer = browser.post(form.attributes["action"], fields, follow=True)

    assert "Revision 2 is published, with 1 fix applied." in answer.content.decode()
    assert Tool.objects.with_current().get().current.number == 2


def test_all_safe_fixes_are_applied_by_a_button(browser):
    make_tool("a", **FAULTY)

    browser.post("/tools/a/lint/fixes/", {"seen": 1, "safe": 1})

    assert {one.rule for one in lint(Tool.objects.with_current().get().current.spec)} == {"name-not-portable"}


def test_a_button_of_a_revision_that_is_not_current_any_more_changes_nothing_and_shows_what_there_is(browser):
    make_tool("a", **FAULTY)
    make_tool("a", **{**FAULTY, "description": "Other words, and enough of them."})

    answer = browser.post("/tools/a/lint/fixes/", {"seen": 1, "safe": 1})

    assert answer.status_code == 409
    assert "somebody published another revision meanwhile" in answer.content.decode()
    assert Revision.objects.count() == 2


def test_a_button_for_a_fix_that_is_gone_says_so(browser):
    make_tool("a", **FAULTY)

    answer = browser.post("/tools/a/lint/fixes/", {"seen": 1, "fix": "gone"})

    assert answer.status_code == 422
    assert "no fix" in answer.content.decode()


# -- waivers ----------------------------------------------------------------------------------------------------------


def waiver(program, **body):
    return program.send("POST", "/tools/a/lint/waivers", json.dumps({"reason": "So be it.", **body}))


def test_what_is_waived_costs_no_score_and_says_who_and_why(program):
    before = make_tool("a", **FAULTY).score

    answer = waiver(program, rule="name-not-portable")

    assert answer.status_code == 201
    shown = findings(program)
    assert shown["score"] == Tool.objects.get().score == before + 5
    assert Assessment.objects.get().score == before + 5
    [waived] = [one["waiver"] for one in shown["findings"] if one["waiver"]]
    assert (waived["reason"], waived["by"], waived["rule"]) == ("So be it.", "program", "name-not-portable")
    assert shown["counts"]["warning"] == 2


def test_a_waiver_holds_for_the_revisions_to_come(program):
    make_tool("a", **FAULTY)
    waiver(program, rule="name-not-portable")

    tool = make_tool("a", **{**FAULTY, "description": "Other words, and enough of them."})

    assert Tool.objects.get().score == tool.score == findings(program)["score"]
    assert findings(program)["counts"]["warning"] == 2


def test_a_waiver_of_one_place_leaves_the_others(program):
    make_tool("a", **{**FAULTY, "parameters": properties(a={"type": "string"}, b={"type": "string"})})

    waiver(program, rule="parameter-undescribed", pointer="/definition/parameters/properties/a")

    found = [one for one in findings(program)["findings"] if one["rule"] == "parameter-undescribed"]
    assert [bool(one["waiver"]) for one in found] == [True, False]


def test_a_waiver_is_taken_back(program):
    before = make_tool("a", **FAULTY).score
    number = waiver(program, rule="name-not-portable").json()["id"]

    assert program.send("DELETE", f"/tools/a/lint/waivers/{number}").status_code == 204

    assert Tool.objects.get().score == before
    assert program.ask("/tools/a/lint/waivers").json() == {"items": []}
    assert program.send("DELETE", f"/tools/a/lint/waivers/{number}").status_code == 404


def test_a_waiver_of_another_tool_is_not_taken_back(program):
    make_tool("a", **FAULTY)
    make_tool("b", **FAULTY)
    number = waiver(program, rule="name-not-portable").json()["id"]

    assert program.send("DELETE", f"/tools/b/lint/waivers/{number}").status_code == 404
    assert Waiver.objects.count() == 1


def test_the_same_waived_twice_has_the_last_reason(program):
    make_tool("a", **FAULTY)

    waiver(program, rule="name-not-portable", reason="First.")
    waiver(program, rule="name-not-portable", reason="Second.")

    assert [one.reason for one in Waiver.objects.all()] == ["Second."]


def test_the_earlier_revisions_are_judged_again_later(program):
    make_tool("a", **FAULTY)
    make_tool("a", **{**FAULTY, "description": "Other words, and enough of them."})

    waiver(program, rule="name-not-portable")

    assert sorted(Assessment.objects.values_list("revision__number", "assessed_by")) == [(1, 0), (2, ASSESSED_BY)]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"rule": "no-such-rule"}, "/rule"),
        ({"rule": "name-not-portable", "reason": " "}, "/reason"),
        ({"rule": "name-not-portable", "reason": "x" * 501}, "/reason"),
        ({"rule": "name-not-portable", "reason": ""}, "/reason"),
        ({"rule": "name-not-portable", "pointer": "definition"}, "/pointer"),
        ({"rule": "name-not-portable", "pointer": "/" + "x" * 500}, "/pointer"),
    ],
)
def test_a_waiver_that_says_no_reason_or_means_nothing_is_refused(program, body, pointer):
    make_tool("a", **FAULTY)

    answer = waiver(program, **body)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert not Waiver.objects.exists()


def test_a_finding_is_waived_on_the_page_and_the_waiver_taken_back_there(browser):
    make_tool("a", **FAULTY)

    answer = browser.post(
        "/tools/a/lint/waivers/",
        {"rule": "name-not-portable", "pointer": "/definition/name", "reason": "Our customers know it <so>."},
        follow=True,
    )

    assert "Our customers know it &lt;so&gt;." in answer.content.decode()
    tree = page(browser, "/tools/a/lint/")
    assert texts_of(tree, "#waived .finding-waived p")[0] == "Waived: Our customers know it <so>."
    browser.post(tree.css_first("#waived form").attributes["action"])
    assert not Waiver.objects.exists()


def test_a_rule_is_waived_everywhere_on_the_page(browser):
    make_tool("a", **FAULTY)

    form = {"rule": "name-not-portable", "pointer": "/definition/name", "reason": "So be it.", "everywhere": "1"}
    browser.post("/tools/a/lint/waivers/", form)

    assert Waiver.objects.get().pointer == ""


def test_a_waiver_without_a_reason_comes_back_to_be_put_right(browser):
    make_tool("a", **FAULTY)

    form = {"rule": "name-not-portable", "pointer": "/definition/name", "reason": " "}
    answer = browser.post("/tools/a/lint/waivers/", form)

    assert answer.status_code == 422
    tree = HTMLParser(answer.content)
    assert "Say why" in text_of(tree, ".finding-waive[open] .field-error")
    assert tree.css_first(".finding-waive[open] input[aria-describedby$='-error']") is not None
    assert not Waiver.objects.exists()


def test_a_waiver_of_what_is_not_found_any_more_is_shown_and_can_be_taken_back(browser, program):
    make_tool("a", **FAULTY)
    waiver(program, rule="description-vague")

    tree = page(browser, "/tools/a/lint/")

    assert "Nothing is found any more that this waives" in text_of(tree, "#waived")
    browser.post(tree.css_first("#waived form").attributes["action"])
    assert not Waiver.objects.exists()


def test_the_text_of_a_stranger_is_only_text(client):
    evil = '"><script>alert(1)</script>'
    make_tool("a", name=evil, description=evil, parameters=properties(**{evil: {"type": "string", "format": evil}}))

    answer = client.get("/tools/a/lint/").content.decode()

    assert "<script>alert" not in answer


def test_the_page_of_an_archived_tool_shows_its_lint(client):
    make_tool("a", archived=True, **FAULTY)

    assert text_of(page(client, "/tools/a/lint/"), "h1") == "Lint"


def test_a_tool_has_a_bounded_number_of_waivers(monkeypatch):
    monkeypatch.setattr("catalog.waivers.MAX_WAIVERS", 2)
    tool = make_tool("now")
    for pointer in ("/1", "/2", "/2"):
        waive(tool, rule="examples-missing", pointer=pointer, reason="so it is", by=None)

    with pytest.raises(DocumentError, match="at most 2"):
        waive(tool, rule="examples-missing", pointer="/3", reason="so it is", by=None)

    assert tool.waivers.count() == 2
