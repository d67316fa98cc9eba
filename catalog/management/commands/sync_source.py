from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from catalog.commands import BaseCommand
from catalog.jsontext.reader import dumps
from catalog.models import Source
from catalog.sources.sync import AlreadySyncing, sync


class Command(BaseCommand):
    requires_system_checks = []  # they import every page, which takes a second
    help = (
        "Read the tools of a source, and publish or hold what changed. Prints the report as JSON; exits with 1 if the "
        "source could not be read, which changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        source = Source.objects.filter(name=options["name"]).first()
        if source is None:
            names = ", ".join(Source.objects.values_list("name", flat=True)) or "none yet"
            raise CommandError(
                f"There is no source {options['name']!r}. The sources are: {names}.", returncode=2
            )
        try:
            record = sync(source)
        except AlreadySyncing as error:
            raise CommandError(str(error)) from error
        self.stdout.write(dumps(record.as_json(), indent=2))
        if record.error:
            self.stderr.write(f"{source.name}: {record.error} Nothing was changed.")
            sys.exit(1)
