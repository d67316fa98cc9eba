"""The values that a shown call is made with: found once for each revision."""

import pytest

from playground.examples import calls as example_calls
from playground.examples.calls import call_of
from tests.factories import make_tool

pytestmark = pytest.mark.django_db
PARAMETERS = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}


def test_generated_parameters_are_cached_for_all_readers(monkeypatch):
    tool = make_tool("counted", parameters=PARAMETERS)
    asked = []
    sample = example_calls.brief_sample
    monkeypatch.setattr(
        example_calls, "brief_sample", lambda *given: asked.append(given) or sample(*given)
    )

    calls = [call_of(tool, "http://localhost/") for _ in range(3)]

    assert len(asked) == 1
    assert calls[0].usages == calls[2].usages


def test_a_new_revision_has_a_call_of_its_own():
    before = call_of(make_tool("revised", parameters=PARAMETERS), "http://localhost/")
    wanted = {"type": "object", "properties": {"other": {"const": 7}}, "required": ["other"]}
    after = call_of(make_tool("revised", parameters=wanted), "http://localhost/")

    assert '"other"' not in before.usages[0].code
    assert '{"other": 7}' in after.usages[0].code


def test_generated_parameters_are_the_required_ones_with_one_item_per_array():
    properties = {
        "word": {"const": "hello"},
        "tags": {"type": "array", "items": {"const": "a"}},
        "assignees": {"type": "array", "items": {"type": "string"}},
    }
    parameters = {"type": "object", "properties": properties, "required": ["word", "tags"]}

    call = call_of(make_tool("brief", parameters=parameters), "http://localhost/")

    assert '"parameters":{"word":"hello","tags":["a"]},' in "".join(call.usages[0].code.split())


def test_a_tool_without_required_parameters_is_called_with_all_of_them():
    parameters = {"type": "object", "properties": {"word": {"const": "hello"}}}

    call = call_of(make_tool("lenient", parameters=parameters), "http://localhost/")

    assert '"parameters":{"word":"hello"},' in "".join(call.usages[0].code.split())


def test_all_examples_are_tried_within_one_budget(monkeypatch):
    budgets, check = [], example_calls.value_problems
    monkeypatch.setattr(
        example_calls,
        "value_problems",
        lambda *given, budget: budgets.append(budget) or check(*given, budget=budget),
    )
    examples = [{"parameters": {"word": n}} for n in range(120)]

    call_of(make_tool("illustrated", parameters=PARAMETERS, examples=examples), "http://localhost/")

    assert len(budgets) == 121  # the last is for what was made up
    assert budgets[0] is not None
    assert all(budget is budgets[0] for budget in budgets[:120])
