"""Derive the audience of a tool: who may see it, by its own settings and those of its toolkit.

Everyone, unless the tool or its toolkit restricts it: then all signed-in people, or the chosen
groups with the owners and the maintainers of the tool and of the toolkit. Administrators see
everything and belong to no audience.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from catalog.access.models import EVERYONE, GROUPS, SIGNED_IN, Audience, Toolkit
from catalog.tools.models import Tool


def toolkits_of(tools: Sequence[Tool]) -> dict[str, Toolkit]:
    """The toolkits with settings that these tools belong to, by key."""
    keys = {tool.toolkit_key for tool in tools}
    return {toolkit.key: toolkit for toolkit in Toolkit.objects.filter(key__in=keys)}


def set_audience(tool: Tool, toolkits: Mapping[str, Toolkit]) -> None:
    """Set `tool.audience` as the settings have it; the caller saves, and has locked the index.

    `toolkits`: those with settings, by key.
    """
    toolkit = toolkits.get(tool.toolkit_key)
    chooser = toolkit if toolkit and not tool.visibility else tool
    people: set[int] = set()
    groups: set[int] = set()
    if chooser.visibility == GROUPS:
        groups = _read_groups(chooser)
        for subject in (tool, toolkit) if toolkit else (tool,):
            maintainers, teams = _read_maintainers(subject)
            people |= maintainers
            groups |= teams
    if chooser.visibility in {None, "", EVERYONE}:
        tool.audience = None
    else:
        signed_in = chooser.visibility == SIGNED_IN
        tool.audience = _get_audience(tool.toolkit_key, signed_in, people, groups)


def remove_unused_audiences() -> None:
    """Delete audiences without tools, so that a site without restricted tools has none."""
    Audience.objects.filter(tools=None).delete()


def _read_maintainers(subject: Tool | Toolkit) -> tuple[set[int], set[int]]:
    """The keys of the people and of the groups that own or maintain a tool or a toolkit."""
    owner = {subject.owner_id} if subject.owner_id else set()
    if _is_new(subject):
        return owner, set()
    return owner | _read_pks(subject.maintainers), _read_pks(subject.maintainer_groups)


def _read_groups(subject: Tool | Toolkit) -> set[int]:
    """The keys of the groups that see it, by its own settings."""
    return set() if _is_new(subject) else _read_pks(subject.groups)


def _is_new(subject: Tool | Toolkit) -> bool:
    return subject.pk is None or (isinstance(subject, Tool) and subject._state.adding)


def _read_pks(related_manager: object) -> set[int]:
    return set(related_manager.values_list("pk", flat=True))  # type: ignore[attr-defined]


def _get_audience(
    toolkit_key: str, signed_in: bool, people: set[int], groups: set[int]
) -> Audience:
    facts = (toolkit_key, signed_in, sorted(people), sorted(groups))
    digest = hashlib.sha256(repr(facts).encode()).hexdigest()
    audience, created = Audience.objects.get_or_create(
        digest=digest, defaults={"toolkit_key": toolkit_key, "signed_in": signed_in}
    )
    if created:
        audience.people.set(people)
        audience.groups.set(groups)
    return audience
