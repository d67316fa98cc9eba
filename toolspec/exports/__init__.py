"""Tools exported to other formats, with a report of the changes.

    format_rules         the requirements of each format: dated tables with their sources
    formats              builds a tool in each format, and in all for comparison, with `openapi`
    conversion           one export in progress, and its result
    loss_positions       the line of each loss in the exported document
    aliases              legal names, and aliases for illegal ones
    full_schema          schemas for formats that accept nearly all of JSON Schema
    restricted_schema    schemas for formats that accept a subset of it; type_mapping: which
    restricted_keywords  the keywords of one schema in such a format
    size_limits          the limits of a schema in OpenAI's strict mode
    merge_all_of         a schema without `$ref` and `allOf`
    object_root          the outermost schema as one object

Schemas of earlier drafts are converted by `toolspec.schema.normalize`; `conversion_report` collects
the losses.
"""

from __future__ import annotations

from toolspec.conversion_report import Loss
from toolspec.exports.conversion import Export, Verdict
from toolspec.exports.format_rules import Rules
from toolspec.exports.formats import FORMATS, export, matrix, usable_as_it_is
from toolspec.exports.loss_positions import LocatedLoss, located_losses

__all__ = [
    "FORMATS",
    "Export",
    "LocatedLoss",
    "Loss",
    "Rules",
    "Verdict",
    "export",
    "located_losses",
    "matrix",
    "usable_as_it_is",
]
