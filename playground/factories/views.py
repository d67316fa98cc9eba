"""The pages of factories: those installed, the search for new ones, their own specs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.api_auth import actor
from accounts.rate_limits import limit_uploads
from accounts.roles import is_administrator
from catalog.access.models import Audience
from catalog.access.rights import may, require
from catalog.exports.generated_code import project_of
from catalog.proposals.actions import WHO_DECIDES, PendingSpec, own_proposal, publish_or_hold
from catalog.search.catalog_search import CatalogSearch
from catalog.search.results import page_of
from catalog.tools.lookup import revision_of, tool_at
from catalog.tools.models import Tool
from catalog.tools.publishing import Publication
from playground.factories.connections import connections, factory_of
from playground.factories.discover import GROUP
from playground.factories.registry import registry
from playground.factories.rescans import check, check_may_rescan, describe_found, request_rescan
from playground.factories.specs import FactoryComparison, compare_factories
from toolshelf_core.errors import Busy, NotAllowed, RevisionConflict
from toolshelf_core.redaction import MIN_SECRET_CHARACTERS
from toolshelf_core.rendering.text_diff import compare
from toolspec.errors import GenerationError, SpecError
from toolspec.lint import lint_with_positions

STATES: Final[Mapping[str, tuple[str, Callable[[FactoryComparison], bool]]]] = {
    "broken": ("Broken", lambda comparison: comparison.factory.status == "broken"),
    "missing-package": (
        "Missing package",
        lambda comparison: comparison.factory.status == "missing package",
    ),
    "importing": ("Not loaded yet", lambda comparison: comparison.factory.status == "importing"),
    "ready": ("Ready", lambda comparison: comparison.factory.status == "ready"),
    "new": ("Not in the catalog", lambda comparison: comparison.state == "new"),
    "differs": ("Differ from the catalog", lambda comparison: comparison.state == "differs"),
}
ORDER: Final = ("broken", "missing package", "importing", "ready")
TOOLS_OFFERED: Final = 10


@require_http_methods(["GET", "HEAD", "POST"])
def factories(request: HttpRequest) -> HttpResponse:
    """The installed factories, the broken ones first; `?state=` shows those in one of `STATES`.

    A POST reloads the installed packages.
    """
    if request.method == "POST":
        return _rescan(request)
    check()
    comparisons = compare_factories(registry().all(), request.user)
    wanted = request.GET.get("state", "")
    _, is_shown = STATES.get(wanted, ("", lambda _: True))
    shown = sorted(
        filter(is_shown, comparisons), key=lambda comparison: ORDER.index(comparison.factory.status)
    )
    context = {
        "factories": shown,
        "all": len(comparisons),
        "wanted": wanted if wanted in STATES else "",
        "states": [
            (key, label, sum(map(is_in, comparisons))) for key, (label, is_in) in STATES.items()
        ],
        "broken": sum(
            comparison.factory.status in {"broken", "missing package"} for comparison in comparisons
        ),
        "connections": connections(),
        "isolation": registry().isolation(),
        "unclaimed": registry().unclaimed_settings() if is_administrator(request.user) else [],
        "min_secret_characters": MIN_SECRET_CHARACTERS,
        "usual_network": settings.TOOL_NETWORK,
    }
    return render(request, "playground/factories/factories.html", context)


@require_safe
def new_factory(request: HttpRequest) -> HttpResponse:
    """Explain how to add a factory.

    It is for the tool `?tool=` (a slug), which `?q=` finds, or starts from an empty file.
    """
    words, slug = request.GET.get("q", "").strip(), request.GET.get("tool", "")
    tool = tool_at(slug, request.user) if slug else None
    visibility = Audience.objects.visibility_for(request.user)
    search = CatalogSearch(words=f"runnable:no {words}", limit=TOOLS_OFFERED, visibility=visibility)
    context = {
        "words": words,
        "page": None if tool else page_of(search),
        "tool": tool,
        "factory": factory_of(tool) if tool else None,
        "skeleton": _skeleton(tool, request.build_absolute_uri("/")) if tool else None,
    }
    return render(request, "playground/factories/new_factory.html", context)


def _skeleton(tool: Tool, site: str) -> dict[str, str]:
    """The parts of the generated package that its author reads first.

    There is only the `error` if there is no package.
    """
    try:
        project = project_of(tool, "python", site=site)
    except GenerationError as error:
        return {"error": str(error)}
    path = next(path for path in project if path.endswith("/tool.py"))
    entry_point = next(part for part in project["pyproject.toml"].split("\n\n") if GROUP in part)
    return {"path": path, "code": project[path], "entry_point": entry_point}


@login_required
def _rescan(request: HttpRequest) -> HttpResponse:
    """Reload the installed packages."""
    check_may_rescan(request.user)
    messages.info(request, describe_found(request_rescan()))
    return redirect("playground:factories")


@require_http_methods(["GET", "HEAD", "POST"])
def factory_spec(request: HttpRequest, name: str) -> HttpResponse:
    """Preview the spec that a factory has itself.

    A POST publishes or proposes it as its tool's next revision.

    The form names the text that its reader has seen: nothing else is published.
    """
    check()
    found = registry().named(name)
    comparison = next(iter(compare_factories(found, request.user)), None)
    if len(found) != 1 or comparison is None:  # several factories may have this key
        raise Http404
    tool = comparison.tool
    status, refusal = 200, ""
    headers: dict[str, str] = {}
    if request.method == "POST":
        if not request.user.is_authenticated:
            return redirect_to_login(request.path)
        try:
            if not _may_publish(request, comparison):
                require(request.user, "upload")  # also to propose
            limit_uploads(request)
            outcome = _publish(request, comparison)
            if isinstance(outcome, PendingSpec):
                messages.success(request, f"The spec is in review. {WHO_DECIDES}")
                return redirect(outcome.get_absolute_url())
            messages.success(
                request,
                f"The spec of {outcome.tool.name} is published as revision "
                f"{outcome.revision.number}.",
            )
            return redirect(outcome.tool)
        except Busy as busy:
            status, refusal = 429, f"{busy} Try again in {busy.retry_after_s} s."
            headers = {"Retry-After": str(busy.retry_after_s)}
        except NotAllowed as error:
            status, refusal = 403, str(error)
        except (SpecError, RevisionConflict) as error:
            status, refusal = 422, str(error)
    current = revision_of(tool) if tool and tool.current else None
    context = {
        "comparison": comparison,
        "current": current,
        "text_difference": compare(current.source, comparison.text)
        if current and comparison.difference
        else None,
        "advice": lint_with_positions(comparison.spec) if comparison.spec else [],
        "refusal": refusal,
        "may_publish": _may_publish(request, comparison),
        "proposed": own_proposal(tool, request.user) if tool else None,
    }
    response = render(request, "playground/factories/factory_spec.html", context, status=status)
    for header, value in headers.items():
        response[header] = value
    return response


def _may_publish(request: HttpRequest, comparison: FactoryComparison) -> bool:
    """Whether the reader's press publishes the spec at once, rather than proposing it."""
    if comparison.tool:
        return bool(may(request.user, "revise", comparison.tool))
    return bool(comparison.spec and may(request.user, "upload", comparison.spec.tool_id))


def _publish(request: HttpRequest, comparison: FactoryComparison) -> Publication | PendingSpec:
    """Publish the spec that the form shows, or hold it for the tool's owner and maintainers.

    Raises:
        SpecError, RevisionConflict, NotAllowed: as `publish_or_hold`; also if there is no spec, or
            another one than the form shows.
    """
    if comparison.spec is None or not comparison.can_be_published:
        raise RevisionConflict(
            "There is nothing to publish: the catalog has this spec, or the factory has none."
        )
    if request.POST.get("sha256") != comparison.spec.sha256:
        raise RevisionConflict(
            "The factory or the tool has changed since you opened this page. Look at the new text."
        )
    current = comparison.tool.current if comparison.tool else None
    return publish_or_hold(
        comparison.spec, by=actor(request), expected=current.number if current else 0
    )
