"""A change that refuses a value that was accepted never has the verdict "compatible".

The schemas are small ones over all keywords of all drafts and real ones of MCP servers; each is compared with another,
mostly with itself changed a little. The values are made to fit them, and from nothing.
"""

import json
from functools import cache
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.json_schema.policy import schema_policy_problems
from catalog.json_schema.validation import compile_schema
from catalog.jsontext.reader import loads
from catalog.specs.diff import Any
from catalog.specs.diff.changes import worst
from catalog.specs.diff.conjunction import TooMuch
from catalog.specs.diff.differences import RULES, find_differences
from catalog.specs.diff.schema_diff import Comparison
from tests.catalog.author_edits import revised
from tests.catalog.random_schemas import DRAFTS, Schemas
from tests.catalog.random_values import value, values_like
from tests.corpora import lines

VALUES = 25


def exact(document):
    return loads(json.dumps(document, default=float))


@cache
def real_schemas():
    definitions = [json.loads(line)["definition"] for line in lines("specs_mcp")]
    return [
        definition[part]
        for definition in definitions
        for part in ("parameters", "returnType")
        if part in definition
    ]


def small_pair(random):
    draft = random.choice([*DRAFTS, "2020-12", "2020-12"])
    schemas = Schemas(random, draft)
    old = schemas.document()
    if random.random() < 0.8:
        new = schemas.changed(old, random.choice((1, 1, 2, 3)))
    else:
        new = Schemas(random, random.choice(list(DRAFTS))).document()
    return old, new


def real_pair(random):
    old = random.choice(real_schemas())
    draft = "07" if "draft-07" in str(old.get("$schema")) else "2020-12"
    return old, Schemas(random, draft).changed(old, random.choice((1, 2, 3)))


def values_for(random, *schemas):
    for index in range(VALUES):
        schema = schemas[index % len(schemas)]
        yield exact(values_like(random, schema, schema) if index % 5 else value(random, 3))


def assert_sound(random, old, new):
    """Check that no value contradicts a verdict."""
    old, new = exact(old), exact(new)
    if schema_policy_problems(old) or schema_policy_problems(new):
        return
    before, after = compile_schema(old).root, compile_schema(new).root
    try:
        found = find_differences(before, after)
    except TooMuch:
        return
    narrower = any(difference.lost for difference in found)
    wider = any(difference.gained for difference in found)
    for candidate in values_for(random, old, new):
        accepted, still = before.is_valid(candidate), after.is_valid(candidate)
        assert narrower or not (accepted is True and still is False), (old, new, candidate)
        assert wider or not (accepted is False and still is True), (old, new, candidate)


relaxed = settings(
    deadline=None, max_examples=300, suppress_health_check=list(HealthCheck), print_blob=True
)


@pytest.mark.deep
@relaxed
@given(st.randoms(use_true_random=False))
def test_a_compatible_change_of_a_small_schema_refuses_no_value_that_was_accepted(random):
    assert_sound(random, *small_pair(random))


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(1, 20))]
)
def test_a_thousand_random_small_schemas_are_compared_soundly(seed):
    assert_all_sound(Random(seed), 40)


@pytest.mark.corpora
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(1, 10))]
)
def test_a_compatible_change_of_a_real_schema_refuses_no_value_that_was_accepted(seed):
    random = Random(seed)

    for _ in range(12):
        assert_sound(random, *real_pair(random))


@pytest.mark.parametrize(
    "rule", ["numbers", "required", "declared_members", "items", "unions", "negations"]
)
def test_the_search_finds_the_breaking_change_that_a_missing_rule_overlooks(rule, monkeypatch):
    monkeypatch.setattr(
        "catalog.specs.diff.differences.RULES", tuple(one for one in RULES if one.__name__ != rule)
    )
    random = Random(5)

    with pytest.raises(AssertionError):
        assert_all_sound(random, 3000)


def assert_all_sound(random, pairs):
    for _ in range(pairs):
        assert_sound(random, *small_pair(random))


# Compatible by convention: only values that use undeclared members are refused.


def assert_conventions_sound(old, new, values):
    """If the verdict is "compatible", the values that are refused have an undeclared member that a change is about."""
    changes = Comparison("parameters", old, new, known=(), sample=None).changes()
    if worst(changes) not in {"compatible", "wording"}:
        return
    noted = [change.path for change in changes if change.is_by_convention]
    before, after = compile_schema(old), compile_schema(new)
    for candidate in values:
        if before.root.is_valid(candidate) and after.root.is_valid(candidate) is False:
            assert any(leads_into(candidate, path) for path in noted), (old, new, candidate)


def leads_into(value, path):
    """Whether `value` has something at `path`."""
    if not path:
        return True
    if path[0] is Any.ITEM:
        return isinstance(value, list) and any(leads_into(item, path[1:]) for item in value)
    if path[0] is Any.MEMBER:
        return isinstance(value, dict) and any(
            leads_into(member, path[1:]) for member in value.values()
        )
    return isinstance(value, dict) and path[0] in value and leads_into(value[path[0]], path[1:])


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(1, 20))]
)
def test_only_values_with_undeclared_members_are_refused_after_a_change_that_is_compatible_by_convention(
    seed,
):
    random = Random(seed)

    for _ in range(40):
        old, new = map(exact, small_pair(random))
        if not (schema_policy_problems(old) or schema_policy_problems(new)):
            assert_conventions_sound(old, new, values_for(random, old, new))


@pytest.mark.corpora
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(1, 10))]
)
def test_few_revisions_of_real_tools_remain_unknown_and_no_verdict_is_wrong(seed):
    random = Random(seed)
    verdicts = []

    for schema in random.sample(real_schemas(), 25):
        old, new = exact(schema), exact(revised(random, schema)[1])
        if not schema_policy_problems(new):
            changes = Comparison("parameters", old, new, known=(), sample=None).changes()
            # a changed default is "unknown" by rule, not for want of a proof
            verdicts.append(
                worst([change for change in changes if change.kind != "default-changed"])
            )
            assert_conventions_sound(old, new, values_for(random, old, new))

    assert verdicts.count("unknown") <= 0.05 * len(verdicts)
