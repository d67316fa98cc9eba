"""Derive the audience of a tool: who may see it, by its own settings and those of its toolkit.

Everyone, unless the tool or its toolkit restricts it: then all signed-in people, or the chosen
groups with the owners and the maintainers of the tool and of the toolkit. Administrators see
everything and belong to no audience.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from catalog.access.models import EVERYONE, SIGNED_IN, Audience, Toolkit
from catalog.tools.models import Tool


def toolkits_of(tools: Sequence[Tool]) -> dict[str, Toolkit]:
    """The toolkits with settings that these tools belong to, by key."""
    return {
        toolkit.key: toolkit
        for toolkit in Toolkit.objects.filter(key__in={tool.toolkit_key for tool in tools})
    }


def set_audience(tool: Tool, toolkits: Mapping[str, Toolkit]) -> None:
    """Set `tool.audience` as the settings have it; the caller saves. `toolkits`: those with settings, by key.

    The caller has locked the index.
    """
    toolkit = toolkits.get(tool.toolkit_key)
    visibility = tool.visibility or (toolkit.visibility if toolkit else EVERYONE)
    if visibility == EVERYONE:
        tool.audience = None
    elif visibility == SIGNED_IN:
        tool.audience = _audience(tool.toolkit_key, signed_in=True, people=set(), groups=set())
    else:
        people, groups = _maintainers(tool)
        groups |= _groups(tool) if tool.visibility else _groups(toolkit)
        if toolkit:
            others, teams = _maintainers(toolkit)
            people, groups = people | others, groups | teams
        tool.audience = _audience(tool.toolkit_key, signed_in=False, people=people, groups=groups)


def remove_unused_audiences() -> None:
    """Delete audiences without tools, so that a site without restricted tools has none."""
    Audience.objects.filter(tools=None).delete()


def _maintainers(one: Tool | Toolkit) -> tuple[set[int], set[int]]:
    """The keys of the people and of the groups that own or maintain a tool or a toolkit."""
    owner = {one.owner_id} if one.owner_id else set()
    if _is_new(one):
        return owner, set()
    return owner | _keys(one.maintainers), _keys(one.maintainer_groups)


def _groups(one: Tool | Toolkit | None) -> set[int]:
    """The keys of the groups that see it, by its own settings."""
    return set() if one is None or _is_new(one) else _keys(one.groups)


def _is_new(one: Tool | Toolkit) -> bool:
    return one.pk is None or (isinstance(one, Tool) and one._state.adding)


def _keys(related: object) -> set[int]:
    return set(related.values_list("pk", flat=True))  # type: ignore[attr-defined]


def _audience(toolkit_key: str, *, signed_in: bool, people: set[int], groups: set[int]) -> Audience:
    facts = (toolkit_key, signed_in, sorted(people), sorted(groups))
    digest = hashlib.sha256(repr(facts).encode()).hexdigest()
    audience, created = Audience.objects.get_or_create(
        digest=digest, defaults={"toolkit_key": toolkit_key, "signed_in": signed_in}
    )
    if created:
        audience.people.set(people)
        audience.groups.set(groups)
    return audience
