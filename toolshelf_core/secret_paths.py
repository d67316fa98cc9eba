"""Find and hide the secret of a sign-in link, which is in its path, `/sign-in/<secret>/`.

The server's logging uses it before Django is set up.
"""

from __future__ import annotations

import re
from typing import Final

HIDDEN_PATH: Final = "/sign-in/link/"
_SECRETS: Final = re.compile(r"(?P<before>/sign-in/+|tsk_)[A-Za-z0-9_-]{20,}", re.IGNORECASE)


def link_path(secret: str) -> str:
    return f"/sign-in/{secret}/"


def hide_secrets(text: str) -> str:
    """`text` without the secrets of sign-in links and API tokens: "/sign-in/…/", "tsk_…"."""
    return _SECRETS.sub(r"\g<before>…", text)


def find_link_secret(path: str) -> str | None:
    """The secret in the path of a sign-in link, with or without the final slash.

    None for any other path.
    """
    match = re.fullmatch(r"/sign-in/([^/]+)/?", path)
    return match[1] if match else None
