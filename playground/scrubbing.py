"""Secrets taken out of what a tool gave back, before anything of it is stored or shown.

Nothing here knows Django. A secret is found by its value, wherever it stands and in the spellings that programs write
it in: as it is, escaped in JSON, Python or HTML, percent-encoded, in hexadecimal, and inside base64.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

from catalog.strict_json import JSON, Number

MARK = "[secret]"
# Taking out one to three characters would leave holes in ordinary words and say which letters the secret has.
MIN_SECRET_CHARACTERS = 4
# A key file is a secret line by line, too: a log may show one of them.
MIN_LINE_CHARACTERS = 16


class Scrubber:
    """Takes a set of secret strings out of texts and JSON values."""

    def __init__(self, secrets: Iterable[str]) -> None:
        spellings = {spelling for secret in secrets for spelling in _spellings(secret)}
        ordered = sorted(spellings, key=lambda spelling: (-len(spelling), spelling))
        self._pattern = re.compile("|".join(map(re.escape, ordered))) if ordered else None
        self._bare = frozenset(ordered)
        # A text that is cut may end inside a spelling; this many of its last characters cannot be judged yet.
        self.longest = len(ordered[0]) if ordered else 0

    def __bool__(self) -> bool:
        return self._pattern is not None

    def __repr__(self) -> str:
        return "Scrubber()"

    def text(self, text: str) -> str:
        """`text` with every secret replaced by `MARK`."""
        return self._pattern.sub(MARK, text) if self._pattern else text

    def cut_text(self, text: str) -> str:
        """As `text`, for a text that was cut at its end or is still growing: a secret may have begun and not ended.

        What could be the beginning of a secret, at the very end, is taken out as well.
        """
        if not self._pattern:
            return text
        clean = self.text(text)
        for length in range(min(self.longest - 1, len(clean)), 0, -1):
            tail = clean[-length:]
            if any(len(spelling) > length and spelling.startswith(tail) for spelling in self._bare):
                return clean[:-length]
        return clean

    def message(self, message: str) -> str:
        """`message` of a check, which quotes values cut short ("…"): a secret may begin there and not end."""
        if not self._pattern:
            return message
        *cut, last = message.split("…")
        return "…".join([*map(self.cut_text, cut), self.text(last)])

    def value(self, value: JSON) -> JSON:
        """`value` with every secret in its strings, member names and numbers replaced."""
        return self._value(value) if self._pattern else value

    def _value(self, value: JSON) -> JSON:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(name): self._value(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self._value(item) for item in value]
        if isinstance(value, int | Number) and not isinstance(value, bool):
            return MARK if number_text(value) in self._bare else value
        return value


def number_text(number: int | Number) -> str:
    """A number as it is written in JSON."""
    return number.lexeme if isinstance(number, Number) else str(number)


def _spellings(secret: str) -> Iterator[str]:
    lines = [line.strip() for line in secret.splitlines()] if "\n" in secret else []
    for part in (secret, secret.strip(), *(line for line in lines if len(line) >= MIN_LINE_CHARACTERS)):
        if len(part) >= MIN_SECRET_CHARACTERS:
            yield from _spellings_of_one(part)


def _spellings_of_one(secret: str) -> Iterator[str]:
    yield secret
    for ensure_ascii in (True, False):
        escaped = json.dumps(secret, ensure_ascii=ensure_ascii)[1:-1]
        yield escaped
        yield escaped.replace("/", "\\/")
        yield json.dumps(escaped, ensure_ascii=ensure_ascii)[1:-1]  # JSON inside JSON
    yield repr(secret)[1:-1]
    yield html.escape(secret)
    raw = secret.encode("utf-8", "surrogatepass")
    yield repr(raw)[2:-1]
    yield raw.hex()
    yield raw.hex().upper()
    for encoded in (quote(raw), quote(raw, safe=""), quote_plus(raw)):
        yield encoded
        yield re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), encoded)
        yield quote(encoded, safe="")  # encoded twice, as in a redirect's address
    yield from _inside_base64(raw)


def _inside_base64(raw: bytes) -> Iterator[str]:
    """How `raw` looks inside base64 of a longer text ("user:secret"), at each of the three places it may begin."""
    for skipped, first in ((0, 0), (1, 2), (2, 3)):
        # The characters before `first` also hold bits of what comes before; those after `last`, of what follows.
        last = (skipped + len(raw)) * 8 // 6
        encoded = base64.b64encode(bytes(skipped) + raw)[first:last].decode()
        if len(encoded) >= MIN_SECRET_CHARACTERS:
            yield encoded
            yield encoded.replace("+", "-").replace("/", "_")
