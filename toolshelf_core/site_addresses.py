"""The addresses that the site may connect to, from its settings."""

from __future__ import annotations

from django.conf import settings

from toolshelf_core.errors import OutgoingError
from toolshelf_core.outgoing.addresses import LOOPBACK, AddressPolicy, is_literal, split_url


def read_address_policy() -> AddressPolicy:
    """Public addresses, and the networks of TOOLSHELF_ALLOWED_NETWORKS.

    Loopback, too, if only this machine uses the site.
    """
    networks = tuple(settings.ALLOWED_NETWORKS)
    if settings.LOOPBACK_ONLY:
        networks += LOOPBACK
    return AddressPolicy(networks, settings.OUTGOING_PROXY)


def find_url_problem(address: str) -> str:
    """Why the site cannot send requests to this URL; "" if it can.

    Names are resolved only when it sends one.
    """
    parts = split_url(address)
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
            read_address_policy().check(parts.hostname, [parts.hostname])
        except OutgoingError as error:
            return str(error)
    return ""
