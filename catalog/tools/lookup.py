"""Get the tool, toolkit or revision that a URL names, or answer 404: for pages and the API."""

from __future__ import annotations

import re
from typing import Final

from django.http import Http404

from accounts.models import Person
from catalog.access.models import Toolkit
from catalog.access.rights import Action, may, require
from catalog.tools.models import Revision, Tool
from toolshelf_core.db.compiled_query import Prepared
from toolspec.catalog_names import group_key

# Names that Windows reserves for devices, with any extension. Source: "Naming Files, Paths, and
# Namespaces".
_DEVICE = re.compile(r"(CON|PRN|AUX|NUL|COM[0-9]|LPT[0-9])(\.|$)", re.IGNORECASE)


_tool_of_slug: Final = Prepared(
    lambda slug: Tool.objects.with_current().filter(slug=slug, current__isnull=False)
)


def tool_at(slug: str, person: Person) -> Tool:
    """The tool, with its current revision, its owner and its successor selected.

    A successor that `person` may not see is left out.

    Raises:
        Http404: there is none, or `person` may not see it.
    """
    tool = _tool_of_slug.find(slug)
    if tool is None or not may(person, "see", tool):
        raise Http404
    if tool.superseded_by is not None and not may(person, "see", tool.superseded_by):
        tool.hide_successor()
    return tool


def tool_for(person: Person, action: Action, slug: str) -> Tool:
    """The tool, if `person` may do `action` to it.

    Raises:
        Http404: there is none, or `person` may not see it.
        NotAllowed: they see it, but may not do this.
    """
    tool = tool_at(slug, person)
    require(person, action, tool)
    return tool


def toolkit_at(name: str) -> Toolkit:
    """The toolkit with its settings: new ones, if it has none.

    Raises:
        Http404: there is none.
    """
    key = group_key(name)
    toolkit = Toolkit.objects.select_related("owner").filter(key=key).first() if key else None
    if toolkit is not None:
        return toolkit
    name_of_tool = Tool.objects.in_toolkit(name).values_list("toolkit", flat=True).first()
    if name_of_tool is None:
        raise Http404
    return Toolkit(key=key, name=name_of_tool)


def toolkit_for(person: Person, action: Action, name: str) -> Toolkit:
    """The toolkit, if `person` may do `action` to it.

    Raises:
        Http404: there is none, or `person` sees none of its tools.
        NotAllowed: they see it, but may not do this.
    """
    toolkit = toolkit_at(name)
    tools = Tool.objects.visible_to(person).in_toolkit(name)
    if not may(person, action, toolkit) and not tools.exists():
        raise Http404
    require(person, action, toolkit)
    return toolkit


def revision_of(tool: Tool) -> Revision:
    """The current revision of a tool from `tool_at`."""
    if tool.current is None:
        raise Http404
    return tool.current


def revision_at(slug: str, number: int, person: Person) -> Revision:
    """One revision of a tool.

    Raises:
        Http404: there is none, or `person` may not see the tool.
    """
    revisions = Revision.objects.select_related("tool")
    revision = revisions.filter(tool__slug=slug, number=number).first()
    if revision is None or not may(person, "see", revision.tool):
        raise Http404
    return revision


def file_stem(slug: str) -> str:
    """The start of a file name for the tool, before "-run-….json" or ".json".

    It never looks like an option of a command or like a device of Windows.
    """
    stem = slug.lstrip("-")
    return f"tool-{stem}" if _DEVICE.match(stem) else stem
