"""The audit log: who did what to which object, when, from where, and through which interface.

    record(action, object)     one event, in the caller's transaction: stored if the change is
    record_many                the same for many objects, in one statement
    act_for                    sets the origin of a block of code: a request or a sync

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
    # A tool's id, a source's name, a run's id.
    object_id = models.CharField(max_length=OBJECT_ID_LENGTH)
    interface = models.CharField(max_length=10, choices=list(INTERFACES.items()))
    # The name; "" for nobody: a command, a schedule, a visitor.
    person = models.CharField(max_length=150, blank=True)
    # The primary key, which no other person ever gets.
    person_key = models.BigIntegerField(null=True)
    # The API token, the command, or the source that is synced.
    client = models.CharField(max_length=200, blank=True)
    address = models.CharField(max_length=64, blank=True)
    request_id = models.CharField(max_length=64, blank=True)
    # JSON; "" if the object was not there, or it did not change.
    before = models.TextField(blank=True)
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
        """Each member of `before` and `after`: its name and its two values, as text.

        A value is "" where the member is missing.
        """
        before, after = json.loads(self.before or "{}"), json.loads(self.after or "{}")
        return [
            (name, _format_member(before, name), _format_member(after, name))
            for name in before | after
        ]

    def as_json(self) -> dict[str, Any]:
        """The event as the export and the API show it."""
        person = {"id": self.person_key, "name": self.person} if self.person else None
        return {
            "id": self.pk,
            "at": self.at.isoformat(),
            "action": self.action,
            "object": {"type": self.object_type, "id": self.object_id},
            "interface": self.interface,
            "person": person,
            "client": self.client or None,
            "address": self.address or None,
            "request_id": self.request_id or None,
            "before": json.loads(self.before or "null"),
            "after": json.loads(self.after or "null"),
        }


def _format_member(values: dict[str, Any], name: str) -> str:
    value = values.get(name, "")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# -- who acts ----------------------------------------------------------------------------------


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
    """The interface through which code acts, and a function that names the actor.

    Only changes call it.
    """

    interface: Interface
    actor: Callable[[], Actor]

    def resolve(self) -> Origin:
        """The same with the actor as known now, for a thread that outlives the request."""
        actor = self.actor()
        return Origin(self.interface, lambda: actor)


@cache
def _describe_command() -> Actor:
    """The command that runs, and the account of the machine that runs it."""
    try:
        account = getpass.getuser()
    except (KeyError, OSError):  # a container may have no entry for its user
        account = f"user {os.getuid()}"
    script, *arguments = sys.argv or [""]
    program = " ".join([Path(script).name or "python", *arguments[:1]])
    return Actor(client=f"{program} by {account}"[:200])


_COMMAND: Final = Origin("command", _describe_command)
_origin: ContextVar[Origin] = ContextVar("audit_origin", default=_COMMAND)


def current_origin() -> Origin:
    """The origin (actor and interface) that the current code acts for."""
    return _origin.get()


@contextmanager
def act_for(origin: Origin) -> Iterator[None]:
    """Let a block act for `origin`."""
    token = _origin.set(origin)
    try:
        yield
    finally:
        _origin.reset(token)


# -- what happened -----------------------------------------------------------------------------


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
    old, new = {}, {}
    for name in {**before, **after}:
        if before.get(name) != after.get(name):
            old[name], new[name] = before.get(name), after.get(name)
    if old:
        record(action, object_type, object_id, before=old, after=new)


Event = tuple[str, str, object, Mapping[str, Any] | None, Mapping[str, Any] | None]


def record_many(events: Sequence[Event], *, by: Any = None) -> None:
    """Store events of one actor at one time.

    Each event is (action, object type, object id, before, after).
    """
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
            object_id=str(object_id)[:OBJECT_ID_LENGTH],
            before=_write_json(before),
            after=_write_json(after),
            **common,
        )
        for action, object_type, object_id, before, after in events
    ]
    AuditEvent.objects.bulk_create(rows)


def _write_json(value: Mapping[str, Any] | None) -> str:
    return json.dumps(_cut(value), separators=(",", ":"), default=str) if value else ""


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        if len(value) > MAX_TEXT:
            return f"{value[:MAX_TEXT]}…"
        return value
    if isinstance(value, Mapping):
        return {str(name): _cut(each) for name, each in list(value.items())[:MAX_ITEMS]}
    if isinstance(value, list | tuple | set | frozenset):
        items = list(value)
        start = [_cut(each) for each in items[:MAX_ITEMS]]
        if len(items) > MAX_ITEMS:
            start.append("…")
        return start
    return value


# -- retention ---------------------------------------------------------------------------------


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
    total = 0
    while pks := _list_older(limit):
        with transaction.atomic():
            count, _ = AuditEvent.objects.filter(pk__in=pks).delete()
            total += count
            after = {"older_than": limit.isoformat(), "deleted": count}
            record("audit.prune", "audit log", "", after=after)
    return total


def _list_older(limit: datetime) -> list[int]:
    events = AuditEvent.objects.filter(at__lt=limit).order_by("pk")
    return list(events.values_list("pk", flat=True)[:PRUNE_BATCH])
