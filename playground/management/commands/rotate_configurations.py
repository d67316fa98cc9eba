from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand

from playground.configurations.saved import rotate_configurations


class Command(BaseCommand):
    help = (
        "Encrypt every saved configuration anew with the first of TOOLSHELF_CONFIGURATION_KEYS. Put a new key in "
        "front, run this command, then remove the old key. Exits with 1 if some cannot be decrypted with any key."
    )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        done, lost = rotate_configurations()
        self.stdout.write(f"{done} encrypted anew.")
        if lost:
            self.stderr.write(f"{lost} cannot be opened by any of the keys and stay as they are.")
            sys.exit(1)
