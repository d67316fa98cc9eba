"""Files that were checked, as texts that their page sends again, because browsers do not.

A text is compressed and signed, so that exactly the checked files are published. Anybody who may
check files gets such texts, so a form may have many that each become large: they are read up to a
bound.
"""

from __future__ import annotations

import base64
import io
import zlib
from dataclasses import dataclass
from typing import BinaryIO, Final

from django.core.signing import BadSignature, Signer

from toolspec.errors import ToolshelfError

# Characters of all files of a page; a form may have 4 MiB besides new files.
MAX_CHARS: Final = 3 * 1024 * 1024
_signer: Final = Signer(salt="catalog.uploads.checked_files")


class NotReadable(ToolshelfError):
    """The text of a checked file was changed, was signed with another key, or has too much."""


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
    parts = (name.encode(errors="surrogatepass"), zlib.compress(content))
    text = ".".join(base64.b64encode(part).decode() for part in parts)
    return CheckedFile(name, len(content), _signer.sign(text))


def read_checked_file(text: str, *, most: int) -> tuple[CheckedFile, BinaryIO]:
    """The file in a text that `write_checked_file` wrote, and its content.

    Raises:
        NotReadable: the text is not one of this site, or the file has more than `most` bytes.
    """
    try:
        parts = _signer.unsign(text).split(".")
    except BadSignature as error:
        raise NotReadable("A checked file could not be read. Choose it again.") from error
    name, compressed = map(base64.b64decode, parts)
    content = zlib.decompressobj().decompress(compressed, most + 1)
    if len(content) > most:
        raise NotReadable("The checked files are too large together. Choose fewer of them.")
    checked = CheckedFile(name.decode(errors="surrogatepass"), len(content), text)
    return checked, io.BytesIO(content)
