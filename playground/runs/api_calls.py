"""Write a call of a tool through the API as code to paste into a shell or a program.

It runs without changes.

The code contains no secret: it reads the token from the environment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from toolshelf_core.curl import LINE_CHARS, MAX_BODY_CHARS, TOKEN_VARIABLE, write_curl_command
from toolspec.text.pretty import printed_size
from toolspec.text.reader import JSON, Number, dumps

INDENT = "    "
MAX_DEPTH = 50  # of a Python literal; Python's parser fails at 200


@dataclass(frozen=True, slots=True)
class Call:
    """A POST of `body`, as JSON, to `url`.

    `note` is a comment to put above the call, "" for none.
    """

    url: str
    body: JSON
    note: str = ""


def as_curl(call: Call) -> str:
    """The call as a shell command."""
    return "\n".join([*_comment(call), write_curl_command(call.url, call.body)])


def as_python(call: Call) -> str:
    """The call as a program that needs only Python."""
    is_short = printed_size(call.body).characters <= MAX_BODY_CHARS
    if is_short and _is_exact_in_python(call.body):
        body, text = python_literal(call.body), "json.dumps(body)"
    else:
        body, text = repr(dumps(call.body)), "body"
    return "\n".join(
        [
            "import json",
            "import os",
            "import urllib.request",
            "",
            *_comment(call),
            f"body = {body}",
            "request = urllib.request.Request(",
            f"    {call.url!r},",
            f"    data={text}.encode(),",
            "    headers={",
            f"        'Authorization': f\"Bearer {{os.environ['{TOKEN_VARIABLE}']}}\",",
            "        'Content-Type': 'application/json',",
            "    },",
            ")",
            "with urllib.request.urlopen(request) as answer:",
            "    run = json.load(answer)",
            "print(run['outcome'], run['verdict'], run['response'])",
        ]
    )


def _comment(call: Call) -> list[str]:
    return [f"# {call.note}"] if call.note else []


def _is_exact_in_python(value: JSON, depth: int = 0) -> bool:
    """Whether Python sends `value` unchanged.

    It rounds long decimals, and cannot parse deeply nested literals.
    """
    if isinstance(value, Number):
        return value.is_zero() or Decimal(repr(float(value))) == value
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return depth < MAX_DEPTH and all(_is_exact_in_python(part, depth + 1) for part in parts)
    return True


def python_literal(value: JSON, depth: int = 0) -> str:
    """`value` as a Python literal, with its numbers as they were written."""
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
