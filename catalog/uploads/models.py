"""Uploads: the numbers of each, and the outcomes of its specs (see uploads/reports.py)."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

OUTCOMES = ("created", "revised", "unchanged", "held", "rejected")
RANKS = {
    "rejected": 0,
    "held": 1,
    "breaking": 2,
    "revised": 3,
    "created": 4,
    "unchanged": 5,
}  # the order of a report
LISTED_NAMES = 3  # of files, in a list of uploads


def new_upload_id() -> str:
    """32 hex digits that cannot be guessed."""
    return uuid.uuid4().hex


class Upload(models.Model):
    """An upload, or with `dry_run` a check of the API: its numbers and results, which grow batch by batch."""

    id = models.CharField(primary_key=True, max_length=32, default=new_upload_id, editable=False)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="uploads"
    )
    names = models.TextField()  # names of its files, one per line
    dry_run = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)
    total = models.PositiveIntegerField(
        null=True, blank=True
    )  # number of its specs; None if an earlier version stopped before it had counted them
    created = models.PositiveIntegerField(default=0)
    revised = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    held = models.PositiveIntegerField(default=0)
    rejected = models.PositiveIntegerField(default=0)
    breaking = models.PositiveIntegerField(default=0)  # of `revised`
    warned = models.PositiveIntegerField(default=0)  # specs with warnings, whatever their outcome

    def __str__(self) -> str:
        return f"upload of {self.names.splitlines()[0]}"

    def get_absolute_url(self) -> str:
        return reverse("catalog:upload_report", args=[self.pk])

    @property
    def short_names(self) -> str:
        """The names of its files for a list: "a.json, b.json, c.json and 2 more"."""
        names = self.names.split("\n")
        more = len(names) - LISTED_NAMES
        return ", ".join(names[:LISTED_NAMES]) + (f" and {more:,} more" if more > 0 else "")

    @property
    def reported(self) -> int:
        """The number of specs with an outcome."""
        return self.created + self.revised + self.unchanged + self.held + self.rejected

    @property
    def is_unfinished(self) -> bool:
        """Whether specs have no outcome: the upload has stopped, or its request has not ended yet."""
        return self.total is None or self.reported < self.total


class UploadedSpec(models.Model):
    """The outcome of one spec of an upload."""

    upload = models.ForeignKey(
        Upload, on_delete=models.CASCADE, related_name="specs", db_index=False
    )
    position = models.PositiveIntegerField()  # in the upload, from 1
    source = models.TextField()
    line = models.PositiveIntegerField()
    outcome = models.CharField(max_length=10)
    tool_id = models.CharField(max_length=255, blank=True)
    name = models.CharField(max_length=255, blank=True)
    slug = models.CharField(max_length=120, blank=True)
    revision = models.PositiveIntegerField(default=0)
    archived = models.BooleanField(default=False)
    rank = models.PositiveSmallIntegerField(default=RANKS["unchanged"])  # see `RANKS`
    warnings = models.PositiveSmallIntegerField(default=0)  # the number of them
    details_json = models.TextField(blank=True)  # faults and origin, as JSON
    text = models.TextField(blank=True)  # for correcting a rejected spec

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["upload", "position"], name="one_spec_per_position")
        ]
        indexes = [
            models.Index(fields=["upload", "outcome", "position"], name="uploaded_by_outcome"),
            models.Index(fields=["upload", "rank", "position"], name="uploaded_by_rank"),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} {self.tool_id or self.source}"
