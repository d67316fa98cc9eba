"""Small charts as SVG: numbers go in, markup comes out. No script, no inline style, no request.

Positions are percentages, so that a chart is as wide as its container and its text and shapes are
never distorted. Colours are classes (`.chart-good` and so on, `static/css/charts.css`). No chart
depends on colour alone: tones differ in their fill, and all values are also given as text: in the
label, in titles, and in a hidden table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from django.utils.safestring import SafeString

from toolshelf_core.rendering.join import join_html

# good: light fill; bad: solid; failed: hollow; the others are solid and quiet
Tone = Literal["good", "bad", "failed", "warn", "muted", "accent"]
MIN_SHARE: Final = (
    0.04  # of a share bar, or of a bar of a histogram, that is not empty, so that it can be seen
)


@dataclass(frozen=True, slots=True)
class Series:
    """One kind of thing that bars count: its name in the legend, and its tone."""

    name: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: a count for each series, in their order. `href`: where a click leads, "" for a bar without a link."""

    label: str
    counts: tuple[int, ...]
    href: str = ""
    is_selected: bool = False

    @property
    def total(self) -> int:
        return sum(self.counts)


def stacked_bars(bars: Sequence[Bar], series: Sequence[Series], *, label: str) -> SafeString:
    """Bars of stacked counts, with a legend, the first and last label, the largest total, and a table for readers.

    Bars with `href` are links; then the drawing is a group of links instead of one image.
    """
    top = max((bar.total for bar in bars), default=0)
    linked = any(bar.href for bar in bars)
    step = 100 / max(1, len(bars))
    drawing = _svg(label, 120, (_bar(bar, series, index * step, step, top or 1) for index, bar in enumerate(bars)),
                   is_group=linked)  # fmt: skip
    totals = [sum(bar.counts[number] for bar in bars) for number in range(len(series))]
    legend = [
        element(
            "li",
            {"class": "chart-key"},
            _swatch(each.tone),
            each.name,
            " ",
            element("b", {}, f"{total:,}"),
        )
        for each, total in zip(series, totals, strict=True)
    ]
    ends = [element("span", {}, bars[0].label), element("span", {}, bars[-1].label)] if bars else []
    return element(
        "figure", {"class": "chart chart-bars"},
        element("ul", {"class": "chart-legend", "role": "list"}, *legend),
        element("div", {"class": "chart-plot"},
                element("span", {"class": "chart-top", "aria-hidden": "true"}, f"{top:,}"), drawing),
        element("div", {"class": "chart-axis", "aria-hidden": "true"}, *ends),
        SafeString("") if linked else table(label, ["", *(each.name for each in series)],
                                            [[bar.label, *map(str, bar.counts)] for bar in bars]),
    )  # fmt: skip


def histogram(bars: Sequence[Bar], *, label: str, tones: Sequence[Tone] = ()) -> SafeString:
    """Counts of ranges side by side, each with its label under it; `tones` are those of the bars, else "accent"."""
    columns = []
    top, step = max((bar.total for bar in bars), default=0) or 1, 100 / max(1, len(bars))
    for index, bar in enumerate(bars):
        series = [Series(bar.label, tones[index] if index < len(tones) else "accent")]
        columns.append(_bar(bar, series, index * step, step, top, least=100 * MIN_SHARE))
        level = 100 - 100 * max(bar.total / top, MIN_SHARE if bar.total else 0)
        place = {"x": _percent((index + 0.5) * step), "y": _percent(level), "dy": "-5"}
        columns.append(
            element(
                "text", {"class": "chart-count", "aria-hidden": "true"} | place, f"{bar.total:,}"
            )
        )
    drawing = _svg(label, 96, columns, is_group=any(bar.href for bar in bars))
    labels = [element("span", {}, bar.label) for bar in bars]
    return element("figure", {"class": "chart chart-histogram"}, element("div", {"class": "chart-plot"}, drawing),
                   element("div", {"class": "chart-labels", "aria-hidden": "true"}, *labels))  # fmt: skip


