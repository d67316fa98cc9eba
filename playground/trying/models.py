"""The table of inputs that people saved under a name."""

from __future__ import annotations

from functools import cached_property

from django.conf import settings
from django.db import models
from django.utils import timezone

from catalog.tools.models import Tool
from playground.configurations.input_digest import stored_digest
from toolspec.text import reader
from toolspec.text.reader import JSON


class SavedInput(models.Model):
    """The parameters of a call, saved by a user for one tool. Only its owner sees it."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=100)
    parameters_json = models.TextField()  # JSON text, without secrets
    revision_number = models.PositiveIntegerField()  # the tool's revision at that time
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "tool", "name"], name="one_saved_input_per_name"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def parameters(self) -> JSON:
        return reader.loads(self.parameters_json, max_bytes=settings.RUN_PARAMETERS_BYTES)

    @cached_property
    def digest(self) -> str:
        """Equal for equal parameters."""
        return stored_digest(self.parameters)
