"""The charts: positions and sizes from numbers, words for readers, and no markup out of text."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from toolshelf_core.rendering import charts
from toolshelf_core.rendering.charts import Bar, Series

SERIES = [Series("conform", "good"), Series("violate", "bad")]


def parsed(markup: str) -> ElementTree.Element:
    """Raises: it is not well-formed."""
    return ElementTree.fromstring(markup)


def attributes(markup: str, name: str) -> list[str]:
    return re.findall(rf' {name}="([^"]*)"', markup)


def test_the_largest_bar_is_as_high_as_the_chart_and_the_others_in_proportion():
    drawn = charts.draw_stacked_bars([Bar("Mon", (8, 0)), Bar("Tue", (3, 1))], SERIES, label="Runs")

    heights = [
        rect.get("height")
        for rect in parsed(drawn).iter("rect")
        if "chart-part" in rect.get("class", "")
    ]
    assert heights[2:] == ["100%", "37.5%", "12.5%"]  # after the two swatches of the legend


def test_a_chart_without_links_is_an_image_with_a_label_and_a_table():
    drawn = parsed(charts.draw_stacked_bars([Bar("Mon", (8, 2))], SERIES, label="Runs per day"))

    image = drawn.find(".//svg[@role='img']")
    assert image is not None
    assert image.get("aria-label") == "Runs per day"
    assert [cell.text for cell in drawn.findall(".//tbody//td")] == ["8", "2"]


def test_bars_with_addresses_are_links_named_in_words():
    drawn = parsed(
        charts.draw_stacked_bars([Bar("Mon", (8, 2), href="?a=1&b=2")], SERIES, label="Runs")
    )

    link = drawn.find(".//svg[@role='group']/a")
    assert link is not None
    assert link.get("href") == "?a=1&b=2"
    assert link.get("aria-label") == "Mon: 10 (8 conform, 2 violate)"


def test_bars_of_nothing_are_drawn():
    parsed(charts.draw_stacked_bars([], SERIES, label="Runs"))
    parsed(charts.draw_stacked_bars([Bar("Mon", (0, 0))], SERIES, label="Runs"))
    parsed(charts.draw_histogram([], label="Scores"))


def test_a_histogram_has_the_count_over_each_bar_and_no_bar_is_a_hairline():
    bars = [Bar("below 50", (1,)), Bar("50-89", (0,)), Bar("90-100", (1200,))]

    drawn = parsed(charts.draw_histogram(bars, label="Scores"))

    assert [(text.text, text.get("x"), text.get("y")) for text in drawn.iter("text")] == [
        ("1", "16.67%", "96%"),
        ("0", "50%", "100%"),
        ("1,200", "83.33%", "0%"),
    ]
    parts = [part for part in drawn.iter("rect") if "chart-part" in (part.get("class") or "")]
    assert [part.get("height") for part in parts] == ["4%", "100%"]


@pytest.mark.parametrize(
    ("share", "width"), [(0.0, "0"), (0.001, "4%"), (0.25, "25%"), (1.0, "100%"), (1.5, "100%")]
)
def test_a_share_bar_that_is_not_empty_can_be_seen(share, width):
    [_, bar] = ElementTree.fromstring(charts.share_bar(share))

    assert bar.attrib["width"] == width


def test_text_never_becomes_markup():
    evil = '"><script>alert(1)</script>'

    for drawn in (
        charts.draw_stacked_bars([Bar(evil, (1,), href=evil)], [Series(evil, "good")], label=evil),
        charts.draw_histogram([Bar(evil, (1,))], label=evil),
    ):
        assert "<script" not in drawn
        assert "style=" not in drawn
        parsed(drawn)
