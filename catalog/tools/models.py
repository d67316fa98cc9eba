"""Tools, the revisions of their specs, and the queries about many tools."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from accounts.models import PUBLISH_TOOLS, RUN_TOOLS, Person, User
from accounts.roles import is_administrator, membership_of
from catalog.access.models import VISIBILITIES, Audience, Toolkit, is_visible
from catalog.access.rights import (
    GROUPS_THAT_MAY,
    YES,
    Action,
    Answer,
    only_maintainers,
    sees,
)
from catalog.index.visibility import Visibility
from catalog.tools.hooks import hooks
from catalog.tools.lint_models import Assessment
from toolspec.catalog_names import MAX_GROUP_KEY_CHARS, MAX_TOOLKIT_CHARS, group_key
from toolspec.spec import ToolSpec, stored_spec

if TYPE_CHECKING:
    from catalog.sources.models import SourceTool, SourceToolQuerySet

SORT_NAME_LENGTH = 80
NEEDS_LENGTH = 60
TOOLKIT_LENGTH = MAX_TOOLKIT_CHARS
TAG_LENGTH = 60
GROUP_KEY_LENGTH = MAX_GROUP_KEY_CHARS
NOTE_LENGTH = 500


class ToolQuerySet(models.QuerySet["Tool"]):
    def visible_to(self, person: Person | None) -> ToolQuerySet:
        """The tools that `person` may see; None, the administrator of the machine, sees all."""
        return self.with_visibility(Audience.objects.visibility_for(person))

    def with_visibility(self, visibility: Visibility) -> ToolQuerySet:
        """The tools that people with this visibility may see."""
        return self.filter(is_visible(visibility))

    def maintained_by(self, person: Person | None) -> ToolQuerySet:
        """The tools that `person` may revise and organise.

        Those that they own or maintain, alone or with their toolkit, and for publishers those that
        belong to nobody.
        """
        if is_administrator(person):
            return self
        if not isinstance(person, User):
            return self.none()
        membership = membership_of(person)
        people = Tool.maintainers.through.objects.values("tool")
        groups = Tool.maintainer_groups.through.objects.values("tool")
        mine = (
            Q(owner=person)
            | Q(pk__in=people.filter(user=person))
            | Q(pk__in=groups.filter(group__in=membership.groups))
            | Q(toolkit_key__in=Toolkit.objects.maintained_by(person).values("key"))
        )
        if PUBLISH_TOOLS in membership.abilities:
            mine |= (
                Q(owner=None)
                & ~Q(pk__in=people)
                & ~Q(pk__in=groups)
                & ~Q(toolkit_key__in=Toolkit.objects.with_owner().values("key"))
            )
        return self.filter(mine)

    def available(self) -> ToolQuerySet:
        """Tools that are not archived."""
        return self.filter(archived_at=None)

    def runnable(self) -> ToolQuerySet:
        """Tools that an installed factory provides, or their source."""
        at_sources = _source_tools().runnable().values("catalog_tool")
        return self.filter(Q(tool_id__in=hooks.installed_tool_ids()) | Q(pk__in=at_sources))

    def in_toolkit(self, name: str) -> ToolQuerySet:
        key = group_key(name)
        return self.filter(toolkit_key=key) if key else self.none()

    def not_runnable(self) -> ToolQuerySet:
        return self.exclude(pk__in=Tool.objects.runnable().values("pk"))

    def by_name(self) -> ToolQuerySet:
        """In the order of lists: by name, ignoring case, then by age."""
        return self.order_by("sort_name", "pk")

    def for_rows(self) -> ToolQuerySet:
        """With the columns that a row shows: all of the tool's, and a few of related objects."""
        columns = [field.attname for field in Tool._meta.concrete_fields]
        related_columns = (
            "current__number",
            "current__sha256",
            "owner__username",
            "superseded_by__tool_id",
            "superseded_by__slug",
            "superseded_by__audience",
            "superseded_by__toolkit_key",
        )
        return self.with_current().only(*columns, *related_columns)

    def with_current(self) -> ToolQuerySet:
        """With the current revision loaded, for pages that show its text."""
        return self.select_related("current", "owner", "superseded_by")


@dataclass(frozen=True, slots=True)
class Deprecation:
    """A tool is deprecated since that time; `by_spec` if its spec declares it, and not a user."""

    since: datetime
    note: str
    superseded_by: Tool | None
    by_spec: bool


