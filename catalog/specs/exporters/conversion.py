"""One export on its way, and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from catalog.conversion_report import Loss, Report, is_within
from catalog.json_schema.normalize import Schema, is_outdated, normalized
from catalog.jsontext.reader import JSON
from catalog.specs.exporters.aliases import alias
from catalog.specs.exporters.full_schema import NOTHING, whole_object
from catalog.specs.exporters.merge_all_of import TooLarge
from catalog.specs.exporters.object_root import NotAnObject, object_root
from catalog.specs.exporters.providers import Rules
from catalog.specs.exporters.restricted_schema import SubsetWriter, renaming
from catalog.specs.exporters.type_mapping import Subset
from catalog.specs.spec import ToolSpec

Verdict = Literal["as it is", "with changes", "not usable"]

NAME: Final = "/definition/name"
DESCRIPTION: Final = "/definition/description"
PARAMETERS: Final = "/definition/parameters"
RETURN_TYPE: Final = "/definition/returnType"
EXAMPLES: Final = "/definition/examples"
CONFIGURATION: Final = "/configuration"

_FOR_MODELS: Final = (NAME, DESCRIPTION, PARAMETERS)


@dataclass(frozen=True, slots=True)
class Export:
    """A tool in another format.

    Attributes:
        losses: what became of each part of the spec: kept, rewritten or dropped, by pointer.
        renamed: the names of members that the format does not allow, by pointer into the spec: what they are called in
            the document. A caller gives them their own names back.
        obstacles: why the document would be refused even so; empty where it would not.
    """

    format: str
    document: Schema
    losses: tuple[Loss, ...]
    renamed: Mapping[str, str] = field(default_factory=dict)
    obstacles: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Whether the tool can be used there: "as it is" means that what a model sees of it was not touched."""
        if self.obstacles:
            return "not usable"
        touched = any(
            loss.what != "kept" and any(is_within(loss.pointer, part) for part in _FOR_MODELS) for loss in self.losses
        )
        return "with changes" if touched else "as it is"

    @property
    def changes(self) -> tuple[Loss, ...]:
        """What was rewritten or dropped."""
        return tuple(loss for loss in self.losses if loss.what != "kept")


@dataclass(slots=True)
class Job:
    """One export on its way."""

    spec: ToolSpec
    rules: Rules
    report: Report = field(default_factory=Report)
    renamed: dict[str, str] = field(default_factory=dict)
    obstacles: list[str] = field(default_factory=list)

    def name(self) -> str:
        """The tool's name where it is allowed, else its alias."""
        name = alias(self.spec.name, self.rules.name)
        if name != self.spec.name:
            self.report.rewritten(NAME, renaming(self.spec.name, name, self.rules.label, self.rules.name))
        return name

    def parameters(self) -> Schema:
        """The parameters as an object, or as much of them as can be one."""
        if self.spec.parameters is None:
            return dict(NOTHING)
        try:
            schema, renamed = whole_object(self.spec.parameters, PARAMETERS, self.rules, self.report)
        except (NotAnObject, TooLarge) as error:
            self.obstacles.append(str(error))
            return dict(NOTHING)
        self.renamed |= renamed
        return schema

    def subset(self, schema: JSON, pointer: str, subset: Subset, *, obstacles: list[str]) -> Schema:
        """`schema` in what the provider understands; what stands in the way is added to `obstacles`."""
        modern = normalized(schema, pointer=pointer, report=self.report)
        try:
            root = object_root(modern, pointer=pointer, report=self.report)
            modern.root = root
            writer = SubsetWriter(modern, subset, self.report)
            document = writer.document(root)
        except (NotAnObject, TooLarge) as error:
            obstacles.append(str(error))
            return {}
        if isinstance(schema, dict) and "$schema" in schema:
            if subset.drafts and not is_outdated(schema):
                document = {"$schema": schema["$schema"], **document}
            else:
                self.report.dropped(f"{pointer}/$schema", f"{subset.label} does not know `$schema`.")
        if pointer == PARAMETERS:
            self.renamed |= writer.renamed
        if not self.report.changes(pointer) and not _same_but_for_order(document, schema):
            self.report.rewritten(pointer, "The same is said in other words there.")
        return document

    def drop(self, pointer: str, reason: str, *, present: bool) -> None:
        if present:
            self.report.dropped(pointer, reason)


def _same_but_for_order(document: JSON, schema: JSON) -> bool:
    """Whether `document` is `schema`, and no more than what says nothing."""
    if isinstance(document, list) and isinstance(schema, list):
        return len(document) == len(schema) and all(map(_same_but_for_order, document, schema))
    if not isinstance(document, dict) or not isinstance(schema, dict):
        return document == schema
    present = {name for name in document if name in schema or name not in _UNINFORMATIVE}
    return present == schema.keys() and all(
        _same_names(document[name], schema[name])
        if name == "required"
        else _same_but_for_order(document[name], schema[name])
        for name in present
    )


def _same_names(names: JSON, others: JSON) -> bool:
    if not isinstance(names, list) or not isinstance(others, list):
        return _same_but_for_order(names, others)  # it is a member that is called so
    return sorted(map(str, names)) == sorted(map(str, others))


_UNINFORMATIVE: Final = frozenset({"properties", "required", "propertyOrdering"})
