"""The audit log: who did what to which object, when, from where, and through which interface.

    record(action, object)     one event, in the caller's transaction: it is stored if and only if the change is
    record_many                the same for many objects, in one statement
    acting                     sets the origin of a block of code: a request or a sync

Functions that change something call `record`; they need no parameter for it. Their caller (the
middleware, a sync) sets the origin once. Code without an origin is a command.

The database refuses to change events and to delete young ones (`db/append_only.py`); `prune` is the
one way to delete. Events name people instead of referring to them, so deleting a person changes no
event.
"""

from __future__ import annotations

import getpass
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, Self

from django.db import models, transaction
from django.utils import timezone

from toolshelf_core.db.append_only import MIN_AGE_DAYS

Interface = Literal["page", "api", "mcp", "command", "sync"]

INTERFACES: Final[dict[str, str]] = {
    "page": "Page",
    "api": "API",
    "mcp": "MCP",
    "command": "Command",
    "sync": "Source sync",
}
ACTIONS: Final[dict[str, str]] = {
    "tool.create": "Tool published",
    "tool.revise": "Tool revised",
    "tool.fix": "Lint fixes applied",
    "tool.organise": "Tool organised",
    "tool.access": "Tool access changed",
    "toolkit.access": "Toolkit access changed",
    "tool.deprecate": "Tool deprecated",
    "tool.undeprecate": "Deprecation removed",
    "tool.archive": "Tool archived",
    "tool.restore": "Tool restored",
    "waiver.add": "Finding waived",
    "waiver.remove": "Waiver withdrawn",
    "source.add": "Source added",
    "source.change": "Source changed",
    "source.remove": "Source removed",
    "source.sync": "Sync requested",
    "change.hold": "Review requested",
    "change.approve": "Change approved",
    "change.reject": "Change rejected",
    "run.start": "Run started",
    "run.withdraw": "Run not started",
    "run.cancel": "Run cancelled",
    "run.share": "Run sharing changed",
    "configuration.save": "Configuration saved",
    "configuration.delete": "Configuration deleted",
    "configuration.share": "Configuration sharing changed",
    "configuration.use": "Configuration used",
    "configuration.choose": "Configuration chosen for MCP",
    "secrets.rotate": "Secrets re-encrypted",
    "token.create": "Token created",
    "token.revoke": "Token revoked",
    "person.create": "Person added",
    "person.change": "Person changed",
    "person.delete": "Person deleted",
    "group.create": "Group created",
    "group.delete": "Group deleted",
    "password.change": "Password changed",
    "factor.add": "Second factor added",
    "factor.remove": "Second factor removed",
    "factor.rename": "Passkey renamed",
    "recovery-codes.create": "Recovery codes created",
    "recovery-codes.remove": "Recovery codes removed",
    "recovery-code.use": "Recovery code used",
    "code.failed": "Wrong code",
    "passkey.failed": "Passkey not accepted",
    "provider.link": "Provider account linked",
    "provider.unlink": "Provider account unlinked",
    "link.create": "Sign-in link created",
    "sign-in": "Signed in",
    "sign-in.failed": "Sign-in failed",
    "sign-in.throttled": "Sign-in throttled",
    "sign-in.refused": "Sign-in refused",
    "sign-out": "Signed out",
    "sessions.end": "Sessions ended",
    "webhook.add": "Webhook added",
    "webhook.change": "Webhook changed",
    "webhook.remove": "Webhook removed",
    "webhook.secret": "Webhook secret replaced",
    "request.refused": "Request refused",
    "request.limited": "Request limit exceeded",
    "audit.export": "Audit log exported",
    "audit.prune": "Audit log pruned",
}
OBJECT_ID_LENGTH: Final = 255
PRUNE_BATCH: Final = 1_000
MAX_TEXT: Final = 300  # characters of one text in `before` and `after`
MAX_ITEMS: Final = 30  # of one list or object there


class AuditEvent(models.Model):
    """One event. Its rows are only inserted; see the module."""

    at = models.DateTimeField(db_index=True)
    action = models.CharField(max_length=30)
    object_type = models.CharField(max_length=20)
    object_id = models.CharField(
        max_length=OBJECT_ID_LENGTH
    )  # a tool's id, a source's name, a run's id
    interface = models.CharField(max_length=10, choices=list(INTERFACES.items()))
    person = models.CharField(
        max_length=150, blank=True
    )  # the name; "" for nobody: a command, a schedule, a visitor
    person_key = models.BigIntegerField(
        null=True
    )  # the primary key, which no other person ever gets
    client = models.CharField(
        max_length=200, blank=True
    )  # the API token, the command, or the source that is synced
    address = models.CharField(max_length=64, blank=True)
    request_id = models.CharField(max_length=64, blank=True)
    before = models.TextField(
        blank=True
    )  # JSON; "" if the object was not there, or it did not change
    after = models.TextField(blank=True)

    class Meta:
        app_label = "catalog"
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["object_id", "id"], name="audit_of_object"),
            models.Index(fields=["person", "id"], name="audit_of_person"),
            models.Index(fields=["action", "id"], name="audit_of_action"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.object_type} {self.object_id}"

    @property
    def action_name(self) -> str:
        return ACTIONS.get(self.action, self.action)

    @property
    def changes(self) -> list[tuple[str, str, str]]:
        """Each member of `before` and `after`: its name and its two values, as text; "" where it is missing."""
        before, after = (json.loads(text) if text else {} for text in (self.before, self.after))
        names = [*before, *(name for name in after if name not in before)]
        return [(name, _as_text(before, name), _as_text(after, name)) for name in names]

    def as_json(self) -> dict[str, Any]:
        """The event as the export and the API show it."""
        return {
            "id": self.pk,
            "at": self.at.isoformat(),
            "action": self.action,
            "object": {"type": self.object_type, "id": self.object_id},
            "interface": self.interface,
            "person": {"id": self.person_key, "name": self.person} if self.person else None,
            "client": self.client or None,
            "address": self.address or None,
            "request_id": self.request_id or None,
            "before": json.loads(self.before) if self.before else None,
            "after": json.loads(self.after) if self.after else None,
        }


