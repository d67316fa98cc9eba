"""The comparison of revisions uses sample values: proofs that no example gives."""

import json

import pytest

from catalog.revisions import differences as revision_diff
from catalog.revisions.differences import difference_between
from catalog.tools.publishing import publish
from playground.configurations.compiled_spec import compiled_spec_of
from playground.runs.models import Run
from toolshelf_core.caching import LRUCache
from toolspec.schema.sampling import samples
from toolspec.spec import read_spec

pytestmark = pytest.mark.django_db


def revision(**parameters):
    definition = {"name": "t", "description": "d", "parameters": {"type": "object", **parameters}}
    return publish(read_spec(json.dumps({"definition": definition})), by=None).revision


def test_a_change_is_proved_by_a_value_made_from_the_schema(monkeypatch):
    monkeypatch.setattr(revision_diff, "_differences", LRUCache())
    place = {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"}
    old = revision(properties={"place": place}, required=["place"])
    new = revision(properties={"place": {**place, "maxLength": 4}}, required=["place"])

    [change] = difference_between(old, new).changes

    assert change.verdict == "breaking"
    assert change.proof is not None


def test_values_from_runs_are_not_shown_to_other_users(monkeypatch):
    monkeypatch.setattr(revision_diff, "_differences", LRUCache())
    old = revision(properties={"place": {"type": "string"}})
    new = revision(properties={"place": {"type": "string", "maxLength": 20}})
    Run.objects.create(
        tool=old.tool,
        revision=old,
        outcome="returned",
        parameters_json='{"place": "a private place, and a long one"}',
    )

    assert "a private place" not in repr(difference_between(old, new))


def test_the_values_are_accepted_and_the_same_each_time():
    contract = compiled_spec_of(
        revision(properties={"n": {"type": "integer", "minimum": 3}}, required=["n"])
    )

    values = samples(contract.parameters, "parameters")

    assert values == samples(contract.parameters, "parameters")
    assert all(contract.parameters.check(value).verdict == "conforms" for value in values)
    assert len(values) > 1
