"""The checksum or hash of a text."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from playground.builtin.shipped import SPECS
from toolshelf_tools import tool

Algorithm = Literal["crc32", "md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b"]

HASHES: dict[Algorithm, Callable[[bytes], bytes]] = {
    "crc32": lambda data: zlib.crc32(data).to_bytes(4, "big"),
    "md5": lambda data: hashlib.md5(data, usedforsecurity=False).digest(),
    "sha1": lambda data: hashlib.sha1(data, usedforsecurity=False).digest(),
    "sha256": lambda data: hashlib.sha256(data).digest(),
    "sha512": lambda data: hashlib.sha512(data).digest(),
    "sha3_256": lambda data: hashlib.sha3_256(data).digest(),
    "blake2b": lambda data: hashlib.blake2b(data).digest(),
}


@dataclass(frozen=True)
class Hashed:
    algorithm: str
    hash: str
    bits: int
    bytes_hashed: int


@tool(spec=SPECS / "hash_text.json")
def hash_text(
    text: str,
    algorithm: Algorithm = "sha256",
    output: Literal["hexadecimal", "base64"] = "hexadecimal",
) -> Hashed:
    data = text.encode()
    digest = HASHES[algorithm](data)
    written = digest.hex() if output == "hexadecimal" else base64.b64encode(digest).decode()
    return Hashed(algorithm=algorithm, hash=written, bits=len(digest) * 8, bytes_hashed=len(data))
