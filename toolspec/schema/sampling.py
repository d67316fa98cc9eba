"""Sample values: values that a JSON Schema accepts, made from the schema alone.

Mock responses, calls of examples and the witnesses of the semantic diff are made of them. The same schema and seed give
the same value: random choices depend on the seed alone, and work is counted in steps. Patterns are also limited in
time, because one of their steps can be long. `sample_scalars.py` makes strings and numbers, `sample_values.py` lists
strings for formats and names.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random

from toolspec.errors import Problem
from toolspec.schema import children
from toolspec.schema.applicable import Impossible, conditions, gather
from toolspec.schema.constraints import Constraints
from toolspec.schema.pattern_samples import UnknownPattern, sample_pattern
from toolspec.schema.sample_scalars import sample_number, sample_string
from toolspec.schema.sample_values import WORDS
from toolspec.schema.validation import Budget, CompiledSchema, Subschema
from toolspec.schema.validation.equality import equal
from toolspec.text.containers import members_of
from toolspec.text.numbers import is_number
from toolspec.text.reader import JSON

SAMPLES = 3
MAX_STEPS = 4000  # values made in one attempt
MAX_WORK = 100_000  # steps of all attempts: schemas examined, and work to check the values
STEPS_OF_VALUE = 10  # to make a value takes as long as ten steps of a check
MAX_SECONDS = 0.3
MAX_DEPTH = 24
MAX_OPTIONAL_DEPTH = 3  # deeper objects and arrays get only the required members and items
MAX_MEMBERS = 400
BRANCHES_TRIED = 16
UNION_LEVELS = 2  # of unions in branches of unions that are followed


class NoValue(Exception):
    """No value was found that the schema accepts; `problems` are those of the best attempt."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("No value was found that the schema accepts.")
        self.problems = problems


@dataclass(frozen=True)
class Strategy:
    """How one attempt makes its choices."""

    optional: bool  # make optional members
    hinted: bool  # use `examples` and `default`
    shuffled: bool  # choose branches at random, not in their order
    items: int  # of an array, if its schema allows so many


STRATEGIES = (
    Strategy(optional=True, hinted=True, shuffled=False, items=2),
    Strategy(optional=True, hinted=False, shuffled=False, items=2),
    Strategy(optional=False, hinted=True, shuffled=False, items=0),
    Strategy(optional=False, hinted=False, shuffled=False, items=0),
    *[Strategy(optional=True, hinted=False, shuffled=True, items=2)] * 3,
    *[Strategy(optional=False, hinted=False, shuffled=True, items=0)] * 5,
)

BRIEF_STRATEGIES = (
    Strategy(optional=False, hinted=True, shuffled=False, items=1),
    Strategy(optional=False, hinted=False, shuffled=False, items=1),
    *STRATEGIES,
)


def samples(schema: CompiledSchema, seed: str) -> list[JSON]:
    """A few different values that `schema` accepts; [] if none is found."""
    found: list[JSON] = []
    budget = sampling_budget()
    for number in range(SAMPLES):
        with suppress(NoValue):
            found.append(sample(schema, f"{seed} {number}", budget))
    return found


def samples_of(subschemas: Sequence[Subschema], seed: str, budget: Budget) -> list[JSON]:
    """A few values for schemas that all apply, of which each is likely to be valid; [] if none is found."""
    found: list[JSON] = []
    for count, strategy in enumerate(STRATEGIES):
        sampler = _Sampler(Random(f"{seed} {count}"), strategy, budget)  # noqa: S311 - must be repeatable
        with suppress(Impossible):
            value = sampler.make(list(subschemas), depth=0, name="")
            if not any(equal(value, other) for other in found):
                found.append(value)
        if len(found) == SAMPLES:
            break
    return found


def sampling_budget() -> Budget:
    """The work allowed to generate one value, or several that share the budget."""
    return Budget(steps=MAX_WORK, seconds=MAX_SECONDS)


def brief_sample(schema: CompiledSchema, seed: str) -> JSON:
    """As `sample`, but with the required members only, if there are any: a short call that a reader understands."""
    value = sample(schema, seed, strategies=BRIEF_STRATEGIES)
    return sample(schema, seed) if value == {} else value


def sample(
    schema: CompiledSchema,
    seed: str,
    budget: Budget | None = None,
    *,
    strategies: Sequence[Strategy] = STRATEGIES,
) -> JSON:
    """A value that `schema` accepts; always the same for the same schema and seed.

    If values cannot be checked (the schema is malformed, or a check costs too much), the first attempt is returned.

    Raises:
        NoValue: none was found, although there may be one.
    """
    budget = budget or sampling_budget()
    problems: tuple[Problem, ...] | None = None
    for count, strategy in enumerate(strategies):
        sampler = _Sampler(Random(f"{seed} {count}"), strategy, budget)  # noqa: S311 - must be repeatable
        try:
            value = sampler.make([schema.root], depth=0, name="")
        except Impossible:
            continue
        result = schema.check(value, budget=budget)
        if result.verdict != "violates":
            return value
        if problems is None or len(result.problems) < len(problems):
            problems = result.problems
    raise NoValue(problems or ())


