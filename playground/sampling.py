"""A value that a JSON Schema accepts, made from the schema alone.

The same schema and seed give the same value: chance comes from the seed, and the bounds are
counted in steps. Patterns are also bounded in time, because one of their steps can be long.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from random import Random

from catalog.errors import Problem
from catalog.json_schema import children
from catalog.json_schema.applicable import Impossible, conditions, gather
from catalog.json_schema.constraints import Wanted, is_number
from catalog.json_schema.regex.sample import UnknownPattern, sample_pattern
from catalog.json_schema.sample_values import STRING_OF_FORMAT, WORDS, strings_for_name
from catalog.json_schema.validation import Budget, CompiledSchema, Subschema
from catalog.jsontext.reader import JSON, Number

SAMPLES = 3
MAX_STEPS = 4000  # values made in one try
MAX_WORK = 100_000  # steps of all tries together: schemas examined, and work to check the values
MAX_SECONDS = 0.3
MAX_DEPTH = 24
ROOMY_DEPTH = 3  # down to here optional members are made, too
MAX_MEMBERS = 400
MAX_TEXT = 4096
BRANCHES_TRIED = 16


class NoValue(Exception):
    """No value was found that the schema accepts; `problems` tell what the best try still broke."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("No value was found that the schema accepts.")
        self.problems = problems


@dataclass(frozen=True)
class Manner:
    """How one try goes about it."""

    optional: bool  # make optional members
    hinted: bool  # take `examples` and `default` as they stand
    shuffled: bool  # choose branches by chance, not in their order


MANNERS = (
    Manner(optional=True, hinted=True, shuffled=False),
    Manner(optional=True, hinted=False, shuffled=False),
    Manner(optional=False, hinted=True, shuffled=False),
    Manner(optional=False, hinted=False, shuffled=False),
    *[Manner(optional=True, hinted=False, shuffled=True)] * 3,
    *[Manner(optional=False, hinted=False, shuffled=True)] * 5,
)


def samples(schema: CompiledSchema, seed: str) -> list[JSON]:
    """A few values that `schema` accepts, unlike one another; [] where none is found."""
    found: list[JSON] = []
    budget = sampling_budget()
    for number in range(SAMPLES):
        with suppress(NoValue):
            found.append(sample(schema, f"{seed} {number}", budget))
    return found


def sampling_budget() -> Budget:
    """The work allowed to generate one value, or several that share the budget."""
    return Budget(steps=MAX_WORK, seconds=MAX_SECONDS)


def sample(schema: CompiledSchema, seed: str, budget: Budget | None = None) -> JSON:
    """A value that `schema` accepts; always the same for the same schema and seed.

    Where a value cannot be checked (the schema is malformed, or costs too much), the first try is given.

    Raises:
        NoValue: none was found. There may be one all the same: a schema can hide its values as well as it likes.
    """
    budget = budget or sampling_budget()
    problems: tuple[Problem, ...] | None = None
    for count, manner in enumerate(MANNERS):
        maker = _Maker(Random(f"{seed} {count}"), manner, budget)  # noqa: S311 - it must be repeatable
        try:
            value = maker.make([schema.root], depth=0, name="")
        except Impossible:
            continue
        result = schema.check(value, budget=budget)
        if result.verdict != "violates":
            return value
        if problems is None or len(result.problems) < len(problems):
            problems = result.problems
    raise NoValue(problems or ())


