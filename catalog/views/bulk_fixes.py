"""The pages that apply safe lint fixes to many tools: a preview, then a report.

The tools are those of the selection (see `selection.py`), or with `?rule=` alone those that break this lint rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from catalog.accounts.api_auth import actor
from catalog.accounts.rate_limits import limit_previews, limit_uploads
from catalog.bulk_changes import MAX_TOOLS
from catalog.linting.bulk_fixes import MAX_FIXED, PlannedFix, Shown, fix_many, plan_fixes
from catalog.linting.overview import tools_that_break
from catalog.linting.page import PREVIEW_CHARACTERS
from catalog.models import Audience
from catalog.rendering.text_diff import Difference, compare
from catalog.shortcuts import revision_of, rule_at
from catalog.specs.lint import Rule
from catalog.views.selection import selected_slugs, tools_with

MAX_ROWS: Final = 3_000  # of all differences on the page
OPEN_ROWS: Final = 100  # with more rows, the differences are folded
MAX_DIGITS: Final = 9
_SHOWN: Final = re.compile(r"(?P<slug>\S+) (?P<revision>[0-9]{1,9}) (?P<sha256>[0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class FixRow:
    """A planned fix as the preview shows it; `difference` is None if it is too long for the page."""

    plan: PlannedFix
    difference: Difference | None

    @property
    def length(self) -> int:
        return sum(map(len, self.difference.hunks)) if self.difference else 0

    @property
    def value(self) -> str:
        """The value that the form sends."""
        return " ".join([self.plan.tool.slug, *map(str, self.plan.shown)])


@require_http_methods(["GET", "HEAD", "POST"])  # 500 tools are too many for a URL
@login_required
def preview_fixes(request: HttpRequest) -> HttpResponse:
    """The changes that the safe fixes would make to each tool, and the tools that are skipped."""
    limit_previews(request)
    rule = _rule(request)
    slugs = selected_slugs(request)
    links: dict[str, str] = {}
    if rule and not slugs:
        slugs, links = _that_break(request, rule)
    tools = tools_with(request, slugs)
    prefetch_related_objects(tools, "waivers")
    plan = plan_fixes(tools, rule=rule.id if rule else None, by=actor(request))
    rows = _rows(plan.planned)
    proposals = sum(one.is_proposal for one in plan.planned)
    context = {
        "rule": rule,
        "rows": rows,
        "skipped": plan.skipped,
        "proposals": proposals,
        "revisions": len(plan.planned) - proposals,
        "is_open": sum(row.length for row in rows) <= OPEN_ROWS,
        **links,
    }
    return render(request, "catalog/selection/fixes.html", context)


@require_POST
@login_required
def apply_fixes(request: HttpRequest) -> HttpResponse:
    """Publish or propose the fixes `fix` of a preview (slug, revision and hash of each), and report every tool."""
    limit_uploads(request)
    rule = _rule(request)
    shown = {}
    for value in request.POST.getlist("fix")[:MAX_FIXED]:
        if found := _SHOWN.fullmatch(value):
            shown[found["slug"]] = Shown(int(found["revision"]), found["sha256"])
    tools = tools_with(request, list(shown))
    prefetch_related_objects(tools, "waivers")
    report = fix_many(tools, shown, rule=rule.id if rule else None, by=actor(request))
    context = {"rule": rule, "report": report, "missing": len(shown) - len(tools)}
    return render(request, "catalog/selection/fixed.html", context)


def _rule(request: HttpRequest) -> Rule | None:
    name = (request.POST or request.GET).get("rule")
    return rule_at(name) if name else None


def _that_break(request: HttpRequest, rule: Rule) -> tuple[list[str], dict[str, str]]:
    """The slugs of a page of the tools that break `rule`, and the context of its pagination."""
    found = tools_that_break(rule.id, Audience.objects.visibility_for(request.user))
    page = Paginator(found, MAX_TOOLS).get_page(request.GET.get("page", "1")[:MAX_DIGITS])
    links = {}
    if page.has_other_pages():
        links["summary"] = (
            f"Tools {page.start_index():,} to {page.end_index():,} of {page.paginator.count:,}"
        )
    if page.has_previous():
        links["previous_url"] = f"?rule={rule.id}&page={page.previous_page_number()}"
    if page.has_next():
        links["next_url"] = f"?rule={rule.id}&page={page.next_page_number()}"
    return [tool.slug for tool in page], links


def _rows(planned: tuple[PlannedFix, ...]) -> list[FixRow]:
    rows: list[FixRow] = []
    left = MAX_ROWS
    for plan in planned:
        source, fixed = revision_of(plan.tool).source, plan.fixed.spec.source
        row = FixRow(
            plan, compare(source, fixed) if left > 0 and len(source) <= PREVIEW_CHARACTERS else None
        )
        left -= row.length
        rows.append(row)
    return rows
