"""Files of a response as the contents of frames.

A content is a head, one line of JSON {"pointer", "name", "media_type", "is_whole"}, followed by the
bytes of the file.
"""

from __future__ import annotations

import json
from typing import Final

from toolshelf_tools.files import MEDIA_TYPE, UNKNOWN, BadFileError, ResponseFile, safe_name

MAX_HEAD_BYTES: Final = 2048


def file_frame(file: ResponseFile) -> bytes:
    """The content of the frame of `file`.

    Raises:
        BadFileError: its pointer is too long.
    """
    head = {
        "pointer": file.pointer,
        "name": file.name,
        "media_type": file.media_type,
        "is_whole": file.is_whole,
    }
    line = json.dumps(head).encode()
    if len(line) > MAX_HEAD_BYTES:
        raise BadFileError(f"The path of a file in the response is too long: {file.pointer[:100]}…")
    return line + b"\n" + file.content


def file_of(content: bytes) -> ResponseFile:
    """The file in the content of a frame, whichever process wrote it.

    Raises:
        ValueError: there is none.
    """
    line, separator, data = content.partition(b"\n")
    head = json.loads(line)
    if not separator or not isinstance(head, dict):
        raise ValueError("a file has no head")
    media_type = str(head.get("media_type", ""))
    return ResponseFile(
        name=safe_name(str(head.get("name", ""))) or "response",
        media_type=media_type if MEDIA_TYPE.fullmatch(media_type) else UNKNOWN,
        content=data,
        pointer=str(head.get("pointer", "")),
        is_whole=head.get("is_whole") is True,
    )
