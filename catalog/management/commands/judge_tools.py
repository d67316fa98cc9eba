"""Assess all unassessed specs. A server does this in the background, with long rests; this command uses a whole CPU."""

from __future__ import annotations

from time import monotonic
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from catalog.assessments import LockHeld, assess_all

REDRAW_S = 0.1


class Command(BaseCommand):
    help = "Assess the specs that are not assessed yet: lint scores, and the formats that accept them without changes."

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        started, drawn_s, count = monotonic(), 0.0, 0
        try:
            for count in assess_all():
                if self.stderr.isatty() and monotonic() - drawn_s > REDRAW_S:
                    drawn_s = monotonic()
                    self.stderr.write(f"\r{count:,} assessed", ending="")
        except LockHeld as error:
            raise CommandError("Another process is assessing specs: a server, or this command.") from error
        elapsed_s = monotonic() - started
        self.stderr.write(f"\r{count:,} specs assessed in {elapsed_s:.1f} s ({count / max(elapsed_s, 0.001):,.0f}/s)")
