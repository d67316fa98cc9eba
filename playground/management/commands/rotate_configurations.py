from __future__ import annotations

import sys
from typing import Any

from accounts.second_factors.secrets import rotate_second_factors
from catalog.sources.registration import rotate_credentials
from catalog.webhooks.registration import rotate_secrets
from playground.configurations.saved import rotate_configurations
from toolshelf_core.commands import BaseCommand


class Command(BaseCommand):
    help = (
        "Re-encrypt all saved configurations, the credentials of sources, and the secrets of "
        "webhooks and of second factors with the first of TOOLSHELF_CONFIGURATION_KEYS. Put a "
        "new key first, run this command, then remove the old key. Exits with 1 if some cannot "
        "be decrypted with any key."
    )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        rotated = (
            rotate_configurations(),
            rotate_credentials(),
            rotate_secrets(),
            rotate_second_factors(),
        )
        done, lost = map(sum, zip(*rotated, strict=True))
        self.stdout.write(f"{done} re-encrypted.")
        if lost:
            self.stderr.write(
                f"{lost} cannot be decrypted with any of the keys and were left unchanged."
            )
            sys.exit(1)
