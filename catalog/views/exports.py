"""The pages of a tool's tab Exports: its spec, its exports and its compatibility with each format."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_safe

from catalog.code_generation import LANGUAGES
from catalog.models import Tool
from catalog.shortcuts import revision_of, tool_at
from catalog.specs.exporters import FORMATS, matrix
from catalog.tool_page import SpecText, exported
from catalog.views.parts import part_or_page


def exports_context(tool: Tool, key: str) -> dict[str, Any]:
    """The context of `catalog/exports_base.html`; `key` of the format or language that is open, "spec" or "".

    `fits` is computed when a template asks for it.
    """
    fits = SimpleLazyObject(lambda: matrix(revision_of(tool).spec))
    return {"tool": tool, "fits": fits, "languages": LANGUAGES.values(), "open": key}


@require_safe
def spec_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The current spec of a tool, highlighted."""
    tool = tool_at(slug, request.user)
    context = exports_context(tool, "spec") | {"spec": SpecText(revision_of(tool).source)}
    return part_or_page(request, "catalog/_spec.html", "catalog/spec.html", context)


@require_safe
def compatibility_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The compatibility of a tool with each export format."""
    tool = tool_at(slug, request.user)
    context = exports_context(tool, "")
    return part_or_page(request, "catalog/_compatibility.html", "catalog/compatibility.html", context)


@require_safe
def export_page(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """A tool in one export format, with what differs from its spec."""
    if key not in FORMATS:
        raise Http404
    tool = tool_at(slug, request.user)
    context = exports_context(tool, key) | {"usage": exported(revision_of(tool).spec, key)}
    return part_or_page(request, "catalog/_usage.html", "catalog/export.html", context)
