"""`{% section "tools lint" %}`: marks the entry of the navigation that the present page belongs to."""

from __future__ import annotations

from django import template
from django.template.context import Context
from django.utils.safestring import SafeString

register = template.Library()

CURRENT = SafeString(' aria-current="true"')


@register.simple_tag(takes_context=True)
def section(context: Context, segments: str) -> SafeString:
    """The attribute of a link to the present section, or "" in other sections.

    `segments` are the first segments of the routes of the section's pages, with spaces between them: "tools lint".
    A page in another section than its route has the context `nav_section`.
    """
    match = getattr(context.get("request"), "resolver_match", None)  # an error page may have neither
    first = context.get("nav_section") or (match.route.partition("/")[0] if match else "")
    return CURRENT if first in segments.split() else SafeString("")
