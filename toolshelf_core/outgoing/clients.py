"""HTTP clients for other servers that keep to an address policy and a budget.

    budget = Budget(seconds=30, max_bytes=10_000_000)
    credentials = Credentials("https://api.example.com", {"Authorization": "Bearer …"})
    with client(policy, budget, credentials) as http:
        response = http.get("https://api.example.com/openapi.json")

`httpx2` and not `httpx`, because the MCP SDK takes its clients: one policy serves both.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import httpcore2
import httpx2

from toolshelf_core.errors import OutgoingError
from toolshelf_core.outgoing.addresses import AddressPolicy, resolve
from toolshelf_core.outgoing.budget import CONNECT_S, Budget
from toolshelf_core.outgoing.network import AsyncCheckedBackend, CheckedBackend

MAX_REDIRECTS: Final = 3
_OPTIONS: Final[dict[str, Any]] = {  # of both clients
    "headers": {"User-Agent": "Toolshelf"},
    "trust_env": False,
    "follow_redirects": True,
    "max_redirects": MAX_REDIRECTS,
    "timeout": httpx2.Timeout(None, connect=CONNECT_S),  # the budget limits the rest
}
_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Credentials:
    """Headers that are sent to one origin only, also after a redirect.

    Attributes:
        address: a URL of the origin; its scheme, host and port count.
        headers: name and value.
    """

    address: str
    headers: Mapping[str, str] = field(repr=False)

    def is_for(self, url: httpx2.URL) -> bool:
        return is_same_origin(httpx2.URL(self.address), url)


def ssl_context() -> ssl.SSLContext:
    """The TLS settings of all clients.

    Loading the certificates takes 30 ms, so a parent of runs does it in advance.
    """
    return _load_ssl_context(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@cache
def _load_ssl_context(_file: str | None, _folder: str | None) -> ssl.SSLContext:
    return httpx2.create_ssl_context()


def client(
    policy: AddressPolicy, budget: Budget, credentials: Credentials | None = None
) -> httpx2.Client:
    """A client for one task.

    It raises `OutgoingError` or `httpx2.HTTPError`; `sentence` words both.
    """
    return httpx2.Client(transport=CheckedTransport(policy, budget, credentials), **_OPTIONS)


def async_client(
    policy: AddressPolicy, budget: Budget, credentials: Credentials | None = None
) -> httpx2.AsyncClient:
    """`client` for asynchronous code, such as the MCP SDK's `streamable_http_client`."""
    return httpx2.AsyncClient(
        transport=AsyncCheckedTransport(policy, budget, credentials), **_OPTIONS
    )


class _Rules:
    """The checks that both transports apply to a request and its response."""

    def __init__(
        self, policy: AddressPolicy, budget: Budget, credentials: Credentials | None
    ) -> None:
        self._policy = policy
        self._budget = budget
        self._credentials = credentials

    def prepare(self, request: httpx2.Request) -> httpx2.Request:
        """A copy to send.

        The client copies the headers of its own request when it follows a redirect elsewhere.

        Raises:
            OutgoingError: the request may not be sent.
        """
        if request.url.scheme not in _PORTS or not request.url.host:
            message = (
                f"The URL {_without_secrets(request.url)} does not start with http:// or https://."
            )
            raise self._budget.refuse(OutgoingError(message))
        if self._policy.proxy:
            self._check_before_proxy(request.url)
        # A small compressed response can become a huge one, which the budget would not see.
        headers = request.headers.copy()
        headers["Accept-Encoding"] = "identity"
        if self._credentials is not None and self._credentials.is_for(request.url):
            headers.update(self._credentials.headers)
        return httpx2.Request(
            request.method,
            request.url,
            headers=headers,
            stream=request.stream,
            extensions=request.extensions,
        )

    def check(self, response: httpx2.Response) -> OutgoingError | None:
        encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
        if encoding in {"", "identity"}:
            return None
        message = (
            f"The server sent a response compressed as {encoding[:40]!r}, "
            "although no compression was requested."
        )
        return self._budget.refuse(OutgoingError(message))

    def _check_before_proxy(self, url: httpx2.URL) -> None:
        """Refuse addresses that are known here to be forbidden.

        The proxy decides about names that only it resolves.
        """
        try:
            addresses = resolve(url.host, url.port or _PORTS[url.scheme])
        except OutgoingError:
            return
        try:
            self._policy.check(url.host, addresses)
        except OutgoingError as error:
            raise self._budget.refuse(error) from None


