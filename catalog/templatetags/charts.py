"""The charts that templates draw from plain numbers; views draw the others and pass the markup."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.safestring import SafeString

from catalog.rendering import charts

register = template.Library()


@register.simple_tag
def sparkline(
    values: Sequence[float], label: str, width: int = 72, height: int = 20, floor: float = 0
) -> SafeString:
    """`{% sparkline runs_per_day "Runs in the last 7 days: 2, 4, 0" %}`."""
    return charts.sparkline(values, label=label, width=width, height=height, floor=floor)


@register.simple_tag
def share_bar(value: float, of: float) -> SafeString:
    """`{% share_bar count largest %}`: beside the number, which readers need."""
    return charts.share_bar(value / of if of else 0.0)
