"""The base of the site's commands."""

from __future__ import annotations

from typing import Any

from django.core.management import base


class BaseCommand(base.BaseCommand):
    """A command whose notes on stderr have no colour. Django makes all of stderr red, as if each were an error."""

    requires_system_checks = []  # they import every page, which takes a second

    def execute(self, *args: Any, **options: Any) -> str | None:
        stream, error_style = self.stderr, self.stderr.style_func
        stream.style_func = None
        try:
            return super().execute(*args, **options)
        finally:
            stream.style_func = error_style  # for the error that Django writes after this
