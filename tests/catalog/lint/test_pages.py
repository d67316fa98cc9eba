"""The lint of a tool: its page and the API, fixes that are applied, waivers."""

import json

import pytest
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from catalog.lint.page import SHOWN_PER_RULE
from catalog.lint.waivers import waive
from catalog.tools.lint_models import Assessment, Waiver
from catalog.tools.models import Revision, Tool
from tests.factories import make_tool, properties, spec_text
from tests.pages import page, text_of, texts_of
from toolspec.errors import DocumentError
from toolspec.lint import lint
from toolspec.lint.assessment import ASSESSED_BY

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


def test_the_lint_page_lists_every_finding_with_its_line_and_fix(stranger):
    tool = make_tool("a", **FAULTY)

    answer = findings(stranger)

    assert (answer["revision"], answer["current"], answer["score"]) == (1, True, tool.score)
    assert answer["counts"] == {"error": 0, "warning": 3, "info": 0}
    assert [one["rule"] for one in answer["findings"]] == [
        one.rule for one in lint(tool.current.spec)
    ]
    assert all(one["line"] and one["help"] == f"/lint/{one['rule']}/" for one in answer["findings"])
    assert answer["usable"] == []


def test_the_lint_of_an_earlier_revision_can_be_read(stranger):
    make_tool("a", **FAULTY)
    make_tool("a", **{**FAULTY, "description": ""})

    answer = findings(stranger, revision=1)

    assert (answer["revision"], answer["current"]) == (1, False)
    assert stranger.ask("/tools/a/lint", revision=7).status_code == 404


def test_the_page_shows_findings_by_severity_with_line_rule_and_a_link_to_the_change(client):
    make_tool("a", **FAULTY)

    tree = page(client, "/tools/a/lint/")

    assert texts_of(tree, ".section-title")[:1] == ["Warnings #"]
    assert len(tree.css(".finding")) == 3
    line = tree.css_first(".finding .problem-where a").attributes["href"]
    assert tree.css_first(line) is not None
    change = page(client, tree.css_first(".finding-fix a").attributes["href"])
    assert change.css_first(".diff-del")
    assert change.css_first(".diff-add")
    assert not tree.css(".finding button")


def test_a_warning_is_a_warning_in_the_spec_too_and_an_error_an_error(client):
    make_tool("a", **FAULTY)
    make_tool("b", parameters=properties(city={"type": "string", "minLength": 5, "maxLength": 2}))

    warnings, mixed = (page(client, f"/tools/{slug}/lint/").css(".json-note") for slug in "ab")

    assert {note.attributes["class"] for note in warnings} == {"json-note note-warning"}
    assert "json-note note-error" in {note.attributes["class"] for note in mixed}


def test_a_spec_on_one_line_is_laid_out_and_its_findings_lead_to_the_lines_shown(client):
    from catalog.tools.publishing import publish
    from toolspec.spec import read_spec

    publish(read_spec(json.dumps(json.loads(spec_text("a", **FAULTY)))), by=None)

    tree = page(client, "/tools/a/lint/")

    lines = {link.attributes["href"] for link in tree.css(".finding .problem-where a[href^='#']")}
    assert len(lines) == 3
    assert all(tree.css_first(line) is not None for line in lines)


def test_the_page_of_a_spec_without_findings_says_so(client):
    make_tool("a", **{**FAULTY, "name": "a", "parameters": properties()})

    assert "No findings" in page(client, "/tools/a/lint/").body.text()


@pytest.mark.parametrize("revision", ["x", "0", "99999999999", "7"])
def test_the_lint_of_no_revision_is_not_found(client, revision):
    make_tool("a")

    assert client.get(f"/tools/a/lint/?revision={revision}").status_code == 404


