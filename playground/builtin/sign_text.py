"""Sign a text with the configured key, or check a signature."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from typing import Literal

from playground.builtin.shipped import ShippedTool, log, shipped
from playground.tool import Tool

DEMONSTRATION_KEY = "for demonstration only"


@dataclass(frozen=True)
class Configuration:
    key: str = field(default=DEMONSTRATION_KEY, repr=False)
    algorithm: Literal["sha1", "sha256", "sha512"] = "sha256"


@dataclass(frozen=True)
class SignRequest:
    text: str
    expected_signature: str | None = None


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


class SignText(ShippedTool):
    definition = shipped("sign_text")
    request_type = SignRequest

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration

    def call(self, request: SignRequest) -> Signed | Checked:
        key, algorithm = self.configuration.key, self.configuration.algorithm
        if key == DEMONSTRATION_KEY:
            log("Signing with the demonstration key, which everybody knows.")
        signature = hmac.digest(key.encode(), request.text.encode(), algorithm)
        if request.expected_signature is None:
            return Signed(algorithm=algorithm, signature=signature.hex())
        expected = bytes.fromhex(request.expected_signature)
        return Checked(algorithm=algorithm, valid=hmac.compare_digest(signature, expected))


class SignTextFactory:
    configuration_type = Configuration

    def tool_id(self) -> str:
        return SignText.definition.id

    def create(self, configuration: Configuration) -> Tool[SignRequest, Signed | Checked]:
        return SignText(configuration)
