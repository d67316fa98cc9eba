"""Judge all specs that are not judged yet. A server does it by itself, with long rests; this takes a processor."""

from __future__ import annotations

from time import monotonic
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from catalog.assessments import LockHeld, assess_all

REDRAW_S = 0.1


class Command(BaseCommand):
    help = "Judge the specs that are not judged yet: their lint scores, and which formats take them as they are."

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        started, drawn_s, count = monotonic(), 0.0, 0
        try:
            for count in assess_all():
                if self.stderr.isatty() and monotonic() - drawn_s > REDRAW_S:
                    drawn_s = monotonic()
                    self.stderr.write(f"\r{count:,} judged", ending="")
        except LockHeld as error:
            raise CommandError("Another process judges at this moment: a server, or this command.") from error
        elapsed_s = monotonic() - started
        self.stderr.write(f"\r{count:,} specs judged in {elapsed_s:.1f} s ({count / max(elapsed_s, 0.001):,.0f}/s)")
