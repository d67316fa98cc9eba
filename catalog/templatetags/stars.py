"""`{% star_button tool %}`: the button with which a person stars a tool, or removes the star.

The button belongs to a form of the frame (`star-form` in `base.html`), so it can be in a list that
is cached for all: the form, which has a token of the session, is not part of it.
"""

from __future__ import annotations

from django import template
from django.template.context import Context
from django.urls import reverse
from django.utils.safestring import SafeString

from catalog.accounts.models import User
from catalog.models import Tool
from catalog.rendering.html import join_html
from catalog.stars import starred_ids

register = template.Library()

_BEGIN = SafeString(
    '<button type="submit" class="star" form="star-form" name="starred" hx-include="#star-form" '
)
_SHAPE = SafeString(
    '><svg class="icon icon-star" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">'
    '<path d="M12 3l2.8 5.7 6.2.9-4.5 4.4 1.1 6.2L12 17.3l-5.6 2.9 1.1-6.2L3 9.6l6.2-.9z"/></svg>'
    '<span class="visually-hidden">Star '
)
_END = SafeString("</span></button>")


@register.simple_tag(takes_context=True)
def star_button(context: Context, tool: Tool) -> SafeString:
    """The button for the present user; "" for a visitor.

    The context may have `starred` (`starred_ids` of the user), so that a list needs one query for
    all its tools.
    """
    user = context.get("user")
    if not isinstance(user, User):
        return SafeString("")
    starred = context.get("starred")
    return star_html(tool, starred=tool.pk in (starred_ids(user) if starred is None else starred))


def star_html(tool: Tool, *, starred: bool) -> SafeString:
    """The button of a tool for somebody who has signed in, in one of its two states."""
    url = reverse("catalog:star", args=[tool.slug])
    state = 'value="0" aria-pressed="true"' if starred else 'value="1" aria-pressed="false"'
    return join_html(
        (
            _BEGIN,
            SafeString(f'{state} formaction="'),
            url,
            SafeString('" hx-post="'),
            url,
            SafeString('" hx-swap="outerMorph"'),
            _SHAPE,
            tool.name,
            _END,
        )
    )