class Tool(models.Model):
    """One entry of the catalog.

    Its columns mirror the current revision, so that lists need not parse JSON.

    A new revision does not change the metadata that users set: the owner, the added tags, the
    toolkit if `toolkit_chosen`, and the deprecation if `deprecation_chosen`. Otherwise toolkit and
    deprecation come from the spec.
    """

    tool_id = models.CharField(max_length=255, unique=True)
    slug = models.CharField(max_length=120, unique=True)
    name = models.CharField(max_length=255)
    # the name as lists order it: ignoring case
    sort_name = models.CharField(max_length=SORT_NAME_LENGTH)
    description = models.TextField(blank=True)
    # of the outermost parameters; None if the root of their schema does not list them
    parameter_count = models.PositiveIntegerField(null=True, blank=True)
    required_count = models.PositiveIntegerField(default=0)
    # an `Effect` of index/document.py
    effect = models.CharField(max_length=12, blank=True, default="")
    configurable = models.BooleanField(default=False)
    # the title of what its configuration requires first, or "configuration"; "" if nothing is
    # required
    needs = models.CharField(max_length=NEEDS_LENGTH, blank=True, default="")
    has_examples = models.BooleanField(default=False)
    has_return_type = models.BooleanField(default=False)
    current = models.ForeignKey("Revision", null=True, on_delete=models.PROTECT, related_name="+")
    archived_at = models.DateTimeField(null=True, blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        db_index=False,
    )
    maintainers = models.ManyToManyField(settings.AUTH_USER_MODEL, blank=True, related_name="+")
    maintainer_groups = models.ManyToManyField(Group, blank=True, related_name="+")
    # who may see it: one of `VISIBILITIES`; None: as its toolkit. `groups` are those that do, if it
    # is "groups"
    visibility = models.CharField(  # noqa: DJ001 - a column without default is quick to add
        max_length=10, null=True, blank=True, choices=list(VISIBILITIES.items())
    )
    groups = models.ManyToManyField(Group, blank=True, related_name="+")
    # derived (`catalog/tools/audiences.py`); None: everyone may see it
    audience = models.ForeignKey(
        Audience,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="tools",
        db_index=False,
    )
    toolkit = models.CharField(max_length=TOOLKIT_LENGTH, blank=True)
    # as toolkits are compared: `group_key`
    toolkit_key = models.CharField(max_length=GROUP_KEY_LENGTH, blank=True)
    toolkit_chosen = models.BooleanField(default=False)
    spec_tags = models.TextField(blank=True)  # one per line, as `added_tags`
    added_tags = models.TextField(blank=True)
    deprecated_at = models.DateTimeField(null=True, blank=True)
    deprecation_chosen = models.BooleanField(default=False)
    deprecation_note = models.CharField(max_length=NOTE_LENGTH, blank=True)
    superseded_by = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="supersedes",
        db_index=False,
    )
    # the assessment of the current revision (see assessments.py); None and "" if it is not assessed
    # yet
    score = models.PositiveSmallIntegerField(null=True, blank=True)
    # the keys of formats, separated by spaces
    usable_formats = models.CharField(max_length=200, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    objects = ToolQuerySet.as_manager()

    class Meta:
        # One index per list that can be requested: each is read in order, never sorted.
        indexes = [
            models.Index(
                fields=["sort_name", "id"],
                name="tool_by_name",
                condition=models.Q(archived_at=None),
            ),
            models.Index(
                fields=["sort_name", "id"],
                name="tool_archived",
                condition=models.Q(archived_at__isnull=False),
            ),
            models.Index(fields=["toolkit_key", "sort_name", "id"], name="tool_by_toolkit"),
            models.Index(fields=["owner", "sort_name", "id"], name="tool_by_owner"),
            models.Index(
                fields=["superseded_by"],
                name="tool_superseded",
                condition=models.Q(superseded_by__isnull=False),
            ),
            models.Index(
                fields=["audience"],
                name="tool_restricted",
                condition=models.Q(audience__isnull=False),
            ),
            models.Index(fields=["id"], name="tool_unassessed", condition=models.Q(score=None)),
            models.Index(
                fields=["-score", "sort_name", "id"],
                name="tool_by_score",
                condition=models.Q(score__isnull=False),
            ),
            models.Index(fields=["-updated_at", "-id"], name="tool_by_date"),
        ]

    def __str__(self) -> str:
        return self.tool_id

    def get_absolute_url(self) -> str:
        return reverse("catalog:tool", args=[self.slug])

    @property
    def archived(self) -> bool:
        return self.archived_at is not None

    @property
    def usable(self) -> tuple[str, ...]:
        """The keys of the formats that accept it without changes; () if it is not assessed yet."""
        return tuple(self.usable_formats.split())

    @property
    def deprecated(self) -> bool:
        return self.deprecated_at is not None

    @property
    def deprecation(self) -> Deprecation | None:
        """Load the successor beforehand (`for_rows`, `with_current`)."""
        if self.deprecated_at is None:
            return None
        by_spec = not self.deprecation_chosen
        return Deprecation(self.deprecated_at, self.deprecation_note, self.superseded_by, by_spec)

    @property
    def tags(self) -> list[str]:
        """The tags of its spec and the added ones, without duplicates (compared by `group_key`)."""
        tags: dict[str, str] = {}
        for tag in [*self.spec_tags.splitlines(), *self.added_tags.splitlines()]:
            tags.setdefault(group_key(tag), tag)
        return list(tags.values())

    def hide_successor(self, visibility: Visibility | None = None) -> None:
        """Show no successor; with `visibility` only if it hides that one. Nothing is stored."""
        successor = self.superseded_by
        if successor and not (
            visibility and visibility.sees(successor.audience_id, successor.toolkit_key)
        ):
            Tool._meta.get_field("superseded_by").set_cached_value(self, None)

    @cached_property
    def runnable(self) -> bool:
        """Whether a factory for it is installed, or it runs through its source.

        Looked up once for each object.
        """
        return self.tool_id in hooks.runnable_tool_ids()

    @cached_property
    def at_source(self) -> SourceTool | None:
        """The tool as its source lists it, without the source's document, which may be large."""
        source_tools = _source_tools().filter(catalog_tool=self).select_related("source")
        return source_tools.defer("source__document").first()

    def hidden_from(self, person: Person) -> str:
        """Why `person` does not see it; "" if they do."""
        if sees(person, self.audience_id, self.toolkit_key):
            return ""
        return f"There is no tool {self.tool_id!r}, or you do not have access to it."

    def answer(self, person: User, action: Action) -> Answer:
        """Whether somebody who sees it, and is not an administrator, may do `action` to it."""
        abilities = membership_of(person).abilities
        if action == "run":
            return YES if RUN_TOOLS in abilities else self._answer_to_maintainer(person, action)
        if action == "hand over":
            return self._answer_to_hand_over(person)
        if action == "propose" and PUBLISH_TOOLS in abilities:
            return YES
        return self._answer_to_maintainer(person, action)

    def _answer_to_hand_over(self, person: User) -> Answer:
        if self.owner_id == person.pk:
            return YES
        if self.owner_id is None and self.is_maintained_by(person):
            return YES
        owner = f"the owner, {self.owner.username}," if self.owner else "the owner"
        return Answer(f"Only {owner} and administrators can change the owner of {self.tool_id}.")

    def _answer_to_maintainer(self, person: User, action: Action) -> Answer:
        if self.is_maintained_by(person):
            return YES
        if action == "run":
            return Answer(GROUPS_THAT_MAY[RUN_TOOLS])
        publishers = GROUPS_THAT_MAY[PUBLISH_TOOLS].removesuffix(".")
        if action == "propose":
            return Answer(f"{publishers}, or propose changes.")
        if self.owner_id is None and PUBLISH_TOOLS not in membership_of(person).abilities:
            return Answer(f"{publishers}, or change tools that have no owner.")
        return Answer(only_maintainers(self.tool_id, action, self.owner))

    def is_maintained_by(self, person: User) -> bool:
        """Looked up once for each object.

        A page asks for several actions, and one query takes 2 ms of CPU.
        """
        if self.owner_id == person.pk:
            return True
        answers: dict[int, bool] = self.__dict__.setdefault("_maintained_by", {})
        if person.pk not in answers:
            answers[person.pk] = Tool.objects.filter(pk=self.pk).maintained_by(person).exists()
        return answers[person.pk]

    @property
    def etag(self) -> str:
        """Changes with the revision, the metadata, and facts that the site computes.

        These are whether the tool runs here, and its assessment.
        """
        facts = (self.runnable, self.score, self.score is not None and self.usable)
        parts = [self._version, _hash_facts(facts)]
        return f'"{".".join(filter(None, parts))}"'

    @property
    def _version(self) -> str:
        """The part of the entity tag that users change."""
        number, sha256 = (self.current.number, self.current.sha256) if self.current else (0, "")
        metadata = (
            self.owner_id,
            self.toolkit_chosen and (self.toolkit,),
            self.added_tags,
            self.deprecation_chosen
            and (str(self.deprecated_at), self.deprecation_note, self.superseded_by_id),
        )
        archived = "archived" if self.archived else ""
        parts = [f"{number}-{sha256[:16]}", archived, _hash_facts(metadata)]
        return "-".join(filter(None, parts))

    def is_as_seen(self, etags: Collection[str]) -> bool:
        """Whether one of these entity tags is the tool's; "*" always is.

        Facts that the site computes (whether the tool runs here, its score) do not make a user's
        view outdated.
        """
        versions = {etag.strip('"').partition(".")[0] for etag in etags}
        return "*" in etags or self._version in versions


def _source_tools() -> SourceToolQuerySet:
    """The tools as sources list them: a room above, whose module this one cannot import."""
    return apps.get_model("catalog", "SourceTool").objects.all()


def _hash_facts(facts: tuple[object, ...]) -> str:
    """A short hash; "" if nothing is known (all are empty)."""
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:12] if any(facts) else ""


