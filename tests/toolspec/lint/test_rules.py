"""The documentation of the rules: it is complete, and its examples are true."""

import pytest

from tests.pages import page, text_of, texts_of
from toolspec.lint import RULES, SEVERITIES
from toolspec.lint.rule_examples import findings_in


@pytest.mark.parametrize("rule", RULES)
def test_the_example_of_a_rule_has_a_finding_and_its_correction_has_none(rule):
    documented = RULES[rule]

    assert findings_in(documented, documented.example.found)
    assert not findings_in(documented, documented.example.corrected)


def test_every_rule_has_a_severity_and_a_source():
    assert all(rule.severity in SEVERITIES and rule.sources for rule in RULES.values())


@pytest.mark.django_db
@pytest.mark.parametrize("rule", RULES)
def test_a_finding_is_shown_beside_its_line(client, rule):
    tree = page(client, f"/lint/{rule}/")

    documented = RULES[rule]
    findings = findings_in(documented, documented.example.found)
    assert [
        text.replace("See the rule", "").strip() for text in texts_of(tree, "#found .json-note")
    ] == [" ".join(finding.message.replace("`", "").split()) for finding in findings]
    assert not tree.css(".json-note-loose")


@pytest.mark.django_db
def test_the_list_links_to_every_rule_the_most_severe_first(client):
    tree = page(client, "/lint/")

    links = [link.attributes["href"] for link in tree.css(".rule a")]
    assert sorted(links) == sorted(f"/lint/{rule}/" for rule in RULES)
    assert texts_of(tree, ".section-title")[0].startswith("Errors")


@pytest.mark.django_db
def test_the_page_of_a_rule_explains_it_and_links_its_source(client):
    tree = page(client, "/lint/name-not-portable/")

    rule = RULES["name-not-portable"]
    assert text_of(tree, "h1") == rule.title
    assert rule.why.split(".")[0] in tree.body.text()
    assert "Choose a name such as get_weather" in " ".join(tree.body.text().split())
    assert tree.css_first("#sources a").attributes["href"] == rule.sources[0].url


def test_an_unknown_rule_is_not_found(client):
    assert client.get("/lint/no-such-rule/").status_code == 404
