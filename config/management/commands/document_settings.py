"""Write the documentation of the settings, docs/settings.md, from the settings themselves."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings

from config.env import VARIABLES
from toolshelf_core.commands import BaseCommand

INTRODUCTION: Final = """# Settings

Settings come from environment variables. If a value is invalid, Toolshelf does not start, and
prints the accepted ones. A flag is `1` or `0`; lists are separated by spaces or commas; sizes are
in bytes; a rate is a number per time, such as `6000/min` or `6000/10min` (units: `s`, `min`, `h`,
`d`).

`manage.py document_settings` writes this file from `config/settings/`.

| variable | default | meaning |
| --- | --- | --- |
"""


class Command(BaseCommand):
    help = (
        "Write docs/settings.md, the table of all settings. Run it after changing config/settings/."
    )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        path = settings.BASE_DIR / "docs" / "settings.md"
        path.write_text(write_table(), encoding="utf-8")


def write_table() -> str:
    """The text of docs/settings.md."""
    text = INTRODUCTION
    for row in VARIABLES.values():
        text += f"| `{row.name}` | {row.default} | {row.meaning} |\n"
    return text
