"""The rows of a list of tools.

They are built in Python. With a template for each row, a catalog of 2,600 tools takes 43 % more CPU time for the list
page and 42 % more for the first page of a search; 25 % and 23 % more if the chips alone are built in Python (medians of
40 pairs of alternating requests). `join_html` joins them, since `format_html` takes 4.4 times as long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final
from urllib.parse import quote_plus

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from catalog.listing.active_filters import WORDS_SHOWN
from catalog.listing.catalog_search import CatalogSearch
from catalog.listing.facets import Facet, Option
from catalog.listing.results import Result
from catalog.models import Tool
from catalog.rendering.html import join_html
from catalog.search.explain import Reason
from catalog.templatetags.catalog import marked
from catalog.templatetags.icons import icon
from catalog.templatetags.stars import star_html

register = template.Library()

TAGS_SHOWN: Final = 2
TOP_SCORES: Final = ((90, "good"), (70, "fair"), (0, "poor"))

_ROW: Final = SafeString(
    '<li class="result"><div class="result-head"><h2 class="result-name"><a href="'
)
_NAME: Final = SafeString('">')
_NAME_END: Final = SafeString("</a></h2>")
_HEAD_END: Final = SafeString("</div>")
_ROW_END: Final = SafeString("</li>")
_ID: Final = SafeString(' <code class="id result-id">')
_CODE: Final = SafeString("<code>")
_CODE_END: Final = SafeString("</code>")
_TOOLKIT: Final = SafeString('<a class="result-toolkit" href="?toolkit=')
_TOOLKIT_END: Final = SafeString("</a>")
_TEXT: Final = SafeString('<p class="result-text">')
_NO_TEXT: Final = SafeString('<p class="result-text muted">No description</p>')
_WHY: Final = SafeString('<p class="result-why">')
_MATCHED_ONE: Final = SafeString("matched in <b>parameter</b> ")
_MATCHED_MANY: Final = SafeString("matched in <b>parameters</b> ")
_SPAN: Final = SafeString("<span>")
_SPAN_END: Final = SafeString("</span>")
_PARAGRAPH_END: Final = SafeString("</p>")
_NOTHING: Final = SafeString("")
_NO_RING: Final = SafeString('<span class="ring"></span>')
_SIDE: Final = SafeString('<div class="result-side">')
_TRY: Final = SafeString('<a class="button button-small result-try" href="')
_TRY_NAME: Final = SafeString('">Try<span class="visually-hidden"> ')
_TRY_END: Final = SafeString("</span></a>")
_SPACE, _COLON, _COMMA, _SEMICOLON = map(SafeString, (" ", ": ", ",", ";"))


@register.simple_tag
def result_rows(results: Iterable[Result], stars: frozenset[int] | None = None) -> SafeString:
    """One `<li>` for each result, with the searched words in `<mark>`.

    `stars`: the primary keys of the tools with a star; None for a visitor, whose rows have no stars.
    """
    before, after = reverse("catalog:tool", args=["-"]).rsplit("-", 1)
    try_before, try_after = reverse("playground:try", args=["-"]).split("-", 1)
    return join_html(
        _row(
            result,
            f"{before}{result.tool.slug}{after}",
            f"{try_before}{result.tool.slug}{try_after}",
            stars,
        )
        for result in results
    )


@register.simple_tag
def nothing_found(search: CatalogSearch) -> str:
    """The title of an empty list: with the words, if they are few."""
    words = search.words.strip()
    return (
        f"No tools match “{words}”"
        if words and len(words) <= WORDS_SHOWN
        else "No tools match your search"
    )


@register.simple_tag
def empty_options(facets: Iterable[Facet]) -> list[tuple[Facet, Option]]:
    """The options of all facets that lead to no tool, each with its facet."""
    return [(facet, option) for facet in facets for option in facet.empty]


def _row(result: Result, url: str, try_url: str, stars: frozenset[int] | None) -> SafeString:
    """Two lines: the name, and the description; a third one if other texts match."""
    tool, shown = result.tool, result.shown
    tool_id = _id_and_toolkit(result)
    text = (_TEXT, marked(shown.excerpt), _PARAGRAPH_END) if shown.excerpt.text else (_NO_TEXT,)
    chips = _list([*_exceptions(tool), *_tags(tool)], "result-chips")
    head = (
        _ROW,
        url,
        _NAME,
        marked(shown.name),
        _NAME_END,
        *tool_id,
        chips,
        _HEAD_END,
    )
    star = (
        _NOTHING if stars is None else star_html(tool, starred=tool.pk in stars, url=f"{url}star/")
    )
    side = (
        _SIDE,
        _TRY,
        try_url,
        _TRY_NAME,
        tool.name,
        _TRY_END,
        score_ring(tool.score),
        star,
        _HEAD_END,
    )
    return join_html([*head, *text, _why(result), *side, _ROW_END])


def _id_and_toolkit(result: Result) -> tuple[str, ...]:
    """The id, in which the toolkit is a link; a link of its own if the id does not begin with it."""
    tool, shown = result.tool, result.shown
    if tool.toolkit and tool.tool_id != tool.name and tool.tool_id.startswith(f"{tool.toolkit}."):
        toolkit, rest = shown.tool_id.split(len(tool.toolkit))
        return (_ID, *_toolkit_link(tool, marked(toolkit)), marked(rest), _CODE_END)
    link = _toolkit_link(tool, tool.toolkit) if tool.toolkit else ()
    return (
        link
        if tool.tool_id == tool.name
        else (_ID, marked(shown.tool_id), _CODE_END, _SPACE, *link)
    )


def _toolkit_link(tool: Tool, name: str) -> tuple[str, ...]:
    return (_TOOLKIT, quote_plus(tool.toolkit), _NAME, name, _TOOLKIT_END)


def _why(result: Result) -> SafeString:
    if reasons := result.shown.reasons:
        return join_html([_WHY, *_matched_in(reasons), _PARAGRAPH_END])
    return _NOTHING


def _matched_in(reasons: tuple[Reason, ...]) -> Iterator[str]:
    for index, reason in enumerate(reasons):
        is_last = index == len(reasons) - 1
        yield _SPACE if index else _NOTHING
        yield _SPAN
        if not index:
            yield _MATCHED_ONE if is_last else _MATCHED_MANY
        yield from (_CODE, marked(reason.parameter), _CODE_END)
        if reason.text is not None:
            yield from (_COLON, marked(reason.text))
        if not is_last:
            yield _COMMA if reason.text is None else _SEMICOLON
        yield _SPAN_END


def _exceptions(tool: Tool) -> Iterator[SafeString]:
    """Chips for states that most tools do not have."""
    if tool.archived:
        yield _chip("chip-warn", "archive", "Archived")
    if tool.deprecated:
        yield _chip("chip-warn", "triangle-alert", "Deprecated")
    if tool.runnable:
        yield _chip("chip-accent", "zap", "Runs here")
    if tool.needs_configuration:
        yield _chip("", "settings-2", "Needs configuration")


def _tags(tool: Tool) -> Iterator[SafeString]:
    tags = tool.tags
    for tag in tags[:TAGS_SHOWN]:
        yield _chip("chip-muted", "hash", tag)
    if more := len(tags[TAGS_SHOWN:]):
        yield format_html(
            '<li class="chip chip-muted">{} more tag{}</li>', more, "s" if more > 1 else ""
        )


@register.simple_tag
@lru_cache(maxsize=128)
def score_ring(score: int | None) -> SafeString:
    """A lint score from 0 to 100 as a ring around the number; an empty place if there is none yet."""
    if score is None:
        return _NO_RING
    level = next(name for lowest, name in TOP_SCORES if score >= lowest)
    return format_html(
        '<span class="ring ring-{}" title="Lint score"><span class="visually-hidden">Lint score </span>'
        '<svg viewBox="0 0 36 36" width="30" height="30" aria-hidden="true"><circle class="ring-track" cx="18" cy="18"'
        ' r="16"/><circle class="ring-value" cx="18" cy="18" r="16" pathLength="100" stroke-dasharray="{} 100"'
        ' transform="rotate(-90 18 18)"/></svg><span class="ring-number">{}</span></span>',
        level,
        score,
        score,
    )


@lru_cache(maxsize=1024)
def _chip(css_class: str, icon_name: str, words: str) -> SafeString:
    return format_html('<li class="chip {}">{}{}</li>', css_class, icon(icon_name), words)


def _list(chips: Iterable[SafeString], css_class: str) -> SafeString:
    joined = join_html(chips)
    return format_html('<ul class="chips {}">{}</ul>', css_class, joined) if joined else joined
