"""The pages of a tool's tab Exports: its spec, its exports, its compatibility with each format, and generated code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_safe

from catalog.code_generation import LANGUAGES, Project
from catalog.errors import GenerationError
from catalog.generated_code import project_of
from catalog.models import Tool
from catalog.shortcuts import revision_of, tool_at
from catalog.specs.exporters import FORMATS, matrix
from catalog.tool_page import SpecText, exported
from catalog.views.parts import part_or_page

MAX_SHOWN = 200_000  # characters of one file; the ZIP has all of them
_OPEN = re.compile(
    r"/(tool|models)\.py$|_client\.py$|/main/java/.*/model/[^/]+\.java$"
)  # shown unfolded


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
    return part_or_page(
        request, "catalog/_compatibility.html", "catalog/compatibility.html", context
    )


@require_safe
def export_page(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """A tool in one export format, with what differs from its spec."""
    if key not in FORMATS:
        raise Http404
    tool = tool_at(slug, request.user)
    context = exports_context(tool, key) | {"usage": exported(revision_of(tool).spec, key)}
    return part_or_page(request, "catalog/_usage.html", "catalog/export.html", context)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file as the page shows it; they are numbered from 1."""

    number: int
    path: str
    text: str
    is_open: bool

    @property
    def code_id(self) -> str:
        return f"file-{self.number}"

    @property
    def lines(self) -> int:
        return self.text.count("\n")

    @property
    def shown(self) -> str:
        return self.text[:MAX_SHOWN]

    @property
    def is_cut(self) -> bool:
        return len(self.text) > MAX_SHOWN


@require_safe
def code_page(request: HttpRequest, slug: str, language: str) -> HttpResponse:
    """The files of the project in one language; 422 if the spec exceeds a limit of the generator."""
    if language not in LANGUAGES:
        raise Http404
    tool = tool_at(slug, request.user)
    project: Project = {}
    error = ""
    try:
        project = project_of(tool, language, site=request.build_absolute_uri("/"))
    except GenerationError as failure:
        error = str(failure)
    context = exports_context(tool, language) | {
        "language": LANGUAGES[language],
        "files": _files(project),
        "error": error,
    }
    return render(request, "catalog/code.html", context, status=422 if error else 200)


def _files(project: Project) -> list[SourceFile]:
    """The files, those that are shown unfolded first."""
    ordered = sorted(project, key=lambda path: (not _is_open(path), path))
    return [
        SourceFile(number, path, project[path], _is_open(path))
        for number, path in enumerate(ordered, 1)
    ]


def _is_open(path: str) -> bool:
    return _OPEN.search(path) is not None
