"""Visitors: people who may not run tools, signed in or not.

They may run the tools that come with Toolshelf.

Such a run is a row without a person, in the mode `VISITOR`, which `Run.objects` does not contain.
Only the browser that started it sees it, by a signed cookie, until it is deleted. How many runs one
address may start is a rate limit (`VISITOR_RUNS` in `accounts/rate_limits.py`).
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from playground.builtin import FACTORIES
from playground.factories.info import FactoryInfo
from playground.factories.registry import registry
from playground.runs.models import ACTIVE, VISITOR, Run, RunQuerySet
from toolshelf_core.errors import Busy, NotAllowed

LIFETIME: Final = timedelta(minutes=10)  # of a visitor's run
VISITOR_TIMEOUT_S: Final = 10.0  # of one run
VISITOR_SLOTS: Final = 2  # concurrent runs of all visitors
MAX_RUNS: Final = 10  # that a cookie names; the oldest is forgotten
MAX_STORED: Final = 300  # runs of all visitors, of about 1 MB at most
RESPONSE_BYTES: Final = 256 * 1024  # of a longer response, only the beginning is stored
FILE_BYTES: Final = 512 * 1024  # of the files of one response together
_SALT: Final = "playground.visitors"


def may_run(factory: FactoryInfo | None) -> bool:
    """Whether visitors may run the tool that `factory` serves.

    It must be a factory of ours, whatever the spec says, and this machine must be able to cut it
    off from the network.
    """
    return (
        settings.VISITOR_RUNS
        and factory is not None
        and factory.state == "ok"
        and factory.reference in FACTORIES
        and registry().can_enforce("none")
    )


def require_may_run(factory: FactoryInfo | None) -> None:
    """Check that visitors may run the tool that `factory` serves.

    Raises:
        NotAllowed: they may not.
    """
    if not may_run(factory):
        raise NotAllowed("Visitors can run only the tools that come with Toolshelf.")


def refuse_above_limit() -> None:
    """Check that the runs of all visitors leave room for another one: nobody can fill the disk.

    Raises:
        Busy: they do not, until some are deleted.
    """
    runs = Run.every.filter(by=None, mode=VISITOR)  # `by` has an index
    if runs.count() >= MAX_STORED:
        raise Busy("Visitors have run very many tools in the last minutes.", retry_after_s=60)


def check_slots(run: Run) -> None:
    """Check that a visitor's run, which is stored, is one of at most `VISITOR_SLOTS`.

    It counts rows because several processes start runs. Each counts after its own row is committed,
    so that two of them cannot both take the last slot.

    Raises:
        Busy: it is not. The caller deletes the row.
    """
    if run.mode != VISITOR:
        return
    if Run.every.active().filter(mode=VISITOR).count() > VISITOR_SLOTS:
        raise Busy("Other visitors are running tools at the moment.", retry_after_s=2)


def remember_run(request: HttpRequest, response: HttpResponse, run: Run) -> None:
    """Note in the browser that it has started `run`."""
    response.set_cookie(
        settings.VISITOR_COOKIE_NAME,
        signing.dumps([run.pk, *_run_ids(request)][:MAX_RUNS], salt=_SALT),
        max_age=LIFETIME,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def runs_of(request: HttpRequest) -> RunQuerySet:
    """The runs that this browser has started as a visitor's, of the last 10 minutes."""
    since = timezone.now() - LIFETIME
    runs = Run.every.with_names().select_related("tool__current").defer("tool__current__source")
    return runs.filter(pk__in=_run_ids(request), mode=VISITOR, created_at__gte=since)


def prune() -> None:
    """Delete the runs that began more than `LIFETIME` ago and have ended, with their files."""
    limit = timezone.now() - LIFETIME
    old = Run.every.filter(by=None, mode=VISITOR, created_at__lt=limit)
    old.exclude(outcome__in=ACTIVE).delete()


def _run_ids(request: HttpRequest) -> list[str]:
    try:
        ids: list[str] = signing.loads(
            request.COOKIES.get(settings.VISITOR_COOKIE_NAME, ""),
            salt=_SALT,
            max_age=LIFETIME,
        )
    except signing.BadSignature:
        return []
    return ids
