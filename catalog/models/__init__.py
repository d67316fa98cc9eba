"""The catalog's tables: tools, revisions, stars, who may see them, lint, uploads, sources, the audit log, webhooks."""

from catalog.audit import AuditEvent
from catalog.models.access import Audience, Toolkit
from catalog.models.held_changes import HeldChange
from catalog.models.lint import Assessment, Waiver
from catalog.models.sources import Source, SourceSync, SourceTool
from catalog.models.tools import Revision, Star, Tool, ToolQuerySet, ToolTag
from catalog.models.uploads import Upload, UploadedSpec
from catalog.models.webhooks import Webhook, WebhookDelivery

__all__ = [
    "Assessment", "Audience", "AuditEvent", "HeldChange", "Revision", "Source", "SourceSync", "SourceTool", "Star",
    "Tool", "ToolQuerySet", "ToolTag", "Toolkit", "Upload", "UploadedSpec", "Waiver", "Webhook", "WebhookDelivery",
]  # fmt: skip
