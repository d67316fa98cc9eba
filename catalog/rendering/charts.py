"""Small charts as SVG: numbers go in, markup comes out. No script, no inline style, no request.

Positions are percentages, so that a chart is as wide as its container and its text and shapes are never distorted.
Colours are classes (`.chart-good` and so on, `static/css/charts.css`). No chart depends on colour alone: tones differ
in their fill, marks in shape, and all values are also given as text: in the label, in titles, and in a hidden table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final, Literal

from django.utils.safestring import SafeString

from catalog.rendering.html import join_html

# good: light fill; bad: solid; failed: hollow; the others are solid and quiet
Tone = Literal["good", "bad", "failed", "warn", "muted", "accent"]
Shape = Literal["circle", "diamond", "square"]

CAPS: Final = {"diamond": "M0-6 6 0 0 6-6 0Z", "square": "M-4.5-4.5H4.5V4.5H-4.5Z"}
MIN_MS: Final = 0.1
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


@dataclass(frozen=True, slots=True)
class Dot:
    """One mark: `x` is any number (a time), `value` a duration in milliseconds, `title` the words for it."""

    x: float
    value: float
    title: str
    tone: Tone = "accent"
    shape: Shape = "circle"
    href: str = ""


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


def dots(
    points: Sequence[Dot], *, label: str, start: float, end: float, ends: tuple[str, str]
) -> SafeString:
    """Durations over time on a logarithmic scale; `start` and `end` bound `Dot.x`, `ends` are their words."""
    low, high = decades([point.value for point in points])
    span, width = max(1, high - low), max(end - start, 1e-9)
    lines = []
    for power in range(low, low + span + 1):
        level = _percent(100 - (power - low) / span * 100)
        lines.append(
            element(
                "line", {"class": "chart-grid", "x1": "0", "x2": "100%", "y1": level, "y2": level}
            )
        )
        lines.append(
            element(
                "text",
                {"class": "chart-tick", "y": level, "dx": "-8", "dy": "0.32em"},
                duration(10.0**power),
            )
        )
    marks = []
    for point in points:
        x = 1 + 98 * min(1.0, max(0.0, (point.x - start) / width))
        y = 100 - (log10(max(point.value, MIN_MS)) - low) / span * 100
        marks.append(_mark(point, _percent(x), _percent(y)))
    linked = any(point.href for point in points)
    return element(
        "figure", {"class": "chart chart-dots"},
        element("div", {"class": "chart-plot"}, _svg(label, 160, [*lines, *marks], is_group=linked)),
        element("div", {"class": "chart-axis", "aria-hidden": "true"}, *(element("span", {}, end) for end in ends)),
    )  # fmt: skip


def sparkline(
    values: Sequence[float], *, label: str, width: int = 72, height: int = 20, floor: float = 0
) -> SafeString:
    """Values over time as a line with a mark at the last one; nothing is drawn without values.

    The scale is from `floor` to the largest value.
    """
    if not values:
        return SafeString("")
    span, step = max(max(values) - floor, 1e-9), (width - 6) / max(1, len(values) - 1)
    points = [
        (3 + index * step, height - 3 - (value - floor) / span * (height - 6))
        for index, value in enumerate(values)
    ]
    line = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
    return element(
        "svg", {"class": "sparkline", "viewBox": f"0 0 {width} {height}", "width": str(width), "height": str(height),
                "role": "img", "aria-label": label},
        element("title", {}, label),
        element("polyline", {"class": "sparkline-line", "points": line}),
        element("circle", {"class": "sparkline-end", "cx": _number(points[-1][0]), "cy": _number(points[-1][1]),
                           "r": "2.5"}),
    )  # fmt: skip


def bar_sparkline(bars: Sequence[Bar], series: Sequence[Series], *, label: str) -> SafeString:
    """Bars of stacked counts as small as a word. The label has every bar in words, since there is no legend."""
    top, step = max((bar.total for bar in bars), default=0) or 1, 100 / max(1, len(bars))
    words = f"{label}: {'; '.join(words_of(bar, series) for bar in bars)}"
    drawn = [_bar(bar, series, index * step, step, top) for index, bar in enumerate(bars)]
    return element("svg", {"class": "sparkline sparkline-bars", "width": "84", "height": "24",
                           "role": "img", "aria-label": words}, *drawn)  # fmt: skip


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


def decades(values: Sequence[float]) -> tuple[int, int]:
    """The powers of ten, in milliseconds, between which all values lie."""
    low = floor(log10(max(min(values, default=1.0), MIN_MS)))
    return low, max(low + 1, ceil(log10(max(max(values, default=1.0), MIN_MS))))


def duration(milliseconds: float) -> str:
    """A power of ten as a tick: "10 ms", "100 s"."""
    return f"{milliseconds / 1000:g} s" if milliseconds >= 1000 else f"{milliseconds:g} ms"


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


def _mark(mark: Dot, x: str, y: str) -> SafeString:
    words, paint = element("title", {}, mark.title), f"chart-mark chart-{mark.tone}"
    if mark.shape == "circle":
        drawn = element("circle", {"class": paint, "cx": x, "cy": y, "r": "4.5"}, words)
    else:
        path = element("path", {"class": paint, "d": CAPS[mark.shape]}, words)
        drawn = element("svg", {"x": x, "y": y, "overflow": "visible"}, path)
    if not mark.href:
        return drawn
    return element(
        "a", {"class": "chart-point", "href": mark.href, "aria-label": mark.title}, drawn
    )


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
