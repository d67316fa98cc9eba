"""Groups at the provider and groups of the site: who may come in, and what they belong to here."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group

from accounts.models import User
from accounts.roles import (
    ADMINISTRATOR,
    READER,
    READY_GROUPS,
    get_ready_group,
    record_group_changes,
)

logger = logging.getLogger(__name__)


def read_claimed_groups(claims: Mapping[str, Any]) -> set[str]:
    """The person's groups at the provider: the claim OIDC_GROUPS_CLAIM, a text or a list of texts.

    A name with dots that is not itself a claim leads to members: `realm_access.roles`. Without the
    claim, a person has no groups.
    """
    name = settings.OIDC_GROUPS_CLAIM
    value: Any = claims
    path = [name] if name in claims else name.split(".")
    for member in path:
        value = value.get(member) if isinstance(value, Mapping) else None
    if value is None and settings.OIDC_GROUPS:
        names = ", ".join(sorted(claims))
        logger.warning("The provider sent no claim %r; the claims are: %s", name, names)
    if isinstance(value, str):
        return {value}
    if not isinstance(value, list):
        return set()
    return {item for item in value if isinstance(item, str)}


def map_groups(claims: Mapping[str, Any]) -> set[str]:
    """The names of the site's groups that a person with these claims belongs to."""
    names: set[str] = set()
    for value in read_claimed_groups(claims):
        names.update(settings.OIDC_GROUPS.get(value, ()))
    return names


def is_admitted(claims: Mapping[str, Any]) -> bool:
    """Whether a person with these claims may sign in."""
    return settings.OIDC_PEOPLE == "any" or bool(map_groups(claims))


def update_groups(user: User, claims: Mapping[str, Any]) -> None:
    """Make `user` a member of the groups in the claims, and of no other group of the mapping.

    Groups that are not in the mapping do not change. Anyone who loses their last built-in group
    becomes a reader: without one they would have the rights of `TOOLSHELF_DEFAULT_GROUPS`.
    """
    names = map_groups(claims)
    all_names = set[str]().union(*settings.OIDC_GROUPS.values())
    current_names = set(user.groups.filter(name__in=all_names).values_list("name", flat=True))
    surplus = current_names - names
    with record_group_changes(user):
        for name in sorted(names - current_names):
            if name in READY_GROUPS:
                user.groups.add(get_ready_group(name))
            else:
                user.groups.add(Group.objects.get_or_create(name=name)[0])
        if surplus:
            user.groups.remove(*Group.objects.filter(name__in=surplus))
        ready_groups = user.groups.filter(name__in=READY_GROUPS.keys())
        if surplus & READY_GROUPS.keys() and not ready_groups.exists():
            user.groups.add(get_ready_group(READER))
        is_staff = user.is_superuser or ADMINISTRATOR in names
        if ADMINISTRATOR in all_names and user.is_staff != is_staff:
            user.is_staff = is_staff  # as `set_role`
            user.save(update_fields=["is_staff"])
    user.__dict__.pop("_membership", None)