@pytest.mark.parametrize("path", ["/lint/", "/tools/a/lint/"])
def test_findings_and_rules_are_filtered_by_severity(client, path):
    make_tool("a", **FAULTY)

    tree = page(client, path)
    counts = {
        link.attributes["href"]: int(text_of(link, ".count"))
        for link in tree.css("[aria-label=Severity] a")
    }
    filtered = page(client, f"{path}?severity=warning")

    assert list(counts) == [
        path,
        *(f"{path}?severity={severity}" for severity in ("error", "warning", "info")),
    ]
    assert counts[path] == sum(counts.values()) - counts[path]
    assert [section.id for section in filtered.css("section.section:not(#scores, #spec)")] == [
        "warning"
    ]
    assert len(filtered.css(".rule, .finding")) == counts[f"{path}?severity=warning"] > 0
    assert (
        filtered.css_first("[aria-label=Severity] [aria-current]")
        .attributes["href"]
        .endswith("?severity=warning")
    )
    assert client.get(f"{path}?severity=fatal").status_code == 404


def test_a_severity_without_findings_says_so_and_the_revision_stays_chosen(client):
    make_tool("a", **FAULTY)
    make_tool("a", **{**FAULTY, "description": ""})

    tree = page(client, "/tools/a/lint/?revision=1&severity=error")

    assert "No findings of this severity" in tree.body.text()
    assert "/tools/a/lint/?revision=1&severity=info" in {
        link.attributes["href"] for link in tree.css("[aria-label=Severity] a")
    }


# -- many findings ----------------------------------------------------------------------------------------------------


@pytest.fixture
def many(db):
    """A tool with 30 parameters, each without a description and with a default that does not fit."""
    schema = properties(
        **{f"p{number:02}": {"type": "string", "default": None} for number in range(30)}
    )
    return make_tool(
        "many", description="Tell the present weather of a city, not a forecast.", parameters=schema
    )


def test_findings_are_grouped_by_rule_and_the_first_are_shown(client, many):
    tree = page(client, "/tools/many/lint/")

    group = tree.css_first("#rule-default-invalid")
    assert text_of(group, ".finding-message").startswith("30 ")
    assert len(group.css("tbody tr")) == SHOWN_PER_RULE
    assert text_of(group, "a[href*='rule=']") == "25 more"
    assert len(tree.css(".finding")) == len({one.rule for one in lint(many.current.spec)})
    assert {link.attributes["href"] for link in group.css("tbody a")} <= {
        f"#{line.attributes['id']}" for line in tree.css(".json-line")
    }


def test_a_group_names_the_common_beginning_of_its_pointers_once(client, many):
    group = page(client, "/tools/many/lint/").css_first("#rule-default-invalid")

    assert text_of(group, "thead .finding-pointer") == "/definition/parameters/properties"
    assert texts_of(group, "tbody .finding-pointer")[:2] == ["/p00/default", "/p01/default"]


def test_the_page_of_one_rule_shows_all_of_its_findings_and_no_other(client, many):
    tree = page(client, "/tools/many/lint/?rule=default-invalid")

    assert len(tree.css(".finding")) == 1
    assert len(tree.css("#rule-default-invalid tbody tr")) == 30
    assert client.get("/tools/many/lint/?rule=nothing").status_code == 404


def test_the_findings_of_a_rule_in_an_earlier_revision_have_their_page(client, many):
    make_tool("many", description="Without parameters.")

    tree = page(client, "/tools/many/lint/?revision=1")
    link = tree.css_first("#rule-default-invalid a[href*='rule=']").attributes["href"]

    assert len(page(client, link).css("#rule-default-invalid tbody tr")) == 30


def test_the_size_of_the_page_depends_on_the_rules_and_not_on_the_findings(client):
    sizes = []
    for count in (20, 200):
        schema = properties(
            **{f"p{number:03}": {"type": "string", "default": None} for number in range(count)}
        )
        make_tool("a", parameters=schema)
        page_of_lint = HTMLParser(client.get("/tools/a/lint/").content)
        page_of_lint.css_first("#spec").decompose()
        sizes.append(len(page_of_lint.html))

    assert sizes[1] < sizes[0] * 1.1


