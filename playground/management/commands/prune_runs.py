from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from catalog.commands import BaseCommand
from playground.retention import prune_runs


class Command(BaseCommand):
    requires_system_checks = []  # they import every page, which takes a second
    help = "Delete runs past the retention period (TOOLSHELF_RUN_RETENTION_DAYS; 0 means that runs are never deleted)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--days", type=int, help="Retention period in days, instead of the setting."
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        days = settings.RUN_RETENTION_DAYS if options["days"] is None else options["days"]
        if days < 0:
            raise CommandError("--days must be a whole number of at least 0.")
        if options["days"] is None and days == 0:
            self.stderr.write("Runs are never deleted: TOOLSHELF_RUN_RETENTION_DAYS is 0.")
            return
        self.stdout.write(f"{prune_runs(days)} removed.")
