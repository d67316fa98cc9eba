"""The built-in groups and their permissions, which decide what a person may do.

    reader         sees what signed-in people see
    runner         also runs tools and saves configurations
    publisher      also uploads tools and proposes revisions of the tools of others
    administrator  does everything

A person in none of the built-in groups has the rights of `TOOLSHELF_DEFAULT_GROUPS`. Other groups
are teams: they share runs, see and maintain tools, and may carry the same permissions. Superusers
and staff are administrators.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.contrib.auth.models import Group, Permission
from django.db import transaction
from django.db.models import Q

from accounts.models import ABILITIES, ADMINISTER, PUBLISH_TOOLS, RUN_TOOLS, ApiToken, Person, User
from toolshelf_core import audit
from toolshelf_core.db.compiled_query import PreparedValues

READER: Final = "reader"
RUNNER: Final = "runner"
PUBLISHER: Final = "publisher"
ADMINISTRATOR: Final = "administrator"
READY_GROUPS: Final[Mapping[str, frozenset[str]]] = {
    READER: frozenset(),
    RUNNER: frozenset({RUN_TOOLS}),
    PUBLISHER: frozenset({RUN_TOOLS, PUBLISH_TOOLS}),
    ADMINISTRATOR: frozenset({RUN_TOOLS, PUBLISH_TOOLS, ADMINISTER}),
}
_EVERYTHING: Final = READY_GROUPS[ADMINISTRATOR]


@dataclass(frozen=True, slots=True)
class Membership:
    """A person's permissions (codenames of `ABILITIES`), and the primary keys of their groups."""

    abilities: frozenset[str] = frozenset()
    groups: frozenset[int] = frozenset()


def membership_of(person: Person) -> Membership:
    """The rights that a person has by their groups.

    Loaded once for each object, as Django's own permissions.
    """
    if not isinstance(person, User) or not person.is_active:
        return Membership()
    membership: Membership | None = person.__dict__.get("_membership")
    if membership is None:
        membership = person.__dict__["_membership"] = _load_membership(person)
    return membership


def _load_membership(person: User) -> Membership:
    groups: dict[int, str] = dict(_groups_of.find(person.pk))
    if person.is_superuser or person.is_staff:
        return Membership(_EVERYTHING, frozenset(groups))
    return _combine(groups, frozenset(codename for (codename,) in _abilities_of.find(person.pk)))


def load_memberships(people: Sequence[User]) -> None:
    """Load what `membership_of` returns for many people, with three queries."""
    groups: dict[int, dict[int, str]] = defaultdict(dict)
    rows = Group.objects.filter(user__in=people).values_list("user", "pk", "name")
    for person, key, name in rows:
        groups[person][key] = name
    given: dict[int, set[str]] = defaultdict(set)
    permissions = Permission.objects.filter(
        content_type__app_label="accounts", codename__in=ABILITIES
    )
    for relation in ("user", "group__user"):
        of_people = permissions.filter(**{f"{relation}__in": people}).order_by()
        for person, codename in of_people.values_list(relation, "codename"):
            given[person].add(codename)
    for user in people:
        if not user.is_active:
            continue
        rights = _combine(groups[user.pk], frozenset(given[user.pk]))
        if user.is_superuser or user.is_staff:
            rights = Membership(_EVERYTHING, rights.groups)
        user.__dict__["_membership"] = rights


def _combine(groups: Mapping[int, str], given: frozenset[str]) -> Membership:
    """The rights of somebody in these groups, which have the permissions `given`."""
    if not READY_GROUPS.keys() & set(groups.values()):
        given = given.union(*(READY_GROUPS[name] for name in settings.DEFAULT_GROUPS))
    if ADMINISTER in given:
        given = _EVERYTHING
    return Membership(given, frozenset(groups))


# Compiled once: nearly every request of somebody who is signed in needs them (1.2 of 2.5 ms of a
# request to the API).
_groups_of = PreparedValues(
    lambda person: Group.objects.filter(user=person).values_list("pk", "name")
)
_abilities_of = PreparedValues(
    lambda person: (
        Permission.objects.filter(
            content_type__app_label="accounts", codename__in=sorted(ABILITIES)
        )
        .filter(Q(group__user=person) | Q(user=person))
        .order_by()
        .values_list("codename")
    )
)


def is_administrator(person: Person | None) -> bool:
    """Whether `person` may do everything.

    None is the administrator of the machine, who uses commands.
    """
    return person is None or ADMINISTER in membership_of(person).abilities


def token_of(person: Person | None) -> ApiToken | None:
    """The token with which a program acts as `person`; None for a browser and for commands."""
    return person.token if isinstance(person, User) else None


def has_scope_of_token(person: Person | None, scope: str) -> bool:
    """Whether the token with which a program acts as `person` has `scope`; True without a token."""
    token = token_of(person)
    return token is None or scope in token.scopes


def get_ready_group(name: str) -> Group:
    """One of the built-in groups, created with its permissions if it was deleted."""
    group, is_new = Group.objects.get_or_create(name=name)
    if is_new:
        ours = Permission.objects.filter(
            content_type__app_label="accounts", codename__in=READY_GROUPS[name]
        )
        group.permissions.set(ours)
    return group


def set_role(person: User, role: str) -> None:
    """Put `person` into the built-in group `role` and no other one; other groups stay."""
    person.groups.remove(*Group.objects.filter(name__in=READY_GROUPS.keys()))
    person.groups.add(get_ready_group(role))
    is_staff = role == ADMINISTRATOR
    if person.is_staff != is_staff:
        person.is_staff = is_staff
        person.save(update_fields=["is_staff"])
    person.__dict__.pop("_membership", None)


def role_of(person: User) -> str:
    """The most powerful built-in group whose rights `person` has."""
    abilities = membership_of(person).abilities
    return [name for name, rights in READY_GROUPS.items() if rights <= abilities][-1]


@contextmanager
def record_group_changes(person: User) -> Iterator[None]:
    """Record the changes that the block makes to the groups and the staff status of `person`.

    Both are in one transaction. The built-in groups are roles, so they are recorded by the names
    of the roles.
    """
    with transaction.atomic():
        before = _list_privileges(person)
        yield
        after = _list_privileges(person)
        audit.record_change("person.change", "person", person.username, before, after)


def _list_privileges(person: User) -> dict[str, object]:
    return {
        "groups": sorted(person.groups.values_list("name", flat=True)),
        "is_staff": person.is_staff,
    }
