"""The tab Formats of a tool: all formats compared, and its spec, an export, or generated code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_safe

from catalog.exports.generated_code import project_of
from catalog.tools.lookup import revision_of, tool_at
from catalog.tools.models import Tool
from catalog.tools.page import SpecText, describe_export
from toolshelf_core.page_parts import render_part_or_page
from toolspec.code import LANGUAGES, Project
from toolspec.errors import GenerationError
from toolspec.exports import FORMATS, matrix

MAX_SHOWN = 200_000  # characters of one file; the ZIP has all of them
_OPEN = re.compile(
    r"/(tool|models)\.py$|_client\.py$|/main/java/.*/model/[^/]+\.java$"
)  # shown unfolded


def formats_context(tool: Tool, key: str) -> dict[str, Any]:
    """The context of `catalog/exports/formats_base.html`.

    `fits` is computed when a template asks for it.
    """
    fits = SimpleLazyObject(lambda: matrix(revision_of(tool).spec))
    return {"tool": tool, "fits": fits, "languages": LANGUAGES.values(), "open": key}


@require_safe
def formats(request: HttpRequest, slug: str, key: str = "") -> HttpResponse:
    """How a tool works in each format, and the tool in one of them.

    That is its spec, an export with what differs from the spec, or code in one language.
    """
    tool = tool_at(slug, request.user)
    if key in {"", "spec"}:
        return _spec_page(request, tool, is_first=not key)
    if key in FORMATS:
        return _export_page(request, tool, key)
    if key in LANGUAGES:
        return _code_page(request, tool, key)
    raise Http404


def _spec_page(request: HttpRequest, tool: Tool, *, is_first: bool) -> HttpResponse:
    context = formats_context(tool, "spec") | {
        "spec": SpecText(revision_of(tool).source),
        "is_first": is_first,
    }
    return render_part_or_page(
        request, "catalog/exports/_spec.html", "catalog/exports/spec.html", context
    )


def _export_page(request: HttpRequest, tool: Tool, key: str) -> HttpResponse:
    context = formats_context(tool, key) | {"usage": describe_export(revision_of(tool).spec, key)}
    return render_part_or_page(
        request, "catalog/tools/_usage.html", "catalog/exports/export.html", context
    )


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


def _code_page(request: HttpRequest, tool: Tool, language: str) -> HttpResponse:
    """The files of the project in one language; 422 if the spec exceeds the generator's limits."""
    project: Project = {}
    error = ""
    try:
        project = project_of(tool, language, site=request.build_absolute_uri("/"))
    except GenerationError as failure:
        error = str(failure)
    context = formats_context(tool, language) | {
        "language": LANGUAGES[language],
        "files": _files(project),
        "error": error,
    }
    return render(request, "catalog/exports/code.html", context, status=422 if error else 200)


def _files(project: Project) -> list[SourceFile]:
    """The files, those that are shown unfolded first."""
    ordered = sorted(project, key=lambda path: (not _is_open(path), path))
    return [
        SourceFile(number, path, project[path], _is_open(path))
        for number, path in enumerate(ordered, 1)
    ]


def _is_open(path: str) -> bool:
    return _OPEN.search(path) is not None
