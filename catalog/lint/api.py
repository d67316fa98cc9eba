"""The API's operations for lint: the rules; findings, fixes and waivers of a tool."""
# ruff: noqa: ARG001 - every operation has a request parameter, even if it does not use it

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Status

from accounts.api_auth import actor, open_to_all, token_or_session
from catalog.lint.apply_fixes import apply_fixes_to_tool
from catalog.lint.lookup import rule_at
from catalog.lint.reports import LintReport
from catalog.lint.schemas import (
    AppliedOut,
    FindingOut,
    FixesIn,
    LintOut,
    LintQuery,
    RuleExampleOut,
    RuleOut,
    RulesOut,
    RuleWithExampleOut,
    WaiverIn,
    WaiverOut,
    WaiversOut,
    advice_members,
    rule_help,
)
from catalog.lint.waivers import delete_waiver, waive
from catalog.proposals.actions import PendingSpec
from catalog.proposals.schemas import ProposalOut
from catalog.tools.lookup import revision_at, revision_of, tool_at, tool_for
from toolshelf_core.api.problems import REFUSED, errors
from toolshelf_core.rendering.text_diff import write_unified
from toolspec.lint import RULES, SEVERITIES
from toolspec.lint.rule_examples import findings_in

router = Router(tags=["lint"])


@router.get("/lint/rules", response=RulesOut, auth=open_to_all(), summary="List the lint rules")
def list_rules(request: HttpRequest) -> RulesOut:
    """All rules with their severities and texts. A finding has the id of its rule."""
    rules = sorted(RULES.values(), key=lambda rule: SEVERITIES.index(rule.severity))
    return RulesOut(items=[RuleOut.of(rule, help=rule_help(rule.id)) for rule in rules])


@router.get(
    "/lint/rules/{rule}",
    response={200: RuleWithExampleOut, **errors(404)},
    auth=open_to_all(),
    summary="Get a lint rule",
)
def get_rule(request: HttpRequest, rule: str) -> RuleWithExampleOut:
    """One rule, with an example of a finding, its correction, and the rule's sources."""
    lint_rule = rule_at(rule)
    findings = findings_in(lint_rule, lint_rule.example.found)
    has_fix = any(finding.fix for finding in findings)
    example = RuleExampleOut.of(lint_rule.example, notes=findings, has_fix=has_fix)
    return RuleWithExampleOut.of(lint_rule, help=rule_help(rule), example=example)


@router.get(
    "/tools/{slug}/lint",
    response={200: LintOut, **errors(404, 422)},
    auth=open_to_all(),
    summary="Get the lint findings of a spec",
)
def get_lint(
    request: HttpRequest, response: HttpResponse, slug: str, query: Query[LintQuery]
) -> LintOut:
    """The findings of the current revision or an earlier one.

    To apply a fix, send its key to `/lint/fixes`.
    """
    tool = tool_at(slug, request.user)
    revision = revision_of(tool)
    if query.revision:
        revision = revision_at(slug, query.revision, request.user)
    report = LintReport(revision, list(tool.waivers.select_related("created_by")))
    findings = []
    for index, finding in enumerate(report.advice):
        members = advice_members(finding) | {"waiver": report.waived.get(index)}
        findings.append(FindingOut.model_validate(members))
    response["ETag"] = tool.etag
    is_current = revision.pk == tool.current_id
    return LintOut.of(report, revision=revision.number, current=is_current, findings=findings)


@router.post(
    "/tools/{slug}/lint/fixes",
    response={
        200: AppliedOut,
        201: AppliedOut,
        202: ProposalOut,
        **errors(404, 409, 412),
        **REFUSED,
    },
    auth=token_or_session("publish"),
    summary="Apply fixes",
)
def apply_fixes(
    request: HttpRequest, slug: str, body: FixesIn
) -> Status[AppliedOut] | Status[ProposalOut]:
    """Publishes the fixed spec as the tool's next revision.

    The tool must still be at the revision that you have seen. 202 if the tool belongs to someone
    else: then the fixed spec waits for their approval.
    """
    tool = tool_for(request.user, "propose", slug)
    before = revision_of(tool)
    result, outcome = apply_fixes_to_tool(
        tool, body.fixes, by=actor(request), seen=body.revision, dry_run=body.dry_run
    )
    if isinstance(outcome, PendingSpec):
        return Status(202, ProposalOut.of_proposal(outcome))
    number = outcome.revision.number
    names = {"old_name": f"revision {before.number}", "new_name": f"revision {number}"}
    answer = AppliedOut.of(
        outcome,
        revision=before.number if body.dry_run else number,
        dry_run=body.dry_run,
        applied=[fix.key for fix in result.applied],
        left=[fix.key for fix in result.left],
        difference=write_unified(before.source, result.spec.source, **names),
    )
    is_stored = not body.dry_run and outcome.outcome != "unchanged"
    return Status(201 if is_stored else 200, answer)


@router.get(
    "/tools/{slug}/lint/waivers",
    response={200: WaiversOut, **errors(404)},
    auth=open_to_all(),
    summary="List waivers",
)
def list_waivers(request: HttpRequest, slug: str) -> WaiversOut:
    """The waived findings of a tool, with who waived them and why."""
    waivers = tool_at(slug, request.user).waivers.select_related("created_by")
    return WaiversOut(items=[WaiverOut.of(waiver) for waiver in waivers])


@router.post(
    "/tools/{slug}/lint/waivers",
    response={201: WaiverOut, **errors(404), **REFUSED},
    auth=token_or_session("publish"),
    summary="Waive a rule",
)
def add_waiver(request: HttpRequest, slug: str, body: WaiverIn) -> Status[WaiverOut]:
    """Waives it in all revisions of the tool, at one JSON Pointer or everywhere.

    Waived findings cost no score.
    """
    waiver = waive(
        tool_for(request.user, "waive", slug),
        rule=body.rule,
        pointer=body.pointer,
        reason=body.reason,
        by=actor(request),
    )
    return Status(201, WaiverOut.of(waiver))


@router.delete(
    "/tools/{slug}/lint/waivers/{int:waiver}",
    response={204: None, **errors(401, 403, 404)},
    auth=token_or_session("publish"),
    summary="Remove a waiver",
)
def remove_waiver(request: HttpRequest, slug: str, waiver: int) -> Status[None]:
    """The findings that it waived affect the score again."""
    tool = tool_for(request.user, "waive", slug)
    if waiver >= 2**63:  # no primary key is
        raise Http404
    delete_waiver(get_object_or_404(tool.waivers, pk=waiver))
    return Status(204, None)
