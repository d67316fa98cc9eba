"""The catalog's tables, for Django: each is in its room, which the others import."""

from catalog.access.models import Audience, Toolkit
from catalog.proposals.models import Proposal
from catalog.sources.models import Source, SourceSync, SourceTool
from catalog.tools.lint_models import Assessment, Waiver
from catalog.tools.models import Revision, Star, Tool, ToolQuerySet, ToolTag
from catalog.uploads.models import Upload, UploadedSpec
from catalog.webhooks.models import Webhook, WebhookDelivery
from toolshelf_core.audit import AuditEvent

__all__ = [
    "Assessment", "Audience", "AuditEvent", "Proposal", "Revision", "Source", "SourceSync", "SourceTool", "Star",
    "Tool", "ToolQuerySet", "ToolTag", "Toolkit", "Upload", "UploadedSpec", "Waiver", "Webhook", "WebhookDelivery",
]  # fmt: skip
