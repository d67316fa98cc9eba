"""The head of a table whose rows are stacked in a narrow window (`.stacked-rows`)."""

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def stacked_head(*columns: str) -> SafeString:
    """The `<thead>` with these headings: "Tool"; "Score|number" at the right; "Actions|hidden" for screen readers.

    It has the roles of a table in words, because browsers drop them where CSS displays cells as blocks.
    """
    return format_html(
        '<thead role="rowgroup"><tr role="row">{}</tr></thead>', format_html_join("", "{}", map(_heading, columns))
    )


def _heading(column: str) -> tuple[SafeString]:
    text, _, kind = column.partition("|")
    label = format_html('<span class="visually-hidden">{}</span>', text) if kind == "hidden" else text
    number = SafeString(' class="number"') if kind == "number" else ""
    return (format_html('<th role="columnheader" scope="col"{}>{}</th>', number, label),)
