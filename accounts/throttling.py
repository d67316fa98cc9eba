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
from toolshelf_core.templatetags.text_display import count

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
        if over < 0:
            return 0
        return min(self.longest_s, self.first_s << min(over, 16))


OF_PAIR = Limit(free=5, first_s=10, longest_s=120)
# Counts addresses of an account, and accounts of an address.
SPREAD = Limit(free=20, first_s=2, longest_s=30)


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of an attempt: an address, or a browser that is known to the account."""

    key: str
    is_known: bool = False


def find_origin(request: HttpRequest, username: str, default: str = "") -> Origin:
    """The origin of an attempt to sign in as `username`.

    It is a browser that did so before, or else `default`, or the client's network.
    """
    browser = identify_browser(request, username)
    if browser is None:
        return Origin(default or network_of(request))
    return Origin(f"browser {browser}", is_known=True)


@contextmanager
def count_try(
    username: str, origin: Origin, *, secrets: str = "passwords", person: str = ""
) -> Iterator[None]:
    """Count a sign-in attempt.

    It counts as failed from its start, so that concurrent attempts are counted too.

    If the block raises nothing, the failed attempts of this account from this origin are forgotten.

    Args:
        username: the account, or another secret that is guessed.
        origin: where the attempt comes from.
        secrets: what the attempts guess, for the message.
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
        message = f"Too many wrong {secrets}. Try again in {count(wait_s, 'second')}."
        raise Busy(message, retry_after_s=wait_s)
    if not _checks.acquire(timeout=1):
        this.delete()
        message = "Too many people are signing in right now. Try again in a few seconds."
        raise Busy(message, retry_after_s=2)
    try:
        yield
        FailedSignIn.objects.filter(account=account, address=source).delete()
    finally:
        _checks.release()


@contextmanager
def count_guess(
    form: forms.BaseForm,
    username: str,
    origin: Origin,
    *,
    secrets: str = "passwords",
    person: str = "",
) -> Iterator[None]:
    """As `count_try`, for a form, which notes in `retry_after_s` when to try again.

    Raises:
        ValidationError: it is too early, or too many passwords are being checked.
    """
    try:
        with count_try(username, origin, secrets=secrets, person=person):
            yield
    except Busy as busy:
        # Of the forms that are limited.
        form.retry_after_s = busy.retry_after_s  # type: ignore[attr-defined]
        raise forms.ValidationError(str(busy), code="busy") from None


def seconds_to_wait(account: str, source: str, *, now: datetime, is_known: bool) -> int:
    """How long the next attempt at `account` from `source` (digests) is refused.

    0 if it is allowed now.
    """
    failures = FailedSignIn.objects.filter(at__gt=now - TRIES_WINDOW)
    of_account = failures.filter(account=account)
    limits = [(OF_PAIR, of_account.filter(address=source), Count("pk"))]
    if not is_known:
        limits += [
            (SPREAD, of_account, Count("address", distinct=True)),
            (SPREAD, failures.filter(address=source), Count("account", distinct=True)),
        ]
    wait_s = 0
    for limit, rows, number in limits:
        totals = rows.aggregate(count=number, last=Max("at"))
        if totals["last"] is not None:
            end = totals["last"] + timedelta(seconds=limit.wait_s(totals["count"]))
            wait_s = max(wait_s, math.ceil((end - now).total_seconds()))
    return wait_s
