"""The API's responses as JSON values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.urls import reverse

from catalog.conversion_report import Loss
from catalog.jsontext.reader import loads
from catalog.models import Tool
from catalog.publishing import Publication
from catalog.shortcuts import revision_of
from catalog.specs.lint import Advice
from catalog.uploads.parse import Origin
from catalog.uploads.store import Entry, counts_of


def tool_json(tool: Tool) -> dict[str, Any]:
    """A tool as JSON. Load its current revision beforehand (`for_rows`, `with_current`)."""
    return {
        "id": tool.tool_id,
        "slug": tool.slug,
        "name": tool.name,
        "description": tool.description,
        "revision": tool.current.number if tool.current else 0,
        "runnable": tool.runnable,
        "configurable": tool.configurable,
        "examples": tool.has_examples,
        "returns": tool.has_return_type,
        "archived": tool.archived,
        "score": tool.score,
        "usable": list(tool.usable),
        "owner": tool.owner.username if tool.owner else None,
        "toolkit": tool.toolkit,
        "tags": tool.tags,
        "deprecation": _deprecation_json(tool) if tool.deprecated else None,
        "created_at": tool.created_at,
        "updated_at": tool.updated_at,
    }


def _deprecation_json(tool: Tool) -> dict[str, Any]:
    successor = tool.superseded_by
    return {
        "since": tool.deprecated_at,
        "note": tool.deprecation_note,
        "superseded_by": {"id": successor.tool_id, "slug": successor.slug} if successor else None,
        "by_spec": not tool.deprecation_chosen,
    }


def tool_with_spec(tool: Tool) -> dict[str, Any]:
    revision = revision_of(tool)
    return tool_json(tool) | {"sha256": revision.sha256, "spec": revision.spec.document}


def publication_json(publication: Publication, *, dry_run: bool) -> dict[str, Any]:
    return {"outcome": publication.outcome, "dry_run": dry_run, "tool": tool_json(publication.tool)}


def advice_json(advice: Advice) -> dict[str, Any]:
    """A finding of lint as JSON."""
    return advice.as_json() | {"help": reverse("catalog:lint_rule", args=[advice.rule])}


def report_json(entries: list[Entry], *, dry_run: bool) -> dict[str, Any]:
    """The report of an upload as JSON, for the API and the commands."""
    return {
        "dry_run": dry_run,
        "counts": counts_of(entries),
        "specs": [
            {
                "source": entry.source,
                "line": entry.line,
                "outcome": entry.outcome,
                "tool": _uploaded_tool(entry),
                "imported": _imported(entry.origin, with_spec=dry_run) if entry.origin else None,
                "problems": [fault.problem.as_json() for fault in entry.faults],
            }
            for entry in entries
        ],
    }


def _uploaded_tool(entry: Entry) -> dict[str, Any] | None:
    if entry.outcome == "rejected":
        return None
    return {
        "id": entry.tool_id,
        "name": entry.name,
        "slug": entry.slug,
        "revision": entry.revision,
        "archived": entry.archived,
    }


def _imported(origin: Origin, *, with_spec: bool) -> dict[str, Any]:
    return {
        "format": origin.format,
        "pointer": origin.pointer,
        "notes": origin.notes,
        "losses": losses_json(origin.losses),
        "spec": loads(origin.text) if with_spec and origin.text else None,
    }


def losses_json(losses: Iterable[Loss]) -> list[dict[str, str]]:
    return [{"pointer": loss.pointer, "what": loss.what, "reason": loss.reason} for loss in losses]
