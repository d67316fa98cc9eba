"""Bytes as text and back: in a `contentEncoding`, or as a data URL with media type and file name.

Sources: JSON Schema 2020-12, "A Vocabulary for the Contents of String-Encoded Data"; OpenAPI 3.0.4
and 3.1.1, "Considerations for File Uploads"; RFC 2397 (data URLs).
"""

from __future__ import annotations

import base64
import binascii
import mimetypes
import quopri
import re
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote

_ENCODERS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "base64": base64.b64encode,
    "base64url": base64.urlsafe_b64encode,
    "base32": base64.b32encode,
    "base16": base64.b16encode,
    "quoted-printable": quopri.encodestring,
}
_DECODERS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "base64": lambda text: base64.b64decode(text, validate=True),
    "base64url": base64.urlsafe_b64decode,
    "base32": base64.b32decode,
    "base16": base64.b16decode,
    "quoted-printable": quopri.decodestring,
}


DATA_URL: Final = "data URL"
BYTES: Final = "application/octet-stream"

_OF_FORMAT: Final = {
    "binary": DATA_URL,
    "byte": "base64",
    "base64": "base64",
    "base64url": "base64url",
}
_TEXT_TYPE: Final = re.compile(r"text/.*|.*[/+](json|xml|yaml|javascript|x-www-form-urlencoded)")
_MEDIA_TYPE: Final = re.compile(r"[\w!#$&^.+-]{1,127}/[\w!#$&^.+-]{1,127}", re.ASCII)
_DATA_URL: Final = re.compile(r"data:[^,]*;base64,(.*)", re.DOTALL)


def file_encoding(
    encoding: str,
    format_: str,
    media: str,
) -> str:
    """How a string with these keywords encodes a file.

    A `contentEncoding` or `DATA_URL`; "" if it is text.

    Args:
        encoding: `contentEncoding`; one that is unknown leaves the string a text.
        format_: `format`, by which OpenAPI 3.0 names bytes.
        media: `contentMediaType`; without an encoding, OpenAPI 3.1 names bytes by it.
    """
    if encoding:
        return encoding if encoding.lower() in _ENCODERS else ""
    if format_:
        return _OF_FORMAT.get(format_, "")
    essence = media.partition(";")[0].strip().lower()
    if not essence or _TEXT_TYPE.fullmatch(essence):
        return ""
    return DATA_URL


def encode_file(
    content: bytes,
    encoding: str,
    *,
    name: str = "",
    media: str = "",
) -> str:
    """`content` as text in this `contentEncoding`, or as a data URL.

    Decoded as UTF-8 if the encoding is "" or unknown.

    Args:
        content: of the file.
        encoding: as `file_encoding` returns it.
        name: of the file; for a data URL, which also names it.
        media: its media type, for a data URL; if it is not one, it is guessed by the name.

    Raises:
        UnicodeDecodeError: there is no known encoding and the file is not UTF-8.
    """
    if encoding == DATA_URL:
        return _make_data_url(content, name, media)
    encoder = _ENCODERS.get(encoding.lower())
    if encoder is None:
        return content.decode()
    return encoder(content).decode("ascii")


def _make_data_url(
    content: bytes,
    name: str,
    media: str,
) -> str:
    if not _MEDIA_TYPE.fullmatch(media):
        media = mimetypes.guess_type(name)[0] or BYTES
    if name:
        media += f";name={quote(name, safe='')}"
    text = base64.b64encode(content).decode("ascii")
    return f"data:{media};base64,{text}"


def measure_bytes(text: str, encoding: str) -> int | None:
    """The number of bytes that `text` encodes, as `file_encoding` names it.

    None if it cannot be decoded.
    """
    if encoding == DATA_URL:
        match = _DATA_URL.fullmatch(text)
        if match is None:
            return None
        text, encoding = match[1], "base64"
    decoder = _DECODERS.get(encoding.lower())
    if decoder is None:
        return None
    try:
        return len(decoder(text.encode("ascii")))
    except (ValueError, binascii.Error):
        return None
