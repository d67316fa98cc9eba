"""Pages of lint: the rules and their documentation; what could be better in a tool's spec."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from catalog.accounts.api_auth import actor
from catalog.apply_fixes import apply_fixes_to_tool
from catalog.errors import DocumentError, RevisionConflict
from catalog.forms import WaiverForm
from catalog.lint_reports import LintReport
from catalog.models import Tool
from catalog.shortcuts import revision_at, revision_of, tool_at
from catalog.specs.lint import RULES, SEVERITIES, Rule, Severity
from catalog.specs.lint.citations import SOURCES
from catalog.specs.lint.rule_examples import illustrations
from catalog.waivers import withdraw

MAX_DIGITS: Final = 9
MEANINGS: Final[Mapping[Severity, tuple[str, str]]] = {
    "error": ("Errors", "The tool cannot be used as it is described, or ought not to be."),
    "warning": ("Warnings", "A model, a provider or a person will stumble over it."),
    "info": ("Hints", "More could be said."),
}


@require_safe
def rule_list(request: HttpRequest) -> HttpResponse:
    """Every rule of lint, the gravest first."""
    groups = [
        (severity, *MEANINGS[severity], [rule for rule in RULES.values() if rule.severity == severity])
        for severity in SEVERITIES
    ]
    return render(request, "catalog/lint/rules.html", {"groups": groups, "total": len(RULES)})


@require_safe
def rule_page(request: HttpRequest, rule: str) -> HttpResponse:
    """One rule: what it finds and why it matters, an example of it and put right, where the rule comes from."""
    found = _rule_at(rule)
    shown = illustrations()[found.id]
    context = {
        "rule": found,
        "meaning": MEANINGS[found.severity][1],
        "shown": shown,
        "notes": shown.notes(found.id),
        "mended": shown.is_fixed(found.id),
        "sources": SOURCES[found.id],
    }
    return render(request, "catalog/lint/rule.html", context)


def _rule_at(name: str) -> Rule:
    if name not in RULES:
        raise Http404
    return RULES[name]


# -- a tool -----------------------------------------------------------------------------------------------------------


@require_safe
def tool_lint(request: HttpRequest, slug: str) -> HttpResponse:
    """What could be better in a tool's spec: in its current revision, or in `?revision=`."""
    return _lint_page(request, tool_at(slug))


@require_POST
@login_required
def apply_fixes(request: HttpRequest, slug: str) -> HttpResponse:
    """Apply the fixes `fix`, or all that are safe, to the revision that was `seen`; publish what comes of it."""
    tool = tool_at(slug)
    keys = None if "safe" in request.POST else request.POST.getlist("fix")
    try:
        fixed = apply_fixes_to_tool(tool, keys, by=actor(request), seen=_number(request.POST.get("seen")))
    except RevisionConflict:
        return _lint_page(request, tool_at(slug), conflict=True, status=409)
    except DocumentError as error:
        return _lint_page(request, tool, refusal=error.problems[0].message, status=422)
    done = f"Revision {fixed.publication.revision.number} is published, with {_fixes(len(fixed.applied))} applied."
    rest = f" {_fixes(len(fixed.left))} did not fit any more; look again." if fixed.left else ""
    messages.success(request, done + rest)
    return redirect("catalog:tool_lint", slug)


@require_POST
@login_required
def add_waiver(request: HttpRequest, slug: str) -> HttpResponse:
    """Waive `rule` at `pointer`, or (`everywhere`) wherever it is found, for a `reason`."""
    tool = tool_at(slug)
    form = WaiverForm(request.POST)
    if not form.save(tool, by=actor(request)):
        message = form.error_links[0]["message"]
        return _lint_page(request, tool, refusal=message, refused=request.POST, status=form.status)
    messages.success(request, f"Waived: {RULES[form.cleaned_data['rule']].title}. It costs no score any more.")
    return redirect("catalog:tool_lint", slug)


@require_POST
@login_required
def remove_waiver(request: HttpRequest, slug: str, waiver: int) -> HttpResponse:
    """Take a waiver back."""
    found = tool_at(slug).waivers.filter(pk=waiver).first()
    if found is None:
        raise Http404
    withdraw(found)
    messages.success(request, "The waiver is taken back. What it waived counts again.")
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
    """The page; `refused`: a waiver that was not accepted, to be put right."""
    current = revision_of(tool)
    asked = request.GET.get("revision")
    revision = revision_at(tool.slug, _number(asked)) if asked else current
    report = LintReport(revision, list(tool.waivers.select_related("created_by")))
    context = {
        "tool": tool,
        "report": report,
        "groups": [(severity, *MEANINGS[severity], remarks) for severity, remarks in report.groups],
        "is_current": revision.pk == current.pk,
        "changeable": revision.pk == current.pk and request.user.is_authenticated,
        "conflict": conflict,
        "refusal": refusal,
        "errors": [{"href": "#refused", "message": refusal}] if refusal else [],
        "refused": refused or {},
    }
    return render(request, "catalog/lint/tool.html", context, status=status)


def _number(text: str | None) -> int:
    """The number of a revision, as an address or a form has it.

    Raises:
        Http404: it is none.
    """
    if not text or not text.isascii() or not text.isdecimal() or len(text) > MAX_DIGITS:
        raise Http404
    return int(text)


def _fixes(number: int) -> str:
    return f"{number} {'fix' if number == 1 else 'fixes'}"
