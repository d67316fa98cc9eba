"""Sample values: values that a JSON Schema accepts, made from the schema alone.

Mock responses, calls of examples and the witnesses of the semantic diff are made of them. The same
schema and seed give the same value: random choices depend on the seed alone, and work is counted in
steps. Patterns are also limited in time, because one of their steps can be long.
`sample_scalars.py` makes strings and numbers, `sample_values.py` lists strings for formats and
names.
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
    values: list[JSON] = []
    budget = sampling_budget()
    for number in range(SAMPLES):
        with suppress(NoValue):
            values.append(sample(schema, f"{seed} {number}", budget))
    return values


def samples_of(subschemas: Sequence[Subschema], seed: str, budget: Budget) -> list[JSON]:
    """A few values for schemas that all apply, of which each is likely to be valid.

    [] if none is found.
    """
    values: list[JSON] = []
    for count, strategy in enumerate(STRATEGIES):
        sampler = _Sampler(f"{seed} {count}", strategy, budget)
        with suppress(Impossible):
            value = sampler.make(list(subschemas), depth=0, name="")
            if not _is_in(value, values):
                values.append(value)
        if len(values) == SAMPLES:
            break
    return values


def _is_in(value: JSON, others: list[JSON]) -> bool:
    return any(equal(value, other) for other in others)


def sampling_budget() -> Budget:
    """The work allowed to generate one value, or several that share the budget."""
    return Budget(steps=MAX_WORK, seconds=MAX_SECONDS)


def brief_sample(schema: CompiledSchema, seed: str) -> JSON:
    """As `sample`, with the required members only, if there are any: a short call to read."""
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

    If values cannot be checked (the schema is malformed, or a check costs too much), the first
    attempt is returned.

    Raises:
        NoValue: none was found, although there may be one.
    """
    budget = budget or sampling_budget()
    problems: tuple[Problem, ...] | None = None
    for count, strategy in enumerate(strategies):
        sampler = _Sampler(f"{seed} {count}", strategy, budget)
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
    def __init__(self, seed: str, strategy: Strategy, budget: Budget) -> None:
        self.random = Random(seed)  # noqa: S311 - must be repeatable
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

    def gather(
        self, subschemas: Iterable[Subschema], known: Iterable[Subschema] = ()
    ) -> tuple[list[Subschema], list[list[Subschema]]]:
        """`gather`, with its work counted."""
        applicable, unions = gather(subschemas, known)
        self.spend(len(applicable) + sum(map(len, unions)))
        return applicable, unions

    def make(self, subschemas: list[Subschema], *, depth: int, name: str) -> JSON:
        """A value for `subschemas`, schemas that all apply.

        Each choice of branches is tried until the value is valid.

        Raises:
            Impossible: the schemas accept no value, or a limit on steps or depth was reached.
        """
        self.step()
        if depth > MAX_DEPTH:
            raise Impossible
        attempts: list[JSON] = []
        for choice in self.list_choices(subschemas, depth):
            with suppress(Impossible):
                value = self.make_conditional(choice, depth=depth, name=name)
                if False not in (each.is_valid(value, self.budget) for each in subschemas):
                    return value
                attempts.append(value)
        if not attempts:
            raise Impossible
        return attempts[0]

    def find_children(self, subschemas: list[Subschema], name: str) -> list[Subschema]:
        """The subschemas for the member `name`, with the work counted.

        Each pattern is matched against the name.
        """
        self.spend(len(subschemas))
        for subschema in subschemas:
            self.spend(len(members_of(subschema.all_keywords.get("patternProperties"))))
        return list(children.member(subschemas, name).subschemas)

    # -- which schemas apply -----------------------------------------------------------------------

    def list_choices(
        self,
        subschemas: list[Subschema],
        depth: int,
        known: Iterable[Subschema] = (),
        levels: int = UNION_LEVELS,
    ) -> Iterator[list[Subschema]]:
        """Every list of schemas that may apply together, the most promising first.

        Each has one branch of each union.

        Args:
            subschemas: schemas that all apply.
            depth: of the value.
            known: schemas that apply too, and whose unions are decided.
            levels: how deep unions in branches of unions are followed.
        """
        applicable, unions = self.gather(subschemas, known)
        applicable = [*known, *applicable]
        if not unions or not levels:
            yield applicable
            return
        orders = [self.order(branches, depth) for branches in unions]
        for picks in itertools.islice(itertools.product(*orders), BRANCHES_TRIED):
            self.step()
            yield from self.list_choices(list(picks), depth, applicable, levels - 1)

    def order(self, branches: list[Subschema], depth: int) -> list[Subschema]:
        self.spend(len(branches))
        if self.strategy.shuffled:
            return self.random.sample(branches, len(branches))

        def rank(subschema: Subschema) -> int:
            keywords = subschema.all_keywords
            is_null = keywords.get("type") == "null" or keywords.get("const", 0) is None
            is_deep = depth >= MAX_OPTIONAL_DEPTH and "$ref" in keywords
            return 4 * is_deep + 2 * is_null

        return sorted(branches, key=rank)

    def make_conditional(self, subschemas: list[Subschema], *, depth: int, name: str) -> JSON:
        """A value for `subschemas`, made again with what `if` and `dependentSchemas` add for it."""
        value = self.make_value(subschemas, depth=depth, name=name)
        for _ in range(3):
            added = conditions(subschemas, value, self.budget)
            applicable, unions = self.gather(added, known=subschemas)
            applicable += [self.order(branches, depth)[0] for branches in unions]
            if not applicable:
                return value
            subschemas = [*subschemas, *applicable]
            value = self.make_value(subschemas, depth=depth, name=name)
        return value

    # -- values ------------------------------------------------------------------------------------

    def make_value(self, subschemas: list[Subschema], *, depth: int, name: str) -> JSON:
        constraints = Constraints(subschemas, self.budget)
        shuffled = self.strategy.shuffled
        choices = constraints.list_choices()
        if choices:
            values = [value for value in choices if constraints.accepts(value)]
            if not values:
                raise Impossible
            return self.random.choice(values) if shuffled or len(name) % 2 else values[0]
        if self.strategy.hinted:
            for value in constraints.list_examples():
                if constraints.accepts(value):
                    return value
        constraints.types = constraints.allowed_types()
        if not constraints.types:
            raise Impossible
        types = constraints.types
        type_name = self.random.choice(types) if shuffled else types[0]
        if type_name == "object":
            return self.sample_object(constraints, depth)
        if type_name == "array":
            return self.sample_array(constraints, depth, name)
        if type_name == "string":
            text = sample_string(constraints, name, self.random, shuffled=shuffled)
            if constraints.keywords.has("pattern"):
                self.spend(len(text))
            return text
        if type_name in {"number", "integer"}:
            integer = type_name == "integer"
            return sample_number(constraints, self.random, integer=integer, shuffled=shuffled)
        return None if type_name == "null" else bool(self.random.getrandbits(1))

    def sample_object(self, constraints: Constraints, depth: int) -> dict[str, JSON]:
        least = constraints.least("minProperties")
        most = constraints.most("maxProperties")
        if most is None:
            most = MAX_MEMBERS
        required = constraints.keywords.required()
        declared = constraints.keywords.names("properties")
        self.spend(len(declared) + len(required))
        optional = [name for name in declared if name not in required]
        makes_optional = self.strategy.optional and depth < MAX_OPTIONAL_DEPTH
        if not makes_optional:
            optional = optional[: max(0, least - len(required))]
        members: dict[str, JSON] = {}
        for name in dict.fromkeys([*declared, *required]):
            if name in required:
                members[name] = self.make_member(constraints, name, depth)
            elif name in optional and len(members) < most:
                with suppress(Impossible):
                    members[name] = self.make_member(constraints, name, depth)
        has_names = bool(declared or members)
        if makes_optional and most and not has_names and constraints.is_map():
            least = max(least, 1)
        self.fill(members, constraints, least=min(least, MAX_MEMBERS), depth=depth)
        return members

    def make_member(self, constraints: Constraints, name: str, depth: int) -> JSON:
        """A value for the member `name` of an object at `depth`."""
        schemas = self.find_children(constraints.subschemas, name)
        return self.make(schemas, depth=depth + 1, name=name)

    def fill(
        self, members: dict[str, JSON], constraints: Constraints, *, least: int, depth: int
    ) -> None:
        """Add undeclared members until there are `least`."""
        for count in range(4 * least):
            if len(members) >= least:
                return
            name = self.sample_name(constraints, count, depth)
            if name not in members:
                with suppress(Impossible):
                    members[name] = self.make_member(constraints, name, depth)

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
        least = constraints.least("minItems")
        length = self.choose_length(constraints, depth)
        distinct = constraints.keywords.flag("uniqueItems")
        contained: list[Subschema] = []
        for subschema in constraints.list_subschemas_with("contains"):
            contained += [subschema.sub("contains")] * _count_contained(subschema)
        length = max(length, len(contained))
        first_contained = length - len(contained)
        items: list[JSON] = []
        for index in range(length):
            child = children.item(constraints.subschemas, index, any_draft=True)
            subschemas = list(child.subschemas)
            if index >= first_contained:
                subschemas.append(contained[index - first_contained])
            try:
                item = self.sample_item(
                    subschemas, items, depth=depth, name=name, distinct=distinct
                )
            except Impossible:
                if len(items) < least or index < len(contained):
                    raise
                break
            items.append(item)
        return items

    def choose_length(self, constraints: Constraints, depth: int) -> int:
        """How many items an array gets, if `contains` does not need more."""
        length = children.prefix_length(constraints.subschemas, any_draft=True)
        if depth < MAX_OPTIONAL_DEPTH:
            length = max(length, self.strategy.items)
        most = constraints.most("maxItems")
        if most is not None:
            length = min(length, most)
        return min(max(length, constraints.least("minItems")), MAX_MEMBERS)

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
            if not distinct or not _is_in(item, before):
                return item
            usual = self.strategy
            self.strategy = replace(usual, hinted=False, shuffled=True)
            try:
                item = self.make(subschemas, depth=depth + 1, name=f"{name}{len(before)}")
            finally:
                self.strategy = usual
            if not _is_in(item, before):
                return item
        raise Impossible


def _count_contained(subschema: Subschema) -> int:
    count = subschema.all_keywords.get("minContains", 1)
    return min(int(count), MAX_MEMBERS) if is_number(count) else 1
