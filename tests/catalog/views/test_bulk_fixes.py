"""Safe lint fixes of many tools: the preview, what it publishes or proposes, and what it skips."""

import pytest
from django.test import Client
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from catalog.accounts.roles import set_role
from catalog.accounts.shared_rates import Rate
from catalog.linting.waivers import waive
from catalog.models import AuditEvent, HeldChange, Revision, Tool
from catalog.publishing import publish
from catalog.specs.lint import lint
from tests.catalog.views.test_lint import FAULTY
from tests.factories import make_spec, make_tool, make_user
from tests.pages import page, text_of, texts_of

pytestmark = pytest.mark.django_db

FLAWLESS = {**FAULTY, "name": "a", "parameters": {"type": "object", "properties": {}}}


def values(tree):
    return [box.attributes["value"] for box in tree.css("input[name=fix]")]


def number_of(slug):
    return Tool.objects.select_related("current").get(slug=slug).current.number


def posted(client, path, fields):
    answer = client.post(path, fields)
    assert answer.status_code == 200, answer.content
    return HTMLParser(answer.content)


@pytest.fixture
def three(ada):
    """A tool of Ada's, one of Olivia's, and one without anything to fix."""
    publish(make_spec("mine", **FAULTY), by=ada)
    publish(make_spec("theirs", **FAULTY), by=make_user("olivia"))
    make_tool("good", **FLAWLESS)
    return {"tool": ["mine", "theirs", "good"]}


def test_the_preview_shows_every_change_and_why_tools_are_skipped(browser, three):
    tree = page(browser, "/selection/fixes/?tool=mine&tool=theirs&tool=good")

    assert texts_of(tree, ".finding .id") == ["mine", "theirs"]
    assert len(tree.css(".finding details[open] .diff-del")) >= 4
    assert [bool(row.css(".chip")) for row in tree.css(".finding")] == [False, True]
    assert "There is nothing to fix." in text_of(tree, "#skipped tbody")
    assert "1 new revision, 1 proposal" in tree.css_first("form .button-row").text()
    assert Revision.objects.count() == 3
    assert not HeldChange.objects.exists()


def test_what_was_previewed_is_published_or_proposed(browser, three):
    tree = page(browser, "/selection/fixes/?tool=mine&tool=theirs&tool=good")

    answer = browser.post("/selection/fixes/apply/", {"fix": values(tree)})

    assert answer.status_code == 200
    assert (number_of("mine"), number_of("theirs")) == (2, 1)
    assert {
        one.rule for one in lint(Tool.objects.with_current().get(slug="mine").current.spec)
    } == {"name-not-portable"}
    change = HeldChange.objects.get()
    assert (change.tool_id, change.proposed_by.username) == ("theirs", "ada")
    assert change.get_absolute_url() in answer.content.decode()
    assert AuditEvent.objects.filter(action="tool.fix").count() == 1


def test_the_selection_leads_to_the_preview(browser, three):
    button = page(browser, "/selection/?tool=mine").css_first("button[formaction]")

    tree = posted(browser, button.attributes["formaction"], three)

    assert len(values(tree)) == 2


def test_many_changes_are_folded(browser, ada):
    for number in range(12):
        publish(make_spec(f"a.{number}", **FAULTY), by=ada)

    tree = page(
        browser, "/selection/fixes/?" + "&".join(f"tool=a.{number}" for number in range(12))
    )

    assert len(tree.css(".finding details")) == 12
    assert not tree.css(".finding details[open]")


def test_a_tool_that_changed_since_the_preview_is_skipped_and_named(browser, ada, three):
    publish(make_spec("other", **FAULTY), by=ada)
    tree = page(browser, "/selection/fixes/?tool=mine&tool=other")
    publish(
        make_spec("mine", **{**FAULTY, "description": "Other words, and enough of them."}), by=ada
    )

    answer = posted(browser, "/selection/fixes/apply/", {"fix": values(tree)})

    assert "mine" in text_of(answer, "#skipped tbody")
    assert "It has changed since the preview." in text_of(answer, "#skipped tbody")
    assert (number_of("mine"), number_of("other")) == (2, 2)


def test_a_finding_that_was_waived_since_the_preview_is_not_fixed(browser, three):
    tree = page(browser, "/selection/fixes/?tool=mine")
    waive(Tool.objects.get(slug="mine"), rule="keyword-without-effect", reason="So be it.", by=None)

    answer = posted(browser, "/selection/fixes/apply/", {"fix": values(tree)})

    assert "It has changed since the preview." in text_of(answer, "#skipped tbody")
    assert number_of("mine") == 1


