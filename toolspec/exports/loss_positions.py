"""The line of each loss in the exported document.

A loss has a pointer into the spec. It is followed in the spec and in the document side by side, as
far as both correspond. Where they do not, because schemas were merged, split, moved or written out,
the line is that of the innermost value around the part that has a counterpart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from toolspec.conversion_report import Loss, is_within
from toolspec.exports.conversion import PARAMETERS, RETURN_TYPE, Export
from toolspec.exports.type_mapping import is_null
from toolspec.spec import ToolSpec
from toolspec.text.containers import items_of, members_of
from toolspec.text.pointers import pointer_join, resolve_pointer, split_pointer
from toolspec.text.positions import locate
from toolspec.text.reader import JSON

_BY_NAME: Final = frozenset({"properties", "patternProperties", "dependentSchemas"})
_UNIONS: Final = frozenset({"anyOf", "oneOf"})
_COMBINING: Final = _UNIONS | {"allOf"}


@dataclass(frozen=True, slots=True)
class LocatedLoss(Loss):
    """A loss and its line in the document.

    Attributes:
        line: from 1.
        missing: the path from the value at the line to the part of the spec, such as "minLength";
            "" if the value is that part itself.
    """

    line: int
    missing: str


def located_losses(spec: ToolSpec, exported: Export, text: str) -> tuple[LocatedLoss, ...]:
    """The changes of `exported`, with their lines in `text`, which is its document.

    It takes linear time.
    """
    walk = _Walk(spec, exported)
    counterparts = [walk.counterpart_of(loss.pointer) for loss in exported.changes]
    positions = locate(text, {pointer for pointer, _ in counterparts})
    losses = []
    for loss, (pointer, rest) in zip(exported.changes, counterparts, strict=True):
        line = positions[pointer][0]
        losses.append(LocatedLoss(loss.pointer, loss.what, loss.reason, line, "/".join(rest)))
    return tuple(losses)


@dataclass(frozen=True)
class _Walk:
    spec: ToolSpec
    exported: Export
    _alternatives: dict[str, dict[str, str]] = field(default_factory=dict)  # by a union's pointer

    def counterpart_of(self, pointer: str) -> tuple[str, list[str]]:
        """(the innermost value of the document on the way to `pointer`, the tokens it lacks)."""
        parts = self.exported.parts
        around = [part for part in parts if is_within(pointer, part)]
        part = max(around, key=len, default="")
        tokens = split_pointer(pointer.removeprefix(part))
        if part in {PARAMETERS, RETURN_TYPE}:
            return self._follow(part, parts[part], tokens)
        return parts.get(part, ""), tokens

    def _follow(self, part: str, place: str, tokens: list[str]) -> tuple[str, list[str]]:
        """Follow `tokens` from `part` of the spec, whose counterpart is at `place`."""
        source, target = _at(self.spec.document, part), _at(self.exported.document, place)
        is_name = is_merged = False
        while tokens:
            is_merged = is_merged or (not is_name and _is_merged(source, target))
            is_branch = not is_name and tokens[0] in _COMBINING and len(tokens) > 1
            if is_merged and not is_name and (is_branch or len(tokens) == 1):
                break  # it may be that of another of the merged schemas
            old = new = tokens[:1]
            try:
                if is_name:
                    new = [self.exported.renamed.get(pointer_join(part, tokens[0]), tokens[0])]
                elif is_branch:
                    old = tokens[:2]
                    new = self._branch(part, source, target, *old)
                source = _at(source, pointer_join("", *old))
                target = _at(target, pointer_join("", *new))
            except LookupError:
                break
            if {type(source), type(target)} == {dict, list}:
                break  # such as `items`, which changed its meaning
            if not is_name and tokens[0] == "$defs" and not _has_same_names(source, target):
                break  # a definition may have the name of another
            is_name = not is_name and tokens[0] in _BY_NAME
            part, place = pointer_join(part, *old), pointer_join(place, *new)
            tokens = tokens[len(old) :]
        return place, tokens

    def _branch(self, part: str, source: JSON, target: JSON, keyword: str, index: str) -> list[str]:
        """The keyword and the index of one of several combined schemas in the document.

        Raises:
            LookupError: it was merged with others, or split.
        """
        if keyword == "allOf":
            return [keyword, index]
        new_keyword = keyword if keyword in members_of(target) else "anyOf"
        union = pointer_join(part, keyword)
        if union not in self._alternatives:
            self._alternatives[union] = _match_alternatives(
                items_of(members_of(source).get(keyword)),
                items_of(members_of(target).get(new_keyword)),
            )
        return [new_keyword, self._alternatives[union][index]]


def _match_alternatives(source: Sequence[JSON], target: Sequence[JSON]) -> dict[str, str]:
    """The index in the document of each alternative but null; {} if some were merged or split."""
    old, new = _indexes_but_null(source), _indexes_but_null(target)
    return dict(zip(old, new, strict=True)) if len(old) == len(new) else {}


def _indexes_but_null(branches: Sequence[JSON]) -> list[str]:
    return [str(index) for index, branch in enumerate(branches) if not is_null(branch)]


def _is_merged(source: JSON, target: JSON) -> bool:
    """Whether the document has other combinations of schemas here.

    `oneOf` may have become `anyOf`.
    """
    before = _COMBINING & members_of(source).keys()
    after = members_of(target).keys()
    if before == {"oneOf"} and "anyOf" in after:
        return False
    return not before <= after


def _has_same_names(source: JSON, target: JSON) -> bool:
    return members_of(source).keys() == members_of(target).keys()


def _at(value: JSON, pointer: str) -> JSON:
    return cast("JSON", resolve_pointer(value, pointer))
