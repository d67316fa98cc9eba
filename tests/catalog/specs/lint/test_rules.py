"""The documentation of the rules: what it shows is true, and every rule has all of it."""

import pytest

from catalog.specs.lint import RULES
from catalog.specs.lint.citations import SOURCES
from catalog.specs.lint.rule_examples import illustrations
from tests.catalog.views.test_pages import page, text_of, texts_of


@pytest.mark.parametrize("rule", RULES)
def test_what_a_rule_is_shown_to_find_is_found_and_put_right_it_is_not(rule):
    shown = illustrations()[rule]

    assert shown.findings(rule, shown.found)
    assert not shown.findings(rule, shown.right)


def test_every_rule_and_nothing_else_is_illustrated_and_has_a_source():
    assert set(illustrations()) == set(RULES)
    assert set(SOURCES) == set(RULES)
    assert all(SOURCES.values())


@pytest.mark.parametrize("rule", RULES)
def test_what_is_found_is_noted_beside_the_line_that_it_is_about(client, rule):
    tree = page(client, f"/lint/{rule}/")

    notes = illustrations()[rule].notes(rule)
    assert [text.replace("See the rule", "").strip() for text in texts_of(tree, "#found .json-note")] == [
        " ".join(note["message"].split()) for note in notes
    ]
    assert not tree.css(".json-note-loose")


def test_the_list_leads_to_every_rule_the_gravest_first(client):
    tree = page(client, "/lint/")

    leads = [link.attributes["href"] for link in tree.css(".rule a")]
    assert sorted(leads) == sorted(f"/lint/{rule}/" for rule in RULES)
    assert texts_of(tree, ".section-title")[0].startswith("Errors")


def test_a_rule_says_what_why_and_how_and_where_it_comes_from(client):
    tree = page(client, "/lint/name-not-portable/")

    rule = RULES["name-not-portable"]
    assert text_of(tree, "h1") == rule.title
    assert rule.why.split(".")[0] in tree.body.text()
    assert "Choose a name such as get_weather" in " ".join(tree.body.text().split())
    assert tree.css_first("#sources a").attributes["href"] == SOURCES["name-not-portable"][0].url


def test_a_rule_that_is_none_is_not_found(client):
    assert client.get("/lint/no-such-rule/").status_code == 404
