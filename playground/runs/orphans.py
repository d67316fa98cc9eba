"""Mark runs whose server process or worker has ended as crashed, so that none runs forever."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from playground.runs.models import QueuedMessage, Run
from playground.runs.process_id import is_gone
from playground.runs.signals import runs_recovered

# Whether a host on another machine is alive cannot be seen from here, so each host updates its runs
# every SIGN_OF_LIFE_S.
SIGN_OF_LIFE_S = 15
SILENT_S = 90

# A short run's row changes only when it ends, so a run that is "queued" in its row may have just
# begun.
WAS_QUEUED = (
    "The server stopped while this run waited or was starting. "
    "The tool may or may not have been called."
)
WAS_RUNNING = "The server stopped during this run. The tool may or may not have done its work."
NOT_CLAIMED = "No worker claimed this run within {limit_s:,} s. The tool was not called."


def recover_runs(*, own: Collection[str] = ()) -> int:
    """Mark as crashed the runs whose host has ended, and those that no worker has claimed in time.

    Return how many.

    `own`: hosts to treat as ended although they are alive, because they are about to end.
    """
    active = Run.every.active()
    hosts = set(active.values_list("host", flat=True).distinct().order_by())
    ended_hosts = [host for host in hosts - {""} if host in own or is_gone(host)]
    now = timezone.now()
    silent = (
        active.exclude(host="")
        .annotate(sign=Coalesce(F("seen_at"), F("created_at")))
        .filter(sign__lt=now - timedelta(seconds=SILENT_S))
    )
    crashed_count = 0
    for runs in (active.filter(host__in=ended_hosts), silent):
        crashed_count += _crash(runs.filter(outcome="queued"), WAS_QUEUED)
        crashed_count += _crash(runs.filter(outcome="running"), WAS_RUNNING)
    limit_s = settings.RUN_QUEUE_WAIT_S
    unclaimed = Run.every.waiting().filter(created_at__lt=now - timedelta(seconds=limit_s))
    crashed_count += _crash(unclaimed, NOT_CLAIMED.format(limit_s=limit_s))
    runs_recovered.send(sender=Run)
    return crashed_count


def _crash(runs: QuerySet[Run], error: str) -> int:
    now = timezone.now()
    with transaction.atomic():
        run_ids = list(runs.values_list("pk", flat=True))
        if not run_ids:
            return 0
        count = runs.update(outcome="crashed", error=error, finished_at=now)
        QueuedMessage.objects.filter(run__in=run_ids).delete()
    return count
