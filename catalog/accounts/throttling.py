"""Limits on signing in: failed attempts per name and address, and passwords checked at the same time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from catalog.accounts.models import FailedSignIn, digest
from catalog.errors import Busy

TRIES = 10
TRIES_WINDOW = timedelta(minutes=15)
CHECKS_AT_ONCE = 4  # passwords; each takes Argon2 100 MiB and all of a core for a while
_checks = threading.BoundedSemaphore(CHECKS_AT_ONCE)


@contextmanager
def counted_try(username: str, address: str) -> Iterator[None]:
    """One attempt at a password. It counts as failed from its start, so that concurrent attempts are counted too.

    If the block raises nothing, the attempt is deleted.

    Raises:
        Busy: `CHECKS_AT_ONCE` passwords are being checked at this moment, as many as fit into memory.
    """
    if not _checks.acquire(timeout=1):
        raise Busy("Many people are signing in at this moment. Try again.", retry_after_s=2)
    try:
        now = timezone.now()
        FailedSignIn.objects.filter(at__lt=now - TRIES_WINDOW).delete()
        this = FailedSignIn.objects.create(account=digest(username.casefold()), address=digest(address), at=now)
        yield
        this.delete()
    finally:
        _checks.release()


def is_locked(username: str, address: str) -> bool:
    """Whether this account or this address has used up its attempts for now."""
    recent = FailedSignIn.objects.filter(at__gt=timezone.now() - TRIES_WINDOW)
    tries = recent.filter(Q(account=digest(username.casefold())) | Q(address=digest(address)))
    return tries.count() >= TRIES
