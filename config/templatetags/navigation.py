"""The navigation: the section of the present page, and the pages in the palette."""

from __future__ import annotations

from django import template
from django.template.context import Context
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from toolshelf_core.templatetags.icons import icon

register = template.Library()

CURRENT = SafeString(' aria-current="true"')


@register.simple_tag(takes_context=True)
def section(context: Context, segments: str) -> SafeString:
    """The attribute of a link to the present section, or "" in other sections.

    `segments` are the first segments of the routes of the section's pages, with spaces between
    them: "tools lint". A page in another section than its route has the context `nav_section`.
    """
    name = context.get("nav_section")
    # An error page may have neither a request nor a match.
    match = getattr(context.get("request"), "resolver_match", None)
    if match and not name:
        name = match.route.partition("/")[0]
    return CURRENT if name in segments.split() else SafeString("")


@register.simple_tag
def palette_page(route: str, icon_name: str, name: str, words: str) -> SafeString:
    """The entry of the palette for the page of `route`; it is found by its name and by `words`."""
    return format_html(
        '<li role="option" class="palette-item" data-href="{}" data-words="{}">{}'
        '<span class="palette-name">{}</span></li>',
        reverse(route),
        words,
        icon(icon_name),
        name,
    )
