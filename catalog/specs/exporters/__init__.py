"""A tool as other programs want it, and what of its spec is not the same there.

Nothing here knows Django.

    rules          what each format asks for: dated tables with their sources
    formats        a tool in each format, put together; `openapi` is one of them
    jobs           one export on its way
    glancing       which formats take a tool as it is
    naming         legal names, and aliases for illegal ones
    whole          schemas for formats that take JSON Schema but for a few rules
    subsets        schemas for formats that take a part of it; which part, and which types, is `subset_types`
    limits         how large a schema in OpenAI's strict mode may be
    flattening     a schema without `$ref` and `allOf`
    rooting        the outermost schema as one object
    telling        constraints as sentences

Schemas of earlier drafts come through `schema_modernising`, what became of each part is said by `losses`.
"""

from __future__ import annotations

from dataclasses import dataclass

from catalog.conversion_report import Loss
from catalog.specs.exporters.compatibility import usable_as_it_is
from catalog.specs.exporters.conversion import Export, Verdict
from catalog.specs.exporters.formats import FORMATS, Format, build
from catalog.specs.spec import ToolSpec

__all__ = ["FORMATS", "Export", "Fit", "Format", "Loss", "Verdict", "export", "matrix", "usable_as_it_is"]


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a tool fits a format."""

    format: Format
    export: Export

    @property
    def verdict(self) -> Verdict:
        return self.export.verdict

    @property
    def rewritten(self) -> int:
        return sum(loss.what == "rewritten" for loss in self.export.losses)

    @property
    def dropped(self) -> int:
        return sum(loss.what == "dropped" for loss in self.export.losses)


def export(spec: ToolSpec, key: str) -> Export:
    """`spec` in the format `key`. Some 0.1 to 0.5 ms for a typical spec.

    Raises:
        KeyError: there is no such format.
    """
    return build(spec, FORMATS[key])


def matrix(spec: ToolSpec) -> tuple[Fit, ...]:
    """How well `spec` fits every format, in their order."""
    return tuple(Fit(target, build(spec, target)) for target in FORMATS.values())
