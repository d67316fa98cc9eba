"""Strings and numbers that satisfy the constraints of a schema."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import gcd
from random import Random

from toolspec.schema.applicable import Impossible
from toolspec.schema.constraints import Constraints
from toolspec.schema.pattern_samples import UnknownPattern, sample_pattern
from toolspec.schema.sample_values import STRING_OF_FORMAT, WORDS, strings_for_name
from toolspec.text.containers import strings_of
from toolspec.text.reader import JSON, Number

MAX_CHARACTERS = 4096
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_FILLER = "lorem ipsum dolor sit amet "


def sample_string(constraints: Constraints, name: str, random: Random, *, shuffled: bool) -> str:
    """A valid string, if possible one that suits a property called `name`.

    Raises:
        Impossible: none was found.
    """
    least = min(constraints.least("minLength"), MAX_CHARACTERS)
    most = constraints.most("maxLength")
    for text in _suggest_strings(constraints, name, random, shuffled=shuffled):
        if constraints.accepts(text):
            return text
        padding = " " + _FILLER * (least // len(_FILLER) + 1)
        padded = text + padding[: max(0, least - len(text))]
        if constraints.accepts(padded[:most]):
            return padded[:most]
    raise Impossible


def _suggest_strings(
    constraints: Constraints, name: str, random: Random, *, shuffled: bool
) -> Iterator[str]:
    for form in constraints.keywords.texts("format"):
        if form in STRING_OF_FORMAT:
            if form == "uuid" and shuffled:
                digits = f"{random.getrandbits(128):032x}"
                yield f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"
            yield STRING_OF_FORMAT[form]
    for pattern in strings_of(constraints.keywords.all("pattern")):
        for _ in range(8):
            with suppress(UnknownPattern):
                yield sample_pattern(pattern, random)
    if constraints.keywords.has("contentEncoding"):
        yield "RXhhbXBsZQ=="
    if "application/json" in constraints.keywords.all("contentMediaType"):
        yield "{}"
    if not shuffled:
        yield from strings_for_name(name)
    yield random.choice(WORDS)
    yield f"{random.choice(WORDS)}-{random.randint(1, 9999)}"
    most = constraints.most("maxLength")
    length = 8 if most is None else min(most, 8)
    yield "".join(random.choice(_LETTERS) for _ in range(length))


def sample_number(
    constraints: Constraints, random: Random, *, integer: bool, shuffled: bool
) -> JSON:
    """A number within the bounds that is a multiple of every `multipleOf`.

    Raises:
        Impossible: there is none.
    """
    low, high = constraints.bounds()
    steps = [abs(step) for step in constraints.numbers("multipleOf") if step]
    if integer:
        steps.append(Decimal(1))
    step = _find_common_multiple(steps) if steps else None
    is_free = low is None and high is None
    if is_free and step is None and not shuffled:
        return _as_json(Decimal(random.randint(10, 999)) / 10)
    unit = step or Decimal(1)
    if low is None:
        low = unit if high is None else _choose_low(high, unit)
    if high is None:
        high = 100 * unit if is_free else low + 100 * unit
    return _as_json(_pick_between(low, high, step, random))


def _choose_low(high: Decimal, unit: Decimal) -> Decimal:
    least = Decimal(0) if high > 0 else high - 100
    return min(high - 100 * unit, least)


def _pick_between(low: Decimal, high: Decimal, step: Decimal | None, random: Random) -> Decimal:
    if step is None:
        if low > high:
            raise Impossible
        share = Decimal(random.randint(1, 999)) / 1000
        if low == high:
            return low
        return low + (high - low) * share
    first = (low / step).to_integral_value(ROUND_CEILING)
    last = (high / step).to_integral_value(ROUND_FLOOR)
    if first > last:
        raise Impossible
    return Decimal(random.randint(int(first), int(last))) * step


def _find_common_multiple(steps: list[Decimal]) -> Decimal:
    """The least number that is a multiple of each of `steps`."""
    multiple = steps[0]
    for step in steps[1:]:
        exponents = (value.as_tuple().exponent for value in (multiple, step))
        scale = Decimal(10) ** -min(0, *exponents)  # type: ignore[operator]
        divisor = gcd(int(multiple * scale), int(step * scale))
        multiple = multiple * step * scale / divisor
    return multiple


def _as_json(value: Decimal) -> JSON:
    text = format(value.normalize(), "f")
    if len(text) > 40:
        text = str(value)
    if text.lstrip("-").isdecimal():
        return int(text)
    return Number(text)
