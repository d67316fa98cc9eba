"""Animated WebP from still ones, which Chromium writes. Source: RFC 9649, section 2."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

ANIMATED = 0x02  # of the flags of VP8X
REPLACE = 0x02  # of the flags of a frame: what was shown before is not blended with it
WHITE = b"\xff\xff\xff\xff"


def animate(frames: Sequence[tuple[bytes, int]]) -> bytes:
    """Put still pictures of one size together.

    Args:
        frames: each a WebP file in the extended format, and how long it is shown, in ms.

    Returns:
        bytes: a WebP file that repeats for ever.
    """
    size = _read_size(frames[0][0])
    chunks = [
        _write_chunk(b"VP8X", bytes([ANIMATED, 0, 0, 0]) + size),
        _write_chunk(b"ANIM", WHITE + struct.pack("<H", 0)),
    ]
    for still, duration_ms in frames:
        position = bytes(6)
        header = position + size + duration_ms.to_bytes(3, "little") + bytes([REPLACE])
        picture = [chunk for chunk in _read_chunks(still) if chunk[:4] in {b"VP8 ", b"VP8L"}]
        chunks.append(_write_chunk(b"ANMF", header + b"".join(picture)))
    content = b"WEBP" + b"".join(chunks)
    return _write_chunk(b"RIFF", content)


def _read_size(still: bytes) -> bytes:
    """Width - 1 and height - 1 of a picture, 24 bits each, as VP8X and ANMF have them."""
    return still[24:30]


def _read_chunks(file: bytes) -> Iterator[bytes]:
    """The chunks of a file, each with its header and padding."""
    at = 12
    while at < len(file):
        size = int.from_bytes(file[at + 4 : at + 8], "little")
        end = at + 8 + size + size % 2
        yield file[at:end]
        at = end


def _write_chunk(kind: bytes, content: bytes) -> bytes:
    padding = bytes(len(content) % 2)
    return kind + struct.pack("<I", len(content)) + content + padding