class ToolTag(models.Model):
    """A tag of a tool, with an index for reading the list of a tag in order."""

    tool = models.ForeignKey(
        Tool, on_delete=models.CASCADE, related_name="tag_rows", db_index=False
    )
    key = models.CharField(max_length=GROUP_KEY_LENGTH)  # as tags are compared: `group_key`
    sort_name = models.CharField(max_length=SORT_NAME_LENGTH)  # of the tool

    class Meta:
        indexes = [models.Index(fields=["key", "sort_name", "tool"], name="tool_by_tag")]
        constraints = [models.UniqueConstraint(fields=["tool", "key"], name="one_row_per_tag")]

    def __str__(self) -> str:
        return f"{self.tool_id} is tagged {self.key}"


class Star(models.Model):
    """A person's mark on a tool. It is private, and deleted with the person or the tool."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    tool = models.ForeignKey(
        Tool, on_delete=models.CASCADE, related_name="stars", related_query_name="star"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["user", "tool"], name="one_star_per_person")]

    def __str__(self) -> str:
        return f"{self.user_id} stars {self.tool_id}"


class Revision(models.Model):
    """One version of a tool's spec, never changed once stored."""

    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    source = models.TextField()  # as uploaded, byte for byte (UTF-8)
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    # where it came from (origins.py); None if it was stored before origins were recorded (columns
    # without default are quick to add)
    origin_kind = models.CharField(max_length=20, null=True, blank=True)  # noqa: DJ001
    origin_name = models.CharField(max_length=255, null=True, blank=True)  # noqa: DJ001 - likewise
    # what its publisher wrote about the change
    note = models.CharField(max_length=NOTE_LENGTH, null=True, blank=True)  # noqa: DJ001 - likewise

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["tool", "number"], name="one_revision_per_number")
        ]

    def __str__(self) -> str:
        return f"{self.tool_id} revision {self.number}"

    @property
    def pair(self) -> tuple[int, int]:
        """The number of the previous revision and its own, as used in a URL."""
        return self.number - 1, self.number

    @property
    def score(self) -> int | None:
        """Its lint score; None if it is not assessed yet.

        Load its assessment beforehand (`select_related`).
        """
        assessment: Assessment | None = getattr(self, "assessment", None)
        return assessment.score if assessment else None

    @property
    def origin(self) -> dict[str, str] | None:
        """Where it came from, as its kind and name; None if that is not known."""
        if not self.origin_kind:
            return None
        return {"kind": self.origin_kind, "name": self.origin_name or ""}

    @cached_property
    def spec(self) -> ToolSpec:
        """The spec, read from the stored text."""
        return stored_spec(self.source)
