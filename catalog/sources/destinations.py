"""The addresses and credentials of a spec's requests, which never change without approval."""

from __future__ import annotations

from typing import Final

from catalog.sources.models import Source
from toolshelf_core.outgoing.addresses import origin_of
from toolspec.spec import stored_spec
from toolspec.text.containers import members_of
from toolspec.text.reader import JSON

_BASE_URL: Final = "baseUrl"


def destinations(document: dict[str, JSON]) -> JSON:
    """The parts that decide where requests and credentials go; specs with equal parts use the same servers.

    These are the origin of the server, the values of variables in its URL, and the security
    schemes, with the origin of the address that tokens are fetched from.
    """
    operation = members_of(document.get("x-openapi"))
    members = members_of(members_of(document.get("configuration")).get("properties"))
    schemes = members_of(operation.get("securitySchemes"))
    return {
        "defaults": {
            name: _origin(default) if name == _BASE_URL else default
            for name, member in members.items()
            if (default := members_of(member).get("default")) is not None
        },
        "security": operation.get("security"),
        "schemes": {name: _scheme(members_of(scheme)) for name, scheme in schemes.items()},
    }


def servers_of(source: Source) -> list[str]:
    """The origins that the tools of a source call by default, sorted."""
    texts = source.tools.filter(catalog_tool__isnull=False).values_list(
        "catalog_tool__current__source", flat=True
    )
    origins = set()
    for text in texts.iterator():
        members = members_of(members_of(stored_spec(text).configuration).get("properties"))
        default = members_of(members.get(_BASE_URL)).get("default")
        origins.add(origin_of(default) if isinstance(default, str) else None)
    return sorted(origin for origin in origins if origin)


def _scheme(scheme: dict[str, JSON]) -> JSON:
    return scheme | ({"tokenUrl": _origin(scheme["tokenUrl"])} if "tokenUrl" in scheme else {})


def _origin(address: JSON) -> JSON:
    """The origin of a URL; the value itself if it is not a complete URL."""
    return (origin_of(address) or address) if isinstance(address, str) else address
