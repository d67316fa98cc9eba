"""Delete a person: their private data goes, and what they published stays without their name.

Each table decides by `on_delete` of its reference to the person, so a new table needs no change
here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from django.db import models, transaction

from accounts.models import Session, SignInLink, User
from toolshelf_core import audit
from toolshelf_core.errors import AccountError


def list_consequences(user: User) -> list[str]:
    """The consequences of deleting `user`: "Deleted: 3 runs." for each kind of row."""
    counts: Counter[tuple[str, str]] = Counter()
    for relation in _list_relations():
        count = _select_rows(relation, user).count()
        if not count:
            continue
        meta = relation.related_model._meta
        noun = str(meta.verbose_name if count == 1 else meta.verbose_name_plural)
        is_deleted = relation.on_delete is models.CASCADE
        word = "Deleted" if is_deleted else "Retained without the name"
        counts[word, noun] += count
    return [f"{word}: {count:,} {noun}." for (word, noun), count in sorted(counts.items())]


def owns_private_data(user: User) -> bool:
    """Whether anything but sessions and sign-in links would be deleted with `user`.

    That includes tokens, second factors and links with a provider.
    """
    for relation in _list_relations():
        is_deleted = relation.on_delete is models.CASCADE
        is_private = is_deleted and relation.related_model not in (Session, SignInLink)
        if is_private and _select_rows(relation, user).exists():
            return True
    return False


def _list_relations() -> Iterator[models.ManyToOneRel]:
    for relation in User._meta.get_fields(include_hidden=True):
        if isinstance(relation, models.ManyToOneRel) and not _is_through(relation):
            yield relation


def _is_through(relation: models.ManyToOneRel) -> bool:
    """Whether it leads to a table that Django made for a many-to-many field."""
    return bool(relation.related_model._meta.auto_created)


def _select_rows(relation: models.ManyToOneRel, user: User) -> models.QuerySet[models.Model]:
    return relation.related_model._base_manager.filter(**{relation.field.name: user})


@transaction.atomic
def delete_person(user: User) -> None:
    """Delete `user` with their sessions, tokens, runs and saved configurations.

    Raises:
        AccountError: this is the only administrator.
    """
    others = User.objects.filter(is_active=True, is_superuser=True).exclude(pk=user.pk)
    if user.is_superuser and not others.exists():
        raise AccountError(
            f"{user.username} is the only administrator. "
            "Create another one first: manage.py createsuperuser."
        )
    before = {"id": user.pk, "email": user.email}
    audit.record("person.delete", "person", user.username, before=before)
    user.delete()
