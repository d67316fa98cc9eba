"""A call of the API, as text to paste into a shell or a program.

Nothing here knows Django. There is no secret in it: the token comes from the environment of whoever pastes it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from catalog.strict_json import JSON, Number, dumps

INDENT = "    "
LINE_CHARS = 88
MAX_DEPTH = 4
PLACEHOLDERS: Mapping[str, JSON] = {
    "string": "…",
    "integer": 1,
    "number": 1,
    "boolean": True,
    "array": [],
    "null": None,
}


@dataclass(frozen=True, slots=True)
class Call:
    """A POST of `body`, as JSON, to `url`."""

    url: str
    body: JSON


def as_curl(call: Call) -> str:
    body = dumps(call.body)
    if len(body) > LINE_CHARS // 2:
        body = dumps(call.body, indent=2)
    return "\n".join(
        [
            f"curl {shlex.quote(call.url)} \\",
            '  -H "Authorization: Bearer $TOOLSHELF_TOKEN" \\',
            "  -H 'Content-Type: application/json' \\",
            f"  --data {shlex.quote(body)}",
        ]
    )


def as_python(call: Call) -> str:
    return "\n".join(
        [
            "import json",
            "import os",
            "import urllib.request",
            "",
            f"body = {python_literal(call.body)}",
            "request = urllib.request.Request(",
            f"    {call.url!r},",
            "    data=json.dumps(body).encode(),",
            "    headers={",
            "        'Authorization': f\"Bearer {os.environ['TOOLSHELF_TOKEN']}\",",
            "        'Content-Type': 'application/json',",
            "    },",
            ")",
            "with urllib.request.urlopen(request) as answer:",
            "    run = json.load(answer)",
            "print(run['outcome'], run['verdict'], run['response'])",
        ]
    )


def placeholder(schema: JSON, depth: int = 0) -> JSON:
    """A value to be filled in: what `schema` says must be there, each by its first choice or its type."""
    if not isinstance(schema, dict):
        return {}
    for keyword in ("const", "default"):
        if keyword in schema:
            return schema[keyword]
    for keyword in ("examples", "enum"):
        if isinstance(choices := schema.get(keyword), list) and choices:
            return choices[0]
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = kind[0] if kind else None
    if isinstance(properties := schema.get("properties"), dict) and depth < MAX_DEPTH:
        required = schema.get("required")
        names = [name for name in properties if isinstance(required, list) and name in required]
        return {name: placeholder(properties[name], depth + 1) for name in names}
    return PLACEHOLDERS.get(kind, {}) if isinstance(kind, str) else {}


def python_literal(value: JSON, depth: int = 0) -> str:
    """`value` as Python writes it; numbers as they were written."""
    if isinstance(value, Number):
        return value.lexeme
    if not isinstance(value, dict | list) or not value:
        return repr(value)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    parts = list(_parts(value, depth + 1))
    line = f"{opening}{', '.join(parts)}{closing}"
    if len(line) + len(INDENT) * depth <= LINE_CHARS and "\n" not in line:
        return line
    inner = "".join(f"{INDENT * (depth + 1)}{part},\n" for part in parts)
    return f"{opening}\n{inner}{INDENT * depth}{closing}"


def _parts(value: dict[str, JSON] | list[JSON], depth: int) -> Iterator[str]:
    if isinstance(value, list):
        yield from (python_literal(item, depth) for item in value)
    else:
        yield from (f"{name!r}: {python_literal(member, depth)}" for name, member in value.items())
