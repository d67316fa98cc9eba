"""The toolkits and tags of the catalog, and the number of tools in each, without archived ones.

One plain table in both databases, written together with the index; the index's tokens are its keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db import connection

from catalog.db.sql import placeholders
from catalog.search.document import GROUP_PREFIXES, GroupKind

_COUNT: Final = """
    INSERT INTO tool_group (token, kind, name, tools) VALUES (%s, %s, %s, %s)
    ON CONFLICT (token) DO UPDATE SET
        tools = tool_group.tools + excluded.tools,
        name = CASE WHEN tool_group.tools > 0 OR excluded.tools < 1 THEN tool_group.name ELSE excluded.name END
"""


@dataclass(frozen=True, slots=True)
class Group:
    """A toolkit or a tag. `name` is spelled as in its first tool; `key` is the form used for comparisons."""

    key: str
    name: str
    tools: int


def count(changes: Counter[str], names: Mapping[str, str]) -> None:
    """Add to the number of tools with each token, and store the names of new tokens.

    The caller has locked the index (see `SearchIndex.hold`).
    """
    changed = sorted((token, change) for token, change in changes.items() if change)
    rows = [
        (
            token,
            "toolkit" if token.startswith("kx_") else "tag",
            names.get(token, token[3:]),
            change,
        )
        for token, change in changed
    ]
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(_COUNT, rows)


def largest(
    kind: GroupKind, limit: int, *, containing: str = "", beyond: tuple[int, str] | None = None
) -> list[Group]:
    """The groups with the most tools whose keys contain `containing`, the largest first.

    `beyond` is the number and key of the previous group.
    """
    wanted, values = "kind = %s AND tools > 0", [str(kind)]
    if containing:
        wanted, values = f"{wanted} AND token LIKE %s", [*values, _pattern(containing)]
    if beyond is None:
        return _query(f"{wanted} ORDER BY tools DESC, token LIMIT %s", [*values, limit])
    tools, key = beyond
    return _query(
        f"{wanted} AND tools <= %s AND (tools < %s OR token > %s) ORDER BY tools DESC, token LIMIT %s",
        [*values, tools, tools, GROUP_PREFIXES[kind] + key, limit],
    )


def _pattern(containing: str) -> str:
    """Matches tokens with `containing` after the prefix; a key has only letters and digits, nothing to escape."""
    return f"___%{containing}%"


def in_order(
    kind: GroupKind, limit: int, *, beginning: str = "", containing: str = "", beyond: str = ""
) -> list[Group]:
    """The groups whose keys start with `beginning` and contain `containing`, after the key `beyond`, in their order."""
    prefix = GROUP_PREFIXES[kind]
    return _query(
        "token >= %s AND token < %s AND token > %s AND token LIKE %s AND tools > 0 ORDER BY token LIMIT %s",
        [
            prefix + beginning,
            prefix + beginning + "\U0010ffff",
            prefix + beyond,
            _pattern(containing),
            limit,
        ],
    )


def with_keys(kind: GroupKind, keys: Collection[str]) -> dict[str, Group]:
    """The groups with these keys that have tools, by key."""
    tokens = [GROUP_PREFIXES[kind] + key for key in keys]
    if not tokens:
        return {}
    found = _query(f"token IN ({placeholders(tokens)}) AND tools > 0", tokens)
    return {group.key: group for group in found}


def clear() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM tool_group")


def _query(where: str, values: Sequence[str | int]) -> list[Group]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT token, name, tools FROM tool_group WHERE {where}", values)  # noqa: S608
        return [Group(token[3:], name, tools) for token, name, tools in cursor.fetchall()]
