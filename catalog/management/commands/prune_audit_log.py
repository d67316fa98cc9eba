from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from catalog.audit import prune
from catalog.commands import BaseCommand


class Command(BaseCommand):
    requires_system_checks = []  # they import every page, which takes a second
    help = "Delete events of the audit log past the retention period (TOOLSHELF_AUDIT_RETENTION_DAYS; 0: never)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--days", type=int, help="Retention period in days, instead of the setting."
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        days = settings.AUDIT_RETENTION_DAYS if options["days"] is None else options["days"]
        if options["days"] is None and days == 0:
            self.stderr.write("Events are never deleted: TOOLSHELF_AUDIT_RETENTION_DAYS is 0.")
            return
        try:
            self.stdout.write(f"{prune(days)} removed.")
        except ValueError as error:
            raise CommandError(f"--days: {error}") from None
