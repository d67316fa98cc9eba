"""Credentials of a request, from the configuration: API keys, basic, bearer, OAuth 2 client credentials.

Sources: OpenAPI 3.1.1, "Security Scheme Object", "Security Requirement Object"; RFC 7617 (basic); RFC 6750 (bearer);
RFC 6749, sections 2.3.1 and 4.4 (client credentials).
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote_plus

from playground.connections.serialization import escaped
from toolshelf_tools import ToolError


@dataclass(frozen=True, slots=True)
class Credentials:
    """The parts of a request that identify the caller; all values are secret."""

    headers: dict[str, str] = field(default_factory=dict, repr=False)
    query: dict[str, str] = field(default_factory=dict, repr=False)
    cookies: dict[str, str] = field(default_factory=dict, repr=False)

    def masked(self, mark: str) -> Credentials:
        """The same with `mark` for each value, for the log."""
        headers = {name: _masked(value, mark) for name, value in self.headers.items()}
        return Credentials(
            headers, dict.fromkeys(self.query, mark), dict.fromkeys(self.cookies, mark)
        )


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """A request to an OAuth 2 server for a token by client credentials."""

    url: str
    client_id: str = field(repr=False)
    client_secret: str = field(repr=False)
    scopes: tuple[str, ...] = ()

    @property
    def basic(self) -> str:
        """The value of `Authorization`; RFC 6749 has both parts form-encoded first."""
        return basic(quote_plus(self.client_id), quote_plus(self.client_secret))


GetToken = Callable[[TokenRequest], str]


def credentials_of(
    operation: Mapping[str, Any], configuration: Mapping[str, Any], get_token: GetToken
) -> Credentials:
    """The credentials for the first security requirement whose members are all configured.

    Args:
        operation: the extension `x-openapi`: {"security"?: [{scheme: [member, …]}], "securitySchemes"?: {…}}.
        configuration: as the person configured the tool.
        get_token: asks an OAuth 2 server for an access token.

    Raises:
        ToolError: every requirement lacks a member; the message lists them.
    """
    requirements = [one for one in operation.get("security") or () if isinstance(one, dict)]
    schemes = operation.get("securitySchemes") or {}
    lacking: list[str] = []
    for requirement in sorted(
        requirements, key=len, reverse=True
    ):  # an empty one, "no credentials", comes last
        missing = [
            text
            for scheme, members in requirement.items()
            if (text := _missing(scheme, schemes.get(scheme) or {}, members or (), configuration))
        ]
        if not missing:
            return _merged(
                _of_scheme(scheme, schemes.get(scheme) or {}, configuration, get_token)
                for scheme in requirement
            )
        lacking.append(" and ".join(missing))
    if not lacking:
        return Credentials()
    alternatives = ", or ".join(
        dict.fromkeys(lacking)
    )  # some differ only in the scopes that they name
    raise ToolError(f"The operation needs credentials. Add {alternatives} to the configuration.")


def basic(user: str, password: str) -> str:
    return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"


def _missing(
    name: str, scheme: Mapping[str, Any], members: Sequence[str], configuration: Mapping[str, Any]
) -> str:
    """The members that must be configured for a scheme and are not, as words; "" if there are none."""
    if not members:
        return f"`{name}` (of the type {scheme.get('type', 'unknown')}, which cannot be configured)"
    if scheme.get("type") != "oauth2":
        return " and ".join(
            f"`{member}`" for member in members if not _configured(configuration, member)
        )
    if _configured(configuration, name) or _token_request(name, scheme, configuration):
        return ""
    pair = [f"`{member}`" for member in members if member != name]
    return f"`{name}` (or {' and '.join(pair)})" if pair else f"`{name}`"


def _of_scheme(
    name: str, scheme: Mapping[str, Any], configuration: Mapping[str, Any], get_token: GetToken
) -> Credentials:
    kind = scheme.get("type")
    secret = _configured(configuration, name)
    if kind == "apiKey":
        key = str(scheme.get("name", "Authorization"))
        where = scheme.get("in")
        if where == "query":
            return Credentials(query={key: secret})
        return (
            Credentials(cookies={key: escaped(secret)})
            if where == "cookie"
            else Credentials(headers={key: secret})
        )
    if kind == "http" and scheme.get("scheme") == "basic":
        user, password = (
            _configured(configuration, f"{name}{part}") for part in ("Username", "Password")
        )
        return Credentials(headers={"Authorization": basic(user, password)})
    if kind == "http" and scheme.get("scheme") != "bearer":
        return Credentials(headers={"Authorization": secret})
    wanted = None if secret else _token_request(name, scheme, configuration)
    return Credentials(
        headers={"Authorization": f"Bearer {get_token(wanted) if wanted else secret}"}
    )


def _token_request(
    name: str, scheme: Mapping[str, Any], configuration: Mapping[str, Any]
) -> TokenRequest | None:
    """The request for a token, if the scheme has the flow and its members are configured."""
    url = scheme.get("tokenUrl")
    client_id, secret = (
        _configured(configuration, f"{name}{part}") for part in ("ClientId", "ClientSecret")
    )
    if scheme.get("type") != "oauth2" or not isinstance(url, str) or not client_id or not secret:
        return None
    scopes = scheme.get("scopes") or ()
    return TokenRequest(url, client_id, secret, tuple(map(str, scopes)))


def _configured(configuration: Mapping[str, Any], name: str) -> str:
    value = configuration.get(name)
    return value if isinstance(value, str) else ""


def _merged(found: Iterator[Credentials]) -> Credentials:
    merged = Credentials()
    for one in found:
        merged.headers.update(one.headers)
        merged.query.update(one.query)
        merged.cookies.update(one.cookies)
    return merged


def _masked(value: str, mark: str) -> str:
    """`mark`, after the name of the authentication scheme if there is one."""
    kind, space, _ = value.partition(" ")
    return f"{kind} {mark}" if space and kind in {"Basic", "Bearer"} else mark
