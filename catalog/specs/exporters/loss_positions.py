"""The line of each loss in the exported document.

A loss has a pointer into the spec. It is followed in the spec and in the document side by side, as far as both
correspond: in the document, a member may be renamed, alternatives and `allOf` merged, a definition moved or
inlined. If the document has no counterpart, the line is that of the innermost value around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, cast
from urllib.parse import unquote

from catalog.conversion_report import Loss, is_within
from catalog.json_schema.index import SchemaMap
from catalog.json_schema.normalize import MAX_NODES, Schema
from catalog.jsontext.containers import items_of, members_of
from catalog.jsontext.pointers import exists_at, pointer_join, resolve_pointer, split_pointer
from catalog.jsontext.positions import locate
from catalog.jsontext.reader import JSON
from catalog.specs.exporters.conversion import PARAMETERS, RETURN_TYPE, Export
from catalog.specs.exporters.type_mapping import is_null
from catalog.specs.spec import ToolSpec

MAX_REFERENCES: Final = 20  # nested, followed for one loss

_DEFINITIONS: Final = frozenset({"$defs", "definitions"})
_BY_NAME: Final = frozenset({"properties", "patternProperties", "dependentSchemas"}) | _DEFINITIONS
_UNIONS: Final = frozenset({"anyOf", "oneOf"})
_COMBINING: Final = _UNIONS | {"allOf"}


@dataclass(frozen=True, slots=True)
class LocatedLoss(Loss):
    """A loss and its line in the document.

    Attributes:
        line: from 1.
        missing: the path from the value at the line to the part of the spec, such as "minLength"; "" if the value is
            that part itself.
    """

    line: int
    missing: str


def located_losses(spec: ToolSpec, exported: Export, text: str) -> tuple[LocatedLoss, ...]:
    """The changes of `exported`, with their lines in `text`, which is its document. It takes linear time."""
    schemas = {
        part: _Schema(schema, part, exported)
        for part, schema in ((PARAMETERS, spec.parameters), (RETURN_TYPE, spec.return_type))
        if part in exported.parts
    }
    found: list[tuple[Loss, str, list[str]]] = []
    for loss in exported.changes:
        part = _part_around(loss.pointer, exported.parts)
        rest = split_pointer(loss.pointer.removeprefix(part))
        pointer = exported.parts.get(part, "")
        if part in schemas:
            pair, rest = schemas[part].follow(rest)
            pointer = pair.target_pointer
        found.append((loss, pointer, rest))
    positions = locate(text, {pointer for _, pointer, _ in found})
    return tuple(
        LocatedLoss(loss.pointer, loss.what, loss.reason, positions[pointer][0], "/".join(rest))
        for loss, pointer, rest in found
    )


def _part_around(pointer: str, parts: Mapping[str, str]) -> str:
    """The innermost of `parts` around `pointer`; "" if there is none."""
    return max((part for part in parts if is_within(pointer, part)), key=len, default="")


@dataclass(frozen=True, slots=True)
class _Pair:
    """A value of the spec and its counterpart in the document."""

    source: JSON
    source_pointer: str
    target: JSON
    target_pointer: str

    def inner(self, token: str, new: str | None = None) -> _Pair | None:
        """The value at `token`, and its counterpart at `new` (the same token unless given); None if one is absent."""
        new = token if new is None else new
        try:
            source, target = (
                _at(self.source, pointer_join("", token)),
                _at(self.target, pointer_join("", new)),
            )
        except LookupError:
            return None
        if {type(source), type(target)} == {
            dict,
            list,
        }:  # such as `items`, which changed its meaning
            return None
        return _Pair(
            source,
            pointer_join(self.source_pointer, token),
            target,
            pointer_join(self.target_pointer, new),
        )


@dataclass(frozen=True)
class _Schema:
    """A schema of the spec, at `pointer`, which the document has in some form."""

    source: JSON
    pointer: str
    exported: Export
    _known_alternatives: dict[str, Mapping[str, str]] = field(default_factory=dict)

    @cached_property
    def root(self) -> _Pair:
        place = self.exported.parts[self.pointer]
        return _Pair(self.source, self.pointer, _at(self.exported.document, place), place)

    def follow(
        self, tokens: list[str], references: int = MAX_REFERENCES
    ) -> tuple[_Pair, list[str]]:
        """The innermost pair on the way from the root along `tokens`, and the tokens that the document lacks."""
        pair, tokens = self._enter_definition(tokens, references)
        is_merged = False
        while tokens:
            keyword, *rest = tokens
            is_merged = is_merged or _is_merged(members_of(pair.source), members_of(pair.target))
            if keyword in _BY_NAME and rest:
                named = pair.inner(keyword)
                if named is None:
                    break
                pair = named
                named = pair.inner(rest[0], self._new_name(pair, rest[0]))
                if named is None:
                    return pair, rest
                pair, tokens = named, rest[1:]
            elif keyword in _COMBINING and rest:
                branch = self._branch(pair, keyword, rest[0], is_merged=is_merged)
                if branch is None:
                    break
                pair, tokens = branch, rest[1:]
            else:
                inner = (
                    pair.inner(keyword) if rest or not is_merged else None
                )  # merged: it may be that of another branch
                if inner is None:
                    break
                pair, tokens = inner, rest
        return pair, tokens

    def _new_name(self, members: _Pair, name: str) -> str:
        return self.exported.renamed.get(pointer_join(members.source_pointer, name), name)

    def _branch(self, pair: _Pair, keyword: str, index: str, *, is_merged: bool) -> _Pair | None:
        """The pair of one of several combined schemas; None if its counterpart in the document is ambiguous."""
        became = (
            "anyOf" if keyword in _UNIONS and "anyOf" not in members_of(pair.source) else keyword
        )
        combined = pair.inner(keyword) or pair.inner(keyword, became)
        if combined is None:  # merged into the schema around it
            inner = pointer_join("", keyword, index)
            if not exists_at(
                pair.source, inner
            ):  # a loss of a normalized schema may be at a pointer of that
                return None
            return replace(
                pair, source=_at(pair.source, inner), source_pointer=pair.source_pointer + inner
            )
        if keyword == "allOf":
            return combined.inner(index)
        new = None if is_merged else self._alternatives(combined).get(index)
        return None if new is None else combined.inner(index, new)

    def _alternatives(self, union: _Pair) -> Mapping[str, str]:
        """The index in the document of each alternative but null; {} if some were merged or split."""
        if union.source_pointer not in self._known_alternatives:
            sources, targets = (
                [
                    str(index)
                    for index, branch in enumerate(items_of(branches))
                    if not is_null(branch)
                ]
                for branches in (union.source, union.target)
            )
            is_same = len(sources) == len(targets)
            self._known_alternatives[union.source_pointer] = (
                dict(zip(sources, targets, strict=True)) if is_same else {}
            )
        return self._known_alternatives[union.source_pointer]

    def _enter_definition(self, tokens: list[str], references: int) -> tuple[_Pair, list[str]]:
        """The pair to start from, and the tokens from there: the definition that `tokens` point into, else the root.

        Definitions are located through a reference, because the document may have renamed or inlined them.
        """
        prefixes = range(2, len(tokens) + 1) if tokens and tokens[0] in _DEFINITIONS else ()
        length = next(
            (end for end in prefixes if pointer_join("", *tokens[:end]) in self._referrers), 0
        )
        if not length:
            return self.root, tokens
        definition = pointer_join("", *tokens[:length])
        missing = tokens
        if references:
            referrer, missing = self.follow(
                split_pointer(self._referrers[definition]), references - 1
            )
        if missing:
            return replace(self.root, target=None), tokens
        source, source_pointer = _at(self.source, definition), self.pointer + definition
        return replace(
            self._referred(referrer), source=source, source_pointer=source_pointer
        ), tokens[length:]

    def _referred(self, referrer: _Pair) -> _Pair:
        """`referrer`, with the target that its own target refers to, if that is still a reference."""
        reference = members_of(referrer.target).get("$ref")
        if reference is None and members_of(referrer.source).keys() == {"$ref"}:
            either = items_of(
                members_of(referrer.target).get("anyOf")
            )  # of an optional member, which may be null
            reference = members_of(either[0]).get("$ref") if len(either) == 2 else None
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return referrer
        document, pointer = self.exported.document, unquote(reference[1:])
        for start in (self.root.target_pointer, ""):
            if exists_at(document, start + pointer):
                return replace(
                    referrer, target=_at(document, start + pointer), target_pointer=start + pointer
                )
        return referrer

    @cached_property
    def _referrers(self) -> dict[str, str]:
        """For each schema that is referred to, one that refers to it, preferably outside the definitions."""
        found: dict[str, str] = {}
        nodes = SchemaMap(self.source, max_nodes=MAX_NODES).nodes
        for node in sorted(
            nodes, key=lambda node: node.pointer.startswith(("/$defs/", "/definitions/"))
        ):
            for target in (
                reference.targets[0].pointer for reference in node.references if reference.targets
            ):
                if not is_within(node.pointer, target):
                    found.setdefault(target, node.pointer)
        return found


def _at(value: JSON, pointer: str) -> JSON:
    return cast("JSON", resolve_pointer(value, pointer))


def _is_merged(source: Schema, target: Schema) -> bool:
    """Whether the document has other combinations of schemas here; `oneOf` may have become `anyOf`."""
    combined = {keyword for keyword in _COMBINING if keyword in source}
    return not combined <= target.keys() and not (combined == {"oneOf"} and "anyOf" in target)
