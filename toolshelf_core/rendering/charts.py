"""Small charts as SVG: numbers go in, markup comes out. No script, no inline style, no request.

Positions are percentages, so that a chart is as wide as its container and its text and shapes are
never distorted. Colours are classes (`.chart-good` and so on, `static/css/charts.css`). No chart
depends on colour alone: tones differ in their fill, and all values are also given as text: in the
label, in titles, and in a hidden table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Final, Literal

from django.utils.safestring import SafeString

from toolshelf_core.rendering.join import join_html

# good: light fill; bad: solid; failed: hollow; the others are solid and quiet
Tone = Literal["good", "bad", "failed", "warn", "muted", "accent"]
# Of a share bar, or of a bar of a histogram, that is not empty, so that it can be seen.
MIN_SHARE: Final = 0.04
_HIDDEN: Final = {"aria-hidden": "true"}


@dataclass(frozen=True, slots=True)
class Series:
    """One kind of thing that bars count: its name in the legend, and its tone."""

    name: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: a count for each series, in their order.

    `href`: where a click leads; "" for a bar without a link.
    """

    label: str
    counts: tuple[int, ...]
    href: str = ""
    is_selected: bool = False

    @property
    def total(self) -> int:
        return sum(self.counts)


def draw_stacked_bars(bars: Sequence[Bar], series: Sequence[Series], *, label: str) -> SafeString:
    """Bars of stacked counts, with a legend, the first and last label, and the largest total.

    Bars with `href` are links; then the drawing is a group of links instead of one image. Without
    links, a hidden table has the counts.
    """
    top = max((bar.total for bar in bars), default=0)
    has_links = any(bar.href for bar in bars)
    step = 100 / max(1, len(bars))
    shapes = []
    for index, bar in enumerate(bars):
        shapes.append(_draw_bar(bar, series, index * step, step, top or 1))
    drawing = _draw(label, 120, shapes, is_group=has_links)
    highest = element("span", {"class": "chart-top"} | _HIDDEN, f"{top:,}")
    parts = [
        element("ul", {"class": "chart-legend", "role": "list"}, *_list_keys(bars, series)),
        element("div", {"class": "chart-plot"}, highest, drawing),
        element("div", {"class": "chart-axis"} | _HIDDEN, *_label_ends(bars)),
    ]
    if not has_links:
        heads = [each.name for each in series]
        rows = [[bar.label, *map(str, bar.counts)] for bar in bars]
        parts.append(make_table(label, heads, rows))
    return element("figure", {"class": "chart chart-bars"}, *parts)


def _list_keys(bars: Sequence[Bar], series: Sequence[Series]) -> list[SafeString]:
    """The items of the legend: each series with its total."""
    keys = []
    for index, each in enumerate(series):
        count = sum(bar.counts[index] for bar in bars)
        total = element("b", {}, f"{count:,}")
        content = (_draw_swatch(each.tone), each.name, " ", total)
        keys.append(element("li", {"class": "chart-key"}, *content))
    return keys


def _label_ends(bars: Sequence[Bar]) -> list[SafeString]:
    if not bars:
        return []
    return [element("span", {}, bars[0].label), element("span", {}, bars[-1].label)]


def draw_histogram(bars: Sequence[Bar], *, label: str, tones: Sequence[Tone] = ()) -> SafeString:
    """Counts of ranges side by side, each with its label under it.

    `tones` are those of the bars; "accent" where it has none.
    """
    columns = []
    top = max((bar.total for bar in bars), default=0) or 1
    step = 100 / max(1, len(bars))
    accents: Iterable[Tone] = repeat("accent")
    for index, (bar, tone) in enumerate(zip(bars, chain(tones, accents), strict=False)):
        series = [Series(bar.label, tone)]
        columns.append(_draw_bar(bar, series, index * step, step, top, least=100 * MIN_SHARE))
        share = max(bar.total / top, MIN_SHARE) if bar.total else 0.0
        attributes = {
            "class": "chart-count",
            "aria-hidden": "true",
            "x": _format_percent((index + 0.5) * step),
            "y": _format_percent(100 - 100 * share),
            "dy": "-5",
        }
        columns.append(element("text", attributes, f"{bar.total:,}"))
    drawing = _draw(label, 96, columns, is_group=any(bar.href for bar in bars))
    labels = [element("span", {}, bar.label) for bar in bars]
    plot = element("div", {"class": "chart-plot"}, drawing)
    row = element("div", {"class": "chart-labels"} | _HIDDEN, *labels)
    return element("figure", {"class": "chart chart-histogram"}, plot, row)