def share_bar(share: float) -> SafeString:
    """A share, 0 to 1, as a bar behind or under its number; readers skip it, so put the number beside it."""
    width = _percent(100 * min(1.0, max(share, MIN_SHARE))) if share > 0 else "0"
    return element("svg", {"class": "share-bar", "width": "100%", "height": "6", "aria-hidden": "true"},
                   element("rect", {"class": "share-bar-track", "width": "100%", "height": "100%"}),
                   element("rect", {"class": "chart-accent", "width": width, "height": "100%"}))  # fmt: skip


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> SafeString:
    """The numbers of a chart as a table that only screen readers show; the first cell of a row names it."""
    head = element(
        "tr",
        {},
        *(element("th", {"scope": "col"}, text) if text else element("td", {}) for text in heads),
    )
    body = [
        element(
            "tr",
            {},
            element("th", {"scope": "row"}, row[0]),
            *(element("td", {}, cell) for cell in row[1:]),
        )
        for row in rows
    ]
    return element("div", {"class": "visually-hidden"},
                   element("table", {}, element("caption", {}, caption), element("thead", {}, head),
                           element("tbody", {}, *body)))  # fmt: skip


def element(name: str, attributes: Mapping[str, str], *children: str) -> SafeString:
    """An element; attribute values and children are escaped, except children that are markup already."""
    parts: list[str] = [SafeString(f"<{name}")]
    for attribute, value in attributes.items():
        parts += [SafeString(f' {attribute}="'), value, SafeString('"')]
    return join_html([*parts, SafeString(">"), *children, SafeString(f"</{name}>")])


def words_of(bar: Bar, series: Sequence[Series]) -> str:
    """A bar in words: "16 Nov: 12 (10 conform, 2 violate)"; with one series "16 Nov: 12"."""
    parts = [
        f"{count:,} {each.name}" for each, count in zip(series, bar.counts, strict=True) if count
    ]
    return f"{bar.label}: {bar.total:,}" + (
        f" ({', '.join(parts)})" if len(series) > 1 and parts else ""
    )


def _bar(
    bar: Bar, series: Sequence[Series], x: float, step: float, top: int, *, least: float = 1.5
) -> SafeString:
    """One bar with its hit area, which is as high as the chart, so that a small bar is as easy to click."""
    words = words_of(bar, series)
    hit = element(
        "rect",
        {
            "class": "chart-hit",
            "x": _percent(x),
            "y": "0",
            "width": _percent(step),
            "height": "100%",
        },
    )
    rects, y = [], 100.0
    for each, count in zip(series, bar.counts, strict=True):
        if count:
            height = max(100 * count / top, least)
            y -= height
            rects.append(element("rect", {"class": f"chart-part chart-{each.tone}", "x": _percent(x + step * 0.12),
                                          "y": _percent(max(0.0, y)), "width": _percent(step * 0.76),
                                          "height": _percent(height)}))  # fmt: skip
    selected = " is-selected" if bar.is_selected else ""
    inside = [element("title", {}, words), hit, *rects]
    if bar.href:
        return element(
            "a", {"class": f"chart-slot{selected}", "href": bar.href, "aria-label": words}, *inside
        )
    return element("g", {"class": f"chart-slot{selected}"}, *inside)


def _svg(
    label: str, height: int, children: Iterable[SafeString], *, is_group: bool = False
) -> SafeString:
    """A drawing as wide as its container. Screen readers skip the children of an image, but read a group of links."""
    return element("svg", {"class": "chart-drawing", "width": "100%", "height": str(height),
                           "role": "group" if is_group else "img", "aria-label": label}, *children)  # fmt: skip


def _swatch(tone: Tone) -> SafeString:
    return element("svg", {"class": "chart-swatch", "width": "12", "height": "12", "aria-hidden": "true"},
                   element("rect", {"class": f"chart-part chart-{tone}", "x": "1", "y": "1", "width": "10",
                                    "height": "10"}))  # fmt: skip


def _percent(value: float) -> str:
    return f"{_number(value)}%"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
