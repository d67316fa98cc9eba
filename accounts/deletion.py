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


def consequences(user: User) -> list[str]:
    """The consequences of deleting `user`, one sentence for each kind of row: "Deleted: 3 runs."."""
    found: dict[str, Counter[str]] = {"Deleted": Counter(), "Retained without the name": Counter()}
    for relation in _relations():
        meta = relation.related_model._meta
        word = "Deleted" if relation.on_delete is models.CASCADE else "Retained without the name"
        if count := _rows(relation, user).count():
            found[word][str(meta.verbose_name if count == 1 else meta.verbose_name_plural)] += count
    return [
        f"{word}: {count:,} {noun}."
        for word, counts in found.items()
        for noun, count in sorted(counts.items())
    ]


def owns_private_data(user: User) -> bool:
    """Whether anything but sessions and sign-in links would be deleted with `user`.

    That includes tokens, second factors and links with a provider.
    """
    return any(
        _rows(relation, user).exists()
        for relation in _relations()
        if relation.on_delete is models.CASCADE
        and relation.related_model not in (Session, SignInLink)
    )


def _relations() -> Iterator[models.ManyToOneRel]:
    for relation in User._meta.get_fields(include_hidden=True):
        if (
            isinstance(relation, models.ManyToOneRel)
            and not relation.related_model._meta.auto_created
        ):
            yield relation


def _rows(relation: models.ManyToOneRel, user: User) -> models.QuerySet[models.Model]:
    return relation.related_model._base_manager.filter(**{relation.field.name: user})


@transaction.atomic
def delete_person(user: User) -> None:
    """Delete `user`, their sessions, tokens, runs and saved configurations; see `consequences`.

    Raises:
        AccountError: this is the only administrator.
    """
    others = User.objects.filter(is_active=True, is_superuser=True).exclude(pk=user.pk)
    if user.is_superuser and not others.exists():
        raise AccountError(
            f"{user.username} is the only administrator. Create another one first: manage.py createsuperuser."
        )
    audit.record(
        "person.delete", "person", user.username, before={"id": user.pk, "email": user.email}
    )
    user.delete()
