"""Where the requests of a spec go, and its credentials: what no change may alter without approval."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from catalog.jsontext.reader import JSON

_BASE_URL: Final = "baseUrl"


def destinations(document: dict[str, JSON]) -> JSON:
    """What decides where requests and credentials go; two specs with equal ones send them to the same servers.

    These are the origin of the server, the values of variables in its URL, and the security schemes, with the origin of
    the address that tokens are fetched from.
    """
    operation = _object(document.get("x-openapi"))
    members = _object(_object(document.get("configuration")).get("properties"))
    schemes = _object(operation.get("securitySchemes"))
    return {
        "defaults": {
            name: _origin(default) if name == _BASE_URL else default
            for name, member in members.items()
            if (default := _object(member).get("default")) is not None
        },
        "security": operation.get("security"),
        "schemes": {name: _scheme(_object(scheme)) for name, scheme in schemes.items()},
    }


def _scheme(scheme: dict[str, JSON]) -> JSON:
    return scheme | ({"tokenUrl": _origin(scheme["tokenUrl"])} if "tokenUrl" in scheme else {})


def _origin(address: JSON) -> JSON:
    """The scheme and the server of a URL; the value itself if it is not a complete URL."""
    try:
        parts = urlsplit(address) if isinstance(address, str) else None
    except ValueError:
        return address
    return f"{parts.scheme}://{parts.netloc}" if parts and parts.scheme and parts.netloc else address


def _object(value: JSON) -> dict[str, JSON]:
    return value if isinstance(value, dict) else {}
