"""The pages of lint: the rules with their documentation, and the findings in a tool's spec."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST, require_safe

from accounts.api_auth import actor
from catalog.access.models import Audience
from catalog.access.rights import may
from catalog.lint.apply_fixes import apply_fixes_to_tool
from catalog.lint.forms import WaiverForm
from catalog.lint.lookup import rule_at
from catalog.lint.overview import chart_of_scores, findings_of, tools_that_break
from catalog.lint.page import MEANINGS, LintPage, change_of, severity_links
from catalog.lint.reports import LintReport
from catalog.lint.waivers import withdraw
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
    """How the scores are spread, and all lint rules: the most severe first, then those that most tools break.

    `?severity=` shows only the rules of one severity.
    """
    chosen = _severity(request)
    visibility = Audience.objects.visibility_for(request.user)
    figures, numbers = figures_for(visibility), count_broken_rules(visibility)
    groups = []
    for severity in [chosen] if chosen else SEVERITIES:
        rules = [rule for rule in RULES.values() if rule.severity == severity]
        broken = [(rule, numbers[rule.id]) for rule in rules if numbers[rule.id]]
        unbroken = [rule for rule in rules if not numbers[rule.id]]
        groups.append(
            (
                severity,
                *MEANINGS[severity],
                sorted(broken, key=lambda counted: -counted[1]),
                unbroken,
            )
        )
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
    """One rule: why it matters, what to do, an example with its correction, its sources, and who breaks it."""
    found = rule_at(rule)
    findings = findings_in(found, found.example.found)
    tools = tools_that_break(found.id, Audience.objects.visibility_for(request.user))
    pages = Paginator(tools, TOOLS_PER_PAGE)
    page = pages.get_page(request.GET.get("page", "1")[:MAX_DIGITS])
    context = {
        "rule": found,
        "meaning": MEANINGS[found.severity][1],
        "notes": [
            {"pointer": finding.pointer, "message": finding.message, "kind": found.severity}
            for finding in findings
        ],
        "has_fix": any(finding.fix for finding in findings),
        "page": page,
        "rows": [(tool, findings_of(tool, found.id)) for tool in page],
        "previous_url": f"?page={page.previous_page_number()}#tools" if page.has_previous() else "",
        "next_url": f"?page={page.next_page_number()}#tools" if page.has_next() else "",
        "summary": f"{page.start_index():,} to {page.end_index():,} of {pages.count:,}"
        if pages.num_pages > 1
        else "",
    }
    return render(request, "catalog/lint/rule.html", context)


# -- a tool -----------------------------------------------------------------------------------------------------------


@require_safe
def tool_lint(request: HttpRequest, slug: str) -> HttpResponse:
    """The findings in the current revision of a tool, or in `?revision=`.

    With `?rule=`, all of one rule; with `?severity=`, those of one severity.

    An htmx request, which the tool's page makes, gets a summary.
    """
    tool = tool_at(slug, request.user)
    if not wants_part(request):
        response = _lint_page(request, tool)
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
    """The change that all safe fixes of a revision make together, or with `?rule=` all fixes of that rule."""
    tool = tool_at(slug, request.user)
    revision = _revision(request, tool)
    report = LintReport(revision, list(tool.waivers.all()))
    rule = rule_at(request.GET["rule"]) if "rule" in request.GET else None
    fixes = report.fixes_of(rule.id) if rule else report.safe_fixes
    context = {
        "tool": tool,
        "revision": revision,
        "rule": rule,
        "fixes": fixes,
        "difference": change_of(report, fixes),
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
        keys = [
            fix.key
            for fix in LintReport(revision_of(tool), list(tool.waivers.all())).fixes_of(rule)
        ]
    try:
        fixed, outcome = apply_fixes_to_tool(
            tool, keys, by=actor(request), seen=_number(request.POST.get("seen"))
        )
    except RevisionConflict:
        return _lint_page(request, tool_at(slug, request.user), conflict=True, status=409)
    except DocumentError as error:
        return _lint_page(request, tool, refusal=error.problems[0].message, status=422)
    rest = (
        f" {_fixes(len(fixed.left))} could no longer be applied; check the findings."
        if fixed.left
        else ""
    )
    if isinstance(outcome, PendingSpec):
        messages.success(request, f"{_fixes(len(fixed.applied))} proposed. {WHO_DECIDES}{rest}")
        return redirect(outcome.get_absolute_url())
    done = f"Revision {outcome.revision.number} is published, with {_fixes(len(fixed.applied))} applied."
    messages.success(request, done + rest)
    return redirect("catalog:tool_lint", slug)


@require_POST
@login_required
def add_waiver(request: HttpRequest, slug: str) -> HttpResponse:
    """Waive `rule` at `pointer`, or all its findings (`everywhere`), for a `reason`."""
    tool = tool_for(request.user, "waive", slug)
    form = WaiverForm(request.POST)
    if not form.save(tool, by=actor(request)):
        message = form.error_links[0]["message"]
        return _lint_page(request, tool, refusal=message, refused=request.POST, status=form.status)
    messages.success(
        request,
        f"Waived: {RULES[form.cleaned_data['rule']].title}. It no longer reduces the score.",
    )
    return redirect("catalog:tool_lint", slug)


@require_POST
@login_required
def remove_waiver(request: HttpRequest, slug: str, waiver: int) -> HttpResponse:
    """Remove a waiver."""
    found = tool_for(request.user, "waive", slug).waivers.filter(pk=waiver).first()
    if found is None:
        raise Http404
    withdraw(found)
    messages.success(request, "The waiver is removed. Its findings count again.")
    return redirect("catalog:tool_lint", slug)


def _lint_page(
    request: HttpRequest,
    tool: Tool,
    *,
    conflict: bool = False,
    refusal: str = "",
    refused: Mapping[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page; `refused`: a rejected waiver, to be corrected."""
    revision = _revision(request, tool)
    report = LintReport(revision, list(tool.waivers.select_related("created_by")))
    rule = rule_at(request.GET["rule"]) if "rule" in request.GET else None
    severity = _severity(request)
    is_current = revision.pk == tool.current_id
    context = {
        "tool": tool,
        "report": report,
        "shown": LintPage(report, rule, severity),
        "severities": severity_links(report.counts, None if is_current else revision.number),
        "severity": severity,
        "revision_query": "" if is_current else f"&revision={revision.number}",
        "is_current": is_current,
        "may_apply": is_current and bool(may(request.user, "revise", tool)),
        "may_propose": is_current and bool(may(request.user, "propose", tool)),
        "may_waive": is_current and bool(may(request.user, "waive", tool)),
        "proposal": own_proposal(tool, request.user),
        "conflict": conflict,
        "refusal": refusal,
        "errors": [{"href": "#refused", "message": refusal}] if refusal else [],
        "refused": refused or {},
    }
    return render(request, "catalog/lint/tool.html", context, status=status)


def _revision(request: HttpRequest, tool: Tool) -> Revision:
    """The revision `?revision=`, or the current one.

    Raises:
        Http404: there is none.
    """
    asked = request.GET.get("revision")
    return revision_at(tool.slug, _number(asked), request.user) if asked else revision_of(tool)


def _severity(request: HttpRequest) -> Severity | None:
    """The severity `?severity=`, or None for all.

    Raises:
        Http404: it is not a severity.
    """
    asked = request.GET.get("severity") or None
    if asked is not None and asked not in SEVERITIES:
        raise Http404
    return asked


def _number(text: str | None) -> int:
    """The number of a revision in a URL or a form.

    Raises:
        Http404: it is not a number.
    """
    number = read_number(text or "")
    if number is None:
        raise Http404
    return number


def _fixes(number: int) -> str:
    return f"{number} {'fix' if number == 1 else 'fixes'}"