def test_a_tool_that_fails_does_not_stop_the_others(browser, ada, monkeypatch):
    for name in ("a", "b", "c"):
        publish(make_spec(name, **FAULTY), by=ada)
    tree = page(browser, "/selection/fixes/?tool=a&tool=b&tool=c")
    audited = 0

    def fail_once(action, *args, **kwargs):
        nonlocal audited
        audited += action == "tool.fix"
        if audited == 2:
            audited += 1
            from catalog.errors import RevisionConflict

            raise RevisionConflict("Another revision came first.")

    monkeypatch.setattr("catalog.linting.apply_fixes.audit.record", fail_once)

    answer = posted(browser, "/selection/fixes/apply/", {"fix": values(tree)})

    assert [number_of(name) for name in ("a", "b", "c")] == [2, 1, 2]
    assert "Another revision came first." in text_of(answer, "#skipped tbody")


def test_the_page_of_a_rule_leads_to_its_fixes_alone(browser, three):
    link = page(browser, "/lint/keyword-without-effect/").css_first("a[href*='selection/fixes']")

    tree = page(browser, link.attributes["href"])
    posted(
        browser, "/selection/fixes/apply/", {"rule": "keyword-without-effect", "fix": values(tree)}
    )

    assert link.text(strip=True) == "Fix in 2 tools"
    assert texts_of(tree, ".finding .id") == ["mine", "theirs"]
    rules = {one.rule for one in lint(Tool.objects.with_current().get(slug="mine").current.spec)}
    assert rules == {one.rule for one in lint(make_spec("mine", **FAULTY))} - {
        "keyword-without-effect"
    }


def test_fixes_that_are_not_safe_are_not_offered(browser, three):
    assert "Fix in" not in page(browser, "/lint/name-not-portable/").body.text()
    assert not values(page(browser, "/selection/fixes/?rule=name-not-portable"))


def test_more_tools_than_one_page_takes_are_on_the_next(browser, ada, monkeypatch):
    monkeypatch.setattr("catalog.views.bulk_fixes.MAX_TOOLS", 2)
    for number in range(3):
        publish(make_spec(f"a.{number}", **FAULTY), by=ada)
    first = page(browser, "/selection/fixes/?rule=keyword-without-effect")

    second = page(browser, f"/selection/fixes/{first.css_first('a[rel=next]').attributes['href']}")

    assert [len(values(tree)) for tree in (first, second)] == [2, 1]
    assert "Tools 3 to 3 of 3" in text_of(second, ".pagination p")


def test_a_preview_has_a_limit_and_names_the_tools_beyond_it(browser, ada, monkeypatch):
    monkeypatch.setattr("catalog.linting.bulk_fixes.MAX_FIXED", 1)
    for name in ("a", "b"):
        publish(make_spec(name, **FAULTY), by=ada)

    tree = page(browser, "/selection/fixes/?tool=a&tool=b")

    assert len(values(tree)) == 1
    assert "At most 1 tools are fixed at a time." in text_of(tree, "#skipped tbody")


def test_people_who_may_neither_publish_nor_propose_see_a_reason(three):
    set_role(reader := make_user("rita"), "reader")
    client = Client()
    client.force_login(reader)

    tree = page(client, "/selection/fixes/?tool=mine")

    assert not values(tree)
    assert "Only" in text_of(tree, "#skipped tbody")
    assert not page(client, "/selection/?tool=mine").css("button[formaction]")
    assert "Fix in" not in page(client, "/lint/keyword-without-effect/").body.text()


@pytest.mark.parametrize(
    "value", ["", "mine", "mine 1", "mine x " + "0" * 64, "mine 1 " + "0" * 64, "\x00mine 1 ff"]
)
def test_a_value_that_no_preview_sent_changes_nothing(browser, three, value):
    assert browser.post("/selection/fixes/apply/", {"fix": [value]}).status_code == 200
    assert number_of("mine") == 1


def test_visitors_sign_in_first(client, three):
    assert client.get("/selection/fixes/?tool=mine")["Location"].startswith("/sign-in/")
    assert client.post("/selection/fixes/apply/", {"fix": "x"})["Location"].startswith("/sign-in/")


def test_a_rule_that_does_not_exist_is_not_found(browser):
    assert browser.get("/selection/fixes/?rule=nothing").status_code == 404


def test_previews_and_fixes_are_limited_like_checks_and_uploads(browser, three, settings):
    settings.UPLOAD_RATE = Rate(1, 60)
    shown = values(page(browser, "/selection/fixes/?tool=mine"))

    answers = [browser.post("/selection/fixes/apply/", {"fix": shown}) for _ in range(2)]

    assert browser.get("/selection/fixes/?tool=mine").status_code == 429
    assert [answer.status_code for answer in answers] == [200, 429]
    assert number_of("mine") == 2
