"""Write a request to this site's API as a curl command to paste into a shell.

The command contains no secret: the shell reads the token from the environment. All else is quoted where a shell needs
it (`shlex.quote`); `static/js/api_try.js` follows the same rules for a request that somebody fills in.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Final

from catalog.jsontext.pretty import print_json
from catalog.jsontext.reader import JSON, dumps

TOKEN_VARIABLE: Final = "TOOLSHELF_TOKEN"  # noqa: S105 - a name; every snippet and the documents use it
LINE_CHARS: Final = 88
MAX_BODY_CHARS: Final = 60_000  # of a body on several lines


def curl_command(
    url: str,
    *,
    method: str = "GET",
    needs_token: bool = True,
    headers: Mapping[str, str] | None = None,
    body: JSON = None,
    files: str = "",
) -> str:
    """The command: one line if it has no options, else a line for each.

    Args:
        url: the address, with placeholders such as {slug} if somebody has to fill them in.
        method: in capitals. Left out of the command where curl implies it: GET, or POST with a body.
        needs_token: whether the command sends the token of the environment.
        headers: further headers, by their names.
        body: sent as JSON; None for no body.
        files: the name of a file to upload in the field `files`; "" for none.
    """
    lines = [f"curl {shlex.quote(url)}"]
    if method != ("GET" if body is None and not files else "POST"):
        lines.append(f"-X {method}")
    if needs_token:
        lines.append(f'-H "Authorization: Bearer ${TOKEN_VARIABLE}"')
    lines += [f"-H {shlex.quote(f'{name}: {value}')}" for name, value in (headers or {}).items()]
    if body is not None:
        lines += ["-H 'Content-Type: application/json'", f"--data {shlex.quote(_json_text(body))}"]
    if files:
        lines.append(f"-F {shlex.quote(f'files=@{files}')}")
    return " \\\n  ".join(lines)


def _json_text(body: JSON) -> str:
    text = dumps(body)
    return text if len(text) <= LINE_CHARS // 2 else print_json(body, most=MAX_BODY_CHARS)
