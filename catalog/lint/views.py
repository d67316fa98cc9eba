"""The pages of lint: the rules with their documentation, and the findings in a tool's spec."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST, require_safe

from accounts.api_auth import actor
from catalog.access.models import Audience
from catalog.access.rights import may
from catalog.lint.apply_fixes import apply_fixes_to_tool
from catalog.lint.forms import WaiverForm
from catalog.lint.lookup import rule_at
from catalog.lint.overview import chart_of_scores, findings_of, tools_that_break
from catalog.lint.page import MEANINGS, LintPage, compare_fixed, severity_links
from catalog.lint.reports import LintReport
from catalog.lint.waivers import delete_waiver
from catalog.proposals.actions import WHO_DECIDES, PendingSpec, own_proposal
from catalog.search.figures import count_broken_rules, figures_for
from catalog.tools.lookup import revision_at, revision_of, tool_at, tool_for
from catalog.tools.models import Revision, Tool
from toolshelf_core.errors import RevisionConflict
from toolshelf_core.page_parts import render_part_or_page, wants_part
from toolshelf_core.paging import read_number
from toolspec.errors import DocumentError
from toolspec.lint import RULES, SEVERITIES, Severity
from toolspec.lint.rule_examples import findings_in

MAX_DIGITS: Final = 9
TOOLS_PER_PAGE: Final = 50
SUMMARY_GROUPS: Final = 3  # on the tool's page


@require_safe
def rule_list(request: HttpRequest) -> HttpResponse:
    """How the scores are spread, and all lint rules.

    The most severe come first, then those that most tools break. `?severity=` shows only the rules
    of one severity.
    """
    chosen = _read_severity(request)
    visibility = Audience.objects.visibility_for(request.user)
    figures, numbers = figures_for(visibility), count_broken_rules(visibility)
    groups = []
    severities = (chosen,) if chosen else SEVERITIES
    for severity in severities:
        rules = [rule for rule in RULES.values() if rule.severity == severity]
        broken = [(rule, numbers[rule.id]) for rule in rules if numbers[rule.id]]
        broken.sort(key=lambda pair: -pair[1])
        unbroken = [rule for rule in rules if not numbers[rule.id]]
        groups.append((severity, *MEANINGS[severity], broken, unbroken))
    context = {
        "groups": groups,
        "total": len(RULES),
        "assessed": figures.number_assessed,
        "chart": chart_of_scores(figures.scores),
        "most": max(numbers.values(), default=1),
        "severity": chosen,
        "severities": severity_links(Counter(rule.severity for rule in RULES.values())),
    }
    return render(request, "catalog/lint/rules.html", context)


@require_safe
def rule_page(request: HttpRequest, rule: str) -> HttpResponse:
    """One rule: why it matters, what to do, its sources, and who breaks it.

    And an example with its correction.
    """
    lint_rule = rule_at(rule)
    severity = lint_rule.severity
    findings = findings_in(lint_rule, lint_rule.example.found)
    notes = []
    for finding in findings:
        note = {"pointer": finding.pointer, "message": finding.message, "kind": severity}
        notes.append(note)
    tools = tools_that_break(rule, Audience.objects.visibility_for(request.user))
    pages = Paginator(tools, TOOLS_PER_PAGE)
    page = pages.get_page(request.GET.get("page", "1")[:MAX_DIGITS])
    context = {
        "rule": lint_rule,
        "meaning": MEANINGS[severity][1],
        "notes": notes,
        "has_fix": any(finding.fix for finding in findings),
        "page": page,
        "rows": [(tool, findings_of(tool, rule)) for tool in page],
        "previous_url": "",
        "next_url": "",
        "summary": "",
    }
    if page.has_previous():
        context["previous_url"] = f"?page={page.previous_page_number()}#tools"
    if page.has_next():
        context["next_url"] = f"?page={page.next_page_number()}#tools"
    if pages.num_pages > 1:
        context["summary"] = f"{page.start_index():,} to {page.end_index():,} of {pages.count:,}"
    return render(request, "catalog/lint/rule.html", context)


# -- a tool ----------------------------------------------------------------------------------------


@require_safe
def tool_lint(request: HttpRequest, slug: str) -> HttpResponse:
    """The findings in the current revision of a tool, or in `?revision=`.

    With `?rule=`, all of one rule; with `?severity=`, those of one severity.

    An htmx request, which the tool's page makes, gets a summary.
    """
    tool = tool_at(slug, request.user)
    if not wants_part(request):
        response = _render_page(request, tool)
        patch_vary_headers(response, ["HX-Request"])
        return response
    report = LintReport(revision_of(tool), list(tool.waivers.all()))
    groups = LintPage(report).groups[:SUMMARY_GROUPS]
    context = {"tool": tool, "report": report, "groups": groups}
    return render_part_or_page(
        request, "catalog/lint/_summary.html", "catalog/lint/_summary.html", context
    )


@require_safe
def fix_changes(request: HttpRequest, slug: str) -> HttpResponse:
    """The change that all safe fixes of a revision make; with `?rule=` all fixes of that rule."""
    tool = tool_at(slug, request.user)
    revision = _read_revision(request, tool)
    report = LintReport(revision, list(tool.waivers.all()))
    rule = rule_at(request.GET["rule"]) if "rule" in request.GET else None
    fixes = report.list_fixes(rule.id) if rule else report.safe_fixes
    context = {
        "tool": tool,
        "revision": revision,
        "rule": rule,
        "fixes": fixes,
        "difference": compare_fixed(report, fixes),
    }
    return render_part_or_page(
        request, "catalog/lint/_changes.html", "catalog/lint/changes.html", context
    )


@require_POST
@login_required
def apply_fixes(request: HttpRequest, slug: str) -> HttpResponse:
    """Apply the fixes `fix`, all of a `rule`, or all `safe` ones to the revision that was `seen`.

    The result is published, or proposed to those who may publish it.
    """
    tool = tool_for(request.user, "propose", slug)
    keys = None if "safe" in request.POST else request.POST.getlist("fix")
    if rule := request.POST.get("rule"):
        report = LintReport(revision_of(tool), list(tool.waivers.all()))
        keys = [fix.key for fix in report.list_fixes(rule)]
    seen = _read_number(request.POST.get("seen"))
    try:
        result, outcome = apply_fixes_to_tool(tool, keys, by=actor(request), seen=seen)
    except RevisionConflict:
        return _render_page(request, tool_at(slug, request.user), conflict=True, status=409)
    except DocumentError as error:
        return _render_page(request, tool, refusal=error.problems[0].message, status=422)
    fixes = _count_fixes(len(result.applied))
    if isinstance(outcome, PendingSpec):
        message = f"{fixes} proposed. {WHO_DECIDES}"
        address = outcome.get_absolute_url()
    else:
        message = f"Revision {outcome.revision.number} is published, with {fixes} applied."
        address = reverse("catalog:tool_lint", args=[slug])
    if result.left:
        rest = _count_fixes(len(result.left))
        message += f" {rest} could no longer be applied; check the findings."
    messages.success(request, message)
    return redirect(address)


@require_POST
@login_required
def add_waiver(request: HttpRequest, slug: str) -> HttpResponse:
    """Waive `rule` at `pointer`, or all its findings (`everywhere`), for a `reason`."""
    tool = tool_for(request.user, "waive", slug)
    form = WaiverForm(request.POST)
    if not form.save(tool, by=actor(request)):
        message = form.error_links[0]["message"]
        return _render_page(
            request, tool, refusal=message, rejected=request.POST, status=form.status
        )
    title = RULES[form.cleaned_data["rule"]].title
    messages.success(request, f"Waived: {title}. It no longer reduces the score.")
    return redirect("catalog:tool_lint", slug)


@require_POST
@login_required
def remove_waiver(request: HttpRequest, slug: str, waiver: int) -> HttpResponse:
    """Remove a waiver."""
    tool = tool_for(request.user, "waive", slug)
    delete_waiver(get_object_or_404(tool.waivers, pk=waiver))
    messages.success(request, "The waiver is removed. Its findings count again.")
    return redirect("catalog:tool_lint", slug)


def _render_page(
    request: HttpRequest,
    tool: Tool,
    *,
    conflict: bool = False,
    refusal: str = "",
    rejected: Mapping[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page; `rejected`: a waiver to be corrected."""
    revision = _read_revision(request, tool)
    report = LintReport(revision, list(tool.waivers.select_related("created_by")))
    rule = rule_at(request.GET["rule"]) if "rule" in request.GET else None
    severity = _read_severity(request)
    is_current = revision.pk == tool.current_id
    context: dict[str, Any] = {
        "tool": tool,
        "report": report,
        "shown": LintPage(report, rule, severity),
        "severities": severity_links(report.counts, None if is_current else revision.number),
        "severity": severity,
        "revision_query": "",
        "is_current": is_current,
        "may_apply": is_current and bool(may(request.user, "revise", tool)),
        "may_propose": is_current and bool(may(request.user, "propose", tool)),
        "may_waive": is_current and bool(may(request.user, "waive", tool)),
        "proposal": own_proposal(tool, request.user),
        "conflict": conflict,
        "refusal": refusal,
        "errors": [],
        "refused": rejected or {},
    }
    if not is_current:
        context["revision_query"] = f"&revision={revision.number}"
    if refusal:
        context["errors"] = [{"href": "#refused", "message": refusal}]
    return render(request, "catalog/lint/tool.html", context, status=status)


def _read_revision(request: HttpRequest, tool: Tool) -> Revision:
    """The revision `?revision=`, or the current one.

    Raises:
        Http404: there is none.
    """
    text = request.GET.get("revision")
    if not text:
        return revision_of(tool)
    return revision_at(tool.slug, _read_number(text), request.user)


def _read_severity(request: HttpRequest) -> Severity | None:
    """The severity `?severity=`, or None for all.

    Raises:
        Http404: it is not a severity.
    """
    severity = request.GET.get("severity") or None
    if severity is not None and severity not in SEVERITIES:
        raise Http404
    return severity


def _read_number(text: str | None) -> int:
    """The number of a revision in a URL or a form.

    Raises:
        Http404: it is not a number.
    """
    number = read_number(text or "")
    if number is None:
        raise Http404
    return number


def _count_fixes(number: int) -> str:
    return "1 fix" if number == 1 else f"{number} fixes"
