"""URLs, and which addresses connections may reach: public ones, and the allowed networks."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final
from urllib.parse import SplitResult, urlsplit

from toolshelf_core.errors import OutgoingError

Address = IPv4Address | IPv6Address

LOOPBACK: Final = ("127.0.0.0/8", "::1/128")
# RFC 6052: the last 32 bits are the IPv4 address that is reached.
_NAT64: Final = IPv6Network("64:ff9b::/96")
_SETTING: Final = "An administrator can allow its network in TOOLSHELF_ALLOWED_NETWORKS."


class AddressRefused(OutgoingError):
    """The address is private, loopback or reserved, and its network is not allowed."""


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """The addresses that may be reached.

    Attributes:
        allowed_networks: networks that are allowed besides public addresses, as "10.0.0.0/8" or
            "fd00::/8".
        proxy: the HTTP proxy that all connections go through, "http://[user:password@]host:port";
            "" without one. It resolves the names itself, so its own rules decide about names that
            cannot be resolved here.
    """

    allowed_networks: tuple[str, ...] = ()
    proxy: str = ""

    def check(self, host: str, addresses: Iterable[str]) -> list[str]:
        """`addresses`, to which `host` was resolved.

        Raises:
            AddressRefused: one of them may not be reached. A name with one public and one private
                address is refused, since the owner of the name controls which of them is used.
        """
        texts = list(addresses)
        for text in texts:
            address = unpack_address(ip_address(text))
            if self._allows(address):
                continue
            subject = f"{host} is" if is_literal(host) else f"{host} has the address {address},"
            raise AddressRefused(
                f"{subject} a {_kind(address)} address, which connections may not reach. {_SETTING}"
            )
        return texts

    def _allows(self, address: Address) -> bool:
        if is_public(address):
            return True
        return any(address in ip_network(network) for network in self.allowed_networks)


def split_url(url: str) -> SplitResult | None:
    """The parts of a URL; None if it is not one."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises ValueError if it is not a number
    except ValueError:
        return None
    return parts


def origin_of(url: str) -> str:
    """The scheme and the server of a URL, such as "https://api.example.com:8443".

    "" if it is not a complete URL.
    """
    parts = split_url(url)
    if parts is None or not parts.scheme or not parts.netloc:
        return ""
    return f"{parts.scheme}://{parts.netloc}".lower()


def resolve(host: str, port: int) -> list[str]:
    """The IP addresses of `host`, in the order to try them.

    The system's resolver limits how long it takes.

    Raises:
        OutgoingError: the name has none.
    """
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise make_resolution_error(host, error) from error
    return list_addresses(infos)


def list_addresses(infos: Iterable[tuple[int, int, int, str, tuple[object, ...]]]) -> list[str]:
    """The addresses in the result of `getaddrinfo`, without duplicates."""
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in infos))


def make_resolution_error(host: str, error: Exception) -> OutgoingError:
    reason = getattr(error, "strerror", None) or str(error) or "no answer in time"
    return OutgoingError(f"The name {host} cannot be resolved: {reason}.")


def unpack_address(address: Address) -> Address:
    """The IPv4 address that an IPv6 address represents, otherwise the address itself.

    It represents one if it is mapped (RFC 4291), NAT64 (RFC 6052) or 6to4 (RFC 3056).
    """
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def is_public(address: Address) -> bool:
    """Whether an address, as `unpack_address` returns it, is neither private nor reserved."""
    # `is_global` is true for multicast addresses, and in some Python versions for reserved ones.
    return address.is_global and not address.is_multicast and not address.is_reserved


def _kind(address: Address) -> str:
    kinds = {
        "loopback": address.is_loopback,
        "link-local": address.is_link_local,
        "multicast": address.is_multicast,
        "unspecified": address.is_unspecified,
        "private": address.is_private,
    }
    return next((kind for kind, applies in kinds.items() if applies), "reserved")


def is_literal(host: str) -> bool:
    """Whether `host` is an IP address rather than a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
