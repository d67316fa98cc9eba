"""The API's operations for lint: findings, fixes and waivers of a tool."""
# ruff: noqa: ARG001 - every operation has a request parameter, even if it does not use it

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Field, Query, Router, Schema, Status
from pydantic import ConfigDict

from catalog.accounts.api_auth import actor, open_to_all, token_or_session
from catalog.api.etags import REFUSED
from catalog.api.openapi_examples import ADVICE
from catalog.api.schemas import AdviceOut, ErrorOut
from catalog.api.serializers import advice_json
from catalog.apply_fixes import apply_fixes_to_tool
from catalog.lint_reports import LintReport
from catalog.models import Waiver
from catalog.models.lint import POINTER_LENGTH, REASON_LENGTH, RULE_LENGTH
from catalog.shortcuts import revision_at, revision_of, tool_at
from catalog.text_diff import unified
from catalog.waivers import waive, withdraw

router = Router(tags=["lint"])

CHANGED = {404: ErrorOut, 409: ErrorOut, 412: ErrorOut, **REFUSED}


WAIVER: dict[str, Any] = {
    "id": 7,
    "rule": "name-not-portable",
    "pointer": "/definition/name",
    "reason": "Our customers know it by this name.",
    "by": "ada",
    "created_at": "2026-01-15T09:30:00Z",
}
LINT: dict[str, Any] = {
    "revision": 3,
    "current": True,
    "score": 95,
    "counts": {"error": 0, "warning": 1, "info": 0},
    "usable": ["openapi"],
    "findings": [ADVICE | {"waiver": None}],
}
APPLIED: dict[str, Any] = {
    "outcome": "revised",
    "revision": 4,
    "dry_run": False,
    "applied": ["0c6f1a2b3d4e"],
    "left": [],
    "difference": '--- revision 3\n+++ revision 4\n@@ -2,1 +2,1 @@\n-"name": "Get weather"\n+"name": "Get_weather"\n',
}


def _like(example: dict[str, Any]) -> ConfigDict:
    return ConfigDict(json_schema_extra={"example": example})


# -- shapes -----------------------------------------------------------------------------------------------------------


class WaiverIn(Schema):
    model_config = _like({key: WAIVER[key] for key in ("rule", "pointer", "reason")})

    rule: str = Field(max_length=RULE_LENGTH, description="The id of a rule.")
    pointer: str = Field(
        "", max_length=POINTER_LENGTH, description="The only place where it is waived; left out: wherever it is found."
    )
    reason: str = Field(min_length=1, max_length=REASON_LENGTH, description="Why; everybody can read it.")


class WaiverOut(Schema):
    model_config = _like(WAIVER)

    id: int
    rule: str
    pointer: str
    reason: str
    by: str | None
    created_at: datetime


class WaiversOut(Schema):
    model_config = _like({"items": [WAIVER]})

    items: list[WaiverOut]


class FindingOut(AdviceOut):
    model_config = _like(ADVICE | {"waiver": None})

    waiver: WaiverOut | None = Field(description="Who lives with it, and why; it costs nothing then.")


class LintQuery(Schema):
    revision: int | None = Field(None, ge=1, le=2**31 - 1, description="Left out: the current one.")


class LintOut(Schema):
    model_config = _like(LINT)

    revision: int
    current: bool = Field(description="Whether it is the tool's current revision, to which fixes can be applied.")
    score: int = Field(description="From 0 to 100; what is waived costs nothing.")
    counts: dict[Literal["error", "warning", "info"], int] = Field(description="How many findings are not waived.")
    usable: list[str] = Field(description="The formats that take it as it is.")
    findings: list[FindingOut] = Field(description="The gravest first, with lines and columns of the spec's text.")


class FixesIn(Schema):
    model_config = _like({"revision": 3, "fixes": ["0c6f1a2b3d4e"]})

    revision: int = Field(ge=1, le=2**31 - 1, description="The revision whose findings you saw.")
    fixes: list[str] | None = Field(None, max_length=500, description="The keys of fixes; left out: all that are safe.")
    dry_run: bool = Field(False, description="Store nothing; only say what would happen.")


class AppliedOut(Schema):
    model_config = _like(APPLIED)

    outcome: Literal["revised", "unchanged"]
    revision: int = Field(description="The revision that is current now.")
    dry_run: bool
    applied: list[str] = Field(description="Keys of the fixes that were applied.")
    left: list[str] = Field(description="Keys of those that did not fit any more, or were too many for once.")
    difference: str = Field(description="What changed in the text, as a unified diff.")


