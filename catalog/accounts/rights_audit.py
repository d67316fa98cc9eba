"""Record in the audit log that somebody's role or groups change."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from catalog import audit
from catalog.accounts.models import User


@contextmanager
def recording_groups(person: User) -> Iterator[None]:
    """Record what the block changes of the groups of `person`, and whether they are staff, in one transaction with it.

    The built-in groups are roles, so their names say the role.
    """
    with transaction.atomic():
        before = _groups_of(person)
        yield
        audit.record_change("person.change", "person", person.username, before, _groups_of(person))


def _groups_of(person: User) -> dict[str, object]:
    return {"groups": sorted(person.groups.values_list("name", flat=True)), "is_staff": person.is_staff}
