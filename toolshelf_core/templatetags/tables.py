"""The head of a table whose rows are stacked in a narrow window (`.stacked-rows`)."""

from typing import Final

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

_HEADINGS: Final = {
    "": '<th role="columnheader" scope="col">{}</th>',
    "number": '<th role="columnheader" scope="col" class="number">{}</th>',
    "hidden": '<th role="columnheader" scope="col"><span class="visually-hidden">{}</span></th>',
}


@register.simple_tag
def stacked_head(*columns: str) -> SafeString:
    """The `<thead>` with these headings.

    "Tool" is shown, "Score|number" at the right, "Actions|hidden" to screen readers only.

    The headings are written in the template: a name that somebody typed may contain "|". The roles
    of a table are written out, because browsers drop them where CSS displays cells as blocks.

    Raises:
        KeyError: there is no such kind of heading.
    """
    headings = SafeString("")
    for column in columns:
        text, _, kind = column.partition("|")
        headings += format_html(_HEADINGS[kind], text)
    return format_html('<thead role="rowgroup"><tr role="row">{}</tr></thead>', headings)
