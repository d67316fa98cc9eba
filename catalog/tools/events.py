"""Events about tools, for webhooks."""

from __future__ import annotations

from typing import Any

from catalog.tools.models import Tool
from catalog.webhooks.models import EventType
from catalog.webhooks.queue import WebhookEvent


def about_tool(event: EventType, tool: Tool, **data: Any) -> WebhookEvent:
    """An event about one tool."""
    about = {"id": tool.tool_id, "slug": tool.slug, "toolkit": tool.toolkit or None}
    return WebhookEvent(event, tool.toolkit, {"tool": about, **data})
