"""The address of the client that sent a request, and whether it is this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

from toolshelf_core.site_url import is_loopback

_PROXY_HEADERS = ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via")
NETWORK_BITS = 64  # of an IPv6 address: one customer has at least such a network. Source: RFC 6177


def read_client_address(request: HttpRequest) -> str:
    """The client's address: the peer, or behind a trusted proxy the last entry of its header.

    Some proxies add the port. An entry that is not an address is ignored: it is in logs, and limits
    count by it.
    """
    peer = str(request.META.get("REMOTE_ADDR", ""))
    if not settings.TRUST_PROXY:
        return peer
    entries = request.headers.get(settings.ADDRESS_HEADER, "").split(",")
    return _parse_address(entries[-1].strip()) or peer


def _parse_address(entry: str) -> str:
    """The address in "192.0.2.7", "192.0.2.7:4711", "2001:db8::1" or "[2001:db8::1]:4711".

    "" if there is none.
    """
    if entry.startswith("[") and "]" in entry:
        entry = entry[1:].partition("]")[0]
    elif entry.count(":") == 1:
        entry = entry.partition(":")[0]
    try:
        return str(ipaddress.ip_address(entry.partition("%")[0]))  # after "%" any text could follow
    except ValueError:
        return ""


def network_of(request: HttpRequest) -> str:
    """The client's address, or with IPv6 its network: a client can use any address of that."""
    return network_of_address(read_client_address(request))


def network_of_address(address: str) -> str:
    """`address`, or with IPv6 its network; a text that is not an address stays as it is."""
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

    Sites behind a proxy set `HTTPS` and `TRUST_PROXY` (docs/operations.md). Without them, a proxy
    on this machine is recognised only by its headers, or by the host name that it passes on.
    """
    host = urlsplit(f"//{request.get_host()}").hostname or ""
    if settings.HTTPS or not is_loopback(host):
        return False
    if settings.TRUST_PROXY or any(name in request.headers for name in _PROXY_HEADERS):
        return False
    return is_loopback(read_client_address(request))
