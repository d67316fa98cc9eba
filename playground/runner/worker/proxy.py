"""The HTTP proxy of a factory whose network is "outward": it connects to public addresses only.

It resolves each name itself and connects to an address that it has checked, so that a name cannot
lead elsewhere a moment later. It understands CONNECT, for HTTPS and other protocols over TCP, and
requests with an absolute http:// URL. It runs outside the factory's network namespace, as a user of
its own if the worker is root.

Only the proxy's own process imports this module: asyncio is slow to import, and the worker has no
use for it. No existing proxy is used: it has to listen on a given socket, Python's library has none
that does, and pasta and slirp4netns are missing on most machines.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import resource
import socket
from ipaddress import ip_address
from typing import Final, NoReturn
from urllib.parse import urlsplit

from playground.runner.worker.sandbox import drop_rights
from playground.runner.worker.syscalls import die_with_parent
from toolshelf_core.outgoing import addresses

MAX_CONNECTIONS: Final = 256  # the others wait
_HEAD_BYTES: Final = 32 * 1024
_HEAD_LIMIT_S: Final = 30
_CONNECT_LIMIT_S: Final = 20
_IDLE_LIMIT_S: Final = 300
_CHUNK_BYTES: Final = 64 * 1024
_MEMORY_BYTES: Final = 2 * 2**30  # address space; it uses a small part of it
_HOP_BY_HOP: Final = (
    b"connection",
    b"keep-alive",
    b"proxy-connection",
    b"proxy-authorization",
    b"proxy-authenticate",
)


class Refused(Exception):
    """The request cannot be passed on.

    Attributes:
        status: of the response.
        reason: the reason phrase. Clients show it when a tunnel fails.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


def serve_proxy(listening: int, *, own_user: bool) -> NoReturn:
    """Become the proxy that listens on this descriptor, until this process is killed."""
    # While this user can still read the files of Python.
    importlib.import_module("concurrent.futures.thread")
    importlib.import_module("encodings.idna")
    drop_rights(own_user=own_user)
    die_with_parent()
    resource.setrlimit(resource.RLIMIT_NOFILE, (2 * MAX_CONNECTIONS + 64,) * 2)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES,) * 2)
    asyncio.run(_serve(socket.socket(fileno=listening)))
    os._exit(0)


async def _serve(listening: socket.socket) -> None:
    slots = asyncio.Semaphore(MAX_CONNECTIONS)

    async def serve_client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with slots:
            await _serve_client(reader, writer)

    server = await asyncio.start_server(serve_client, sock=listening, limit=_HEAD_BYTES)
    await server.serve_forever()


async def _serve_client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
        try:
            target, head = await _read_request(reader)
            there_reader, there_writer = await _connect(*target)
        except Refused as refused:
            writer.write(_response(refused))
            await writer.drain()
        else:
            if head:
                there_writer.write(head)
            else:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await asyncio.gather(_relay(reader, there_writer), _relay(there_reader, writer))
            there_writer.close()
    writer.close()


async def _read_request(reader: asyncio.StreamReader) -> tuple[tuple[str, int], bytes]:
    """The host and port to connect to, and what to send there first; b"" for CONNECT.

    Raises:
        Refused: the request is not one to a proxy.
    """
    try:
        async with asyncio.timeout(_HEAD_LIMIT_S):
            head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise Refused(431, "The headers are too long") from None
    except TimeoutError:
        raise Refused(408, "The headers did not arrive in time") from None
    first, *headers = head[:-4].split(b"\r\n")
    try:
        method, url, version = first.decode("ascii").split(" ")
        parts = urlsplit(f"//{url}" if method == "CONNECT" else url)
        target = parts.hostname or "", parts.port or 80
    except ValueError:
        raise Refused(400, "The request line is not valid") from None
    if not target[0] or (method != "CONNECT" and parts.scheme != "http"):
        raise Refused(400, "Send CONNECT host:port, or an absolute http:// URL")
    if method == "CONNECT":
        return target, b""
    path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    sent_on = [
        each for each in headers if each.partition(b":")[0].strip().lower() not in _HOP_BY_HOP
    ]
    return target, b"\r\n".join(
        [f"{method} {path} {version}".encode(), *sent_on, b"Connection: close", b"", b""]
    )


async def _connect(host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to a public address of `host`.

    Raises:
        Refused: it has none, or none can be reached.
    """
    try:
        async with asyncio.timeout(_CONNECT_LIMIT_S):
            found = await asyncio.get_running_loop().getaddrinfo(
                host, port, type=socket.SOCK_STREAM
            )
            public = [str(each[4][0]) for each in found if is_public(str(each[4][0]))]
            if not public:
                raise Refused(
                    403, "This tool can reach only public addresses: its network is outward"
                )
            for address in public[:-1]:
                with contextlib.suppress(OSError):
                    return await asyncio.open_connection(address, port)
            return await asyncio.open_connection(public[-1], port)
    except TimeoutError:
        raise Refused(504, "The host did not answer in time") from None
    except (OSError, UnicodeError):
        raise Refused(502, "The host cannot be reached") from None


def _response(refused: Refused) -> bytes:
    body = f"{refused.reason}.\n".encode()
    head = (
        f"HTTP/1.1 {refused.status} {refused.reason}\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {len(body)}\r\n"
    )
    return head.encode() + b"Connection: close\r\n\r\n" + body


async def _relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on everything until the sender has finished, or nothing has come for a while."""
    with contextlib.suppress(OSError):
        while data := await asyncio.wait_for(reader.read(_CHUNK_BYTES), _IDLE_LIMIT_S):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


def is_public(address: str) -> bool:
    """Whether a numeric address is public, and not one of this machine's own.

    An IPv6 address that represents an IPv4 address is as public as that address.
    """
    try:
        reached = addresses.unpack_address(ip_address(address.partition("%")[0]))
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
