"""Write a request to this site's API as a curl command to paste into a shell.

The command contains no secret: the shell reads the token from the environment. All else is quoted
where a shell needs it (`shlex.quote`).
"""

from __future__ import annotations

import shlex
from typing import Final

from toolspec.text.pretty import print_json
from toolspec.text.reader import JSON, dumps

# The name that every snippet and the documents use.
TOKEN_VARIABLE: Final = "TOOLSHELF_TOKEN"  # noqa: S105
LINE_CHARS: Final = 88
MAX_BODY_CHARS: Final = 60_000  # of a body on several lines


def write_curl_command(url: str, body: JSON) -> str:
    """The command that sends `body` as JSON to `url` by POST, with the token of the environment."""
    text = dumps(body)
    if len(text) > LINE_CHARS // 2:
        text = print_json(body, most=MAX_BODY_CHARS)
    lines = [
        f"curl {shlex.quote(url)}",
        f'-H "Authorization: Bearer ${TOKEN_VARIABLE}"',
        "-H 'Content-Type: application/json'",
        f"--data {shlex.quote(text)}",
    ]
    return " \\\n  ".join(lines)
