from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.core.management.base import CommandError

from catalog.commands import BaseCommand
from catalog.jsontext.reader import dumps
from catalog.models import Source, SourceSync
from catalog.sources.schedule import sync_each
from catalog.sources.sync import AlreadySyncing, sync


class Command(BaseCommand):
    help = (
        "Read the tools of the named source, of all sources, or with --due of those whose schedule asks for it (for "
        "cron). Prints one JSON report per line; exits with 1 if a source could not be read, which changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        chosen = parser.add_mutually_exclusive_group()
        chosen.add_argument("name", nargs="?", metavar="NAME", help="only this source")
        chosen.add_argument("--due", action="store_true", help="only the sources that are due")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        failed = False
        for record in records_of(options["name"], is_due=options["due"]):
            self.stdout.write(dumps(record.as_json()))
            if record.error:
                failed = True
                self.stderr.write(f"{record.source.name}: {record.error} Nothing was changed.")
        if failed:
            sys.exit(1)


def records_of(name: str | None, *, is_due: bool) -> Iterable[SourceSync]:
    """Sync the source with this name, or several.

    Raises:
        CommandError: there is no such source, or another process syncs it.
    """
    if name is None:
        return sync_each(Source.objects.due() if is_due else Source.objects.all())
    source = Source.objects.filter(name=name).first()
    if source is None:
        names = ", ".join(Source.objects.values_list("name", flat=True)) or "none yet"
        raise CommandError(f"There is no source {name!r}. The sources are: {names}.", returncode=2)
    try:
        return [sync(source)]
    except AlreadySyncing as error:
        raise CommandError(str(error)) from error
