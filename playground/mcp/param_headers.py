"""Headers that repeat arguments of a call, so that proxies can route by them (since 2026-07-28).

A tool marks a parameter with `x-mcp-header: Region`; clients then send its value as
`Mcp-Param-Region` too, and the server refuses a call whose header and argument differ. Source: the
specification's "Custom Headers from Tool Parameters".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Final

from playground.mcp.protocol import HEADER_MISMATCH, ProtocolError, decoded_header
from toolspec.text.containers import members_of
from toolspec.text.numbers import is_number
from toolspec.text.reader import JSON, Number

KEYWORD: Final = "x-mcp-header"
PREFIX: Final = "mcp-param-"
_TYPES: Final = frozenset({"string", "integer", "boolean"})
_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_DECIMAL: Final = re.compile(r"-?[0-9]+(?:\.0+)?")

Path = tuple[str, ...]


def check_param_headers(schema: JSON, arguments: JSON, headers: Mapping[str, str]) -> None:
    """Compare the headers of a call with its arguments.

    Args:
        schema: the `inputSchema` of the tool; None if there is no such tool. If it marks a
            parameter wrongly, clients ignore the tool, and nothing is compared.
        arguments: of the call.
        headers: of the request, with names in lower case.

    Raises:
        ProtocolError: a header is missing, has no argument, or differs from its argument.
    """
    marked = dict(_marked(schema, ()))
    names = [name.lower() for name, _ in marked.values()]
    if len(set(names)) < len(names) or not all(
        _is_valid(name, kind) for name, kind in marked.values()
    ):
        return
    for path, (name, _) in marked.items():
        value = _value_at(arguments, path)
        expected = _as_header(value)
        header = headers.get(f"{PREFIX}{name.lower()}")
        sent = decoded_header(header)
        if not (
            sent is None and header is None if expected is None else _equals(sent, expected, value)
        ):
            place = ".".join(path)
            message = f"The header Mcp-Param-{name} differs from the argument {place!r}, or one of them is missing."
            raise ProtocolError(HEADER_MISMATCH, message)


def _marked(schema: JSON, path: Path) -> Iterator[tuple[Path, tuple[str, JSON]]]:
    """The marked parameters: the path through `properties`, the name of the header, the type."""
    for name, member in members_of(members_of(schema).get("properties")).items():
        if isinstance(member, dict):
            if KEYWORD in member:
                yield (*path, name), (str(member[KEYWORD]), member.get("type"))
            yield from _marked(member, (*path, name))


def _is_valid(name: str, kind: JSON) -> bool:
    return bool(_TOKEN.fullmatch(name)) and isinstance(kind, str) and kind in _TYPES


def _value_at(value: JSON, path: Path) -> JSON:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return value


def _as_header(value: JSON) -> str | None:
    """The argument as clients write it into a header; None if there is nothing to send."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Number):
        return value.lexeme
    return str(value) if isinstance(value, str | int) else None


def _equals(sent: str | None, expected: str, value: JSON) -> bool:
    if sent is None:
        return False
    if is_number(value) and _DECIMAL.fullmatch(sent):
        return Decimal(sent) == Decimal(expected)
    return sent == expected
