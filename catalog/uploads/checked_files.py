"""Files that were checked, as texts that their page sends again, because a browser does not send chosen files twice.

A text is compressed and signed, so that exactly the checked files are published.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import BinaryIO, Final

from django.core import signing

from catalog.errors import ToolshelfError

MAX_CHARS: Final = (
    3 * 1024 * 1024
)  # of all files of a page; a form may have 4 MiB besides new files
_SALT: Final = "catalog.uploads.checked_files"


class NotReadable(ToolshelfError):
    """The text of a checked file was changed, or signed with another key."""


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file that was checked; `text` is how its page contains it."""

    name: str
    size: int
    text: str


def write_checked_file(name: str, file: BinaryIO) -> CheckedFile:
    """The file as a text for its page."""
    file.seek(0)
    content = file.read()
    file.seek(0)
    text = signing.dumps([name, content.decode("latin-1")], salt=_SALT, compress=True)
    return CheckedFile(name, len(content), text)


def read_checked_file(text: str) -> tuple[CheckedFile, BinaryIO]:
    """The file in a text that `write_checked_file` wrote, and its content.

    Raises:
        NotReadable: the text is not one of this site.
    """
    try:
        name, characters = signing.loads(text, salt=_SALT)
    except signing.BadSignature as error:
        raise NotReadable("A checked file could not be read. Choose it again.") from error
    content = characters.encode("latin-1")
    return CheckedFile(name, len(content), text), io.BytesIO(content)
