"""Credentials of a request, from the configuration.

API keys, basic, bearer, OAuth 2 client credentials.

Sources: OpenAPI 3.1.1, "Security Scheme Object", "Security Requirement Object"; RFC 7617 (basic);
RFC 6750 (bearer); RFC 6749, sections 2.3.1 and 4.4 (client credentials).
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote_plus

from playground.connections.serialization import escape
from toolshelf_tools import ToolError


@dataclass(frozen=True, slots=True)
class Credentials:
    """The parts of a request that identify the caller; all values are secret."""

    headers: dict[str, str] = field(default_factory=dict, repr=False)
    query: dict[str, str] = field(default_factory=dict, repr=False)
    cookies: dict[str, str] = field(default_factory=dict, repr=False)

    def mask(self, mark: str) -> Credentials:
        """The same with `mark` for each value, for the log."""
        headers = {name: _mask(value, mark) for name, value in self.headers.items()}
        query = dict.fromkeys(self.query, mark)
        return Credentials(headers, query, dict.fromkeys(self.cookies, mark))


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
        return encode_basic(quote_plus(self.client_id), quote_plus(self.client_secret))


GetToken = Callable[[TokenRequest], str]


def find_credentials(
    operation: Mapping[str, Any],
    configuration: Mapping[str, Any],
    get_token: GetToken,
) -> Credentials:
    """The credentials for the first security requirement whose members are all configured.

    Args:
        operation: the extension `x-openapi`: {"security"?: [{scheme: [member, …]}],
            "securitySchemes"?: {…}}.
        configuration: as the person configured the tool.
        get_token: asks an OAuth 2 server for an access token.

    Raises:
        ToolError: every requirement lacks a member; the message lists them.
    """
    security = operation.get("security") or ()
    requirements = [requirement for requirement in security if isinstance(requirement, dict)]
    requirements.sort(key=len, reverse=True)  # an empty one, "no credentials", comes last
    schemes = operation.get("securitySchemes") or {}
    lacking: list[str] = []
    for requirement in requirements:
        missing = []
        for name, members in requirement.items():
            words = _describe_missing(name, schemes.get(name) or {}, members or (), configuration)
            if words:
                missing.append(words)
        if not missing:
            return _make_credentials(requirement, schemes, configuration, get_token)
        lacking.append(" and ".join(missing))
    if not lacking:
        return Credentials()
    lacking = list(dict.fromkeys(lacking))  # some differ only in the scopes that they name
    alternatives = ", or ".join(lacking)
    raise ToolError(f"The operation needs credentials. Add {alternatives} to the configuration.")


def _make_credentials(
    requirement: Mapping[str, Any],
    schemes: Mapping[str, Any],
    configuration: Mapping[str, Any],
    get_token: GetToken,
) -> Credentials:
    merged = Credentials()
    for name in requirement:
        scheme = schemes.get(name) or {}
        credentials = _make_of_scheme(name, scheme, configuration, get_token)
        merged.headers.update(credentials.headers)
        merged.query.update(credentials.query)
        merged.cookies.update(credentials.cookies)
    return merged


def encode_basic(user: str, password: str) -> str:
    return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"


def _describe_missing(
    name: str,
    scheme: Mapping[str, Any],
    members: Sequence[str],
    configuration: Mapping[str, Any],
) -> str:
    """The members that must be configured for a scheme and are not, as words.

    "" if there are none.
    """
    if not members:
        return f"`{name}` (of the type {scheme.get('type', 'unknown')}, which cannot be configured)"
    if scheme.get("type") != "oauth2":
        missing = [member for member in members if not _get_text(configuration, member)]
        return " and ".join(f"`{member}`" for member in missing)
    if _get_text(configuration, name) or _make_token_request(name, scheme, configuration):
        return ""
    pair = [f"`{member}`" for member in members if member != name]
    if not pair:
        return f"`{name}`"
    return f"`{name}` (or {' and '.join(pair)})"


def _make_of_scheme(
    name: str,
    scheme: Mapping[str, Any],
    configuration: Mapping[str, Any],
    get_token: GetToken,
) -> Credentials:
    kind = scheme.get("type")
    secret = _get_text(configuration, name)
    if kind == "apiKey":
        key = str(scheme.get("name", "Authorization"))
        where = scheme.get("in")
        if where == "query":
            return Credentials(query={key: secret})
        if where == "cookie":
            return Credentials(cookies={key: escape(secret)})
        return Credentials(headers={key: secret})
    if kind == "http" and scheme.get("scheme") == "basic":
        user = _get_text(configuration, f"{name}Username")
        password = _get_text(configuration, f"{name}Password")
        return Credentials(headers={"Authorization": encode_basic(user, password)})
    if kind == "http" and scheme.get("scheme") != "bearer":
        return Credentials(headers={"Authorization": secret})
    request = None if secret else _make_token_request(name, scheme, configuration)
    token = get_token(request) if request else secret
    return Credentials(headers={"Authorization": f"Bearer {token}"})


def _make_token_request(
    name: str,
    scheme: Mapping[str, Any],
    configuration: Mapping[str, Any],
) -> TokenRequest | None:
    """The request for a token, if the scheme has the flow and its members are configured."""
    url = scheme.get("tokenUrl")
    client_id = _get_text(configuration, f"{name}ClientId")
    secret = _get_text(configuration, f"{name}ClientSecret")
    if scheme.get("type") != "oauth2" or not isinstance(url, str) or not client_id or not secret:
        return None
    scopes = scheme.get("scopes") or ()
    return TokenRequest(url, client_id, secret, tuple(map(str, scopes)))


def _get_text(configuration: Mapping[str, Any], name: str) -> str:
    value = configuration.get(name)
    if not isinstance(value, str):
        return ""
    return value


def _mask(value: str, mark: str) -> str:
    """`mark`, after the name of the authentication scheme if there is one."""
    kind, space, _ = value.partition(" ")
    if space and kind in {"Basic", "Bearer"}:
        return f"{kind} {mark}"
    return mark
