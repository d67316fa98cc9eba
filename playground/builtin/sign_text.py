"""Sign a text with the configured key, or check a signature."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from typing import Literal

from playground.builtin.shipped import SPECS
from playground.runner.log import log
from toolshelf_tools import tool

DEMONSTRATION_KEY = "for demonstration only"


@dataclass(frozen=True)
class Configuration:
    key: str = field(default=DEMONSTRATION_KEY, repr=False)
    algorithm: Literal["sha1", "sha256", "sha512"] = "sha256"


@dataclass(frozen=True)
class Signed:
    algorithm: str
    signature: str
    kind: Literal["signed"] = "signed"


@dataclass(frozen=True)
class Checked:
    algorithm: str
    valid: bool
    kind: Literal["checked"] = "checked"


@tool(spec=SPECS / "sign_text.json")
def sign_text(
    text: str, expected_signature: str | None = None, *, configuration: Configuration
) -> Signed | Checked:
    if configuration.key == DEMONSTRATION_KEY:
        log("Signing with the demonstration key, which is public.")
    algorithm = configuration.algorithm
    signature = hmac.digest(configuration.key.encode(), text.encode(), algorithm)
    if expected_signature is None:
        return Signed(algorithm=algorithm, signature=signature.hex())
    expected = bytes.fromhex(expected_signature)
    return Checked(algorithm=algorithm, valid=hmac.compare_digest(signature, expected))
