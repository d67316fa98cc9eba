"""The network under the HTTP clients: resolves and checks addresses, and counts time and bytes.

A connection goes to an address that was checked, not to a name that is resolved a second time, so a
name server cannot answer differently in between (DNS rebinding). TLS still verifies the certificate
for the name.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import httpcore2
from httpcore2 import (
    AnyIOBackend,
    AsyncNetworkBackend,
    AsyncNetworkStream,
    NetworkBackend,
    NetworkStream,
    SyncBackend,
)

from toolshelf_core.errors import OutgoingError
from toolshelf_core.outgoing.addresses import (
    AddressPolicy,
    list_addresses,
    make_resolution_error,
    resolve,
)
from toolshelf_core.outgoing.budget import CONNECT_S, Budget

SocketOptions = Iterable[
    tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]
]


class CheckedBackend(NetworkBackend):
    """Connects to checked addresses only; without a policy (to the operator's own proxy) to any."""

    def __init__(self, policy: AddressPolicy | None, budget: Budget) -> None:
        self._policy = policy
        self._budget = budget
        self._backend = SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> NetworkStream:
        failure: Exception | None = None
        addresses = _resolve(host, port, self._budget)
        for address in _check_addresses(self._policy, self._budget, host, addresses):
            try:
                limit_s = self._budget.limit(min(timeout or CONNECT_S, CONNECT_S))
                stream = self._backend.connect_tcp(
                    address, port, limit_s, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = failure or error
            else:
                return CheckedStream(stream, self._budget)
        raise failure or httpcore2.ConnectError(f"{host} has no address")


class CheckedStream(NetworkStream):
    def __init__(self, stream: NetworkStream, budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with _expiring(self._budget):
            data = self._stream.read(max_bytes, self._budget.limit(timeout))
        return self._budget.receive(data)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with _expiring(self._budget):
            self._stream.write(buffer, self._budget.limit(timeout))

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> NetworkStream:
        limit_s = self._budget.limit(timeout)
        stream = self._stream.start_tls(ssl_context, server_hostname, limit_s)
        return CheckedStream(stream, self._budget)

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class AsyncCheckedBackend(AsyncNetworkBackend):
    """`CheckedBackend` for asynchronous clients."""

    def __init__(self, policy: AddressPolicy | None, budget: Budget) -> None:
        self._policy = policy
        self._budget = budget
        self._backend = AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> AsyncNetworkStream:
        failure: Exception | None = None
        addresses = await _resolve_async(host, port, self._budget)
        for address in _check_addresses(self._policy, self._budget, host, addresses):
            try:
                limit_s = self._budget.limit(min(timeout or CONNECT_S, CONNECT_S))
                stream = await self._backend.connect_tcp(
                    address, port, limit_s, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = failure or error
            else:
                return AsyncCheckedStream(stream, self._budget)
        raise failure or httpcore2.ConnectError(f"{host} has no address")


class AsyncCheckedStream(AsyncNetworkStream):
    def __init__(self, stream: AsyncNetworkStream, budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with _expiring(self._budget):
            data = await self._stream.read(max_bytes, self._budget.limit(timeout))
        return self._budget.receive(data)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with _expiring(self._budget):
            await self._stream.write(buffer, self._budget.limit(timeout))

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> AsyncNetworkStream:
        limit_s = self._budget.limit(timeout)
        stream = await self._stream.start_tls(ssl_context, server_hostname, limit_s)
        return AsyncCheckedStream(stream, self._budget)

    async def aclose(self) -> None:
        await self._stream.aclose()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _check_addresses(
    policy: AddressPolicy | None, budget: Budget, host: str, addresses: list[str]
) -> list[str]:
    try:
        return policy.check(host, addresses) if policy else addresses
    except OutgoingError as error:
        raise budget.refuse(error) from None


def _resolve(host: str, port: int, budget: Budget) -> list[str]:
    try:
        return resolve(host, port)
    except OutgoingError as error:
        raise budget.refuse(error) from None


async def _resolve_async(host: str, port: int, budget: Budget) -> list[str]:
    try:
        with anyio.fail_after(budget.limit(CONNECT_S)):
            return list_addresses(await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    except (OSError, UnicodeError) as error:
        raise budget.refuse(make_resolution_error(host, error)) from error


@contextmanager
def _expiring(budget: Budget) -> Iterator[None]:
    """Report a time-out as the budget's error if it is the budget that ran out."""
    try:
        yield
    except httpcore2.TimeoutException:
        if budget.is_expired():
            raise budget.expire() from None
        raise
