"""Sources: servers and documents that tools come from, and that are read again and again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

from django.conf import settings
from django.db import models
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone

from catalog.access.models import is_visible
from catalog.index.visibility import Visibility
from toolshelf_core.encryption import Unreadable, decrypt, encrypt
from toolspec.text.containers import members_of
from toolspec.text.reader import JSON

if TYPE_CHECKING:
    from catalog.tools.models import Tool

Kind = Literal["mcp-http", "mcp-stdio", "openapi", "document"]
Policy = Literal["automatic", "compatible", "review"]

KINDS: Final[dict[Kind, str]] = {
    "mcp-http": "MCP server (HTTP)",
    "mcp-stdio": "MCP server (command)",
    "openapi": "OpenAPI document",
    "document": "Document without a connection",
}
POLICIES: Final[dict[Policy, str]] = {
    "compatible": "Compatible changes only",
    "automatic": "All changes",
    "review": "No changes",
}
NAME_LENGTH: Final = 40
ADDRESS_LENGTH: Final = 2_000
TITLE_LENGTH: Final = 200
PREFIX_LENGTH: Final = 100
INTERRUPTED_S: Final = (
    600  # a sync ends within its limits long before; if it has not, its process was stopped
)
COUNTS: Final = ("listed", "created", "revised", "unchanged", "held", "refused", "gone", "returned")
INTERRUPTED: Final = "The sync was interrupted: its process was stopped."


class SourceQuerySet(models.QuerySet["Source"]):
    def due(self) -> SourceQuerySet:
        """Sources whose schedule asks for a sync now, the longest overdue first."""
        return self.filter(next_sync_at__lte=timezone.now()).order_by("next_sync_at")

    def with_state(self) -> SourceQuerySet:
        """With what lists show, in two queries.

        `listed` counts the tools that the source lists now, `held` the changes that wait for
        approval, and `newest` is a list of its last sync, or empty.
        """
        tools = SourceTool.objects.filter(source=models.OuterRef("pk"), gone_at=None).order_by()
        counted = tools.values("source").annotate(number=models.Count("*")).values("number")
        newest = SourceSync.objects.select_related("by")[:1]
        waiting = models.Q(proposals__state="held")
        return (
            self.defer("document")
            .annotate(listed=Coalesce(models.Subquery(counted), 0))
            .annotate(held=models.Count("proposals", filter=waiting))
            .prefetch_related(models.Prefetch("syncs", queryset=newest, to_attr="newest"))
        )


class Source(models.Model):
    """A named origin of specs: an MCP server or a document.

    The tools of the kind "document" do not run, until an administrator connects it: it becomes one
    of the other kinds.
    """

    name = models.CharField(max_length=NAME_LENGTH, unique=True)
    kind = models.CharField(max_length=10, choices=list(KINDS.items()))
    # a URL; the command with its arguments for "mcp-stdio"; empty if the document was uploaded
    address = models.CharField(max_length=ADDRESS_LENGTH, blank=True)
    document = models.TextField(blank=True)  # an uploaded document
    # of the ids of its tools, without the dot: None is its name, and "" nothing
    prefix = models.CharField(max_length=PREFIX_LENGTH, null=True, blank=True)  # noqa: DJ001 - "" has a meaning
    left_out = models.JSONField(
        default=list, blank=True
    )  # the names of tools that are not imported
    credentials = models.TextField(
        blank=True
    )  # {"headers": {name: value}} as JSON, encrypted; empty if there are none
    policy = models.CharField(max_length=10, choices=list(POLICIES.items()), default="compatible")
    every_minutes = models.PositiveIntegerField(null=True, blank=True)  # None: by hand only
    next_sync_at = models.DateTimeField(null=True, blank=True, db_index=True)
    title = models.CharField(
        max_length=TITLE_LENGTH, blank=True
    )  # the name and version that the server reports
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        db_index=False,
    )
    created_at = models.DateTimeField(default=timezone.now)
    moved_at = models.DateTimeField(
        null=True, blank=True
    )  # when its address last changed to another server

    objects = SourceQuerySet.as_manager()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("catalog:source", args=[self.name])

    @property
    def is_connected(self) -> bool:
        """Whether its tools run, by calling it."""
        return self.kind != "document"

    def takes(self, tool: Tool, *, published: bool) -> bool:
        """Whether `tool` belongs to this source from now on; then other sources lose it.

        A tool has one source. Only a source that published the current revision takes it from
        another one, and a document without a connection takes none that another source runs.
        """
        others = SourceTool.objects.filter(catalog_tool=tool).exclude(source=self)
        if not self.is_connected and others.exclude(source__kind="document").exists():
            return False
        if published:
            others.update(catalog_tool=None)
        return published or not others.exists()

    @property
    def id_prefix(self) -> str:
        """The prefix of the ids of its tools, without the dot."""
        return self.name if self.prefix is None else self.prefix

    @property
    def start(self) -> str:
        """The start of the ids of its tools: the prefix and the dot, or nothing."""
        return f"{self.id_prefix}." if self.id_prefix else ""

    @property
    def headers(self) -> dict[str, str]:
        """The headers that carry its credentials.

        Raises:
            Unreadable: none of the keys decrypts them.
        """
        if not self.credentials:
            return {}
        headers = members_of(members_of(decrypt(self.credentials)).get("headers"))
        return {str(name): str(value) for name, value in headers.items()}

    @property
    def header_names(self) -> list[str] | None:
        """The names of these headers, which are shown; None if they cannot be decrypted."""
        try:
            return sorted(self.headers)
        except Unreadable:
            return None

    def set_headers(self, headers: Mapping[str, str]) -> None:
        """Encrypt `headers` into `credentials`; {} removes them. The caller saves."""
        self.credentials = encrypt({"headers": dict(headers)}) if headers else ""

    def schedule_next(self, after: datetime) -> None:
        """Set when it is due again. The caller saves."""
        self.next_sync_at = (
            after + timedelta(minutes=self.every_minutes) if self.every_minutes else None
        )

    @property
    def last_sync(self) -> SourceSync | None:
        return self.syncs.first()


class SourceSync(models.Model):
    """One reading of a source, and its changes."""

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="syncs")
    started_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        db_index=False,
    )  # None: by its schedule, or on the command line
    error = models.TextField(blank=True)  # why it failed; nothing changed then
    listed = models.PositiveIntegerField(default=0)
    created = models.PositiveIntegerField(default=0)
    revised = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    held = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    gone = models.PositiveIntegerField(default=0)
    returned = models.PositiveIntegerField(default=0)
    changes_json = models.TextField(
        blank=True
    )  # a list: {"tool_id", "slug"?, "outcome", "verdict"?, "message"?}

    class Meta:
        ordering = ["-started_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["source"], condition=models.Q(ended_at=None), name="one_sync_per_source"
            )
        ]

    def __str__(self) -> str:
        return f"{self.source_id} at {self.started_at}"

    @property
    def state(self) -> Literal["running", "succeeded", "failed"]:
        if self.ended_at is None:
            return "failed" if self.is_interrupted else "running"
        return "failed" if self.error else "succeeded"

    @property
    def is_interrupted(self) -> bool:
        return self.ended_at is None and timezone.now() - self.started_at > timedelta(
            seconds=INTERRUPTED_S
        )

    @property
    def message(self) -> str:
        """Why it failed."""
        return INTERRUPTED if self.is_interrupted else self.error

    @cached_property
    def changes(self) -> list[dict[str, Any]]:
        """The changes to single tools, without the unchanged ones."""
        found: list[dict[str, Any]] = json.loads(self.changes_json) if self.changes_json else []
        return found

    def as_json(self) -> JSON:
        """{"source", "state", "error", "listed", "created", …, "changes": [{"tool_id", "outcome", …}]}."""
        counts = {name: getattr(self, name) for name in COUNTS}
        return {
            "source": self.source.name,
            "state": self.state,
            "error": self.message or None,
            **counts,
            "changes": [dict(change) for change in self.changes],
        }

    @property
    def has_changed_anything(self) -> bool:
        return bool(
            self.created or self.revised or self.held or self.refused or self.gone or self.returned
        )


class SourceToolQuerySet(models.QuerySet["SourceTool"]):
    def with_visibility(self, visibility: Visibility) -> SourceToolQuerySet:
        """The tools that people with this visibility may see; for them, tools that were never published are shown."""
        return self.filter(is_visible(visibility, "catalog_tool__"))

    def runnable(self) -> SourceToolQuerySet:
        """Tools of the catalog that their connected sources still list, so that they can be called there."""
        listed = self.filter(gone_at=None, catalog_tool__isnull=False)
        return listed.exclude(source__kind="document")


class SourceTool(models.Model):
    """A tool as a source lists it.

    The two hashes are those of its definition at the source (`sources.definitions`): the one that
    was last listed, and the one of the revision that was published. They differ while a change
    waits for approval, or was rejected.
    """

    source = models.ForeignKey(
        Source, on_delete=models.CASCADE, related_name="tools", db_index=False
    )
    tool_id = models.CharField(max_length=255)  # of the catalog
    catalog_tool = models.OneToOneField(
        "catalog.Tool", null=True, on_delete=models.CASCADE, related_name="source_tool"
    )  # None until its first revision is approved
    remote_name = models.CharField(max_length=255)  # its name at the source
    listed_sha256 = models.CharField(max_length=64)
    published_sha256 = models.CharField(max_length=64, blank=True)
    gone_at = models.DateTimeField(null=True, blank=True)  # when a sync first missed it

    objects = SourceToolQuerySet.as_manager()

    class Meta:
        ordering = ["tool_id"]
        constraints = [
            models.UniqueConstraint(fields=["source", "tool_id"], name="one_row_per_source_tool")
        ]

    def __str__(self) -> str:
        return self.tool_id

    @property
    def differs(self) -> bool:
        """Whether the source now lists another definition than the one that is published here."""
        return self.listed_sha256 != self.published_sha256
