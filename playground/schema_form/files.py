"""Bytes as text and back (`contentEncoding`)."""

from __future__ import annotations

import base64
import binascii
import quopri
from collections.abc import Callable, Mapping
from typing import Final

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


def takes_files(encoding: object) -> bool:
    """Whether a file can be written as text in this `contentEncoding`."""
    return isinstance(encoding, str) and encoding.lower() in _ENCODERS


def encoded(content: bytes, encoding: str) -> str:
    """`content` as text in this `contentEncoding`; decoded as UTF-8 if it is "" or unknown.

    Raises:
        UnicodeDecodeError: there is no known encoding and the file is not UTF-8.
    """
    encoder = _ENCODERS.get(encoding.lower())
    return encoder(content).decode("ascii") if encoder else content.decode()


def size_of(text: str, encoding: str) -> int | None:
    """The number of bytes that `text` encodes in this `contentEncoding`; None if it cannot be decoded."""
    decoder = _DECODERS.get(encoding.lower())
    if decoder is None:
        return None
    try:
        return len(decoder(text.encode("ascii")))
    except (ValueError, binascii.Error):
        return None
