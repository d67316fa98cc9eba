"""Lint over the whole catalog: the spread of the scores, and the tools that break a rule."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from catalog.lint.waivers import delete_waiver, waive
from catalog.organise.access import Access, change_tool_access
from catalog.organise.lifecycle import archive
from catalog.tools.lint_models import Assessment
from catalog.tools.models import Tool
from tests.factories import make_tool, make_user

pytestmark = pytest.mark.django_db
RULE = "name-not-portable"


def page(browser, path="/lint/"):
    return LexborHTMLParser(browser.get(path).content.decode())


def tools_of(html, rule=RULE):
    """The words beside a rule of the overview; "folded" for one among the rules without findings."""
    row = next(row for row in html.css(".rule") if row.css_first("code").text() == rule)
    words = row.css_first(".rule-tools")
    return words.text(strip=True) if words else "folded"


def listed(html):
    return [
        (cells.css_first("a").text(), cells.css_first("td").text())
        for cells in html.css("#tools tbody tr")
    ]


def test_the_scores_are_spread_over_bars_that_lead_to_their_tools(client):
    for name in ("clean", "Not portable"):
        make_tool(name, description="Returns the temperature in the garden, in degrees Celsius.")
    scores = sorted(Tool.objects.values_list("score", flat=True))

    html = page(client)
    addresses = [link.attributes["href"] for link in html.css("#scores a")]
    found = [names_of(client.get(address)) for address in addresses]

    assert "Scores of 2 tools" in html.css_first("#scores").text()
    assert scores[0] < scores[1]
    assert sorted(name for names in found for name in names) == ["Not portable", "clean"]


def test_the_scores_below_50_share_one_bar(client):
    names = ["Worst here", "Bad here", "Middling here"]
    for name, score in zip(names, (3, 49, 50), strict=True):
        Assessment.objects.filter(revision=make_tool(name).current).update(score=score)
    Tool.objects.filter(name__in=names[:2]).update(score=20)
    Tool.objects.filter(name=names[2]).update(score=50)

    html = page(client)

    assert (
        html.css_first("#scores .chart-labels")
        .text(separator=" ", strip=True)
        .startswith("below 50 50-59")
    )
    assert [text.text() for text in html.css("#scores .chart-count")] == [
        "2",
        "1",
        "0",
        "0",
        "0",
        "0",
    ]


def names_of(answer):
    return [link.text() for link in LexborHTMLParser(answer.content.decode()).css(".result-name a")]


def test_a_rule_counts_the_tools_that_break_it_and_lists_them(client):
    make_tool("Not portable")
    make_tool("portable")
    make_tool("Neither this")

    assert tools_of(page(client)) == "2 tools"
    assert listed(page(client, f"/lint/{RULE}/")) == [("Neither this", "1"), ("Not portable", "1")]
    assert f" {RULE}:" in Assessment.objects.get(revision__tool__name="Not portable").findings
    assert f" {RULE}:" not in Assessment.objects.get(revision__tool__name="portable").findings


def test_rules_without_findings_are_folded(client):
    make_tool("Not portable")

    warnings = page(client).css_first("#warning")

    listed, folded = (
        len(warnings.css(".rules:not(details .rules) .rule")),
        len(warnings.css("details .rule")),
    )
    assert listed > 0
    assert warnings.css_first("summary").text() == f"{folded} rules without findings"
    assert warnings.css_first(".count").text() == str(listed + folded)


def test_a_waived_finding_and_an_archived_tool_do_not_count(client):
    waived, archived = make_tool("Waived here"), make_tool("Archived here")
    assert tools_of(page(client)) == "2 tools"

    waive(waived, rule=RULE, reason="The name is known.", by=make_user())
    archive(archived)

    assert tools_of(page(client)) == "folded"
    assert listed(page(client, f"/lint/{RULE}/")) == []


def test_a_finding_that_is_waived_does_not_count_even_if_the_score_is_the_same(client):
    tool, user = make_tool("Waived here"), make_user()
    waiver = waive(tool, rule=RULE, reason="The name is known.", by=user)
    score = Tool.objects.get().score
    delete_waiver(waiver)
    Tool.objects.update(score=score)
    assert tools_of(page(client)) == "1 tool"

    waive(tool, rule=RULE, reason="The name is known.", by=user)

    assert tools_of(page(client)) == "folded"


def test_hidden_tools_are_neither_counted_nor_listed(client):
    change_tool_access(make_tool("Hidden here"), Access(visibility="signed-in"), by=None)

    assert tools_of(page(client)) == "folded"
    assert listed(page(client, f"/lint/{RULE}/")) == []
    client.force_login(make_user("reader"))
    assert tools_of(page(client)) == "1 tool"
    assert [name for name, _ in listed(page(client, f"/lint/{RULE}/"))] == ["Hidden here"]


def test_the_list_of_a_rule_has_pages(client):
    for number in range(52):
        make_tool(f"Not portable {number:02}")

    first, second = page(client, f"/lint/{RULE}/"), page(client, f"/lint/{RULE}/?page=2")

    assert (len(listed(first)), len(listed(second))) == (50, 2)
    assert first.css_first("a[rel=next]").attributes["href"] == "?page=2#tools"
    assert "51 to 52 of 52" in second.css_first(".pagination").text()
    assert client.get(f"/lint/{RULE}/?page=999999999999").status_code == 200
