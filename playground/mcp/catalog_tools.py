"""The tools of /mcp: search the catalog, read about a tool, and call it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

from accounts.models import Person
from catalog.access.models import Audience
from catalog.lint.reports import LintReport
from catalog.search.catalog_search import CatalogSearch
from catalog.search.matches import list_matches
from catalog.search.pagination import BadCursor, Cursor
from catalog.search.results import Result, page_of
from catalog.search.url_parameters import add_filters
from catalog.tools.lookup import revision_of
from catalog.tools.models import Tool
from playground.configurations.compiled_spec import compiled_spec_of
from playground.mcp.protocol import (
    INVALID_PARAMS,
    NOT_A_STRING,
    Message,
    ProtocolError,
    object_in,
    quote,
    shorten,
    status_of,
)
from playground.mcp.results import Result as CallResult
from playground.mcp.results import error_result, value_result
from playground.mcp.toolsets import Call, ToolPage
from toolshelf_core.caching import MAX_CHARACTERS, LRUCache
from toolspec.catalog_names import group_key
from toolspec.exports import matrix
from toolspec.exports.mcp_server import served_tool
from toolspec.schema.validation import compile_schema
from toolspec.text.reader import JSON, dumps

MAX_DESCRIPTION_CHARACTERS: Final = 400  # in a list
MAX_FINDINGS: Final = 50

_pages: LRUCache[dict[str, JSON]] = LRUCache(
    max_weight=MAX_CHARACTERS, weigh=lambda page: len(dumps(page))
)
_TOOLS: Final[list[dict[str, JSON]]] = json.loads(
    Path(__file__).with_suffix(".json").read_text(encoding="utf-8")
)


@dataclass(frozen=True, slots=True)
class CatalogTools:
    """The tools of /mcp, for the tools that `person` may see; `mock`: call_tool returns mocks."""

    person: Person
    mock: bool = False
    name: str = "toolshelf"
    title: str = "Toolshelf"
    instructions: str = (
        "Toolshelf is a catalog of LLM tools. Find a tool with search_tools, read its spec with "
        "describe_tool, and run it with call_tool."
    )

    def page(self, cursor: str | None, message: Message) -> ToolPage:
        if cursor is not None:
            raise ProtocolError(
                INVALID_PARAMS, "This list has only one page.", status=status_of(message)
            )
        return ToolPage(tuple(dumps(tool) for tool in _TOOLS))

    def needs_run_scope(self, name: str) -> bool:
        return name == "call_tool"

    def call(self, name: str, arguments: JSON, message: Message) -> CallResult | Call:
        """The result of the call, or the call of a tool of the catalog, which is to be run.

        Raises:
            ProtocolError: there is no tool of this name.
        """
        if name not in _ARGUMENTS:
            text = (
                f"Unknown tool: {shorten(name)}. "
                "This server has search_tools, describe_tool and call_tool."
            )
            raise ProtocolError(INVALID_PARAMS, text, status=status_of(message))
        problems = _ARGUMENTS[name].check(arguments).problems
        if problems:
            lines = [f"- {each.pointer or 'arguments'}: {each.message}" for each in problems]
            return error_result("\n".join([f"The arguments do not fit {name}:", *lines]))
        assert isinstance(arguments, dict)  # noqa: S101 - for mypy: its schema has checked it
        if name == "search_tools":
            return _search(arguments, message, self.person)
        tool = _find_tool(str(arguments["tool"]), self.person)
        if tool is None:
            return error_result(_explain_unknown(str(arguments["tool"]), self.person))
        if name == "describe_tool":
            return value_result(_describe(tool), any_value=message.is_modern)
        timeout = arguments.get("timeout_s")
        parameters = _read_parameters(arguments.get("arguments", {}), tool)
        if parameters is None:
            return error_result(NOT_A_STRING)
        served = served_tool(revision_of(tool).spec, any_result=True)
        return Call(
            tool=tool,
            arguments=served.parameters_of(parameters[0]),
            mode="mock" if self.mock else "live",
            timeout_s=None if timeout is None else float(str(timeout)),
        )


_ARGUMENTS: Final = {str(tool["name"]): compile_schema(tool["inputSchema"]) for tool in _TOOLS}


def _read_parameters(arguments: JSON, tool: Tool) -> tuple[JSON] | None:
    """The parameters that a model sends as `arguments`, which some write as the text of an object.

    Returns:
        None: it is a text that `tool` does not accept and that is not an object.
    """
    if not isinstance(arguments, str):
        return (arguments,)
    schema = compiled_spec_of(revision_of(tool)).parameters
    if schema is not None and schema.check(arguments).verdict == "conforms":
        return (arguments,)
    parameters = object_in(arguments)
    if parameters is not None:
        return (parameters,)
    return (arguments,) if schema is None else None


def _search(arguments: dict[str, JSON], message: Message, person: Person) -> CallResult:
    cursor = arguments.get("cursor")
    filters: dict[str, str | bool | None] = {}
    runnable = arguments.get("runnable")
    if isinstance(runnable, bool):
        filters["runnable"] = runnable
    toolkit = arguments.get("toolkit")
    if isinstance(toolkit, str) and group_key(toolkit):
        filters["toolkit"] = toolkit
    try:
        position = Cursor.decode(cursor) if isinstance(cursor, str) else None
    except BadCursor:
        return error_result("This cursor is not valid; use `next_cursor` of the previous page.")
    search = CatalogSearch(
        words=add_filters(str(arguments.get("query", "")), filters),
        cursor=position,
        limit=int(Decimal(str(arguments.get("limit", 10)))),  # 10.0 is an integer in JSON Schema
        visibility=Audience.objects.visibility_for(person),
        person=person,
    )
    key = (search.depends_on, search.cursor, search.limit)
    page = _pages.get_or_compute(key, lambda: _make_page(search))
    return value_result(page, any_value=message.is_modern)


def _make_page(search: CatalogSearch) -> dict[str, JSON]:
    page = page_of(search)
    content: dict[str, JSON] = {
        "tools": [_describe_result(result) for result in page.results],
        "count": page.count,
    }
    if page.next:
        content["next_cursor"] = page.next
    problems: list[JSON] = []
    for problem in search.query.problems:
        advice = f" Write {problem.instead}." if problem.instead else ""
        problems.append(problem.message + advice)
    if problems:
        content["problems"] = problems
    return content


def _describe_result(result: Result) -> JSON:
    tool = result.tool
    description = tool.description
    if len(description) > MAX_DESCRIPTION_CHARACTERS:
        description = f"{description[:MAX_DESCRIPTION_CHARACTERS].rstrip()}…"
    matches: list[JSON] = []
    for match in list_matches(result):
        members = {name: value for name, value in match.items() if value is not None}
        members.pop("marks", None)
        matches.append(members)
    return {
        "id": tool.tool_id,
        "name": tool.name,
        "description": description,
        "toolkit": tool.toolkit,
        "runnable": tool.runnable,
        "deprecated": tool.deprecated,
        "exact": result.exact,
        "matched": matches,
    }


def _find_tool(name: str, person: Person) -> Tool | None:
    """The tool with this id, or else with this slug, if `person` may see it."""
    visibility = Audience.objects.visibility_for(person)
    tools = Tool.objects.with_visibility(visibility).with_current().filter(current__isnull=False)
    tool = tools.filter(tool_id=name).first() or tools.filter(slug=name).first()
    if tool:
        tool.hide_successor(visibility)
    return tool


def _explain_unknown(name: str, person: Person) -> str:
    visibility = Audience.objects.visibility_for(person)
    words = re.sub(r"[\W_]+", " ", name)[:200]
    similar = page_of(CatalogSearch(words=words, limit=3, visibility=visibility)).results
    ids = ", ".join(repr(result.tool.tool_id) for result in similar)
    advice = f"Similar ones: {ids}." if ids else "Find tools with search_tools."
    return f"No tool has the id {quote(name)}. {advice}"


def _describe(tool: Tool) -> JSON:
    revision = tool.current
    # For mypy: `_find_tool` finds only tools with a revision.
    assert revision is not None  # noqa: S101
    report = LintReport(revision, list(tool.waivers.all()))
    findings: list[JSON] = [
        {
            "rule": finding.rule,
            "severity": finding.severity,
            "pointer": finding.problem.pointer,
            "message": finding.problem.message,
        }
        for finding in report.unwaived
    ]
    deprecation: JSON = None
    if tool.deprecation:
        successor = tool.deprecation.superseded_by
        successor_id = successor.tool_id if successor else None
        deprecation = {"note": tool.deprecation.note, "superseded_by": successor_id}
    return {
        "id": tool.tool_id,
        "name": tool.name,
        "description": tool.description,
        "revision": revision.number,
        "runnable": tool.runnable,
        "toolkit": tool.toolkit,
        "tags": [*tool.tags],
        "deprecation": deprecation,
        "spec": revision.spec.document,
        "lint": {
            "score": report.score,
            "findings": findings[:MAX_FINDINGS],
            "count": len(findings),
        },
        "compatibility": [
            {
                "format": fit.rules.key,
                "verdict": fit.verdict,
                "rewritten": fit.rewritten,
                "dropped": fit.dropped,
                "obstacles": [*fit.obstacles],
            }
            for fit in matrix(revision.spec)
        ],
    }
