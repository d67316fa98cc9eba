"""The address of the client that sent a request, and whether it is this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

from catalog.accounts.site_url import is_loopback

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


def is_local(request: HttpRequest) -> bool:
    """Whether the request comes from this machine, and not through a proxy.

    Sites behind a proxy set `HTTPS` and `TRUST_PROXY` (docs/operations.md). Without them, a proxy on this machine is
    recognised only by its headers, or by the host name that it passes on.
    """
    host = urlsplit(f"//{request.get_host()}").hostname or ""
    if settings.HTTPS or not is_loopback(host):
        return False
    passed_on = any(name in request.headers for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"))
    return not settings.TRUST_PROXY and not passed_on and is_loopback(address_of(request))
