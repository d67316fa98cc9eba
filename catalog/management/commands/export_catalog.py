"""Write the current specs of the catalog to a file that `load_specs` can read."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db.models import F, QuerySet, Sum

from catalog.access.models import EVERYONE, Toolkit
from catalog.exports.exported_tools import ExportedTool, exported_line
from catalog.management.queries import tools_of_query
from catalog.tools.lint_models import Waiver
from catalog.tools.models import Tool
from toolshelf_core.commands import BaseCommand

TOOLS_PER_QUERY = 200


class Command(BaseCommand):
    help = (
        "Write the current spec of every tool as NDJSON, with its toolkit, tags, owner and visibility. The file "
        "contains usernames and names of groups, but no secrets. `load_specs` reads it. Earlier revisions, archived "
        "tools, deprecations and waivers stay behind."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "path",
            nargs="?",
            type=Path,
            metavar="PATH",
            help="the file; without it, or with -, stdout",
        )
        parser.add_argument(
            "--query", help="as on the catalog's page: only the tools that match, unless archived"
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        path: Path | None = options["path"]
        query: str | None = options["query"]
        found = Tool.objects.all() if query is None else tools_of_query(query)
        tools = found.filter(archived_at=None).exclude(current=None)
        if path is None or str(path) == "-":
            for line in _lines(tools):
                sys.stdout.buffer.write(line.encode())
            sys.stdout.buffer.flush()
        else:
            _write(path, _lines(tools))
        self.stderr.write(_summary(found, tools))


def _write(path: Path, lines: Iterator[str]) -> None:
    unfinished = path.with_name(f"{path.name}.part")
    try:
        with unfinished.open("wb") as file:
            file.writelines(line.encode() for line in lines)
        unfinished.replace(path)
    except OSError as error:
        raise CommandError(str(error), returncode=2) from error
    finally:
        unfinished.unlink(missing_ok=True)


def _lines(tools: QuerySet[Tool]) -> Iterator[str]:
    """The line of each tool, in the order of keys."""
    toolkits = {
        toolkit.key: toolkit
        for toolkit in Toolkit.objects.exclude(visibility=EVERYONE).prefetch_related("groups")
    }
    rows = tools.select_related("current", "owner").prefetch_related("groups").order_by("pk")
    for tool in rows.iterator(chunk_size=TOOLS_PER_QUERY):
        if tool.current is not None:
            exported = _read_metadata(tool, toolkits.get(tool.toolkit_key))
            yield exported_line(exported, tool.current.source)


def _read_metadata(tool: Tool, toolkit: Toolkit | None) -> ExportedTool:
    """What people set for `tool`; `toolkit` is its toolkit, if that is restricted."""
    restricting = tool if tool.visibility else toolkit
    visibility = restricting.visibility if restricting else None
    groups = restricting.groups.all() if restricting else ()
    return ExportedTool(
        toolkit=tool.toolkit if tool.toolkit_chosen else None,
        tags=tuple(tool.added_tags.splitlines()),
        owner=tool.owner.username if tool.owner else "",
        visibility="" if visibility in {None, EVERYONE} else str(visibility),
        groups=tuple(sorted(group.name for group in groups)),
    )


def _summary(found: QuerySet[Tool], exported: QuerySet[Tool]) -> str:
    """How many tools were exported, and what stays behind."""
    count = exported.count()
    earlier = exported.aggregate(number=Sum(F("current__number") - 1))["number"] or 0
    behind = {
        "earlier revisions": earlier,
        "archived tools": found.exclude(archived_at=None).count(),
        "deprecations": exported.filter(deprecation_chosen=True).count(),
        "waivers": Waiver.objects.filter(tool__in=exported.values("pk")).count(),
    }
    counts = ", ".join(f"{number:,} {noun}" for noun, number in behind.items())
    return f"{count:,} tools exported. Left behind: {counts}."
