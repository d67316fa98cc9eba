"""The origins of revisions, and whether an import may revise an existing tool with its id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from catalog.accounts.models import User
from catalog.models import Revision, Tool
from catalog.rights import may
from toolspec.errors import Problem, SpecError
from toolspec.imports.results import LABELS, ImportFormat

Kind = Literal["spec", "catalog", "source"] | ImportFormat

MAX_NAME_CHARS: Final = 200
OTHER_ORIGIN: Final = "publish.other-origin"  # rules of refused imports
OTHER_OWNER: Final = "publish.other-owner"
_APIS: Final = frozenset({"openapi-3", "swagger-2"})  # one API may be described in both
_LABELS: Final[Mapping[str, str]] = {
    "spec": "a spec",
    "catalog": "an exported catalog",
    "source": "the source",
} | dict(LABELS.items())
_IMPORTS: Final = frozenset({*LABELS, "source"})


@dataclass(frozen=True, slots=True)
class RevisionOrigin:
    """The origin of a revision.

    Attributes:
        kind: "spec" (published as it is), "catalog" (an exported catalog), "source" (a sync of a
            source), or the format that it was imported from.
        name: of the source, the file, the title of the API or the name of the server; "" if it is
            not known.
    """

    kind: Kind
    name: str = ""

    @property
    def is_import(self) -> bool:
        return self.kind in _IMPORTS

    def __str__(self) -> str:
        return origin_text(self.kind, self.name)

    def is_same(self, kind: str, name: str) -> bool:
        """Whether it is certain that both are one document or server; two that have no name may be different ones."""
        return (
            bool(name) and name == self.name and (kind == self.kind or {kind, self.kind} <= _APIS)
        )


PUBLISHED: Final = RevisionOrigin("spec")


def origin_text(kind: str, name: str) -> str:
    """The origin for people: `OpenAPI 3 “Things”`."""
    label = _LABELS.get(kind, kind)
    return f"{label} “{name}”" if name else label


def refused_imports(
    wanted: Iterable[tuple[Tool, RevisionOrigin]], *, by: User | None, replace: bool
) -> dict[str, SpecError]:
    """Why imports may not revise some of these existing tools, by tool id.

    Unless asked to, an import revises a tool only if it was last imported from the same document or
    server (or its origin is not known), and belongs to nobody else. Specs that are published as
    they are revise any tool.
    """
    imports = {tool.pk: (tool, origin) for tool, origin in wanted if origin.is_import}
    if replace or not imports:
        return {}
    known = (
        Revision.objects.filter(tool_id__in=imports).exclude(origin_kind=None).order_by("number")
    )
    stored: dict[int, tuple[str, str]] = {}
    for pk, kind, name in known.values_list("tool_id", "origin_kind", "origin_name"):
        if kind in _IMPORTS or (kind == "spec" and pk not in stored):
            stored[pk] = (kind, name or "")
    refusals = {}
    for pk, (tool, origin) in imports.items():
        if pk in stored and not origin.is_same(*stored[pk]):
            came = f"{tool.tool_id!r} exists already (from {origin_text(*stored[pk])})."
            refusals[tool.tool_id] = _refusal(came, OTHER_ORIGIN)
        elif tool.owner_id not in {None, by and by.pk} and not may(by, "revise", tool):
            owner = User.objects.get(pk=tool.owner_id).username
            owned = f"{tool.tool_id!r} exists already and belongs to {owner}."
            refusals[tool.tool_id] = _refusal(owned, OTHER_OWNER)
    return refusals


def _refusal(reason: str, rule: str) -> SpecError:
    ways = "Overwrite it (`replace`), or use another prefix (`prefix`)."
    return SpecError([Problem("/definition/id", f"{reason} {ways}", rule)])