class _Sampler:
    def __init__(self, random: Random, strategy: Strategy, budget: Budget) -> None:
        self.random = random
        self.strategy = strategy
        self.budget = budget
        self.steps = 0

    def step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Impossible
        self.spend(STEPS_OF_VALUE)

    def spend(self, steps: int) -> None:
        """Count `steps` of work, one for each schema or value examined."""
        self.budget.steps -= steps
        if self.budget.steps < 0:
            raise Impossible

    def gathered(
        self, subschemas: Iterable[Subschema], known: Iterable[Subschema] = ()
    ) -> tuple[list[Subschema], list[list[Subschema]]]:
        """`gather`, with its work counted."""
        found, unions = gather(subschemas, known)
        self.spend(len(found) + sum(map(len, unions)))
        return found, unions

    def make(self, subschemas: list[Subschema], *, depth: int, name: str) -> JSON:
        """A value for `subschemas`, schemas that all apply; each choice of branches is tried until the value is valid.

        Raises:
            Impossible: the schemas accept no value, or a limit on steps or depth was reached.
        """
        self.step()
        if depth > MAX_DEPTH:
            raise Impossible
        fallback: list[JSON] = []
        for chosen in self.choices(subschemas, depth):
            with suppress(Impossible):
                value = self.conditional(chosen, depth=depth, name=name)
                if all(
                    subschema.is_valid(value, self.budget) is not False for subschema in subschemas
                ):
                    return value
                fallback.append(value)
        if not fallback:
            raise Impossible
        return fallback[0]

    def children(self, subschemas: list[Subschema], name: str) -> list[Subschema]:
        """The subschemas for the member `name`, with the work counted: each pattern is matched against the name."""
        patterns = (subschema.all_keywords.get("patternProperties") for subschema in subschemas)
        self.spend(len(subschemas) + sum(len(members_of(each)) for each in patterns))
        return list(children.member(subschemas, name).subschemas)

    # -- which schemas apply ------------------------------------------------------------------------------------------

    def choices(
        self,
        subschemas: list[Subschema],
        depth: int,
        known: Iterable[Subschema] = (),
        levels: int = UNION_LEVELS,
    ) -> Iterator[list[Subschema]]:
        """Every list of schemas that may apply together: one branch of each union, the most promising first.

        Args:
            subschemas: schemas that all apply.
            depth: of the value.
            known: schemas that apply too, and whose unions are decided.
            levels: how deep unions in branches of unions are followed.
        """
        found, unions = self.gathered(subschemas, known)
        applied = [*known, *found]
        if not unions or not levels:
            yield applied
            return
        orders = [self.ordered(branches, depth) for branches in unions]
        for picked in itertools.islice(itertools.product(*orders), BRANCHES_TRIED):
            self.step()
            yield from self.choices(list(picked), depth, applied, levels - 1)

    def ordered(self, branches: list[Subschema], depth: int) -> list[Subschema]:
        self.spend(len(branches))
        if self.strategy.shuffled:
            return self.random.sample(branches, len(branches))

        def rank(subschema: Subschema) -> int:
            keywords = subschema.all_keywords
            late = 2 if keywords.get("type") == "null" or keywords.get("const", 0) is None else 0
            return late + (4 if depth >= MAX_OPTIONAL_DEPTH and "$ref" in keywords else 0)

        return sorted(branches, key=rank)

    def conditional(self, subschemas: list[Subschema], *, depth: int, name: str) -> JSON:
        """A value for `subschemas`, made again with the schemas that `if` and `dependentSchemas` add for it."""
        value = self.plain(subschemas, depth=depth, name=name)
        for _ in range(3):
            added, unions = self.gathered(
                conditions(subschemas, value, self.budget), known=subschemas
            )
            added += [self.ordered(branches, depth)[0] for branches in unions]
            if not added:
                return value
            subschemas = [*subschemas, *added]
            value = self.plain(subschemas, depth=depth, name=name)
        return value

    # -- values --------------------------------------------------------------------------------------------------------

    def plain(self, subschemas: list[Subschema], *, depth: int, name: str) -> JSON:
        constraints = Constraints(subschemas, self.budget)
        fixed = constraints.list_choices()
        if fixed:
            fitting = [value for value in fixed if constraints.accepts(value)]
            if not fitting:
                raise Impossible
            return (
                self.random.choice(fitting)
                if self.strategy.shuffled or len(name) % 2
                else fitting[0]
            )
        if self.strategy.hinted:
            for value in constraints.list_examples():
                if constraints.accepts(value):
                    return value
        constraints.types = constraints.allowed_types()
        if not constraints.types:
            raise Impossible
        type_name = (
            self.random.choice(constraints.types)
            if self.strategy.shuffled
            else constraints.types[0]
        )
        if type_name == "object":
            return self.sample_object(constraints, depth)
        if type_name == "array":
            return self.sample_array(constraints, depth, name)
        if type_name == "string":
            text = sample_string(constraints, name, self.random, shuffled=self.strategy.shuffled)
            self.spend(len(text) if constraints.keywords.has("pattern") else 0)
            return text
        if type_name in {"number", "integer"}:
            integer = type_name == "integer"
            return sample_number(
                constraints, self.random, integer=integer, shuffled=self.strategy.shuffled
            )
        return None if type_name == "null" else bool(self.random.getrandbits(1))

    def sample_object(self, constraints: Constraints, depth: int) -> dict[str, JSON]:
        least, most = constraints.least("minProperties"), constraints.most("maxProperties")
        required = constraints.keywords.required()
        declared = constraints.keywords.names("properties")
        optional_too = self.strategy.optional and depth < MAX_OPTIONAL_DEPTH
        self.spend(len(declared) + len(required))
        names = [name for name in declared if name not in required]
        optional = set(names if optional_too else names[: max(0, least - len(required))])
        made: dict[str, JSON] = {}
        for name in dict.fromkeys([*declared, *required]):
            if name in required:
                made[name] = self.member(constraints, name, depth)
            elif name in optional and len(made) < (MAX_MEMBERS if most is None else most):
                with suppress(Impossible):
                    made[name] = self.member(constraints, name, depth)
        if not declared and not made and optional_too and most != 0 and constraints.is_map():
            least = max(least, 1)
        self.fill(made, constraints, least=min(least, MAX_MEMBERS), depth=depth)
        return made

    def member(self, constraints: Constraints, name: str, depth: int) -> JSON:
        """A value for the member `name` of an object at `depth`."""
        schemas = self.children(constraints.subschemas, name)
        return self.make(schemas, depth=depth + 1, name=name)

    def fill(
        self, made: dict[str, JSON], constraints: Constraints, *, least: int, depth: int
    ) -> None:
        """Add undeclared members until there are `least`."""
        for count in range(4 * least):
            if len(made) >= least:
                return
            name = self.sample_name(constraints, count, depth)
            if name not in made:
                with suppress(Impossible):
                    made[name] = self.member(constraints, name, depth)

    def sample_name(self, constraints: Constraints, count: int, depth: int) -> str:
        rules = constraints.list_schemas_under("propertyNames")
        if rules:
            # Deeper than the object, because the schema of its names may be its own.
            depth_of_name = max(depth + 1, MAX_DEPTH - 1)
            name = self.make(rules, depth=depth_of_name, name=f"name{count}")
            return name if isinstance(name, str) else str(count)
        patterns = constraints.keywords.names("patternProperties")
        if patterns:
            with suppress(UnknownPattern):
                name = sample_pattern(self.random.choice(patterns), self.random)
                self.spend(len(name))
                return name
        return WORDS[count] if count < len(WORDS) else f"item{count}"

    def sample_array(self, constraints: Constraints, depth: int, name: str) -> list[JSON]:
        least, most = constraints.least("minItems"), constraints.most("maxItems")
        prefix = children.prefix_length(constraints.subschemas, any_draft=True)
        usual = max(prefix, self.strategy.items if depth < MAX_OPTIONAL_DEPTH else 0)
        length = min(max(least, usual if most is None else min(usual, most)), MAX_MEMBERS)
        distinct = constraints.keywords.flag("uniqueItems")
        needed = [
            subschema.sub("contains")
            for subschema in constraints.list_subschemas_with("contains")
            for _ in range(_contained(subschema))
        ]
        length = max(length, len(needed))
        made: list[JSON] = []
        for index in range(length):
            subschemas = list(
                children.item(constraints.subschemas, index, any_draft=True).subschemas
            )
            if index >= length - len(needed):
                subschemas = [*subschemas, needed[index - (length - len(needed))]]
            try:
                made.append(
                    self.sample_item(subschemas, made, depth=depth, name=name, distinct=distinct)
                )
            except Impossible:
                if len(made) < least or index < len(needed):
                    raise
                break
        return made

    def sample_item(
        self,
        subschemas: list[Subschema],
        before: list[JSON],
        *,
        depth: int,
        name: str,
        distinct: bool,
    ) -> JSON:
        for _ in range(12):
            self.spend(2 * len(before))
            item = self.make(subschemas, depth=depth + 1, name=name)
            if not distinct or not any(equal(item, other) for other in before):
                return item
            usual = self.strategy
            self.strategy = replace(usual, hinted=False, shuffled=True)
            try:
                item = self.make(subschemas, depth=depth + 1, name=f"{name}{len(before)}")
            finally:
                self.strategy = usual
            if not any(equal(item, other) for other in before):
                return item
        raise Impossible


def _contained(subschema: Subschema) -> int:
    count = subschema.all_keywords.get("minContains", 1)
    return min(int(count), MAX_MEMBERS) if is_number(count) else 1
