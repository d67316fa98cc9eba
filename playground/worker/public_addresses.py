"""Public addresses: those that do not lead into this machine or a private network."""

from __future__ import annotations

import socket
from ipaddress import ip_address

from catalog.outgoing import addresses


def is_public(address: str) -> bool:
    """Whether a numeric address is public, and not one of this machine's own.

    An IPv6 address that stands for an IPv4 address is as public as that one.
    """
    try:
        reached = addresses.reached(ip_address(address.partition("%")[0]))
    except ValueError:
        return False
    return addresses.is_public(reached) and not _is_own(reached)


def _is_own(address: addresses.Address) -> bool:
    """Whether this machine has the address: only then can a socket be bound to it."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((str(address), 0))
        except OSError:
            return False
    return True
