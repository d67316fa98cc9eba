"""The address of the client that sent a request."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest

NETWORK_BITS = 64  # of an IPv6 address: one customer has at least such a network. Source: RFC 6177


def address_of(request: HttpRequest) -> str:
    """The client's address: behind a trusted proxy the last entry of X-Forwarded-For, otherwise the peer."""
    forwarded = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
    if settings.TRUST_PROXY and forwarded:
        return forwarded
    return str(request.META.get("REMOTE_ADDR", ""))


def network_of(request: HttpRequest) -> str:
    """The client's address, or with IPv6 its network: a client can use any address of that."""
    address = address_of(request)
    if ":" not in address:
        return address
    try:
        ip = ipaddress.IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    if ip.ipv4_mapped:  # a server that listens on "::" sees IPv4 clients so
        return str(ip.ipv4_mapped)
    return str(ipaddress.IPv6Network((ip, NETWORK_BITS), strict=False))