def test_all_fixes_of_a_rule_are_looked_at_and_applied_together(browser, many):
    group = page(browser, "/tools/many/lint/").css_first("#rule-default-invalid")
    changes = page(browser, group.css_first("[hx-get*='changes']").attributes["hx-get"])
    fields = {
        field.attributes["name"]: field.attributes["value"]
        for field in group.css(".finding-fix input")
    }

    answer = browser.post("/tools/many/lint/fixes/", fields, follow=True)

    assert len(changes.css(".diff-del")) >= 30
    assert "Revision 2 is published, with 30 fixes applied." in answer.content.decode()
    assert "default-invalid" not in {
        one.rule for one in lint(Tool.objects.with_current().get().current.spec)
    }


@pytest.mark.parametrize("rule", ["nothing", "member-undescribed"])
def test_the_fixes_of_a_rule_that_has_none_are_refused(browser, many, rule):
    answer = browser.post("/tools/many/lint/fixes/", {"seen": "1", "rule": rule})

    assert answer.status_code == 422
    assert "There is nothing to fix." in answer.content.decode()


def test_the_change_of_all_safe_fixes_has_its_own_address(client):
    make_tool("a", **FAULTY)

    tree = page(client, "/tools/a/lint/changes/")

    assert "2 fixes in revision 1." in tree.body.text()
    assert tree.css(".diff-del")
    assert client.get("/tools/a/lint/changes/?rule=nothing").status_code == 404
    assert client.get("/tools/a/lint/changes/?revision=7").status_code == 404


def test_the_change_of_a_spec_without_fixes_says_so(client):
    make_tool("a", **{**FAULTY, "name": "a", "parameters": properties()})

    assert "There is nothing to fix." in page(client, "/tools/a/lint/changes/").body.text()


def test_one_of_many_findings_can_be_waived(browser, many):
    form = page(browser, "/tools/many/lint/").css_first("#rule-default-invalid .finding-waive form")
    pointer = form.css("option")[1].attributes["value"]

    browser.post(
        "/tools/many/lint/waivers/",
        {"rule": "default-invalid", "pointer": pointer, "reason": "So be it."},
    )

    tree = page(browser, "/tools/many/lint/")
    assert text_of(tree, "#rule-default-invalid .finding-message").startswith("29 ")
    assert pointer in text_of(tree, "#waived .finding-pointer")


def test_a_waiver_of_a_rule_is_shown_once_with_its_findings(browser, many):
    waive(many, rule="default-invalid", reason="So be it.", by=None)

    tree = page(browser, "/tools/many/lint/")

    assert len(tree.css("#waived .finding")) == 1
    assert len(tree.css("#waived tbody tr")) == 10
    assert text_of(tree, "#waived .section-title").startswith("Waived 30")


def test_a_refused_waiver_of_a_group_keeps_the_chosen_finding(browser, many):
    pointer = "/definition/parameters/properties/p03/default"

    answer = browser.post(
        "/tools/many/lint/waivers/", {"rule": "default-invalid", "pointer": pointer, "reason": " "}
    )

    tree = HTMLParser(answer.content)
    assert "Enter a reason" in text_of(tree, ".finding-waive[open] .field-error")
    assert tree.css_first(".finding-waive[open] option[selected]").attributes["value"] == pointer


def test_the_summary_on_a_tools_page_is_grouped_by_rule(client, many):
    tree = HTMLParser(client.get("/tools/many/lint/", headers={"HX-Request": "true"}).content)

    assert any(text.startswith("30 ") for text in texts_of(tree, ".lint-shown-text"))
    assert len(tree.css(".lint-shown li")) <= 3


# -- fixes ------------------------------------------------------------------------------------------------------------


def test_a_fix_is_applied_as_the_next_revision(program):
    make_tool("a", **FAULTY)
    key = fix_of(findings(program), "keyword-without-effect")

    answer = program.send(
        "POST", "/tools/a/lint/fixes", json.dumps({"revision": 1, "fixes": [key]})
    )

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

    answer = program.send(
        "POST", "/tools/a/lint/fixes", json.dumps({"revision": 1, "dry_run": True})
    )

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
    ("body", "rule"),
    [({"revision": 1, "fixes": ["nothing"]}, "lint.no-such-fix"), ({"revision": 1}, "lint.no-fix")],
)
def test_a_fix_that_there_is_not_is_refused(program, body, rule):
    make_tool("a")

    answer = program.send("POST", "/tools/a/lint/fixes", json.dumps(body))

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["rule"] == rule


