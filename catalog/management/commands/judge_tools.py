"""Assess all unassessed specs. A server does this slowly in the background; this command uses a whole CPU core."""

from __future__ import annotations

from time import monotonic
from typing import Any

from catalog.assessments import LockHeld, assess_all
from catalog.commands import BaseCommand

REDRAW_S = 0.1


class Command(BaseCommand):
    requires_system_checks = []  # they import every page, which takes a second
    help = "Assess the specs that are not assessed yet: lint scores, and the formats that accept them without changes."

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        started, drawn_s, count = monotonic(), 0.0, 0
        try:
            for count in assess_all():
                if self.stderr.isatty() and monotonic() - drawn_s > REDRAW_S:
                    drawn_s = monotonic()
                    self.stderr.write(f"\r{count:,} assessed", ending="")
        except LockHeld:
            self.stderr.write(
                "The specs are being assessed already, by a server or by this command; nothing to do."
            )
            return
        elapsed_s = monotonic() - started
        self.stderr.write(
            f"\r{count:,} specs assessed in {elapsed_s:.1f} s ({count / max(elapsed_s, 0.001):,.0f}/s)"
        )
