"""One export in progress, and its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from toolspec.conversion_report import Loss, Report, is_within
from toolspec.exports.aliases import alias
from toolspec.exports.format_rules import Rules
from toolspec.exports.full_schema import NOTHING, whole_object
from toolspec.exports.merge_all_of import TooLarge
from toolspec.exports.object_root import NotAnObject, object_root
from toolspec.exports.restricted_keywords import explain_renaming
from toolspec.exports.restricted_schema import SubsetWriter
from toolspec.schema.normalize import Schema, is_outdated, normalize
from toolspec.spec import ToolSpec
from toolspec.text.pointers import split_pointer
from toolspec.text.reader import JSON

Verdict = Literal["as it is", "with changes", "not usable"]

DEFINITION: Final = "/definition"
NAME: Final = "/definition/name"
DESCRIPTION: Final = "/definition/description"
PARAMETERS: Final = "/definition/parameters"
RETURN_TYPE: Final = "/definition/returnType"
EXAMPLES: Final = "/definition/examples"
CONFIGURATION: Final = "/configuration"

_FOR_MODELS: Final = (NAME, DESCRIPTION, PARAMETERS)
_PARTS: Final = {"returnType": "return type", "returnValue": "responses"}


@dataclass(frozen=True, slots=True)
class Export:
    """A tool in another format.

    Attributes:
        rules: of the format.
        losses: for each part of the spec, by pointer: whether it was kept, rewritten or dropped,
            and why.
        renamed: new names of members whose own names are illegal in the format, by pointer into the
            spec. A program that calls the tool has to translate them back.
        obstacles: why the provider would reject the document anyway; empty for a usable one.
        parts: the pointer into the document of each exported part, by its pointer into the spec.
    """

    rules: Rules
    document: Schema
    losses: tuple[Loss, ...]
    renamed: Mapping[str, str] = field(default_factory=dict)
    obstacles: tuple[str, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """Whether the format can be used: "as it is" if what a model sees is unchanged."""
        if self.obstacles:
            return "not usable"
        return "with changes" if self.changes_for_models else "as it is"

    @property
    def changes(self) -> tuple[Loss, ...]:
        """The parts that were rewritten or dropped."""
        return tuple(loss for loss in self.losses if loss.what != "kept")

    @property
    def rewritten(self) -> int:
        return sum(loss.what == "rewritten" for loss in self.losses)

    @property
    def dropped(self) -> int:
        return sum(loss.what == "dropped" for loss in self.losses)

    @property
    def changes_for_models(self) -> tuple[Loss, ...]:
        """The changes in the parts that a model sees: name, description and parameters."""
        return tuple(loss for loss in self.changes if is_within(loss.pointer, *_FOR_MODELS))

    @property
    def left_out(self) -> tuple[str, ...]:
        """The parts that the format has no field for and a model does not see, as words."""
        names = []
        for loss in self.changes:
            tokens = split_pointer(loss.pointer.removeprefix(DEFINITION))
            if loss.what != "dropped" or loss.pointer in _FOR_MODELS:
                continue
            if len(tokens) == 1:
                names.append(_PARTS.get(tokens[0], tokens[0]))
            elif tokens[0] == "examples":
                names.append(_PARTS.get(tokens[-1], "some examples"))
        return tuple(dict.fromkeys(names))

    @property
    def other_changes(self) -> int:
        """The number of changes in the other parts."""
        return len(self.changes) - len(self.changes_for_models)


@dataclass(slots=True)
class Job:
    """One export in progress; each format records in `parts` where it put each part."""

    spec: ToolSpec
    rules: Rules
    report: Report = field(default_factory=Report)
    renamed: dict[str, str] = field(default_factory=dict)
    obstacles: list[str] = field(default_factory=list)
    parts: dict[str, str] = field(default_factory=dict)

    def name(self) -> str:
        """The tool's name if it is legal, else its alias."""
        name = alias(self.spec.name, self.rules.name)
        if name != self.spec.name:
            reason = explain_renaming(self.spec.name, name, self.rules.label, self.rules.name)
            self.report.rewritten(NAME, reason)
        return name

    def parameters(self) -> Schema:
        """The parameters as an object; without members if they cannot be one."""
        parameters = self.spec.parameters
        if parameters is None:
            return dict(NOTHING)
        try:
            schema, renamed = whole_object(parameters, PARAMETERS, self.rules, self.report)
        except (NotAnObject, TooLarge) as error:
            self.obstacles.append(str(error))
            return dict(NOTHING)
        self.renamed |= renamed
        return schema

    def subset(self, schema: JSON, pointer: str, *, obstacles: list[str]) -> Schema:
        """`schema` in the provider's subset of JSON Schema.

        Adds to `obstacles` if it cannot be expressed.
        """
        subset = self.rules.subset
        assert subset is not None  # noqa: S101 - for mypy: the rules of such a format have one
        modern = normalize(schema, pointer=pointer, report=self.report)
        try:
            modern.root = object_root(modern, pointer=pointer, report=self.report)
            writer = SubsetWriter(modern, subset, self.report)
            document = writer.document()
        except (NotAnObject, TooLarge) as error:
            obstacles.append(str(error))
            return {}
        if isinstance(schema, dict) and "$schema" in schema:
            if subset.drafts and not is_outdated(schema):
                document = {"$schema": schema["$schema"], **document}
            else:
                reason = f"{subset.label} does not support `$schema`."
                self.report.dropped(f"{pointer}/$schema", reason)
        if pointer == PARAMETERS:
            self.renamed |= writer.renamed
        if not self.report.changes(pointer) and not _are_same_except_order(document, schema):
            self.report.rewritten(pointer, "Rewritten with the same meaning.")
        return document


def _are_same_except_order(document: JSON, schema: JSON) -> bool:
    """Whether both are equal, but for the order of members and empty keywords that are added."""
    if isinstance(document, list) and isinstance(schema, list):
        return len(document) == len(schema) and all(map(_are_same_except_order, document, schema))
    if not isinstance(document, dict) or not isinstance(schema, dict):
        return document == schema
    if document.keys() - schema.keys() - _UNINFORMATIVE or schema.keys() - document.keys():
        return False
    for name, member in schema.items():
        is_same = _are_same_names if name == "required" else _are_same_except_order
        if not is_same(document[name], member):
            return False
    return True


def _are_same_names(names: JSON, others: JSON) -> bool:
    if not isinstance(names, list) or not isinstance(others, list):
        return _are_same_except_order(names, others)  # a member named "required"
    return sorted(map(str, names)) == sorted(map(str, others))


_UNINFORMATIVE: Final = frozenset({"properties", "required", "propertyOrdering"})
