"""Changes of tools that wait for approval."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from accounts.models import Person, User
from accounts.roles import is_administrator
from catalog.access.models import EVERYONE, Toolkit
from catalog.access.rights import YES, Action, Answer, only_maintainers, right_to_upload
from catalog.tools.models import NOTE_LENGTH, Tool
from toolspec.catalog_names import MAX_GROUP_KEY_CHARS
from toolspec.spec import ToolSpec, stored_spec


class ProposalQuerySet(models.QuerySet["Proposal"]):
    def visible_to(self, person: Person | None) -> ProposalQuerySet:
        """The changes that `person` may see.

        Changes of sources, unless they concern a tool that is hidden from them; proposals of their
        own, and those that they may decide about. Administrators see all.
        """
        if is_administrator(person):
            return self
        if not isinstance(person, User):
            return self.none()
        hidden = Tool.objects.exclude(pk__in=Tool.objects.visible_to(person).values("pk")).values(
            "tool_id"
        )
        decided = Tool.objects.visible_to(person).maintained_by(person).values("tool_id")
        toolkits = Toolkit.objects.maintained_by(person).values("key")
        new = Q(toolkit_key__in=toolkits)
        mine = Q(proposed_by=person) | Q(tool_id__in=decided) | (new & ~Q(tool_id__in=hidden))
        closed = (
            Toolkit.objects.exclude(visibility=EVERYONE).exclude(key__in=toolkits).values("key")
        )
        restricted = Q(toolkit_key__in=closed, base=None)
        return self.filter(mine | (Q(source__isnull=False) & ~Q(tool_id__in=hidden) & ~restricted))

    def decidable_by(self, person: Person | None) -> ProposalQuerySet:
        """The changes that `person` may approve or reject.

        Those of tools that they maintain; from a source that they own, those of tools without an
        owner, and new tools outside the toolkits of others; and new tools in a toolkit that they
        maintain. `Proposal.answer` has the same rule for a single change.
        """
        if is_administrator(person):
            return self
        if not isinstance(person, User):
            return self.none()
        maintained = Tool.objects.maintained_by(person)
        owned = Q(tool_id__in=maintained.exclude(owner=None).values("tool_id"))
        of_people = Q(source=None, tool_id__in=maintained.values("tool_id"))
        toolkits = Toolkit.objects.maintained_by(person).values("key")
        tools = Tool.objects.filter(tool_id=models.OuterRef("tool_id"))
        new = Q(toolkit_key__in=toolkits) & ~Q(models.Exists(tools))
        of_others = Toolkit.objects.with_owner().exclude(key__in=toolkits).values("key")
        is_free = ~Q(models.Exists(tools)) & ~Q(toolkit_key__in=of_others)
        unowned = Q(tool_id__in=maintained.filter(owner=None).values("tool_id"))
        of_their_source = Q(source__owner=person) & (is_free | unowned)
        return self.visible_to(person).filter(owned | of_people | of_their_source | new)


class Proposal(models.Model):
    """A spec that waits for approval before it becomes a tool's next revision, or a new tool.

    It comes from a source, or from a user who may propose revisions but not publish them
    (`proposed_by`).
    """

    HELD, APPROVED, REJECTED, REPLACED = "held", "approved", "rejected", "replaced"
    STATES: Final = {
        HELD: "In review",
        APPROVED: "Approved",
        REJECTED: "Rejected",
        REPLACED: "Replaced by a later change",
    }

    tool_id = models.CharField(
        max_length=255, db_index=True
    )  # of the catalog; the tool itself may not exist yet
    toolkit_key = models.CharField(
        max_length=MAX_GROUP_KEY_CHARS, blank=True
    )  # of its id, as toolkits are compared
    source = models.ForeignKey(
        "catalog.Source", null=True, on_delete=models.CASCADE, related_name="proposals"
    )
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        db_index=False,
    )
    base = models.ForeignKey(
        "catalog.Revision", null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )  # the current revision when it was held; None for a new tool
    text = models.TextField()  # the spec
    sha256 = models.CharField(max_length=64)  # of the text
    definition_sha256 = models.CharField(
        max_length=64, blank=True
    )  # of its definition at the source
    origin_kind = models.CharField(max_length=20)
    origin_name = models.CharField(max_length=255, blank=True)
    verdict = models.CharField(max_length=10, blank=True)  # when it was held; "" for a new tool
    reason = models.CharField(max_length=200)  # why it was held: a sentence
    # what its author wrote about the change
    # a column without default is quick to add
    note = models.CharField(max_length=NOTE_LENGTH, null=True, blank=True)  # noqa: DJ001
    state = models.CharField(max_length=10, default=HELD, choices=list(STATES.items()))
    created_at = models.DateTimeField(default=timezone.now)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        db_index=False,
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    objects = ProposalQuerySet.as_manager()

    class Meta:
        db_table = "catalog_heldchange"  # its name in the first release
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["tool_id", "source"],
                condition=models.Q(state="held"),
                name="one_held_change_per_source_tool",
            )
        ]

    def __str__(self) -> str:
        return f"{self.state} change of {self.tool_id}"

    def get_absolute_url(self) -> str:
        return reverse("catalog:review", args=[self.pk])

    @property
    def spec(self) -> ToolSpec:
        return stored_spec(self.text)

    def hidden_from(self, _person: Person) -> str:
        """Never: those who see it find it by `visible_to`."""
        return ""

    def answer(self, person: User, action: Action) -> Answer:
        """Whether somebody who is not an administrator may approve or reject it.

        `ProposalQuerySet.decidable_by` has the same rule for many.
        """
        tool = Tool.objects.filter(tool_id=self.tool_id).select_related("owner").first()
        owner_of_source = self.source.owner if self.source else None
        if tool is not None:
            owner = tool.owner or owner_of_source
            # A change of an unowned tool of a source: its source's owner decides, not every
            # publisher.
            is_decided_by_maintainers = (
                tool.owner_id is not None or self.source is None or owner_of_source == person
            )
            decides = is_decided_by_maintainers and tool.is_maintained_by(person)
        else:
            owner = owner_of_source
            toolkit = Toolkit.objects.filter(key=self.toolkit_key)
            decides = toolkit.maintained_by(person).exists()
            if owner == person:
                decides = decides or bool(right_to_upload(person, self.tool_id))
        return YES if decides else Answer(only_maintainers(self.tool_id, action, owner))

    @property
    def is_held(self) -> bool:
        return self.state == self.HELD
