"""Write the whole catalog to a file that `load_specs` can read."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from catalog.catalog_dump.writer import whole_catalog
from catalog.commands import BaseCommand


class Command(BaseCommand):
    requires_system_checks = []  # they import every page, which takes a second
    help = (
        "Write every revision of every tool as NDJSON with hashes, and its metadata: toolkit, tags, owner, "
        "deprecation, waivers. The same catalog gives the same bytes. The file contains the usernames of owners and "
        "no secrets. `load_specs` reads it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "path",
            nargs="?",
            type=Path,
            metavar="PATH",
            help="the file; without it, or with -, stdout",
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        path: Path | None = options["path"]
        lines = whole_catalog()
        if path is None or str(path) == "-":
            for line in lines:
                sys.stdout.buffer.write(line.encode())
            sys.stdout.buffer.flush()
            return
        unfinished = path.with_name(f"{path.name}.part")
        try:
            with unfinished.open("wb") as file:
                file.writelines(line.encode() for line in lines)
            unfinished.replace(path)
        except OSError as error:
            raise CommandError(str(error), returncode=2) from error
