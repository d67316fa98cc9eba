"""Completions for a position in JSON text, for the editor: an object's members, allowed values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from playground.form.choices import Choices, label_of
from playground.form.kinds import Kinds, describe_types, is_integer
from playground.form.values import Kind, literal
from toolspec.schema.applicable import Impossible, gather, gather_all
from toolspec.schema.children import item, member
from toolspec.schema.summary import Summary
from toolspec.schema.validation import Budget, Subschema
from toolspec.schema.validation.budget import Run, Unchecked

MAX_COMPLETIONS: Final = 200  # members, and values, at one position
MAX_DESCRIPTION: Final = 300  # characters

Path = Sequence[str | int]
"""The names of members and the indexes of items that lead to a value."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A member's name, or a value as JSON text.

    Attributes:
        detail: the types of the member in words; the label of a value, or "".
        is_required: whether every object at the position needs the member.
    """

    text: str
    detail: str = ""
    description: str = ""
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class Completions:
    """For one position: the members that an object may have there, required ones first; values."""

    members: Sequence[Completion] = ()
    values: Sequence[Completion] = ()


def find_completions(root: Subschema, path: Path) -> Completions:
    """The completions at `path`, for all branches of unions and conditions.

    There are none if the search takes too long.
    """
    try:
        with Run(Budget()) as run:
            subschemas: Sequence[Subschema] = [root]
            for token in path:
                subschemas = _find_child(gather_all(subschemas, run), token, run)
            members = _complete_members(subschemas, run)
            return Completions(members, _complete_values(subschemas, run))
    except (Unchecked, Impossible):
        return Completions()


def _find_child(
    subschemas: Sequence[Subschema],
    token: str | int,
    run: Run,
) -> list[Subschema]:
    """The schemas that may apply to a member or item.

    They are those that name it, or else those for all others. Each of `subschemas` counts alone,
    since another branch of a union may refuse what this one declares.
    """
    children = []
    for subschema in subschemas:
        run.spend()
        if isinstance(token, str):
            children.append(member([subschema], token))
        else:
            children.append(item([subschema], token))
    declaring = [child for child in children if child.is_declared]
    found: list[Subschema] = []
    for child in declaring or children:
        found += child.subschemas
    return [subschema for subschema in found if subschema.schema is not False]


def _complete_members(subschemas: Sequence[Subschema], run: Run) -> list[Completion]:
    applying = gather_all(subschemas, run)
    always, _ = gather(subschemas)
    required = sorted(Summary([subschema.keywords for subschema in always]).required())
    declared = Summary([subschema.all_keywords for subschema in applying]).names("properties")
    names = dict.fromkeys([*declared, *required])
    kinds = Kinds()
    members = []
    for name in sorted(names, key=lambda name: name not in required)[:MAX_COMPLETIONS]:
        child = _find_child(applying, name, run)
        if child or name not in declared:  # else it is forbidden
            completion = _complete_member(name, gather_all(child, run), _find_kinds(child, kinds))
            members.append(replace(completion, is_required=name in required))
    return members


def _find_kinds(subschemas: Sequence[Subschema], kinds: Kinds) -> frozenset[Kind]:
    """The types that at least one of `subschemas` allows."""
    return frozenset[Kind]().union(*map(kinds.of, subschemas))


def _complete_member(
    name: str,
    applying: Sequence[Subschema],
    kinds: frozenset[Kind],
) -> Completion:
    types = describe_types(kinds, is_integer=any(map(is_integer, applying)))
    description = Summary([subschema.all_keywords for subschema in applying]).text("description")
    return Completion(name, types, description[:MAX_DESCRIPTION])


def _complete_values(subschemas: Sequence[Subschema], run: Run) -> list[Completion]:
    choices = Choices()
    values: dict[str, Completion] = {}
    for subschema in gather_all(subschemas, run):
        for choice in choices.own(subschema) or ():
            detail = "" if choice.label == label_of(choice.value) else choice.label
            description = choice.description[:MAX_DESCRIPTION]
            completion = Completion(literal(choice.value), detail, description)
            values.setdefault(choice.key, completion)
    kinds = Kinds().of_all(subschemas)
    if values or not kinds <= {"boolean", "null"}:
        return list(values.values())[:MAX_COMPLETIONS]
    texts = []
    if "boolean" in kinds:
        texts += ["true", "false"]
    if "null" in kinds:
        texts.append("null")
    return list(map(Completion, texts))
