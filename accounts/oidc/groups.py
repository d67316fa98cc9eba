"""Groups at the provider and groups of the site: who may come in, and what they belong to here."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group

from accounts.models import User
from accounts.roles import ADMINISTRATOR, READER, READY_GROUPS, ready_group, recording_groups

logger = logging.getLogger(__name__)


def claimed_groups(claims: Mapping[str, Any]) -> set[str]:
    """The person's groups at the provider: the value of the claim OIDC_GROUPS_CLAIM, a text or a list of texts.

    A name with dots that is not itself a claim leads to members: `realm_access.roles`. Without the
    claim, a person has no groups.
    """
    name = settings.OIDC_GROUPS_CLAIM
    found: Any = claims.get(name)
    if name not in claims:
        found = claims
        for member in name.split("."):
            found = found.get(member) if isinstance(found, Mapping) else None
    if found is None and settings.OIDC_GROUPS:
        logger.warning(
            "The provider sent no claim %r; the claims are: %s", name, ", ".join(sorted(claims))
        )
    values = [found] if isinstance(found, str) else found
    return (
        {value for value in values if isinstance(value, str)} if isinstance(values, list) else set()
    )


def mapped_groups(claims: Mapping[str, Any]) -> set[str]:
    """The names of the site's groups that a person with these claims belongs to."""
    claimed = claimed_groups(claims)
    return {
        group
        for value, groups in settings.OIDC_GROUPS.items()
        if value in claimed
        for group in groups
    }


def is_admitted(claims: Mapping[str, Any]) -> bool:
    """Whether a person with these claims may sign in."""
    return settings.OIDC_PEOPLE == "any" or bool(mapped_groups(claims))


def update_groups(user: User, claims: Mapping[str, Any]) -> None:
    """Make `user` a member of the groups in the claims, and of no other group of the mapping.

    Groups that are not in the mapping do not change. Anyone who loses their last built-in group
    becomes a reader: without one they would have the rights of `TOOLSHELF_DEFAULT_GROUPS`.
    """
    wanted = mapped_groups(claims)
    managed = {group for groups in settings.OIDC_GROUPS.values() for group in groups}
    current = set(user.groups.filter(name__in=managed).values_list("name", flat=True))
    with recording_groups(user):
        for name in sorted(wanted - current):
            user.groups.add(
                ready_group(name)
                if name in READY_GROUPS
                else Group.objects.get_or_create(name=name)[0]
            )
        if current - wanted:
            user.groups.remove(*Group.objects.filter(name__in=current - wanted))
        if (current - wanted) & READY_GROUPS.keys() and not user.groups.filter(
            name__in=READY_GROUPS.keys()
        ).exists():
            user.groups.add(ready_group(READER))
        if ADMINISTRATOR in managed and user.is_staff != (
            is_staff := user.is_superuser or ADMINISTRATOR in wanted
        ):
            user.is_staff = is_staff  # as `set_role`
            user.save(update_fields=["is_staff"])
    user.__dict__.pop("_membership", None)
