"""A tool in the formats of other programs, and what of its spec changes on the way.

    providers            what each format requires: dated tables with their sources
    formats              builds a tool in each format; `openapi` is one of them
    conversion           one export in progress, and its result
    aliases              legal names, and aliases for illegal ones
    full_schema          schemas for formats that accept JSON Schema except for a few rules
    restricted_schema    schemas for formats that accept a part of it; `type_mapping` declares which part
    size_limits          how large a schema in OpenAI's strict mode may be
    merge_all_of         a schema without `$ref` and `allOf`
    object_root          the outermost schema as one object

Schemas of earlier drafts are converted by `json_schema.normalize`; `conversion_report` collects the losses.
"""

from __future__ import annotations

from dataclasses import dataclass

from catalog.conversion_report import Loss
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


def usable_as_it_is(spec: ToolSpec) -> tuple[str, ...]:
    """The keys of the formats in which a model sees exactly what `spec` declares. Some 1 ms for a typical spec.

    It builds every export, which adds 11 % to the CPU time of publishing one spec. The specs of a bulk upload are
    assessed in the background.
    """
    return tuple(fit.format.key for fit in matrix(spec) if fit.verdict == "as it is")
