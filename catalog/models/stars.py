"""Tools that a person marks with a star, to find them again."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from catalog.models.tools import Tool


class Star(models.Model):
    """A person's mark on a tool. It is private, and deleted with the person or the tool."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="stars", related_query_name="star")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["user", "tool"], name="one_star_per_person")]

    def __str__(self) -> str:
        return f"{self.user_id} stars {self.tool_id}"
