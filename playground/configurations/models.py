"""What users save for a tool: configurations, inputs, and the one that MCP calls use."""

from __future__ import annotations

from typing import ClassVar, Final, Self

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, Group
from django.db import models
from django.db.models.functions import Concat
from django.utils import timezone

from accounts.models import User
from accounts.roles import membership_of
from catalog.tools.models import Tool


class SavedConfigurationQuerySet(models.QuerySet["SavedConfiguration"]):
    def usable_by(self, user: User | AnonymousUser | None) -> Self:
        """The configurations that `user` may use.

        These are their own, and those shared with everyone or one of their groups.

        Those of people whose account is disabled are not shared. None: only those that are shared
        with everyone.
        """
        is_shared = models.Q(visibility=SavedConfiguration.EVERYONE)
        groups = membership_of(user).groups if isinstance(user, User) else ()
        if groups:
            through = SavedConfiguration.groups.through.objects.filter(group__in=groups)
            is_shared |= models.Q(pk__in=through.values("savedconfiguration"))
        is_usable = is_shared & models.Q(owner__is_active=True)
        if user and user.pk:
            is_usable |= models.Q(owner_id=user.pk)
        return self.filter(is_usable).select_related("owner")

    def named(self, reference: str, user: User | AnonymousUser | None) -> SavedConfiguration | None:
        """The configuration that `reference` means to `user`.

        It is the name of their own one, or "OWNER/NAME".
        """
        usable = self.usable_by(user)
        if user and user.pk:
            configuration = usable.filter(owner_id=user.pk, name=reference).first()
            if configuration is not None:
                return configuration
        if "/" not in reference:
            return None
        full = Concat("owner__username", models.Value("/"), "name")
        return usable.annotate(reference=full).filter(reference=reference).first()


class SavedConfiguration(models.Model):
    """A user's named configuration for a tool.

    It is encrypted, and its secrets are never shown again.

    Its owner, or staff, may share it: others then use it without seeing any of it.
    """

    PRIVATE: Final = "private"
    EVERYONE: Final = "everyone"  # who may run the tool

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_configurations"
    )
    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="saved_configurations")
    name = models.CharField(max_length=100)
    # playground.configurations.saved: the value, and when each of its secrets was set.
    encrypted = models.TextField()
    # playground.configurations.binding: where its secrets may go.
    origins = models.TextField(blank=True, default="")
    visibility = models.CharField(
        max_length=10,
        choices=[(PRIVATE, "only its owner"), (EVERYONE, "everyone")],
        default=PRIVATE,
    )
    # Whose members may use it in runs.
    groups = models.ManyToManyField(Group, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[SavedConfigurationQuerySet] = SavedConfigurationQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "tool", "name"], name="one_configuration_per_name"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_shared(self) -> bool:
        return self.visibility == self.EVERYONE

    def reference_for(self, user: User | AnonymousUser | None) -> str:
        """The name for `user`: "NAME" of their own configuration, else "OWNER/NAME"."""
        if user and self.owner_id == user.pk:
            return self.name
        return f"{self.owner.get_username()}/{self.name}"


class MCPConfiguration(models.Model):
    """A user's choice of the saved configuration that MCP calls of a tool use."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=255)  # `SavedConfiguration.reference_for` the user

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["owner", "tool"], name="one_mcp_configuration_per_tool")
        ]

    def __str__(self) -> str:
        return self.name
