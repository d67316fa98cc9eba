"""Lines of a difference on a page."""

from __future__ import annotations

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from catalog.text_diff import Row

register = template.Library()

_OPEN, _CLOSE = SafeString('<mark class="diff-word">'), SafeString("</mark>")


@register.filter
def with_words(row: Row) -> str | SafeString:
    """The text of a line with the words that changed marked."""
    if not row.words:
        return row.text
    pieces = ((_OPEN, text, _CLOSE) if changed else ("", text, "") for text, changed in row.pieces)
    return format_html_join("", "{}{}{}", pieces)
