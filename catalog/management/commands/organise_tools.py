"""Organise many tools with one command, like the pages and the API do for one tool."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandError

from catalog.management.queries import tools_of_query
from catalog.organise.metadata import UNCHANGED, Organisation
from catalog.organise.organise_many import BulkChange, Deprecation, change_many
from catalog.tools.models import Tool
from toolshelf_core.commands import BaseCommand
from toolspec.text.reader import JSON, dumps

STEP = 200


class Command(BaseCommand):
    help = (
        "Set the toolkit, tags or owner of tools, deprecate or archive them: tools with these ids, or all that a "
        "query finds. "
        "Prints the counts and the refusals on stderr, and {organised, refused: [{id, reason}]} as JSON on stdout, "
        "unless that is a terminal; exits with 1 if a tool was refused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ids", nargs="*", metavar="ID")
        parser.add_argument(
            "--query",
            help="as on the catalog's page: all tools that match, including archived ones",
        )
        toolkit = parser.add_mutually_exclusive_group()
        toolkit.add_argument("--toolkit", metavar="NAME", help='their new toolkit; "" for none')
        toolkit.add_argument(
            "--toolkit-of-id", action="store_true", help="use the toolkit in their ids"
        )
        parser.add_argument("--add-tag", action="append", default=[], metavar="TAG")
        parser.add_argument("--remove-tag", action="append", default=[], metavar="TAG")
        parser.add_argument("--owner", metavar="USER", help='their new owner; "" for none')
        deprecation = parser.add_mutually_exclusive_group()
        deprecation.add_argument(
            "--deprecate", metavar="NOTE", nargs="?", const="", help="deprecate them"
        )
        deprecation.add_argument("--undo-deprecation", action="store_true")
        parser.add_argument(
            "--superseded-by",
            metavar="ID",
            default="",
            help="with --deprecate: the id of the tool to use instead",
        )
        parser.add_argument("--archive", action="store_true", help="remove them from the lists")
        parser.add_argument(
            "--json", action="store_true", help="print the result as JSON on a terminal too"
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        if not options["ids"] and options["query"] is None:
            raise CommandError("Give the ids of tools, or --query.", returncode=2)
        if options["superseded_by"] and options["deprecate"] is None:
            raise CommandError("--superseded-by requires --deprecate.", returncode=2)
        result = change_many(_tools(options["ids"], options["query"]), _change_of(options), by=None)
        refused: list[JSON] = []
        for tool, reason in result.skipped:
            refused.append({"id": tool.tool_id, "reason": reason})
            self.stderr.write(f"{tool.tool_id}: {reason}")
        if self.prints_json(options):
            self.stdout.write(dumps({"organised": result.changed, "refused": refused}, indent=2))
        self.stderr.write(f"{result.changed:,} tools organised, {len(refused):,} refused")
        if refused:
            sys.exit(1)


def _tools(ids: list[str], query: str | None) -> Iterator[Tool]:
    """Each tool once, in the order of keys; read in steps, because a change may remove a tool from the result."""
    known = set(Tool.objects.filter(tool_id__in=ids).values_list("tool_id", flat=True))
    if missing := [tool_id for tool_id in ids if tool_id not in known]:
        raise CommandError(f"There is no tool {missing[0]!r}.", returncode=2)
    found = Tool.objects.filter(tool_id__in=ids) if query is None else tools_of_query(query)
    if query is not None and ids:
        found = found.filter(tool_id__in=ids)
    last = 0
    while tools := list(found.filter(pk__gt=last).order_by("pk")[:STEP]):
        yield from tools
        last = tools[-1].pk


def _change_of(options: dict[str, Any]) -> BulkChange:
    toolkit = UNCHANGED if options["toolkit"] is None else options["toolkit"]
    if options["toolkit_of_id"]:
        toolkit = None
    deprecation = None
    if options["deprecate"] is not None:
        deprecation = Deprecation(options["deprecate"], options["superseded_by"])
    owner = UNCHANGED if options["owner"] is None else options["owner"]
    return BulkChange(
        Organisation(toolkit, tuple(options["add_tag"]), tuple(options["remove_tag"]), owner),
        deprecation=deprecation,
        undo_deprecation=options["undo_deprecation"],
        archive=options["archive"],
    )
