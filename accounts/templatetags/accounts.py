"""A link to the sign-in page, and the rights of a person, for any page."""

from __future__ import annotations

from urllib.parse import quote

from django import template
from django.template.context import Context
from django.urls import reverse

from accounts.administrators import explain_refusal
from accounts.models import Person

register = template.Library()


@register.simple_tag(takes_context=True)
def sign_in_url(context: Context, otherwise: str = "") -> str:
    """The URL of the sign-in page, which leads back to this page.

    On a sign-in page, to that page's `next`.

    The response to a POST may have a URL that does not accept GET, so there it leads to
    `otherwise`, if given.
    """
    address, request, back = reverse("accounts:sign_in"), context.get("request"), otherwise
    if request is not None and request.path_info.startswith(address):
        back = str(context.get("next", ""))
    elif request is not None and request.method in {"GET", "HEAD"}:
        back = request.get_full_path()
    return f"{address}?next={quote(back)}" if back else address


@register.filter
def may_administer(person: Person | None) -> bool:
    """Whether the person is an administrator; nobody is not."""
    return person is not None and not explain_refusal(person)
