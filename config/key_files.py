"""Keys that a local installation generates by itself."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path


def generated_key(path: Path) -> str:
    """The key stored in `path`, created on the first call: 384 random bits, readable only by the file's owner.

    Two processes that start concurrently agree on one key: the file is created atomically, and only once.
    """
    if not path.exists():
        draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(48))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            path.hardlink_to(draft)
        draft.unlink()
    return path.read_text()
