"""The base of the site's commands."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from django.core.management import base


class BaseCommand(base.BaseCommand):
    """A command whose notes on stderr have no colour.

    Django makes all of stderr red, as if each were an error.
    """

    requires_system_checks = []  # they import every page, which takes a second

    def execute(self, *args: Any, **options: Any) -> str | None:
        stream, error_style = self.stderr, self.stderr.style_func
        stream.style_func = None
        try:
            return super().execute(*args, **options)
        finally:
            stream.style_func = error_style  # for the error that Django writes after this

    def prints_json(self, options: Mapping[str, Any]) -> bool:
        """Whether stdout gets JSON: always if it is not a terminal, and with `--json`."""
        return bool(options["json"]) or not self.stdout.isatty()


def replace_controls(text: str) -> str:
    """`text` of a stranger without characters that could control the terminal."""
    return "".join(map(_replace_control, text))


def _replace_control(character: str) -> str:
    if character in "\n\t" or not unicodedata.category(character).startswith("C"):
        return character
    return "\N{REPLACEMENT CHARACTER}"
