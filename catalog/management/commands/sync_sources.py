from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from catalog.commands import BaseCommand
from catalog.jsontext.reader import dumps
from catalog.models import Source
from catalog.sources.schedule import sync_each


class Command(BaseCommand):
    requires_system_checks = []  # they import every page, which takes a second
    help = (
        "Read the tools of all sources, or with --due only of those whose schedule asks for it (for cron). Prints one "
        "JSON report per line; exits with 1 if a source could not be read."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--due", action="store_true", help="only the sources that are due")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        failed = False
        for record in sync_each(Source.objects.due() if options["due"] else Source.objects.all()):
            self.stdout.write(dumps(record.as_json()))
            if record.error:
                failed = True
                self.stderr.write(f"{record.source.name}: {record.error} Nothing was changed.")
        if failed:
            sys.exit(1)
