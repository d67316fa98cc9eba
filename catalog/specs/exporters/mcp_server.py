"""A tool as this site's own MCP server lists it, which differs from an export for servers elsewhere.

Its schemas are 2020-12, because hosts refuse tools with `$schema: draft-07`. Of the fields of MCP that a spec may
hold, those are left out that promise what only the original server can do: `execution` (tasks) and `_meta`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from catalog.conversion_report import Report
from catalog.json_schema.normalize import Schema, is_outdated, normalized
from catalog.jsontext.reader import JSON
from catalog.specs.exporters import format_rules
from catalog.specs.exporters.aliases import alias
from catalog.specs.exporters.conversion import RETURN_TYPE, Export, Job
from catalog.specs.exporters.formats import Format, build, mcp_without_output
from catalog.specs.spec import ToolSpec

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"

_RULES: Final = replace(format_rules.MCP, reads_drafts=False)
_OF_THE_ORIGINAL_SERVER: Final = ("execution", "_meta")


def served_name(name: str) -> str:
    """`name` if MCP allows it, else its alias."""
    return alias(name, _RULES.name)


def served_tool(spec: ToolSpec, *, any_result: bool) -> Export:
    """`spec` as a tool of this site's MCP server.

    Args:
        spec: the tool's spec.
        any_result: whether a result may be any JSON value, as since 2026-07-28; before, `outputSchema` is left out
            unless the return type is an object.
    """
    return build(spec, _ANY_RESULT if any_result else _OBJECT_RESULT)


def _served(job: Job) -> Schema:
    tool = mcp_without_output(job)
    for field in _OF_THE_ORIGINAL_SERVER:
        tool.pop(field, None)
    tool["inputSchema"] = _undated(tool["inputSchema"])
    return tool


def _with_any_result(job: Job) -> Schema:
    tool = _served(job)
    if job.spec.return_type is not None:
        schema = _modern(job.spec.return_type, job.report)
        anything: Schema = {}
        tool["outputSchema"] = schema if isinstance(schema, dict) else anything if schema else {"not": anything}
    return tool


def _with_object_result(job: Job) -> Schema:
    tool = _served(job)
    schema = _modern(job.spec.return_type, job.report)
    if isinstance(schema, dict) and schema.get("type") == "object":
        tool["outputSchema"] = schema
    return tool


def _modern(schema: JSON, report: Report) -> JSON:
    if isinstance(schema, dict) and is_outdated(schema):
        schema = normalized(schema, pointer=RETURN_TYPE, report=report).together()
    return _undated(schema)


def _undated(schema: JSON) -> JSON:
    """`schema`, which means the same in 2020-12, without the name of an earlier draft."""
    if not isinstance(schema, dict) or schema.get("$schema", DRAFT) == DRAFT:
        return schema
    return {keyword: value for keyword, value in schema.items() if keyword != "$schema"}


_ANY_RESULT: Final = Format(_RULES, _with_any_result)
_OBJECT_RESULT: Final = Format(_RULES, _with_object_result)
