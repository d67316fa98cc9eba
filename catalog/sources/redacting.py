"""Remove the credentials of a source from a text about it, such as an error that quotes a header."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit

MARK: Final = "[secret]"
MIN_CHARACTERS: Final = 4  # removing fewer would damage ordinary words
MIN_QUERY_CHARACTERS: Final = 8  # values such as "json" and "true" are not keys
_SCHEMES: Final = frozenset({"bearer", "basic", "token"})


def without_credentials(text: str, headers: Mapping[str, str], address: str) -> str:
    """`text` without the values of `headers` and of the query of `address`, however programs write them."""
    found = {spelling for secret in _secrets(headers, address) for spelling in _spellings(secret)}
    for spelling in sorted(found, key=len, reverse=True):
        text = text.replace(spelling, MARK)
    return text


def _secrets(headers: Mapping[str, str], address: str) -> Iterator[str]:
    for value in headers.values():
        for part in (value, value.strip(), *value.split()):
            if len(part.strip()) >= MIN_CHARACTERS and part.lower() not in _SCHEMES:
                yield part
    try:
        query = parse_qsl(urlsplit(address).query)
    except ValueError:
        return
    yield from (value for _, value in query if len(value) >= MIN_QUERY_CHARACTERS)


def _spellings(secret: str) -> Iterator[str]:
    yield from (secret, repr(secret)[1:-1], json.dumps(secret)[1:-1], html.escape(secret))
    yield from (quote(secret), quote(secret, safe=""), quote_plus(secret))
