"""Sample values: for each format, and for common names of properties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

STRING_OF_FORMAT: Final[Mapping[str, str]] = {
    "date": "2025-03-14",
    "date-time": "2025-03-14T09:26:53Z",
    "duration": "PT1H30M",
    "email": "ada@example.com",
    "hostname": "example.com",
    "idn-email": "ada@example.com",
    "idn-hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "iri": "https://example.com/item/1",
    "iri-reference": "/item/1",
    "json-pointer": "/item/1",
    "regex": "^a+$",
    "relative-json-pointer": "0/item",
    "time": "09:26:53Z",
    "uri": "https://example.com/item/1",
    "uri-reference": "/item/1",
    "uri-template": "https://example.com/{item}",
    "url": "https://example.com/item/1",
    "uuid": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
}
WORDS: Final = (
    "alpha",
    "bravo",
    "coral",
    "delta",
    "ember",
    "fjord",
    "grove",
    "harbor",
    "ivory",
    "jade",
)

_STRING_OF_NAME_ENDING: Final = (
    (("email",), "ada@example.com"),
    (("url", "uri", "link", "href"), "https://example.com/item/1"),
    (("date", "day"), "2025-03-14"),
    (("time", "timestamp", "_at"), "2025-03-14T09:26:53Z"),
    (("id", "key", "sha", "hash"), "a1b2c3"),
    (("city", "town"), "Lisbon"),
    (("country",), "Portugal"),
    (("currency",), "EUR"),
    (("language", "locale", "lang"), "en"),
    (("phone",), "+1 555 0100"),
    (("name", "author", "user", "owner"), "Ada"),
    (("title", "subject"), "An example"),
    (("path", "file", "filename"), "docs/example.txt"),
    (("version",), "1.0.0"),
    (("description", "summary", "message", "text", "content", "body", "note"), "An example text."),
    (("status", "state"), "ok"),
)


def strings_for_name(name: str) -> Iterator[str]:
    """Likely values of a string property with this name."""
    lowered = name.lower()
    for endings, text in _STRING_OF_NAME_ENDING:
        if lowered.endswith(endings):
            yield text
