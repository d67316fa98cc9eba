"""The charts that templates draw from plain numbers; views draw the others and pass the markup."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString

from toolshelf_core.rendering import charts

register = template.Library()


@register.simple_tag
def share_bar(value: float, of: float) -> SafeString:
    """`{% share_bar count largest %}`: beside the number, which readers need."""
    return charts.share_bar(value / of if of else 0.0)
