"""Compares two specs: the changes of meaning, their direction, and proofs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolspec.diff.changes import Change, Difference, Part, Verdict, sort_worst_first
from toolspec.diff.schema_diff import SCHEMAS, Comparison, Sampler
from toolspec.diff.witnesses import Known
from toolspec.diff.wording import compare_metadata, make_words_change
from toolspec.spec import Example, ToolSpec
from toolspec.text.reader import JSON, dumps

MAX_CHANGES: Final = 500


def compare(
    old: ToolSpec,
    new: ToolSpec,
    *,
    sample: Sampler | None = None,
    runs: Sequence[tuple[Part, Known]] = (),
) -> Difference:
    """The changes of meaning from `old` to `new`.

    Callers send parameters and configuration: a change breaks if a value that was accepted is now
    refused.
    Callers read responses: a change breaks if a response is possible now that was not possible
    before. By convention, nobody sends or returns undeclared members: declaring a new optional one
    is compatible, even where undeclared members are allowed. `Difference.strict` has the verdicts
    without this convention.

    Args:
        old: the spec before.
        new: the spec that replaces it.
        sample: makes values of a schema, from which witnesses are made.
        runs: values that recorded runs sent ("parameters", "configuration") or returned
            ("returnType").
    """
    changes = list(compare_definitions(old, new))
    for part in SCHEMAS:
        before, after = schema_of(old, part), schema_of(new, part)
        if before is not None and after is not None and dumps(before) == dumps(after):
            continue
        known = list_examples(old, part)
        known += [value for run_part, value in runs if run_part == part]
        if part == "returnType":
            known += list_examples(new, part)
        changes += Comparison(part, before, after, tuple(known), sample).list_changes()
    return Difference(tuple(sort_worst_first(changes)[:MAX_CHANGES]))


def compare_definitions(old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    """Changes of the definition outside its schemas."""
    if old.name != new.name:
        sentence = f"The name changed from “{old.name}” to “{new.name}”."
        sentence += " Update callers that use the name."
        yield make_definition_change("name", "unknown", sentence)
    if old.description != new.description:
        where, texts = "/definition/description", (old.description, new.description)
        yield make_words_change(
            "description-changed", "The description changed.", (where, where), texts
        )
    if list(map(as_declared, old.examples)) != list(map(as_declared, new.examples)):
        sentence = f"The examples changed ({len(old.examples)} before, {len(new.examples)} now)."
        yield make_definition_change("examples", "wording", sentence)
    yield from compare_metadata(old, new)


def make_definition_change(member: str, verdict: Verdict, sentence: str) -> Change:
    where = f"/definition/{member}"
    return Change("definition", (), f"{member}-changed", sentence, verdict, where, where)


def as_declared(example: Example) -> tuple[object, ...]:
    return (
        example.description,
        example.has_parameters,
        dumps(example.parameters),
        dumps(example.return_value),
    )


def schema_of(spec: ToolSpec, part: Part) -> JSON:
    return {
        "parameters": spec.parameters,
        "returnType": spec.return_type,
        "configuration": spec.configuration,
    }[part]


def list_examples(spec: ToolSpec, part: Part) -> list[Known]:
    """The values for `part` in the examples of the spec."""
    values = []
    for index, example in enumerate(spec.examples):
        source = example.description or f"example {index + 1}"
        if part == "parameters" and example.has_parameters:
            values.append(Known("example", source, example.parameters))
        if part == "returnType" and example.has_return_value:
            values.append(Known("example", source, example.return_value))
    return values
