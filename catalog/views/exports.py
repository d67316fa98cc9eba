"""The spec of a tool, its exports and its compatibility, which a tool's page loads when the reader scrolls there."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from catalog.shortcuts import revision_of, tool_at
from catalog.specs.exporters import FORMATS, matrix
from catalog.tool_page import SpecText, exported
from catalog.views.parts import part_or_page


@require_safe
def spec_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The current spec of a tool, highlighted."""
    tool = tool_at(slug, request.user)
    context = {"tool": tool, "spec": SpecText(revision_of(tool).source)}
    return part_or_page(request, "catalog/_spec.html", "catalog/spec.html", context)


@require_safe
def compatibility_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The compatibility of a tool with each export format."""
    tool = tool_at(slug, request.user)
    context = {"tool": tool, "fits": matrix(revision_of(tool).spec)}
    return part_or_page(request, "catalog/_compatibility.html", "catalog/compatibility.html", context)


@require_safe
def export_page(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """A tool in one export format, with what differs from its spec."""
    if key not in FORMATS:
        raise Http404
    tool = tool_at(slug, request.user)
    context = {"tool": tool, "usage": exported(revision_of(tool).spec, key)}
    return part_or_page(request, "catalog/_usage.html", "catalog/export.html", context)
