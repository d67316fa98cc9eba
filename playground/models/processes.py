"""Data that server processes and Celery's workers share: counters, the queue's messages, and heartbeats."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from playground.models.runs import Run


class RunCounter(models.Model):
    """How many runs had this outcome and duration, if Celery's workers run them (see run_counters.py)."""

    outcome = models.CharField(max_length=12)
    mode = models.CharField(max_length=8)
    bucket = (
        models.PositiveSmallIntegerField()
    )  # index into `metrics.RUN_BOUNDS_S`; their number means longer than all
    count = models.PositiveBigIntegerField(default=0)
    seconds = models.FloatField(default=0)  # the sum of their durations

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["outcome", "mode", "bucket"], name="one_counter_per_bucket"
            )
        ]

    def __str__(self) -> str:
        return f"{self.count} {self.mode} runs {self.outcome}"


class QueuedMessage(models.Model):
    """The message for a run that no Celery worker has claimed yet, stored so that it can be sent again.

    It is removed when the run is claimed or ends.
    """

    run = models.OneToOneField(Run, primary_key=True, on_delete=models.CASCADE, related_name="+")
    encrypted = (
        models.TextField()
    )  # encrypted with the first of `settings.CONFIGURATION_KEYS`; see celery/enqueue.py
    sent_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"message of run {self.run_id}"


class WorkerHeartbeat(models.Model):
    """A Celery worker that was connected to Redis at `seen_at` (see celery/heartbeats.py)."""

    host = models.CharField(primary_key=True, max_length=60)  # playground.process_id
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.host
