"""Encode and decode a text through a chain of steps."""

from __future__ import annotations

import base64
import codecs
import html
import json
import unicodedata
from collections.abc import Callable
from typing import Annotated, Literal
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from pydantic import BaseModel, Field

from playground.builtin.shipped import SPECS
from toolshelf_tools import tool

MAX_CHARACTERS = 500_000
"""The limit for the text after each step, since each encoding may double it."""

Scheme = Literal["base64", "base64url", "hexadecimal", "url", "url_form", "html", "json", "rot13"]
Rewrite = Callable[[str], str]


def decode_base64url(text: str) -> str:
    padded = text + "=" * (-len(text) % 4)
    return base64.b64decode(padded, altchars=b"-_", validate=True).decode()


def decode_json(text: str) -> str:
    value = json.loads(text)
    if not isinstance(value, str):
        raise TypeError("It is JSON, but not a string.")
    return value


def rotate(text: str) -> str:
    return codecs.encode(text, "rot13")


ENCODERS: dict[Scheme, Rewrite] = {
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64url": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "hexadecimal": lambda text: text.encode().hex(),
    "url": lambda text: quote(text, safe=""),
    "url_form": quote_plus,
    "html": html.escape,
    "json": lambda text: json.dumps(text, ensure_ascii=False),
    "rot13": rotate,
}
DECODERS: dict[Scheme, Rewrite] = {
    "base64": lambda text: base64.b64decode(text, validate=True).decode(),
    "base64url": decode_base64url,
    "hexadecimal": lambda text: bytes.fromhex(text).decode(),
    "url": lambda text: unquote(text, errors="strict"),
    "url_form": lambda text: unquote_plus(text, errors="strict"),
    "html": html.unescape,
    "json": decode_json,
    "rot13": rotate,
}


class Encode(BaseModel):
    step: Literal["encode"]
    scheme: Scheme

    def apply(self, text: str) -> str:
        return ENCODERS[self.scheme](text)


class Decode(BaseModel):
    step: Literal["decode"]
    scheme: Scheme

    def apply(self, text: str) -> str:
        try:
            return DECODERS[self.scheme](text)
        except (ValueError, TypeError):
            raise ValueError(f"The text is not UTF-8 text encoded as {self.scheme}.") from None


class Normalize(BaseModel):
    step: Literal["normalize"]
    form: Literal["NFC", "NFD", "NFKC", "NFKD"] = "NFC"
    trim: bool = False

    def apply(self, text: str) -> str:
        normal = unicodedata.normalize(self.form, text)
        return normal.strip() if self.trim else normal


Step = Annotated[Encode | Decode | Normalize, Field(discriminator="step")]


class Rewritten(BaseModel):
    text: str
    after_each_step: list[str]


@tool(spec=SPECS / "encode_text.json")
def encode_text(text: str, steps: list[Step]) -> Rewritten:
    results = []
    for number, step in enumerate(steps, start=1):
        try:
            text = step.apply(text)
            refuse_unusable(text)
        except ValueError as error:
            raise ValueError(f"Step {number} ({step.step}): {error}") from None
        results.append(text)
    return Rewritten(text=text, after_each_step=results)


def refuse_unusable(text: str) -> None:
    """Refuse a text that cannot be in a response.

    Raises:
        ValueError: it is too long, or contains a NUL character or an unpaired surrogate.
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"The result has more than {MAX_CHARACTERS} characters.")
    if any(character == "\0" or "\ud800" <= character <= "\udfff" for character in text):
        raise ValueError(
            "The result is not text: it contains a NUL character or an unpaired surrogate."
        )