def test_a_stranger_applies_and_waives_nothing(stranger, client):
    make_tool("a", **FAULTY)

    assert (
        stranger.send("POST", "/tools/a/lint/fixes", json.dumps({"revision": 1})).status_code == 401
    )
    assert (
        stranger.send(
            "POST", "/tools/a/lint/waivers", json.dumps({"rule": "x", "reason": "y"})
        ).status_code
        == 401
    )
    for path in ("fixes/", "waivers/", "waivers/1/remove/"):
        assert client.post(f"/tools/a/lint/{path}").url.startswith("/sign-in/")
    assert Revision.objects.count() == 1


def test_a_fix_is_applied_by_a_button(browser):
    make_tool("a", **FAULTY)
    form = page(browser, "/tools/a/lint/").css_first(".finding-fix form")
    fields = {
        field.attributes["name"]: field.attributes["value"]
        for field in form.css("input[type=hidden]")
    }

    answer = browser.post(form.attributes["action"], fields, follow=True)

    assert "Revision 2 is published, with 1 fix applied." in answer.content.decode()
    assert Tool.objects.with_current().get().current.number == 2


def test_all_safe_fixes_are_applied_by_a_button(browser):
    make_tool("a", **FAULTY)

    browser.post("/tools/a/lint/fixes/", {"seen": 1, "safe": 1})

    assert {one.rule for one in lint(Tool.objects.with_current().get().current.spec)} == {
        "name-not-portable"
    }


def test_a_fix_for_an_outdated_revision_changes_nothing_and_shows_the_current_findings(browser):
    make_tool("a", **FAULTY)
    make_tool("a", **{**FAULTY, "description": "Other words, and enough of them."})

    answer = browser.post("/tools/a/lint/fixes/", {"seen": 1, "safe": 1})

    assert answer.status_code == 409
    assert "another revision was published in the meantime" in answer.content.decode()
    assert Revision.objects.count() == 2


def test_a_fix_that_no_longer_exists_is_reported(browser):
    make_tool("a", **FAULTY)

    answer = browser.post("/tools/a/lint/fixes/", {"seen": 1, "fix": "gone"})

    assert answer.status_code == 422
    assert "no fix" in answer.content.decode()


# -- waivers ----------------------------------------------------------------------------------------------------------


def waiver(program, **body):
    return program.send(
        "POST", "/tools/a/lint/waivers", json.dumps({"reason": "So be it.", **body})
    )


def test_a_waiver_shows_its_author_and_reason_and_raises_the_score(program):
    before = make_tool("a", **FAULTY).score

    answer = waiver(program, rule="name-not-portable")

    assert answer.status_code == 201
    shown = findings(program)
    assert shown["score"] == Tool.objects.get().score == before + 5
    assert Assessment.objects.get().score == before + 5
    [waived] = [one["waiver"] for one in shown["findings"] if one["waiver"]]
    assert (waived["reason"], waived["by"], waived["rule"]) == (
        "So be it.",
        "program",
        "name-not-portable",
    )
    assert shown["counts"]["warning"] == 2


def test_a_waiver_applies_to_later_revisions(program):
    make_tool("a", **FAULTY)
    waiver(program, rule="name-not-portable")

    tool = make_tool("a", **{**FAULTY, "description": "Other words, and enough of them."})

    assert Tool.objects.get().score == tool.score == findings(program)["score"]
    assert findings(program)["counts"]["warning"] == 2


def test_a_waiver_of_one_pointer_leaves_the_other_findings(program):
    make_tool(
        "a", **{**FAULTY, "parameters": properties(a={"type": "string"}, b={"type": "string"})}
    )

    waiver(program, rule="parameter-undescribed", pointer="/definition/parameters/properties/a")

    found = [one for one in findings(program)["findings"] if one["rule"] == "parameter-undescribed"]
    assert [bool(one["waiver"]) for one in found] == [True, False]


