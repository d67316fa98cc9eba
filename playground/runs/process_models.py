"""Data that server processes and Celery's workers share: the queue's messages, and heartbeats."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from playground.runs.models import Run


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

    host = models.CharField(primary_key=True, max_length=60)  # playground.runs.process_id
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.host