def share_bar(share: float) -> SafeString:
    """A share, 0 to 1, as a bar behind or under its number.

    Readers skip it, so put the number beside it.
    """
    width = "0"
    if share > 0:
        width = _format_percent(100 * min(1.0, max(share, MIN_SHARE)))
    track = {"class": "share-bar-track", "width": "100%", "height": "100%"}
    bar = {"class": "chart-accent", "width": width, "height": "100%"}
    attributes = {"class": "share-bar", "width": "100%", "height": "6"} | _HIDDEN
    return element("svg", attributes, element("rect", track), element("rect", bar))


def make_table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> SafeString:
    """The numbers of a chart as a table that only screen readers show.

    The first cell of a row names it, and has no heading.
    """
    head = [element("td", {}), *(element("th", {"scope": "col"}, text) for text in heads)]
    body = []
    for name, *cells in rows:
        numbers = [element("td", {}, cell) for cell in cells]
        body.append(element("tr", {}, element("th", {"scope": "row"}, name), *numbers))
    table = element(
        "table",
        {},
        element("caption", {}, caption),
        element("thead", {}, element("tr", {}, *head)),
        element("tbody", {}, *body),
    )
    return element("div", {"class": "visually-hidden"}, table)


def element(name: str, attributes: Mapping[str, str], *children: str) -> SafeString:
    """An element; attribute values are escaped, and children that are not markup already."""
    parts: list[str] = [SafeString(f"<{name}")]
    for attribute, value in attributes.items():
        parts += [SafeString(f' {attribute}="'), value, SafeString('"')]
    return join_html([*parts, SafeString(">"), *children, SafeString(f"</{name}>")])


def describe_bar(bar: Bar, series: Sequence[Series]) -> str:
    """A bar in words: "16 Nov: 12 (10 conform, 2 violate)"; with one series "16 Nov: 12"."""
    words = f"{bar.label}: {bar.total:,}"
    if len(series) == 1 or not bar.total:
        return words
    counts = zip(series, bar.counts, strict=True)
    parts = [f"{count:,} {each.name}" for each, count in counts if count]
    return f"{words} ({', '.join(parts)})"


def _draw_bar(
    bar: Bar, series: Sequence[Series], x: float, step: float, top: int, *, least: float = 1.5
) -> SafeString:
    """One bar with its hit area, which is as high as the chart: so a small bar is easy to click."""
    hit = {
        "class": "chart-hit",
        "x": _format_percent(x),
        "y": "0",
        "width": _format_percent(step),
        "height": "100%",
    }
    words = describe_bar(bar, series)
    children = [element("title", {}, words), element("rect", hit)]
    y = 100.0
    for each, count in zip(series, bar.counts, strict=True):
        if not count:
            continue
        height = max(100 * count / top, least)
        y -= height
        part = {
            "class": f"chart-part chart-{each.tone}",
            "x": _format_percent(x + step * 0.12),
            "y": _format_percent(max(0.0, y)),
            "width": _format_percent(step * 0.76),
            "height": _format_percent(height),
        }
        children.append(element("rect", part))
    attributes = {"class": "chart-slot is-selected" if bar.is_selected else "chart-slot"}
    if not bar.href:
        return element("g", attributes, *children)
    return element("a", attributes | {"href": bar.href, "aria-label": words}, *children)


def _draw(label: str, height: int, children: Iterable[SafeString], *, is_group: bool) -> SafeString:
    """A drawing as wide as its container.

    Screen readers skip the children of an image, but read a group of links.
    """
    attributes = {
        "class": "chart-drawing",
        "width": "100%",
        "height": str(height),
        "role": "group" if is_group else "img",
        "aria-label": label,
    }
    return element("svg", attributes, *children)


def _draw_swatch(tone: Tone) -> SafeString:
    size = {"x": "1", "y": "1", "width": "10", "height": "10"}
    square = element("rect", {"class": f"chart-part chart-{tone}"} | size)
    attributes = {"class": "chart-swatch", "width": "12", "height": "12"} | _HIDDEN
    return element("svg", attributes, square)


def _format_percent(value: float) -> str:
    return f"{round(value, 2):g}%"