def test_a_waiver_can_be_removed(program):
    before = make_tool("a", **FAULTY).score
    number = waiver(program, rule="name-not-portable").json()["id"]

    assert program.send("DELETE", f"/tools/a/lint/waivers/{number}").status_code == 204

    assert Tool.objects.get().score == before
    assert program.ask("/tools/a/lint/waivers").json() == {"items": []}
    assert program.send("DELETE", f"/tools/a/lint/waivers/{number}").status_code == 404


def test_a_waiver_of_another_tool_is_not_removed(program):
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


def test_earlier_revisions_are_assessed_again_later(program):
    make_tool("a", **FAULTY)
    make_tool("a", **{**FAULTY, "description": "Other words, and enough of them."})

    waiver(program, rule="name-not-portable")

    assert sorted(Assessment.objects.values_list("revision__number", "assessed_by")) == [
        (1, 0),
        (2, ASSESSED_BY),
    ]


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
def test_a_waiver_without_a_reason_or_a_valid_rule_is_refused(program, body, pointer):
    make_tool("a", **FAULTY)

    answer = waiver(program, **body)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert not Waiver.objects.exists()


def test_a_finding_is_waived_and_the_waiver_removed_on_the_page(browser):
    make_tool("a", **FAULTY)

    answer = browser.post(
        "/tools/a/lint/waivers/",
        {
            "rule": "name-not-portable",
            "pointer": "/definition/name",
            "reason": "Our customers know it <so>.",
        },
        follow=True,
    )

    assert "Our customers know it &lt;so&gt;." in answer.content.decode()
    tree = page(browser, "/tools/a/lint/")
    assert texts_of(tree, "#waived .finding-waived p")[0] == "Waived: Our customers know it <so>."
    browser.post(tree.css_first("#waived form").attributes["action"])
    assert not Waiver.objects.exists()


def test_a_rule_is_waived_everywhere_on_the_page(browser):
    make_tool("a", **FAULTY)

    form = {
        "rule": "name-not-portable",
        "pointer": "/definition/name",
        "reason": "So be it.",
        "everywhere": "1",
    }
    browser.post("/tools/a/lint/waivers/", form)

    assert Waiver.objects.get().pointer == ""


def test_a_waiver_without_a_reason_comes_back_to_be_put_right(browser):
    make_tool("a", **FAULTY)

    form = {"rule": "name-not-portable", "pointer": "/definition/name", "reason": " "}
    answer = browser.post("/tools/a/lint/waivers/", form)

    assert answer.status_code == 422
    tree = HTMLParser(answer.content)
    assert "Enter a reason" in text_of(tree, ".finding-waive[open] .field-error")
    assert tree.css_first(".finding-waive[open] input[aria-describedby$='-error']") is not None
    assert not Waiver.objects.exists()


def test_a_waiver_without_a_finding_is_shown_and_can_be_removed(browser, program):
    make_tool("a", **FAULTY)
    waiver(program, rule="description-vague")

    tree = page(browser, "/tools/a/lint/")

    assert "This waiver no longer matches a finding" in text_of(tree, "#waived")
    browser.post(tree.css_first("#waived form").attributes["action"])
    assert not Waiver.objects.exists()


def test_the_text_of_a_stranger_is_only_text(client):
    evil = '"><script>alert(1)</script>'
    make_tool(
        "a",
        name=evil,
        description=evil,
        parameters=properties(**{evil: {"type": "string", "format": evil}}),
    )

    answer = client.get("/tools/a/lint/").content.decode()

    assert "<script>alert" not in answer


def test_the_page_of_an_archived_tool_shows_its_lint(client):
    make_tool("a", archived=True, **FAULTY)

    assert "Findings" in text_of(page(client, "/tools/a/lint/"), ".page-heading")


def test_a_tool_has_a_bounded_number_of_waivers(monkeypatch):
    monkeypatch.setattr("catalog.lint.waivers.MAX_WAIVERS", 2)
    tool = make_tool("now")
    for pointer in ("/1", "/2", "/2"):
        waive(tool, rule="examples-missing", pointer=pointer, reason="so it is", by=None)

    with pytest.raises(DocumentError, match="at most 2"):
        waive(tool, rule="examples-missing", pointer="/3", reason="so it is", by=None)

    assert tool.waivers.count() == 2