class CheckedTransport(httpx2.HTTPTransport):
    """httpx2's transport over the checked network.

    httpx2 has no parameter for the network, so this sets the pool that it would make, from
    httpcore2's public classes.
    """

    def __init__(
        self, policy: AddressPolicy, budget: Budget, credentials: Credentials | None
    ) -> None:
        self._rules = _Rules(policy, budget, credentials)
        context = ssl_context()
        if policy.proxy:
            backend = CheckedBackend(None, budget)
            self._pool = httpcore2.HTTPProxy(
                **_proxy_options(policy), ssl_context=context, network_backend=backend
            )
        else:
            backend = CheckedBackend(policy, budget)
            self._pool = httpcore2.ConnectionPool(ssl_context=context, network_backend=backend)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = super().handle_request(self._rules.prepare(request))
        if error := self._rules.check(response):
            response.close()
            raise error
        return response


class AsyncCheckedTransport(httpx2.AsyncHTTPTransport):
    """`CheckedTransport` for asynchronous clients."""

    def __init__(
        self, policy: AddressPolicy, budget: Budget, credentials: Credentials | None
    ) -> None:
        self._rules = _Rules(policy, budget, credentials)
        context = ssl_context()
        if policy.proxy:
            backend = AsyncCheckedBackend(None, budget)
            self._pool = httpcore2.AsyncHTTPProxy(
                **_proxy_options(policy), ssl_context=context, network_backend=backend
            )
        else:
            backend = AsyncCheckedBackend(policy, budget)
            self._pool = httpcore2.AsyncConnectionPool(ssl_context=context, network_backend=backend)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(self._rules.prepare(request))
        if error := self._rules.check(response):
            await response.aclose()
            raise error
        return response


def sentence(error: Exception, budget: Budget) -> str:
    """The error as a sentence for users.

    The reason of the budget, if there is one, explains any other error.
    """
    if budget.error is not None:
        return str(budget.error)
    if isinstance(error, OutgoingError):
        return str(error)
    if isinstance(error, httpx2.ConnectTimeout):
        return f"The server did not accept a connection within {CONNECT_S:g} seconds."
    if isinstance(error, httpx2.ConnectError):
        return f"The connection to the server failed: {error}."
    if isinstance(error, httpx2.TimeoutException):
        return "The server did not respond in time."
    if isinstance(error, httpx2.TooManyRedirects):
        return f"The server redirected more than {MAX_REDIRECTS} times."
    if isinstance(error, httpx2.NetworkError):
        return "The server closed the connection before its response was complete."
    if isinstance(error, httpx2.RemoteProtocolError):
        return f"The server's response is not valid HTTP: {error}."
    return f"The request failed: {error}."


def is_same_origin(url: httpx2.URL, other: httpx2.URL) -> bool:
    return _origin(url) == _origin(other)


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port or _PORTS.get(url.scheme)


def _without_secrets(url: httpx2.URL) -> str:
    """The URL without what may be secret in it: user, password, query."""
    return str(url.copy_with(userinfo=b"", query=None, fragment=None))[:200]


def _proxy_options(policy: AddressPolicy) -> dict[str, Any]:
    """The parameters of httpcore2 for the proxy of `policy`."""
    proxy = httpx2.Proxy(policy.proxy)
    url = httpcore2.URL(
        scheme=proxy.url.raw_scheme,
        host=proxy.url.raw_host,
        port=proxy.url.port,
        target=proxy.url.raw_path,
    )
    return {"proxy_url": url, "proxy_auth": proxy.raw_auth}
