from __future__ import annotations

import getpass
import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from accounts.users import find_administrator
from catalog.sources.models import POLICIES
from catalog.sources.registration import SourceForm, add_source
from toolshelf_core.commands import BaseCommand
from toolspec.errors import DocumentError


class Command(BaseCommand):
    help = (
        "Add a source: an MCP server (--url, or --command for one that is started here) or an OpenAPI document "
        "(--openapi with a URL or a file). Then run sync_sources NAME. The ids of its tools begin with NAME and a dot."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME")
        origin = parser.add_mutually_exclusive_group(required=True)
        origin.add_argument("--url", help="the URL of an MCP server over HTTP")
        origin.add_argument(
            "--command", metavar="COMMAND", help="the command of an MCP server, with its arguments"
        )
        origin.add_argument(
            "--openapi", metavar="URL_OR_FILE", help="an OpenAPI or Swagger document"
        )
        parser.add_argument(
            "--header",
            action="append",
            default=[],
            metavar="NAME=VARIABLE",
            help="send the header NAME with the value of the environment variable VARIABLE; with --command, "
            "set NAME in the command's environment. `NAME=-` asks for the value",
        )
        parser.add_argument("--policy", choices=list(POLICIES), default="compatible")
        parser.add_argument("--every", type=int, metavar="MINUTES", help="sync on this schedule")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        kind, address, document = _origin(options)
        wanted = {
            "name": options["name"],
            "kind": kind,
            "address": address,
            "document": document,
            "headers": dict(_header(text) for text in options["header"]),
            "policy": options["policy"],
            "every_minutes": options["every"],
        }
        try:
            source = add_source(SourceForm(wanted, allow_command=True), by=find_administrator())
        except DocumentError as error:
            for problem in error.problems:
                self.stderr.write(f"{problem.pointer.removeprefix('/')}: {problem.message}")
            sys.exit(1)
        self.stderr.write(
            f"Added the source {source.name}. Read its tools with: manage.py sync_sources {source.name}"
        )


def _origin(options: dict[str, Any]) -> tuple[str, str, str]:
    """The kind, the address and the document."""
    if options["url"]:
        return "mcp-http", options["url"], ""
    if options["command"]:
        return "mcp-stdio", options["command"], ""
    given: str = options["openapi"]
    if "://" in given:
        return "openapi", given, ""
    try:
        return "openapi", "", Path(given).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"Cannot read the document: {error}", returncode=2) from error


def _header(text: str) -> tuple[str, str]:
    """The name and the value. Values are not arguments, which other users of the machine could list."""
    name, _, variable = text.partition("=")
    if not variable:
        raise CommandError(
            "Write --header NAME=VARIABLE, with the value in that environment variable.",
            returncode=2,
        )
    if variable == "-":
        return name, getpass.getpass(f"{name}: ")
    if variable not in os.environ:
        raise CommandError(f"The environment variable {variable} is not set.", returncode=2)
    return name, os.environ[variable]