class _Maker:
    def __init__(self, random: Random, manner: Manner, budget: Budget) -> None:
        self.random = random
        self.manner = manner
        self.budget = budget
        self.steps = 0

    def step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Impossible
        self.spend(1)

    def spend(self, steps: int) -> None:
        """Count `steps` of work, one for each schema or value examined."""
        self.budget.steps -= steps
        if self.budget.steps < 0:
            raise Impossible

    def gathered(
        self, places: Iterable[Subschema], known: Iterable[Subschema] = ()
    ) -> tuple[list[Subschema], list[list[Subschema]]]:
        """`gather`, with its work counted."""
        found, unions = gather(places, known)
        self.spend(len(found) + sum(map(len, unions)))
        return found, unions

    def make(self, places: list[Subschema], *, depth: int, name: str) -> JSON:
        """A value for `places`, schemas that all apply; each choice of branches is tried until the value holds.

        Raises:
            Impossible: the schemas leave no value, or the bound on steps or depth was reached.
        """
        self.step()
        if depth > MAX_DEPTH:
            raise Impossible
        fallback: list[JSON] = []
        for chosen in self.choices(places, depth):
            with suppress(Impossible):
                value = self.conditional(chosen, depth=depth, name=name)
                if all(place.is_valid(value, self.budget) is not False for place in places):
                    return value
                fallback.append(value)
        if not fallback:
            raise Impossible
        return fallback[0]

    def children(self, places: list[Subschema], name: str) -> list[Subschema]:
        """The subschemas for the member `name`, with the work counted: each pattern is matched against the name."""
        patterns = (place.all_keywords.get("patternProperties") for place in places)
        self.spend(len(places) + sum(len(each) for each in patterns if isinstance(each, dict)))
        return list(children.member(places, name).subschemas)

    # -- which schemas apply ------------------------------------------------------------------------------------------

    def choices(self, places: list[Subschema], depth: int) -> Iterator[list[Subschema]]:
        """Every list of schemas that may apply together: one branch of each union, in a sensible order."""
        gathered, unions = self.gathered(places)
        if not unions:
            yield gathered
            return
        orders = [self.ordered(branches, depth) for branches in unions]
        for picked in itertools.islice(itertools.product(*orders), BRANCHES_TRIED):
            self.step()
            yield from self.choices_below(gathered, list(picked), depth)

    def choices_below(
        self, gathered: list[Subschema], picked: list[Subschema], depth: int
    ) -> Iterator[list[Subschema]]:
        below, unions = self.gathered(picked, known=gathered)
        if not unions:
            yield [*gathered, *below]
            return
        orders = [self.ordered(branches, depth) for branches in unions]
        for deeper in itertools.islice(itertools.product(*orders), BRANCHES_TRIED):
            self.step()
            last, _ = self.gathered(deeper, known=[*gathered, *below])
            yield [*gathered, *below, *last]

    def ordered(self, branches: list[Subschema], depth: int) -> list[Subschema]:
        self.spend(len(branches))
        if self.manner.shuffled:
            return self.random.sample(branches, len(branches))

        def lateness(place: Subschema) -> int:
            keywords = place.all_keywords
            late = 2 if keywords.get("type") == "null" or keywords.get("const", 0) is None else 0
            return late + (4 if depth >= ROOMY_DEPTH and "$ref" in keywords else 0)

        return sorted(branches, key=lateness)

    def conditional(self, places: list[Subschema], *, depth: int, name: str) -> JSON:
        """A value for `places`, made again with what their if/then/else and dependent schemas add to it."""
        value = self.plain(places, depth=depth, name=name)
        for _ in range(3):
            added, unions = self.gathered(conditions(places, value, self.budget), known=places)
            added += [self.ordered(branches, depth)[0] for branches in unions]
            if not added:
                return value
            places = [*places, *added]
            value = self.plain(places, depth=depth, name=name)
        return value

    # -- a value of one list of schemas -------------------------------------------------------------------------------

    def plain(self, places: list[Subschema], *, depth: int, name: str) -> JSON:
        wanted = Wanted(places, self.budget)
        fixed = list(wanted.fixed())
        if fixed:
            fitting = [value for value in fixed if wanted.accepts(value)]
            if not fitting:
                raise Impossible
            return self.random.choice(fitting) if self.manner.shuffled or len(name) % 2 else fitting[0]
        if self.manner.hinted:
            for value in wanted.hints():
                if wanted.accepts(value):
                    return value
        wanted.types = wanted.allowed_types()
        if not wanted.types:
            raise Impossible
        kind = self.random.choice(wanted.types) if self.manner.shuffled else wanted.types[0]
        if kind == "object":
            return self.an_object(wanted, depth)
        if kind == "array":
            return self.an_array(wanted, depth, name)
        if kind == "string":
            return self.a_text(wanted, name)
        if kind in {"number", "integer"}:
            return self.a_number(wanted, whole=kind == "integer")
        return None if kind == "null" else bool(self.random.getrandbits(1))

    def an_object(self, wanted: Wanted, depth: int) -> dict[str, JSON]:
        least, most = wanted.least("minProperties"), wanted.most("maxProperties")
        required = wanted.names_required()
        declared = [name for _, names in wanted.each("properties") if isinstance(names, dict) for name in names]
        roomy = self.manner.optional and depth < ROOMY_DEPTH
        self.spend(len(declared) + len(required))
        names = list(dict.fromkeys(name for name in declared if name not in required))
        optional = set(names if roomy else names[: max(0, least - len(required))])
        made: dict[str, JSON] = {}
        for name in dict.fromkeys([*declared, *required]):
            if name in required:
                made[name] = self.make(self.children(wanted.places, name), depth=depth + 1, name=name)
            elif name in optional and len(made) < (MAX_MEMBERS if most is None else most):
                with suppress(Impossible):
                    made[name] = self.make(self.children(wanted.places, name), depth=depth + 1, name=name)
        if not declared and not made and roomy and most != 0 and wanted.is_map():
            least = max(least, 1)
        self.fill(made, wanted, least=min(least, MAX_MEMBERS), depth=depth)
        return made

    def fill(self, made: dict[str, JSON], wanted: Wanted, *, least: int, depth: int) -> None:
        """Add members that the schemas do not name until there are `least`."""
        for count in range(4 * least):
            if len(made) >= least:
                return
            name = self.a_name(wanted, count)
            if name not in made:
                with suppress(Impossible):
                    made[name] = self.make(self.children(wanted.places, name), depth=depth + 1, name=name)

    def a_name(self, wanted: Wanted, count: int) -> str:
        rules = [place.sub("propertyNames") for place, _ in wanted.each("propertyNames")]
        if rules:
            name = self.make(rules, depth=MAX_DEPTH - 1, name=f"name{count}")
            return name if isinstance(name, str) else str(count)
        patterns = [
            pattern
            for members in wanted.values("patternProperties")
            if isinstance(members, dict)
            for pattern in members
        ]
        if patterns:
            with suppress(UnknownPattern):
                return sample_pattern(self.random.choice(patterns), self.random)
        return WORDS[count] if count < len(WORDS) else f"item{count}"

    def an_array(self, wanted: Wanted, depth: int, name: str) -> list[JSON]:
        least, most = wanted.least("minItems"), wanted.most("maxItems")
        prefix = max(
            (len(items) for items in [*wanted.values("prefixItems"), *wanted.tuples()] if isinstance(items, list)),
            default=0,
        )
        roomy = self.manner.optional and depth < ROOMY_DEPTH
        usual = max(prefix, 2 if roomy else 0)
        length = min(max(least, usual if most is None else min(usual, most)), MAX_MEMBERS)
        distinct = any(value is True for value in wanted.values("uniqueItems"))
        needed = [place.sub("contains") for place, _ in wanted.each("contains") for _ in range(_contained(place))]
        length = max(length, len(needed))
        made: list[JSON] = []
        for index in range(length):
            places = list(children.item(wanted.places, index, any_draft=True).subschemas)
            if index >= length - len(needed):
                places = [*places, needed[index - (length - len(needed))]]
            try:
                made.append(self.an_item(places, made, depth=depth, name=name, distinct=distinct))
            except Impossible:
                if len(made) < least or index < len(needed):
                    raise
                break
        return made

    def an_item(self, places: list[Subschema], before: list[JSON], *, depth: int, name: str, distinct: bool) -> JSON:
        for _ in range(12):
            self.spend(2 * len(before))
            item = self.make(places, depth=depth + 1, name=name)
            if not distinct or not any(same(item, other) for other in before):
                return item
            hinted, self.manner = self.manner, Manner(optional=self.manner.optional, hinted=False, shuffled=True)
            try:
                item = self.make(places, depth=depth + 1, name=f"{name}{len(before)}")
            finally:
                self.manner = hinted
            if not any(same(item, other) for other in before):
                return item
        raise Impossible

    def a_text(self, wanted: Wanted, name: str) -> str:
        least, most = min(wanted.least("minLength"), MAX_TEXT), wanted.most("maxLength")
        for text in self.texts(wanted, name):
            fitted = (
                text if len(text) >= least else (text + " " + "lorem ipsum dolor sit amet " * (least // 27 + 1))[:least]
            )
            fitted = fitted if most is None else fitted[:most]
            for candidate in (text, fitted):
                if wanted.accepts(candidate):
                    return candidate
        raise Impossible

    def texts(self, wanted: Wanted, name: str) -> Iterator[str]:
        for form in wanted.values("format"):
            if isinstance(form, str) and form in STRING_OF_FORMAT:
                if form == "uuid" and self.manner.shuffled:
                    digits = f"{self.random.getrandbits(128):032x}"
                    yield f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"
                yield STRING_OF_FORMAT[form]
        patterns = [pattern for pattern in wanted.values("pattern") if isinstance(pattern, str)]
        for pattern in patterns:
            for _ in range(8):
                with suppress(UnknownPattern):
                    yield sample_pattern(pattern, self.random)
        if wanted.values("contentEncoding"):
            yield "RXhhbXBsZQ=="
        if any(media == "application/json" for media in wanted.values("contentMediaType")):
            yield "{}"
        if not self.manner.shuffled:
            yield from strings_for_name(name)
        yield self.random.choice(WORDS)
        yield f"{self.random.choice(WORDS)}-{self.random.randint(1, 9999)}"
        most = wanted.most("maxLength")
        yield "".join(
            self.random.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(8 if most is None else min(most, 8))
        )

    def a_number(self, wanted: Wanted, *, whole: bool) -> JSON:
        low, high = wanted.bounds()
        steps = [abs(step) for step in wanted.numbers("multipleOf") if step]
        if whole:
            steps.append(Decimal(1))
        step = _common_multiple(steps) if steps else None
        if step is None and not self.manner.shuffled and low is None and high is None:
            return _number(Decimal(self.random.randint(10, 999)) / 10)
        if low is None and high is None:
            low, high = step or Decimal(1), Decimal(100) * (step or 1)
        elif low is None and high is not None:
            low = min(high - 100 * (step or 1), Decimal(0) if high > 0 else high - 100)
        elif high is None and low is not None:
            high = low + 100 * (step or 1)
        return _number(self.between(low, high, step))  # type: ignore[arg-type]

    def between(self, low: Decimal, high: Decimal, step: Decimal | None) -> Decimal:
        if step is None:
            if low > high:
                raise Impossible
            share = Decimal(self.random.randint(1, 999)) / 1000
            return low if low == high else low + (high - low) * share
        first = (low / step).to_integral_value(ROUND_CEILING)
        last = (high / step).to_integral_value(ROUND_FLOOR)
        if first > last:
            raise Impossible
        return Decimal(self.random.randint(int(first), int(last))) * step


def _contained(place: Subschema) -> int:
    count = place.all_keywords.get("minContains", 1)
    return min(int(count), MAX_MEMBERS) if is_number(count) else 1  # type: ignore[arg-type]


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


def same(first: JSON, second: JSON) -> bool:
    """Whether two values are equal as JSON Schema counts it: 1 is 1.0, and true is not 1."""
    if type(first) is type(second) and isinstance(first, (int, str)):
        return first == second
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(first[name], second[name]) for name in first)
    return type_name(first) == type_name(second) and first == second


def type_name(value: JSON) -> str:
    """The JSON type of `value`."""
    if value is None:
        return "null"
    for kinds, name in (((bool,), "boolean"), ((int, Number), "number"), ((str,), "string"), ((list,), "array")):
        if isinstance(value, kinds):
            return name
    return "object"