# -- operations -------------------------------------------------------------------------------------------------------


@router.get(
    "/tools/{slug}/lint",
    response={200: LintOut, 404: ErrorOut, 422: ErrorOut},
    auth=open_to_all(),
    summary="Get what could be better in a spec",
)
def get_lint(request: HttpRequest, response: HttpResponse, slug: str, query: Query[LintQuery]) -> dict[str, Any]:
    """Of the current revision or an earlier one. Where a finding has a fix, its key is what applies it."""
    tool = tool_at(slug)
    revision = revision_at(slug, query.revision) if query.revision else revision_of(tool)
    report = LintReport(revision, list(tool.waivers.select_related("created_by")))
    response["ETag"] = tool.etag
    return {
        "revision": revision.number,
        "current": revision.pk == tool.current_id,
        "score": report.score,
        "counts": report.counts,
        "usable": report.usable,
        "findings": [
            advice_json(one) | {"waiver": waiver_json(report.waived[place]) if place in report.waived else None}
            for place, one in enumerate(report.advice)
        ],
    }


@router.post(
    "/tools/{slug}/lint/fixes",
    response={200: AppliedOut, 201: AppliedOut, **CHANGED},
    auth=token_or_session("publish"),
    summary="Apply fixes",
)
def apply_fixes(request: HttpRequest, slug: str, body: FixesIn) -> Status[dict[str, Any]]:
    """What comes of it is published as the tool's next revision, if the one that you saw is still the current one."""
    tool = tool_at(slug)
    before = revision_of(tool)
    result = apply_fixes_to_tool(tool, body.fixes, by=actor(request), seen=body.revision, dry_run=body.dry_run)
    number = result.publication.revision.number
    stored = {
        "outcome": result.publication.outcome,
        "revision": before.number if body.dry_run else number,
        "dry_run": body.dry_run,
        "applied": [fix.key for fix in result.applied],
        "left": [fix.key for fix in result.left],
        "difference": unified(
            before.source, result.text, old_name=f"revision {before.number}", new_name=f"revision {number}"
        ),
    }
    return Status(200 if body.dry_run or result.publication.outcome == "unchanged" else 201, stored)


@router.get(
    "/tools/{slug}/lint/waivers",
    response={200: WaiversOut, 404: ErrorOut},
    auth=open_to_all(),
    summary="List what is waived",
)
def list_waivers(request: HttpRequest, slug: str) -> dict[str, Any]:
    """Who lives with which findings of a tool, and why."""
    return {"items": [waiver_json(waiver) for waiver in tool_at(slug).waivers.select_related("created_by")]}


@router.post(
    "/tools/{slug}/lint/waivers",
    response={201: WaiverOut, 404: ErrorOut, **REFUSED},
    auth=token_or_session("publish"),
    summary="Waive a rule",
)
def add_waiver(request: HttpRequest, slug: str, body: WaiverIn) -> Status[dict[str, Any]]:
    """For a tool, in all its revisions: at one place, or wherever the rule finds something. It costs no score then."""
    waiver = waive(tool_at(slug), rule=body.rule, pointer=body.pointer, reason=body.reason, by=actor(request))
    return Status(201, waiver_json(waiver))


@router.delete(
    "/tools/{slug}/lint/waivers/{int:waiver}",
    response={204: None, 401: ErrorOut, 403: ErrorOut, 404: ErrorOut},
    auth=token_or_session("publish"),
    summary="Take a waiver back",
)
def remove_waiver(request: HttpRequest, slug: str, waiver: int) -> Status[None]:
    """What it waived counts again."""
    found = tool_at(slug).waivers.filter(pk=waiver).first() if waiver < 2**63 else None
    if found is None:
        raise Http404
    withdraw(found)
    return Status(204, None)


# -- as JSON ----------------------------------------------------------------------------------------------------------


def waiver_json(waiver: Waiver) -> dict[str, Any]:
    return {
        "id": waiver.pk,
        "rule": waiver.rule,
        "pointer": waiver.pointer,
        "reason": waiver.reason,
        "by": waiver.created_by.username if waiver.created_by else None,
        "created_at": waiver.created_at,
    }
