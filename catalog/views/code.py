"""The source code that is generated from a tool's spec: a preview of its files, and the download."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from catalog.code_generation import LANGUAGES, Project
from catalog.errors import GenerationError
from catalog.generated_code import project_of
from catalog.shortcuts import tool_at
from catalog.views.exports import exports_context

MAX_SHOWN = 200_000  # characters of one file; the ZIP has all of them
_OPEN = re.compile(r"/(tool|models)\.py$|_client\.py$|/main/java/.*/model/[^/]+\.java$")  # shown unfolded


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
        project = project_of(tool, language)
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
    return [SourceFile(number, path, project[path], _is_open(path)) for number, path in enumerate(ordered, 1)]


def _is_open(path: str) -> bool:
    return _OPEN.search(path) is not None
