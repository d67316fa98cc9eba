"""The lint rules through the API: the same texts as on their pages."""

from __future__ import annotations

import json

import pytest

from tests.factories import properties
from toolspec.lint import RULES

pytestmark = pytest.mark.django_db


def test_all_rules_are_listed_the_most_severe_first(stranger):
    items = stranger.ask("/lint/rules").json()["items"]

    assert {one["id"]: one["title"] for one in items} == {
        rule.id: rule.title for rule in RULES.values()
    }
    severities = [one["severity"] for one in items]
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    assert all(one["why"] and one["how"] for one in items)
    assert items[0]["title"] in stranger.get(items[0]["help"]).content.decode()


def test_each_rule_has_an_example_and_sources(stranger):
    for rule in RULES.values():
        body = stranger.ask(f"/lint/rules/{rule.id}").json()

        assert (body["id"], body["why"], body["how"]) == (rule.id, rule.why, rule.how)
        assert body["example"]["notes"]
        assert body["example"]["found"] != body["example"]["corrected"]
        assert body["sources"][0]["url"].startswith("https://")
    assert stranger.ask("/lint/rules/nothing").status_code == 404


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [("skiptoken", False), ("nextPaginationToken", False), ("resumeToken", False), ("page_token", False),
     ("sessionToken", True), ("refreshToken", True), ("pageAccessToken", True)],
)  # fmt: skip
def test_a_page_token_is_no_secret_but_a_token_of_a_session_is(stranger, name, is_secret):
    parameters = properties(**{name: {"type": "string", "description": "From the last response."}})
    spec = {
        "definition": {
            "name": "list_notes",
            "description": "Lists notes.",
            "parameters": parameters,
        }
    }

    checked = stranger.send("POST", "/specs/check", json.dumps(spec)).json()

    rules = {finding["rule"] for finding in checked["advice"]}
    assert ("secret-in-parameters" in rules) == is_secret
