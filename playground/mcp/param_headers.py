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
    parameters = dict(_find_marked(schema, ()))
    names = {name.lower() for name, _ in parameters.values()}
    if len(names) < len(parameters):
        return
    if not all(_is_valid(name, kind) for name, kind in parameters.values()):
        return
    for path, (name, _) in parameters.items():
        if not _is_equal(headers.get(f"{PREFIX}{name.lower()}"), _value_at(arguments, path)):
            message = (
                f"The header Mcp-Param-{name} differs from the argument {'.'.join(path)!r}, "
                "or one of them is missing."
            )
            raise ProtocolError(HEADER_MISMATCH, message)


def _find_marked(schema: JSON, path: Path) -> Iterator[tuple[Path, tuple[str, JSON]]]:
    """The marked parameters: the path through `properties`, the name of the header, the type."""
    for name, member in members_of(members_of(schema).get("properties")).items():
        if isinstance(member, dict):
            if KEYWORD in member:
                yield (*path, name), (str(member[KEYWORD]), member.get("type"))
            yield from _find_marked(member, (*path, name))


def _is_valid(name: str, kind: JSON) -> bool:
    return bool(_TOKEN.fullmatch(name)) and isinstance(kind, str) and kind in _TYPES


def _value_at(value: JSON, path: Path) -> JSON:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return value


def _write_header(value: JSON) -> str | None:
    """The argument as clients write it into a header; None if there is nothing to send."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Number):
        return value.lexeme
    return str(value) if isinstance(value, str | int) else None


def _is_equal(header: str | None, value: JSON) -> bool:
    """Whether a header, None if it was not sent, has this argument."""
    argument_text = _write_header(value)
    if argument_text is None:
        return header is None
    header_text = decoded_header(header)
    if header_text is not None and is_number(value) and _DECIMAL.fullmatch(header_text):
        return Decimal(header_text) == Decimal(argument_text)
    return header_text == argument_text
