"""A call of the API, as text to paste into a shell or a program.

Nothing here knows Django. There is no secret in it: the token comes from the environment of whoever pastes it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from catalog.strict_json import JSON, Number, dumps

INDENT = "    "
LINE_CHARS = 88


@dataclass(frozen=True, slots=True)
class Call:
    """A POST of `body`, as JSON, to `url`."""

    url: str
    body: JSON


def as_curl(call: Call) -> str:
    return "\n".join(
        [
            f"curl {shlex.quote(call.url)} \\",
            '  -H "Authorization: Bearer $TOOLSHELF_TOKEN" \\',
            "  -H 'Content-Type: application/json' \\",
            f"  --data {shlex.quote(dumps(call.body))}",
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