def _as_text(values: dict[str, Any], name: str) -> str:
    value = values.get(name, "")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# -- who acts ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Actor:
    """The person who acts, their client and its address; every member may be empty."""

    person: str = ""
    person_key: int | None = None
    client: str = ""
    address: str = ""
    request_id: str = ""

    @classmethod
    def of(cls, person: Any, *, client: str = "", address: str = "", request_id: str = "") -> Self:
        """For a user, or for None or an anonymous visitor."""
        if person is None or person.pk is None:
            return cls("", None, client, address, request_id)
        return cls(person.get_username(), person.pk, client, address, request_id)


@dataclass(frozen=True, slots=True)
class Origin:
    """The interface through which code acts, and a function that names the actor: only changes need to know."""

    interface: Interface
    actor: Callable[[], Actor]

    def resolved(self) -> Origin:
        """The same with the actor as known now, for a thread that outlives the request."""
        actor = self.actor()
        return Origin(self.interface, lambda: actor)


@cache
def _command() -> Actor:
    """The command that runs, and the account of the machine that runs it."""
    try:
        account = getpass.getuser()
    except (KeyError, OSError):  # a container may have no entry for its user
        account = f"user {os.getuid()}"
    program = (
        " ".join([Path(sys.argv[0]).name or "python", *sys.argv[1:2]]) if sys.argv else "python"
    )
    return Actor(client=f"{program} by {account}"[:200])


_COMMAND: Final = Origin("command", _command)
_origin: ContextVar[Origin] = ContextVar("audit_origin", default=_COMMAND)


def origin() -> Origin:
    """The origin (actor and interface) that the current code acts for."""
    return _origin.get()


@contextmanager
def acting(acts_for: Origin) -> Iterator[None]:
    """Let a block act for `acts_for`."""
    token = _origin.set(acts_for)
    try:
        yield
    finally:
        _origin.reset(token)


# -- what happened ----------------------------------------------------------------------------------------------------


def record(
    action: str,
    object_type: str,
    object_id: object,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    by: Any = None,
) -> None:
    """Store one event. Call it in the transaction of the change.

    Args:
        action: one of `ACTIONS`.
        object_type: the part before the dot of most actions: "tool", "source", "run".
        object_id: what people know the object by.
        before: what the change replaced, as small JSON; long texts and lists are cut. Never a
            secret.
        after: what it set.
        by: the user who acts, if the request or command does not know: a person who is only now
            signing in.
    """
    record_many([(action, object_type, object_id, before, after)], by=by)


def record_change(
    action: str,
    object_type: str,
    object_id: object,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> None:
    """Store an event with the members that differ; nothing if none does."""
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    if changed:
        old, new = ({name: each.get(name) for name in changed} for each in (before, after))
        record(action, object_type, object_id, before=old, after=new)


Event = tuple[str, str, object, Mapping[str, Any] | None, Mapping[str, Any] | None]


def record_many(events: Sequence[Event], *, by: Any = None) -> None:
    """Store events, each (action, object type, object id, before, after), of one actor at one time."""
    if not events:
        return
    acts_for = _origin.get()
    actor = acts_for.actor()
    person, key = actor.person, actor.person_key
    if by is not None:
        person, key = by.get_username(), by.pk
    common = {
        "at": timezone.now(),
        "interface": acts_for.interface,
        "person": person,
        "person_key": key,
        "client": actor.client,
        "address": actor.address,
        "request_id": actor.request_id,
    }
    rows = [
        AuditEvent(
            action=action,
            object_type=object_type,
            object_id=_id_text(object_id),
            before=_json(before),
            after=_json(after),
            **common,
        )
        for action, object_type, object_id, before, after in events
    ]
    AuditEvent.objects.bulk_create(rows)


def _id_text(object_id: object) -> str:
    return str(object_id)[:OBJECT_ID_LENGTH]


def _json(value: Mapping[str, Any] | None) -> str:
    return json.dumps(_cut(value), separators=(",", ":"), default=str) if value else ""


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= MAX_TEXT else f"{value[:MAX_TEXT]}…"
    if isinstance(value, Mapping):
        return {str(name): _cut(each) for name, each in list(value.items())[:MAX_ITEMS]}
    if isinstance(value, list | tuple | set | frozenset):
        items = list(value)
        return [_cut(each) for each in items[:MAX_ITEMS]] + (
            ["…"] if len(items) > MAX_ITEMS else []
        )
    return value


# -- retention --------------------------------------------------------------------------------------------------------


def prune(days: int) -> int:
    """Delete the events that are older than `days`, in batches, and record that.

    Returns:
        How many were deleted.

    Raises:
        ValueError: `days` is fewer than the database allows.
    """
    if days < MIN_AGE_DAYS:
        raise ValueError(f"The audit log keeps its events for at least {MIN_AGE_DAYS} days.")
    limit = timezone.now() - timedelta(days=days)
    removed = 0
    while old := _older_than(limit):
        with transaction.atomic():
            count, _ = AuditEvent.objects.filter(pk__in=old).delete()
            removed += count
            record(
                "audit.prune",
                "audit log",
                "",
                after={"older_than": limit.isoformat(), "deleted": count},
            )
    return removed


def _older_than(limit: datetime) -> list[int]:
    return list(
        AuditEvent.objects.filter(at__lt=limit)
        .order_by("pk")
        .values_list("pk", flat=True)[:PRUNE_BATCH]
    )
