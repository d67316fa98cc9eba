"""Completions for a position in JSON text: the members of an object, and allowed values, for the editor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from playground.schema_form.choices import Choices, label_of
from playground.schema_form.schemas import Kinds, is_integer, types_in_words
from playground.schema_form.values import literal
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
    """For one position: the names of members that an object there may have, required ones first, and its values."""

    members: Sequence[Completion] = ()
    values: Sequence[Completion] = ()


def completions_at(root: Subschema, path: Path) -> Completions:
    """The completions at `path`, for all branches of unions and conditions.

    None if finding them takes too long.
    """
    try:
        with Run(Budget()) as run:
            subschemas: Sequence[Subschema] = [root]
            for token in path:
                subschemas = _child(gather_all(subschemas, run), token, run)
            return Completions(_members(subschemas, run), _values(subschemas, run))
    except (Unchecked, Impossible):
        return Completions()


def _child(found: Sequence[Subschema], token: str | int, run: Run) -> list[Subschema]:
    """The schemas that may apply to a member or item: those that name it, or else those for all others.

    Each of `found` counts alone, since another branch of a union may refuse what this one declares.
    """
    children = []
    for one in found:
        run.spend()
        children.append(member([one], token) if isinstance(token, str) else item([one], token))
    named = [child for child in children if child.is_declared]
    return [
        one for child in named or children for one in child.subschemas if one.schema is not False
    ]


def _members(subschemas: Sequence[Subschema], run: Run) -> list[Completion]:
    found = gather_all(subschemas, run)
    always, _ = gather(subschemas)
    required = set(Summary([subschema.keywords for subschema in always]).required())
    declared = Summary([subschema.all_keywords for subschema in found]).names("properties")
    names = dict.fromkeys([*declared, *sorted(required)])
    kinds = Kinds()
    members = []
    for name in sorted(names, key=lambda name: name not in required)[:MAX_COMPLETIONS]:
        child = _child(found, name, run)
        if not child and name in declared:
            continue  # it is forbidden
        applying = gather_all(child, run)
        allowed = {kind for one in child for kind in kinds.of(one)}
        detail = types_in_words(
            allowed, is_integer=any(is_integer(subschema) for subschema in applying)
        )
        description = Summary([each.all_keywords for each in applying]).text("description")
        is_required = name in required
        members.append(Completion(name, detail, description[:MAX_DESCRIPTION], is_required))
    return members


def _values(subschemas: Sequence[Subschema], run: Run) -> list[Completion]:
    choices, values = Choices(), dict[str, Completion]()
    for subschema in gather_all(subschemas, run):
        for choice in choices.own(subschema) or ():
            text = literal(choice.value)
            detail = "" if choice.label == label_of(choice.value) else choice.label
            description = choice.description[:MAX_DESCRIPTION]
            values.setdefault(choice.key, Completion(text, detail=detail, description=description))
    kinds = Kinds().of_all(subschemas)
    if not values and kinds <= {"boolean", "null"}:
        texts = [
            *(("true", "false") if "boolean" in kinds else ()),
            *(("null",) if "null" in kinds else ()),
        ]
        return [Completion(text) for text in texts]
    return list(values.values())[:MAX_COMPLETIONS]
