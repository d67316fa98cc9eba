"""The formats that Toolshelf asserts: those of JSON Schema.

`jsonschema-rs` checks them in linear time. As JSON Schema allows, any other format ("binary",
"int32") is only an annotation.

Source: JSON Schema 2020-12 Validation, section 7.3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import jsonschema_rs

_NAMES: Final = (
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
)


def _check_of(name: str) -> Callable[[str], bool]:
    return jsonschema_rs.validator_for({"format": name}, validate_formats=True).is_valid


FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {name: _check_of(name) for name in _NAMES}
"""Whether a text has the format, by name."""
