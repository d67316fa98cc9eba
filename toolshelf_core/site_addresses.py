"""The addresses that the site may connect to, from its settings."""

from __future__ import annotations

from django.conf import settings

from toolshelf_core.errors import OutgoingError
from toolshelf_core.outgoing.addresses import LOOPBACK, AddressPolicy, is_literal, url_parts


def address_policy() -> AddressPolicy:
    """Public addresses, the networks of TOOLSHELF_ALLOWED_NETWORKS, and loopback if only this machine uses the site."""
    loopback = LOOPBACK if settings.LOOPBACK_ONLY else ()
    return AddressPolicy((*settings.ALLOWED_NETWORKS, *loopback), settings.OUTGOING_PROXY)


def url_problem(address: str) -> str:
    """Why the site cannot send requests to this URL; "" if it can. Names are resolved only when it does."""
    parts = url_parts(address)
    if (
        parts is None
        or parts.scheme not in {"http", "https"}
        or not parts.hostname
        or not address.isprintable()
    ):
        return "Enter a URL that starts with http:// or https://."
    if parts.username is not None or parts.password is not None:
        return "Remove the user name and password from the URL, and enter them as credentials."
    if parts.fragment:
        return "Remove the part after `#` from the URL."
    if is_literal(parts.hostname):
        try:
            address_policy().check(parts.hostname, [parts.hostname])
        except OutgoingError as error:
            return str(error)
    return ""
