"""Signing in, on any page."""

from __future__ import annotations

from urllib.parse import quote

from django import template
from django.template.context import Context
from django.urls import reverse

register = template.Library()


@register.simple_tag(takes_context=True)
def sign_in_url(context: Context, otherwise: str = "") -> str:
    """The sign-in page, which leads back to this page; from the sign-in pages themselves, to where these lead.

    The answer to a form may have an address for forms alone, so from there it leads to the path `otherwise`, if any.
    """
    address, request, back = reverse("accounts:sign_in"), context.get("request"), otherwise
    if request is not None and request.path_info.startswith(address):
        back = str(context.get("next", ""))
    elif request is not None and request.method in {"GET", "HEAD"}:
        back = request.get_full_path()
    return f"{address}?next={quote(back)}" if back else address
