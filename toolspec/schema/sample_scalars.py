"""Strings and numbers that satisfy the constraints of a schema."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
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
    least, most = min(constraints.least("minLength"), MAX_CHARACTERS), constraints.most("maxLength")
    for text in _strings(constraints, name, random, shuffled=shuffled):
        padding = (
            ""
            if len(text) >= least
            else (" " + _FILLER * (least // len(_FILLER) + 1))[: least - len(text)]
        )
        for candidate in (text, (text + padding)[:most]):
            if constraints.accepts(candidate):
                return candidate
    raise Impossible


def _strings(
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
    yield "".join(random.choice(_LETTERS) for _ in range(8 if most is None else min(most, 8)))


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
    step = _common_multiple(steps) if steps else None
    if step is None and not shuffled and low is None and high is None:
        return _number(Decimal(random.randint(10, 999)) / 10)
    if low is None and high is None:
        low, high = step or Decimal(1), Decimal(100) * (step or 1)
    elif low is None and high is not None:
        low = min(high - 100 * (step or 1), Decimal(0) if high > 0 else high - 100)
    elif high is None and low is not None:
        high = low + 100 * (step or 1)
    return _number(_between(low, high, step, random))  # type: ignore[arg-type]


def _between(low: Decimal, high: Decimal, step: Decimal | None, random: Random) -> Decimal:
    if step is None:
        if low > high:
            raise Impossible
        share = Decimal(random.randint(1, 999)) / 1000
        return low if low == high else low + (high - low) * share
    first = (low / step).to_integral_value(ROUND_CEILING)
    last = (high / step).to_integral_value(ROUND_FLOOR)
    if first > last:
        raise Impossible
    return Decimal(random.randint(int(first), int(last))) * step


def _common_multiple(steps: list[Decimal]) -> Decimal:
    """The least number that is a multiple of each of `steps`."""
    least = steps[0]
    for step in steps[1:]:
        scale = Decimal(10) ** max(0, -least.as_tuple().exponent, -step.as_tuple().exponent)  # type: ignore[operator]
        first, second = int(least * scale), int(step * scale)
        while second:
            first, second = second, first % second
        least = least * step * scale / first
    return least


def _number(value: Decimal) -> JSON:
    text = format(value.normalize(), "f")
    if len(text) > 40:
        text = str(value)
    return int(text) if text.lstrip("-").isdecimal() else Number(text)
