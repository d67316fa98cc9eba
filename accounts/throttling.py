"""Limits on signing in: each failed attempt makes the next one wait longer.

Few passwords are checked concurrently.

Attempts are counted by pairs of account and origin. The origin is the client's address, or the
browser itself if it has signed in to that account before (known_browsers.py). So wrong passwords
for one account delay nobody else behind the same address, and wrong passwords from elsewhere do not
delay a browser that its user signs in with. Two more limits slow down guessing that is spread: one
account from many addresses, and many accounts from one address.

An attempt that comes too early is refused without checking the password, with the time to wait.
Nothing is locked, and no thread sleeps.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django import forms
from django.db import transaction
from django.db.models import Count, Max
from django.http import HttpRequest
from django.utils import timezone

from accounts.known_browsers import identify_browser
from accounts.models import FailedSignIn, digest
from accounts.sign_in_audit import record_throttled
from toolshelf_core.client_address import network_of
from toolshelf_core.errors import Busy

TRIES_WINDOW = timedelta(minutes=15)
CHECKS_AT_ONCE = 4  # passwords; each takes Argon2 100 MiB and all of a core for a while
_checks = threading.BoundedSemaphore(CHECKS_AT_ONCE)


@dataclass(frozen=True, slots=True)
class Limit:
    """`free` failures have no consequence.

    Then the wait doubles with each, from `first_s` to `longest_s` seconds.
    """

    free: int
    first_s: int
    longest_s: int

    def wait_s(self, failures: int) -> int:
        """How long after the last of `failures` the next attempt is refused."""
        over = failures - self.free
        return 0 if over < 0 else min(self.longest_s, self.first_s << min(over, 16))


OF_PAIR = Limit(free=5, first_s=10, longest_s=120)
SPREAD = Limit(
    free=20, first_s=2, longest_s=30
)  # counts addresses of an account, and accounts of an address


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of an attempt: an address, or a browser that is known to the account."""

    key: str
    is_known: bool = False


def origin_of(request: HttpRequest, username: str) -> Origin:
    """The origin of an attempt to sign in as `username`.

    It is a browser that did so before, or else the client's network.
    """
    browser = identify_browser(request, username)
    return Origin(f"browser {browser}", is_known=True) if browser else Origin(network_of(request))


@contextmanager
def counted_try(
    username: str, origin: Origin, *, guessed: str = "passwords", person: str = ""
) -> Iterator[None]:
    """One sign-in attempt.

    It counts as failed from its start, so that concurrent attempts are counted too.

    If the block raises nothing, the failed attempts of this account from this origin are forgotten.

    Args:
        username: the account, or another secret that is guessed.
        origin: where the attempt comes from.
        guessed: what the attempts guess, for the message.
        person: the name of the account, for the audit log, if `username` is another secret.

    Raises:
        Busy: it is too early for the next attempt, or `CHECKS_AT_ONCE` passwords are being checked,
            as many as fit into memory.
    """
    account, source = digest(username.casefold()), digest(origin.key)
    now = timezone.now()
    with transaction.atomic():
        FailedSignIn.objects.filter(at__lt=now - TRIES_WINDOW).delete()
        wait_s = seconds_to_wait(account, source, now=now, is_known=origin.is_known)
        if wait_s:
            record_throttled(person or username, wait_s)
        else:
            this = FailedSignIn.objects.create(account=account, address=source, at=now)
    if wait_s:
        unit = "second" if wait_s == 1 else "seconds"
        raise Busy(f"Too many wrong {guessed}. Try again in {wait_s} {unit}.", retry_after_s=wait_s)
    if not _checks.acquire(timeout=1):
        this.delete()
        raise Busy(
            "Too many people are signing in right now. Try again in a few seconds.", retry_after_s=2
        )
    try:
        yield
        FailedSignIn.objects.filter(account=account, address=source).delete()
    finally:
        _checks.release()


@contextmanager
def counted_guess(
    form: forms.BaseForm,
    username: str,
    origin: Origin,
    *,
    guessed: str = "passwords",
    person: str = "",
) -> Iterator[None]:
    """As `counted_try`, for a form, which notes in `retry_after_s` when to try again.

    Raises:
        ValidationError: it is too early, or too many passwords are being checked.
    """
    try:
        with counted_try(username, origin, guessed=guessed, person=person):
            yield
    except Busy as busy:
        # Of the forms that are limited.
        form.retry_after_s = busy.retry_after_s  # type: ignore[attr-defined]
        raise forms.ValidationError(str(busy), code="busy") from None


def seconds_to_wait(account: str, source: str, *, now: datetime, is_known: bool) -> int:
    """How long the next attempt at `account` from `source` (digests) is refused.

    0 if it is allowed now.
    """
    failed = FailedSignIn.objects.filter(at__gt=now - TRIES_WINDOW)
    counts = [
        (
            OF_PAIR,
            failed.filter(account=account, address=source).aggregate(
                count=Count("pk"), last=Max("at")
            ),
        )
    ]
    if not is_known:
        of_account, of_source = failed.filter(account=account), failed.filter(address=source)
        counts += [
            (SPREAD, of_account.aggregate(count=Count("address", distinct=True), last=Max("at"))),
            (SPREAD, of_source.aggregate(count=Count("account", distinct=True), last=Max("at"))),
        ]
    waits = [
        (found["last"] + timedelta(seconds=limit.wait_s(found["count"])) - now).total_seconds()
        for limit, found in counts
        if found["last"] is not None
    ]
    return max(0, *(math.ceil(wait) for wait in waits)) if waits else 0
