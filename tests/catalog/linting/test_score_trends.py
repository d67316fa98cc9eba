"""The score of a tool from revision to revision: drawn, and in the history."""

import pytest

from catalog.assessments import assess_all
from catalog.linting.score_trends import Point, Trend, trend_of
from catalog.models import Assessment
from tests.catalog.test_assessments import GOOD, bulk
from tests.factories import make_tool
from tests.pages import page, text_of, texts_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def tool():
    make_tool("a", **{**GOOD, "description": ""})
    make_tool("a", **{**GOOD, "name": "Get weather"})
    return make_tool("a", **GOOD)


def test_the_scores_are_drawn_from_the_oldest_to_the_newest(tool):
    trend = trend_of(tool)

    assert [(point.number, point.score) for point in trend.points] == [(1, 70), (2, 95), (3, 100)]
    assert trend.floor == 70
    assert trend.words == "Lint score of revisions 1 to 3: from 70 to 100"


def test_a_small_change_looks_small_but_is_seen():
    trend = Trend((Point(1, 98), Point(2, 94)), missing=0)

    assert trend.floor == 88


def test_one_revision_has_no_trend(client):
    tool = make_tool("a", **GOOD)

    assert trend_of(tool) is None
    assert not page(client, "/tools/a/lint/").css(".trend")


def test_a_score_that_stays_the_same_is_no_trend(client):
    make_tool("a", **GOOD)
    tool = make_tool("a", **{**GOOD, "description": f"{GOOD['description']} Again."})

    assert Assessment.objects.filter(revision__tool=tool).count() == 2
    assert trend_of(tool) is None


def test_unassessed_revisions_are_mentioned(tool):
    bulk("a", description="In bulk, and not assessed yet.")

    assert trend_of(type(tool).objects.with_current().get()).missing == 1


def test_pages_draw_it_and_the_history_has_every_score(tool, client):
    summary = page(
        client, "/tools/a/lint/", headers={"HX-Request": "true"}
    )  # the part that the tool's page loads
    history = page(client, "/tools/a/revisions/")
    for tree in (summary, page(client, "/tools/a/lint/"), history):
        line = tree.css_first(".trend .sparkline")
        assert line.attributes["aria-label"] == "Lint score of revisions 1 to 3: from 70 to 100"
        assert len(line.css_first("polyline").attributes["points"].split()) == 3
        assert texts_of(tree, ".trend-line > [aria-hidden]") == ["70", "100"]
    assert texts_of(history, ".timeline-score") == ["Lint 95 → 100", "Lint 70 → 95", "Lint 70"]


def test_the_history_has_a_score_only_where_it_changed(tool, client):
    make_tool("a", **{**GOOD, "description": GOOD["description"] + " Also at night."})
    make_tool("a", **{**GOOD, "description": ""})

    tree = page(client, "/tools/a/revisions/")

    assert texts_of(tree, ".timeline-score") == [
        "Lint 100 → 70 (lower)",
        "Lint 95 → 100",
        "Lint 70 → 95",
        "Lint 70",
    ]
    assert len(tree.css(".timeline-item")) == 5


def test_an_unassessed_revision_is_marked_in_the_history(client):
    bulk("a", **GOOD)

    assert (
        text_of(page(client, "/tools/a/revisions/"), ".timeline-score") == "Lint: not assessed yet"
    )


def test_the_tools_page_shows_the_score_and_the_most_severe_findings(client):
    make_tool("a", **{**GOOD, "description": "", "name": "Get weather"})

    section = page(client, "/tools/a/").css_first("#lint")
    summary = page(
        client, section.css_first("[hx-get]").attributes["hx-get"], headers={"HX-Request": "true"}
    )

    assert "65" in text_of(section, ".score")
    assert section.css_first("a[href='/tools/a/lint/']") is not None
    assert "1 error, 1 warning, 0 hints" in text_of(summary, ".lint-summary")
    assert texts_of(summary, ".lint-shown-text")[0].startswith("The description is empty;")


def test_the_trend_respects_all_waivers_after_a_new_assessment(tool, program, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    program.send(
        "POST", "/tools/a/lint/waivers", '{"rule": "name-not-portable", "reason": "So be it."}'
    )

    list(assess_all())

    assert [point.score for point in trend_of(tool).points] == [70, 100, 100]
    assert not Assessment.objects.filter(assessed_by=0).exists()
