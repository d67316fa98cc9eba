"""The validator classes of `jsonschema`, one per draft, with every keyword replaced by ours.

Nothing is left of `jsonschema` that puts values into messages, takes unbounded time, or fetches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jsonschema
from jsonschema.protocols import Validator
from jsonschema.validators import extend

from catalog.json_schema.dialects import DRAFT_04, DRAFT_06, DRAFT_07, DRAFT_2019_09, DRAFT_2020_12
from catalog.json_schema.validation.applicators import (
    APPLICATORS_04,
    APPLICATORS_06,
    APPLICATORS_07,
    APPLICATORS_2019,
    APPLICATORS_2020,
    Applicator,
)
from catalog.json_schema.validation.assertions import ASSERTIONS, ASSERTIONS_04, Assertion
from catalog.json_schema.validation.budget import current_run
from catalog.json_schema.validation.errors import Failure
from catalog.json_schema.validation.subschema import Subschema
from catalog.jsontext.reader import JSON

# A keyword as `jsonschema` calls it: (validator, the keyword's value, the value to check, the schema).
_Keyword = Callable[[Any, Any, JSON, Any], Iterator[Failure] | tuple[Failure, ...]]


def _applying(apply: Applicator) -> _Keyword:
    def keyword(validator: Any, value: Any, instance: JSON, _schema: Any) -> Iterator[Failure]:
        run = current_run()
        run.spend()
        return apply(validator.format_checker, run, value, instance)

    return keyword


def _asserting(name: str, check: Assertion) -> _Keyword:
    def keyword(validator: Any, value: Any, instance: JSON, _schema: Any) -> tuple[Failure, ...]:
        run = current_run()
        run.spend()
        message = check(validator.format_checker, run, value, instance)
        return () if message is None else (Failure(validator.format_checker, run.path, name, message),)

    return keyword


def _draft(base: Any, assertions: Mapping[str, Assertion], applicators: Mapping[str, Applicator]) -> Any:
    keywords = {name: _asserting(name, check) for name, check in assertions.items()}
    keywords |= {name: _applying(apply) for name, apply in applicators.items()}
    return extend(  # type: ignore[no-untyped-call]
        base, {name: keyword for name, keyword in keywords.items() if name in base.VALIDATORS}
    )


VALIDATOR_CLASSES: Mapping[str, Any] = {
    DRAFT_04.uri: _draft(jsonschema.Draft4Validator, ASSERTIONS_04, APPLICATORS_04),
    DRAFT_06.uri: _draft(jsonschema.Draft6Validator, ASSERTIONS, APPLICATORS_06),
    DRAFT_07.uri: _draft(jsonschema.Draft7Validator, ASSERTIONS, APPLICATORS_07),
    DRAFT_2019_09.uri: _draft(jsonschema.Draft201909Validator, ASSERTIONS, APPLICATORS_2019),
    DRAFT_2020_12.uri: _draft(jsonschema.Draft202012Validator, ASSERTIONS, APPLICATORS_2020),
}


def make_validator(subschema: Subschema) -> Validator:
    """The validator of one subschema.

    The classes of `jsonschema` accept no other members, so the subschema is passed as the format checker, which our
    `format` does not use, and as the resolver, which our `$ref` does not use; `jsonschema` would otherwise make one.
    """
    validator: Validator = VALIDATOR_CLASSES[subschema.dialect.uri](
        subschema.schema, format_checker=subschema, _resolver=subschema
    )
    return validator
