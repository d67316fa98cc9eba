"""The keywords of each draft."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from catalog.json_schema.dialects import DRAFT_04, DRAFT_06, DRAFT_07, DRAFT_2019_09, DRAFT_2020_12
from catalog.json_schema.validation.applicators import (
    APPLICATORS_04,
    APPLICATORS_06,
    APPLICATORS_07,
    APPLICATORS_2019,
    APPLICATORS_2020,
)
from catalog.json_schema.validation.assertions import ASSERTIONS, ASSERTIONS_04, Assertion
from catalog.json_schema.validation.budget import Run
from catalog.json_schema.validation.errors import Failure
from catalog.json_schema.validation.subschema import Keyword, Subschema
from catalog.jsontext.reader import JSON


def _asserting(name: str, check: Assertion) -> Keyword:
    def keyword(subschema: Subschema, run: Run, value: Any, instance: JSON) -> Iterable[Failure]:
        message = check(subschema, run, value, instance)
        return () if message is None else (Failure(subschema, run.path, name, message),)

    return keyword


_ASSERTING_04: Final = {name: _asserting(name, check) for name, check in ASSERTIONS_04.items()}
_ASSERTING: Final = {name: _asserting(name, check) for name, check in ASSERTIONS.items()}

KEYWORDS: Final[Mapping[str, Mapping[str, Keyword]]] = {
    DRAFT_04.uri: {**_ASSERTING_04, **APPLICATORS_04},
    DRAFT_06.uri: {**_ASSERTING, **APPLICATORS_06},
    DRAFT_07.uri: {**_ASSERTING, **APPLICATORS_07},
    DRAFT_2019_09.uri: {**_ASSERTING, **APPLICATORS_2019},
    DRAFT_2020_12.uri: {**_ASSERTING, **APPLICATORS_2020},
}
"""By the URI of each draft, its keywords by name."""
