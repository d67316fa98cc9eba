"""Lint assessments of revisions, and waivers."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.db import models
from django.utils import timezone

from toolspec.lint.assessment import WaivedFinding

RULE_LENGTH: Final = 60
POINTER_LENGTH: Final = 500
REASON_LENGTH: Final = 500


class Assessment(models.Model):
    """The lint assessment of a revision, with the waivers of that moment.

    `assessed_by` is the `ASSESSED_BY` of the rules that were used; 0 if a waiver changed and it
    must be assessed again.
    """

    revision = models.OneToOneField("catalog.Revision", primary_key=True, on_delete=models.CASCADE)
    score = models.PositiveSmallIntegerField()
    # the keys of formats, separated by spaces
    usable = models.CharField(max_length=200, blank=True)
    findings = models.TextField(blank=True)  # " rule:number" for each rule with findings
    assessed_by = models.PositiveIntegerField(db_index=True)

    def __str__(self) -> str:
        return f"revision {self.revision_id}: {self.score}"


def read_findings(text: str) -> dict[str, int]:
    """The number of findings of each rule, from `Assessment.findings`."""
    numbers = {}
    for pair in text.split():
        rule, _, number = pair.rpartition(":")
        numbers[rule] = int(number)
    return numbers


class Waiver(models.Model):
    """A user's decision that a finding of a tool is acceptable, and the reason."""

    tool = models.ForeignKey(
        "catalog.Tool", on_delete=models.CASCADE, related_name="waivers", db_index=False
    )
    rule = models.CharField(max_length=RULE_LENGTH)
    # "": every finding of the rule
    pointer = models.CharField(max_length=POINTER_LENGTH, blank=True)
    reason = models.CharField(max_length=REASON_LENGTH)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["tool", "rule", "pointer"], name="one_waiver_per_pointer"
            )
        ]

    def __str__(self) -> str:
        return f"{self.rule} of {self.tool_id}: {self.reason}"

    @property
    def waived(self) -> WaivedFinding:
        return WaivedFinding(self.rule, self.pointer)
