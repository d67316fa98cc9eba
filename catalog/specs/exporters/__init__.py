"""A tool in the formats of other programs, and what of its spec changes on the way.

    providers            what each format requires: dated tables with their sources
    formats              builds a tool in each format; `openapi` is one of them
    conversion           one export in progress, and its result
    compatibility        how well a tool fits each format
    aliases              legal names, and aliases for illegal ones
    full_schema          schemas for formats that accept JSON Schema except for a few rules
    restricted_schema    schemas for formats that accept a part of it; `type_mapping` declares which part
    size_limits          how large a schema in OpenAI's strict mode may be
    merge_all_of         a schema without `$ref` and `allOf`
    object_root          the outermost schema as one object

Schemas of earlier drafts are converted by `json_schema.normalize`; `conversion_report` collects the losses.
"""

from __future__ import annotations

from catalog.conversion_report import Loss
from catalog.specs.exporters.compatibility import Fit, matrix, usable_as_it_is
from catalog.specs.exporters.conversion import Export, Verdict
from catalog.specs.exporters.formats import FORMATS, Format, build
from catalog.specs.spec import ToolSpec

__all__ = ["FORMATS", "Export", "Fit", "Format", "Loss", "Verdict", "export", "matrix", "usable_as_it_is"]


def export(spec: ToolSpec, key: str) -> Export:
    """`spec` in the format `key`. Some 0.1 to 0.5 ms for a typical spec.

    Raises:
        KeyError: there is no such format.
    """
    return build(spec, FORMATS[key])
