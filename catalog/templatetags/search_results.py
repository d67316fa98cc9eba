"""The rows of a list of tools.

They are built in Python: templates take ten times as long, which would be most of the time of a search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from catalog.listing.results import Result
from catalog.models import Tool
from catalog.search.explain import Marked, Reason
from catalog.templatetags.icons import icon

register = template.Library()

TAGS_SHOWN: Final = 3


@register.simple_tag
def result_rows(results: Iterable[Result]) -> SafeString:
    """One `<li>` for each result, with the searched words in `<mark>`."""
    before, after = reverse("catalog:tool", args=["-"]).rsplit("-", 1)
    return mark_safe("".join(_row(result, f"{before}{result.tool.slug}{after}") for result in results))  # noqa: S308 - all values are escaped


@register.simple_tag
def tool_chips(tool: Tool, css_class: str) -> SafeString:
    """Facts about a tool, one or two words each."""
    return mark_safe(_list(_facts(tool), css_class))  # noqa: S308 - our own words and a number


def _row(result: Result, address: str) -> str:
    tool, shown = result.tool, result.shown
    also_called = f' <code class="id result-id">{_marked(shown.tool_id)}</code>' if tool.tool_id != tool.name else ""
    about = f'<p class="result-text">{_marked(shown.excerpt)}</p>'
    if not shown.excerpt.text:
        about = '<p class="result-text muted">No description</p>'
    return (
        f'<li class="result"><h2 class="result-name"><a href="{escape(address)}">{_marked(shown.name)}</a></h2>'
        f"{also_called}{about}{_why(result)}{_list([*_facts(tool), *_tags(tool)], 'result-chips')}</li>"
    )


def _why(result: Result) -> str:
    if reasons := result.shown.reasons:
        title = f"matched in <b>parameter{'s' if len(reasons) > 1 else ''}</b> "
        first, *others = (_reason(one, is_last=one is reasons[-1]) for one in reasons)
        shown = " ".join(f"<span>{one}</span>" for one in (f"{title}{first}", *others))
        return f'<p class="result-why">{shown}</p>'
    if takes := result.tool.takes:
        return (
            f'<p class="result-why"><span class="visually-hidden">Parameters: </span><code>{escape(takes)}</code></p>'
        )
    return ""


def _reason(reason: Reason, *, is_last: bool) -> str:
    name = f"<code>{_marked(reason.parameter)}</code>"
    if reason.text is None:
        return f"{name}{'' if is_last else ','}"
    return f"{name}: {_marked(reason.text)}{'' if is_last else ';'}"


def _marked(text: Marked) -> str:
    if not text.marks:
        return escape(text.text)
    return "".join(f"<mark>{escape(piece)}</mark>" if hit else escape(piece) for piece, hit in text.pieces)


def _facts(tool: Tool) -> Iterator[str]:
    number = tool.current.number if tool.current else 0
    if tool.archived:
        yield _chip("chip-warn", "archive", "Archived")
    if tool.deprecated:
        yield _chip("chip-warn", "triangle-alert", "Deprecated")
    if tool.runnable:
        yield _chip("chip-accent", "zap", "Runnable")
    if tool.configurable:
        yield _chip("", "settings-2", "Needs configuration")
    if tool.has_examples:
        yield _chip("", "flask-conical", "Examples")
    if tool.has_return_type:
        yield _chip("", "arrow-right", "Return type")
    if number > 1:
        yield _chip("chip-muted", "history", f"Revision {number}")


def _tags(tool: Tool) -> Iterator[str]:
    tags = tool.tags
    for tag in tags[:TAGS_SHOWN]:
        yield _chip("chip-muted", "hash", escape(tag))
    if more := len(tags[TAGS_SHOWN:]):
        yield f'<li class="chip chip-muted">{more} more tag{"s" if more > 1 else ""}</li>'


def _chip(kind: str, picture: str, words: str) -> str:
    return f'<li class="chip {kind}">{icon(picture)}{words}</li>'


def _list(chips: Iterable[str], css_class: str) -> str:
    joined = "".join(chips)
    return f'<ul class="chips {css_class}">{joined}</ul>' if joined else ""
