"""`{% star_button tool %}`: the button with which a person stars a tool, or removes the star.

The button belongs to a form of the frame (`star-form` in `base.html`), so it can be in a list that
is cached for all: the form, which has a token of the session, is not part of it.
"""

from __future__ import annotations

from django import template
from django.template.context import Context
from django.utils.safestring import SafeString

from accounts.models import User
from catalog.tools.models import Tool
from catalog.tools.stars import star_html, starred_ids

register = template.Library()


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
