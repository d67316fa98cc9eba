"""Search results and schema documentation on a page."""

from __future__ import annotations

import re
from typing import Final

from django import template
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from catalog.search.explain import Marked
from catalog.uploads.store import Fault

register = template.Library()


@register.simple_tag
def marked(text: Marked) -> str | SafeString:
    """A text with the words that were searched in `<mark>`."""
    if not text.marks:
        return text.text
    return format_html_join(
        "", "{}{}{}", ((_OPEN, piece, _CLOSE) if hit else ("", piece, "") for piece, hit in text.pieces)
    )


_OPEN, _CLOSE = SafeString("<mark>"), SafeString("</mark>")
_CODE: Final = re.compile(r"`([^`\n]+)`")


@register.filter
def with_code(message: str) -> SafeString:
    """A message with the text between backticks as code."""
    return mark_safe(_CODE.sub(r"<code>\1</code>", escape(message)))  # noqa: S308 - escaped before


@register.simple_tag
def offending_line(fault: Fault) -> SafeString:
    """The part of a line with a problem, and a caret below it; narrow pages mark the character instead."""
    number = str(fault.problem.line)
    before, at, after = (
        fault.excerpt[: fault.caret],
        fault.excerpt[fault.caret : fault.caret + 1],
        fault.excerpt[fault.caret + 1 :],
    )
    return format_html(
        '<pre class="excerpt" tabindex="0"><code><span class="excerpt-number">{}</span>{}<mark class="excerpt-at">{}'
        '</mark>{}<span class="excerpt-caret">\n<span class="excerpt-number">{}</span><span class="caret">{}^</span>'
        "</span></code></pre>",
        number,
        before,
        at,
        after,
        " " * len(number),
        " " * fault.caret,
    )


@register.simple_tag
def bounded(number: int, counted: bool, noun: str = "") -> str:
    """A count with a limit: "1,394 tools", or "10,000+ tools" if not all were counted."""
    text = f"{number:,}{'' if counted else '+'}"
    return f"{text} {noun}{'' if number == 1 else 's'}" if noun else text
