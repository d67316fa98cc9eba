"""Lines of a difference on a page."""

from __future__ import annotations

from typing import Final

from django import template
from django.utils.safestring import SafeString

from toolshelf_core.rendering.join import tag_pieces
from toolshelf_core.rendering.text_diff import Difference, Row, compare_lines, remove_indent

register = template.Library()
register.filter("dedented", remove_indent)

_WORD: Final = (SafeString('<mark class="diff-word">'), SafeString("</mark>"))


@register.filter
def words_difference(texts: tuple[str, str]) -> Difference:
    """The difference between two texts of a spec, such as a description before and now."""
    return compare_lines(*texts)


@register.filter
def with_words(row: Row) -> SafeString:
    """The text of a line with the words that changed marked."""
    return tag_pieces(row.pieces, *_WORD)
