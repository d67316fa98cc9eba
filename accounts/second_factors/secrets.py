"""The secrets of authenticator apps and recovery codes, encrypted in allauth's table."""

from __future__ import annotations

import base64
import logging
import secrets
from typing import Final

from allauth.mfa.models import Authenticator
from django.db import transaction
from django.views.decorators.debug import sensitive_variables

from toolshelf_core import encryption

logger = logging.getLogger(__name__)

MEMBERS: Final = {Authenticator.Type.TOTP: "secret", Authenticator.Type.RECOVERY_CODES: "seed"}


@sensitive_variables()
def decrypt_secret(token: str) -> str:
    """The secret; a random one, which no code matches, if its key was removed from the settings."""
    try:
        return str(encryption.decrypt(token))
    except encryption.Unreadable:
        logger.warning(
            "The secret of a second factor cannot be decrypted: "
            "its key is not in TOOLSHELF_CONFIGURATION_KEYS."
        )
        return base64.b32encode(secrets.token_bytes(20)).decode()


def rotate_second_factors() -> tuple[int, int]:
    """Encrypt all secrets with the first key: how many were, and how many no key decrypts."""
    done = lost = 0
    for pk in Authenticator.objects.filter(type__in=MEMBERS).values_list("pk", flat=True):
        with transaction.atomic():
            factor = Authenticator.objects.select_for_update().filter(pk=pk).first()
            if factor is None:
                continue
            member = MEMBERS[Authenticator.Type(factor.type)]
            try:
                factor.data[member] = encryption.reencrypt(factor.data[member])
            except encryption.Unreadable:
                lost += 1
                continue
            factor.save(update_fields=["data"])
            done += 1
    return done, lost
