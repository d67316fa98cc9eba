"""`{% icon "search" %}`: an icon of the vendored set as inline SVG, in the colour of its text."""

import re
from functools import cache
from pathlib import Path

from django import template
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

SPRITE = Path(__file__).resolve().parent.parent.parent / "static" / "vendor" / "icons.svg"


@cache
def shapes_by_name() -> dict[str, str]:
    """The SVG shapes of every icon, by the icon's name."""
    symbols = re.findall(
        r'<symbol id="([a-z0-9-]+)" viewBox="0 0 24 24">(.*?)</symbol>', SPRITE.read_text("utf-8")
    )
    return dict(symbols)


@register.simple_tag
def icon(name: str) -> SafeString:
    """The icon with this name; screen readers ignore it, so put a word beside it.

    Raises:
        KeyError: there is no such icon; `frontend/build.mjs` lists the vendored ones.
    """
    shapes = shapes_by_name()[name]
    size = 'viewBox="0 0 24 24" width="16" height="16"'
    svg = f'<svg class="icon icon-{name}" {size} aria-hidden="true">{shapes}</svg>'
    return mark_safe(svg)  # noqa: S308 - our own vendored file, and a name that is one of its keys
