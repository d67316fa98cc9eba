"""How many bytes of runs a person may have stored on one day (UTC): no account can fill the disk.

refuse_above_limit(person)      before a run starts
count(runs)                     in the transaction that stores how they ended
prune()                         forgets earlier days
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta

from django.conf import settings
from django.db.models import F
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from accounts.models import User
from playground.runs.models import Run, RunVolume
from toolshelf_core.errors import Busy

TEXTS = (
    "parameters_json",
    "response_json",
    "problems_json",
    "error",
    "mock_json",
    "stdout",
    "stderr",
)


def refuse_above_limit(person: User) -> None:
    """Check that `person` may store another run today.

    Raises:
        Busy: what was stored today has reached `settings.RUN_BYTES_PER_DAY`; with the seconds until
            the day ends.
    """
    limit = settings.RUN_BYTES_PER_DAY
    if not limit:
        return
    now = timezone.now()
    volumes = RunVolume.objects.filter(person=person, day=now.date(), stored_bytes__gte=limit)
    if volumes.exists():
        message = (
            f"Your runs of today take {filesizeformat(limit)} or more, which is the limit for one "
            "person and day. You can run tools again after 00:00 UTC."
        )
        raise Busy(message, retry_after_s=_seconds_left(now))


def _seconds_left(now: datetime) -> int:
    midnight = datetime.combine(now.date() + timedelta(days=1), time(), now.tzinfo)
    return max(1, int((midnight - now).total_seconds()))


def count(runs: Iterable[Run]) -> None:
    """Add the sizes of ended runs to what their people stored today; a command has no limit."""
    volumes: Counter[int] = Counter()
    for run in runs:
        if run.by_id is not None:
            volumes[run.by_id] += _bytes_of(run)
    today = timezone.now().date()
    # Those that were not deleted.
    people = User.objects.filter(pk__in=volumes).order_by("pk").values_list("pk", flat=True)
    for person in people:  # in one order, so that two writers cannot wait for each other
        _add(person, today, volumes[person])


def _bytes_of(run: Run) -> int:
    texts = (getattr(run, name) for name in TEXTS)
    size = sum(len(text.encode()) for text in texts if text)
    return size + sum(file.size for file in run.new_files)


def _add(person: int, day: date, volume: int) -> None:
    row = RunVolume.objects.filter(person=person, day=day)
    more = {"stored_bytes": F("stored_bytes") + volume}
    if not row.update(**more):
        RunVolume.objects.bulk_create([RunVolume(person_id=person, day=day)], ignore_conflicts=True)
        row.update(**more)


def prune() -> None:
    """Delete the volumes of days before yesterday."""
    RunVolume.objects.filter(day__lt=timezone.now().date() - timedelta(days=1)).delete()
