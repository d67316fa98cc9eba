"""Schemas of lint findings, fixes and waivers."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal

from django.urls import reverse
from ninja import Schema
from pydantic import Field

from catalog.tools.lint_models import POINTER_LENGTH, REASON_LENGTH, RULE_LENGTH
from toolshelf_core.api.problems import SpecProblemOut
from toolshelf_core.api.schemas import MAX_NUMBER, DifferenceText, In, Out, UserName
from toolspec.lint import LocatedFinding


class FixOut(Out):
    key: str = Field(description="Identifies the fix when it is applied.")
    title: str = Field(description="What it does, in a few words.")
    safe: bool = Field(
        description="Whether the tool accepts and returns exactly the same values as before."
    )
    patch: list[dict[str, Any]] = Field(description="A JSON Patch (RFC 6902) of the spec.")


class AdviceOut(SpecProblemOut):
    """A part of a valid spec that could be better."""

    severity: Literal["error", "warning", "info"]
    help: str = Field(description="The path of the page that explains the rule.")
    fix: FixOut | None = Field(None, description="An automatic fix, if there is a reliable one.")


def advice_members(advice: LocatedFinding) -> dict[str, Any]:
    return advice.as_json() | {"help": rule_help(advice.rule)}


class CheckOut(Out):
    valid: bool
    problems: list[SpecProblemOut]
    advice: list[AdviceOut] = Field(
        description="The most severe first; empty if the spec is not valid."
    )
    score: int | None = Field(
        description="The lint score, from 0 to 100; null if the spec is not valid."
    )


class WaiverIn(In):
    rule: str = Field(max_length=RULE_LENGTH, description="The id of a rule.")
    pointer: str = Field(
        "",
        max_length=POINTER_LENGTH,
        description=(
            "Waive only the finding at this JSON Pointer. Default: all findings of the rule."
        ),
    )
    reason: str = Field(
        min_length=1,
        max_length=REASON_LENGTH,
        description="The reason; visible to all who can see the tool.",
    )


class WaiverOut(Out):
    id: int
    rule: str
    pointer: str
    reason: str
    by: UserName = Field(validation_alias="created_by")
    created_at: datetime


class WaiversOut(Out):
    items: list[WaiverOut]


class FindingOut(AdviceOut):
    waiver: WaiverOut | None = Field(
        description="The waiver that applies; the finding then does not affect the score."
    )


class LintQuery(Schema):
    revision: int | None = Field(
        None, ge=1, le=MAX_NUMBER, description="Default: the current revision."
    )


class LintOut(Out):
    revision: int
    current: bool = Field(
        description="Whether it is the current revision; fixes apply only to that one."
    )
    score: int = Field(description="From 0 to 100; waived findings do not affect it.")
    counts: dict[Literal["error", "warning", "info"], int] = Field(
        description="The number of findings of each severity that are not waived."
    )
    usable: list[str] = Field(description="The formats in which it works unchanged.")
    findings: list[FindingOut] = Field(
        description="The most severe first, with lines and columns in the spec's text."
    )


class FixesIn(In):
    revision: int = Field(
        ge=1, le=MAX_NUMBER, description="The revision whose findings you have seen."
    )
    fixes: list[str] | None = Field(
        None, max_length=500, description="The keys of fixes. Default: all safe ones."
    )
    dry_run: bool = Field(False, description="Store nothing; only report what would happen.")


class AppliedOut(Out):
    outcome: Literal["revised", "unchanged"]
    revision: int = Field(description="The current revision after the request.")
    dry_run: bool
    applied: list[str] = Field(description="The keys of the fixes that were applied.")
    left: list[str] = Field(
        description=(
            "The keys of fixes that no longer applied after the others, "
            "or exceeded the limit for one request."
        )
    )
    difference: DifferenceText = Field(description="The changes of the text, as a unified diff.")


class RuleOut(Out):
    id: str = Field(description="A stable id: the `rule` of its findings.")
    severity: Literal["error", "warning", "info"]
    title: str = Field(description="The finding, in a few words.")
    why: str = Field(description="Why it matters.")
    how: str = Field(description="What to do.")
    help: str = Field(description="The path of the page that explains the rule.")


class RulesOut(Out):
    items: list[RuleOut] = Field(description="The most severe first.")


class RuleSourceOut(Out):
    label: str
    url: str
    as_of: date | None = Field(description="When the document was looked up, if it can change.")


class RuleNoteOut(Out):
    pointer: str = Field(description="JSON Pointer into `found`.")
    message: str


class RuleExampleOut(Out):
    """A part of a spec with a finding of the rule, and the same part corrected."""

    pointer: str = Field(description="JSON Pointer to the part in the spec.")
    found: str = Field(description="The JSON text of the part, with the finding.")
    corrected: str = Field(description="The JSON text of the corrected part.")
    notes: list[RuleNoteOut] = Field(description="The findings of the rule in `found`.")
    has_fix: bool = Field(description="Whether the finding can be fixed automatically.")


class RuleWithExampleOut(RuleOut):
    sources: list[RuleSourceOut] = Field(description="The documents that the rule comes from.")
    example: RuleExampleOut


def rule_help(rule: str) -> str:
    """The path of the page that explains a rule."""
    return reverse("catalog:lint_rule", args=[rule])
