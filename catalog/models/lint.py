"""What is stored of lint: how each revision was judged, and what people decided to live with."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.db import models
from django.utils import timezone

from catalog.specs.lint.assessment import SpecAssessment, WaivedFinding

RULE_LENGTH: Final = 60
POINTER_LENGTH: Final = 500
REASON_LENGTH: Final = 500


class Assessment(models.Model):
    """How a revision was judged, with the waivers of that moment.

    `assessed_by` is `ASSESSED_BY` of the rules that did it; 0 where it is to be done again because a waiver changed.
    """

    revision = models.OneToOneField("catalog.Revision", primary_key=True, on_delete=models.CASCADE)
    score = models.PositiveSmallIntegerField()
    usable = models.CharField(max_length=200, blank=True)  # the keys of formats, a space between them
    assessed_by = models.PositiveIntegerField(db_index=True)

    def __str__(self) -> str:
        return f"revision {self.revision_id}: {self.score}"

    @property
    def judged(self) -> SpecAssessment:
        return SpecAssessment(self.score, tuple(self.usable.split()))


class Waiver(models.Model):
    """Somebody's decision that a finding of a tool is as it should be, and why."""

    tool = models.ForeignKey("catalog.Tool", on_delete=models.CASCADE, related_name="waivers", db_index=False)
    rule = models.CharField(max_length=RULE_LENGTH)
    pointer = models.CharField(max_length=POINTER_LENGTH, blank=True)  # "": wherever the rule finds something
    reason = models.CharField(max_length=REASON_LENGTH)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["tool", "rule", "pointer"], name="one_waiver_per_pointer")]

    def __str__(self) -> str:
        return f"{self.rule} of {self.tool_id}: {self.reason}"

    @property
    def waived(self) -> WaivedFinding:
        return WaivedFinding(self.rule, self.pointer)
