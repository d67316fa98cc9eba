"""The network of a factory's processes, in a network namespace of their own.

    none       only their own loopback interface
    outward    the same, with a proxy on it that connects to public addresses (`proxy.py`)

The namespace has no way out. The proxy's listening socket is created inside and passed to a process
outside; a socket stays in the namespace where it was created.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
from collections.abc import Mapping
from typing import Final, Literal

Network = Literal["none", "outward", "all"]
NETWORKS: Final[tuple[Network, ...]] = ("none", "outward", "all")  # the strictest first

# As the common HTTP clients read them.
PROXY_VARIABLES: Final = (
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
)
NO_PROXY_VARIABLES: Final = ("no_proxy", "NO_PROXY")
_OWN_HOSTS: Final = "localhost,127.0.0.1,::1"

_INTERFACE: Final = struct.Struct("16sh22x")  # struct ifreq: name and flags
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1
_BACKLOG: Final = 128


def site_proxy(environment: Mapping[str, str]) -> str:
    """The name of a variable that sends the site's own connections through a proxy.

    "" if there is none.
    """
    return next((name for name in PROXY_VARIABLES if environment.get(name)), "")


def arrange_network(network: Network, proxy_socket: socket.socket | None) -> None:
    """Set up `network`, and its variables, in a new namespace as its administrator.

    Args:
        network: "none" or "outward".
        proxy_socket: where the listening socket of the proxy is sent; None if it has no use, as in
            a trial.
    """
    with socket.socket() as control:
        name = _INTERFACE.pack(b"lo", 0)
        flags = _INTERFACE.unpack(fcntl.ioctl(control, _GET_FLAGS, name))[1]
        fcntl.ioctl(control, _SET_FLAGS, _INTERFACE.pack(b"lo", flags | _UP))
    for variable in (*PROXY_VARIABLES, *NO_PROXY_VARIABLES):
        os.environ.pop(variable, None)
    if network != "outward" or proxy_socket is None:
        return
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(_BACKLOG)
        port = listening.getsockname()[1]
        socket.send_fds(proxy_socket, [b"+"], [listening.fileno()])
    os.environ.update(dict.fromkeys(PROXY_VARIABLES, f"http://127.0.0.1:{port}"))
    os.environ.update(dict.fromkeys(NO_PROXY_VARIABLES, _OWN_HOSTS))
