"""Remove the credentials of a source from a text about it, such as an error that quotes a header."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from toolshelf_core.redaction import shared_redactor

MIN_QUERY_CHARACTERS: Final = 8  # values such as "json" and "true" are not keys
_SCHEMES: Final = frozenset({"bearer", "basic", "token"})


def secrets_in_headers(headers: Mapping[str, str]) -> list[str]:
    """The values of headers, and their parts: of "Bearer abc" also the token alone."""
    parts = [part for value in headers.values() for part in (value, *value.split())]
    return [part for part in parts if part.lower() not in _SCHEMES]


def without_credentials(text: str, headers: Mapping[str, str], address: str) -> str:
    """`text` without the values of `headers` and of the query of `address`, however programs write them."""
    try:
        query = parse_qsl(urlsplit(address).query)
    except ValueError:
        query = []
    values = [value for _, value in query if len(value) >= MIN_QUERY_CHARACTERS]
    return shared_redactor((*secrets_in_headers(headers), *values)).text(text)
