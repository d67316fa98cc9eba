"""The tables of the catalog in the admin, to look things up. Changes are made on the site's own pages."""

from catalog.proposals.models import Proposal
from catalog.sources.models import Source, SourceSync
from catalog.tools.lint_models import Waiver
from catalog.tools.models import Revision, Tool
from catalog.uploads.models import Upload
from toolshelf_core.read_only_admin import show_table

show_table(
    Tool, "tool_id", "name", "toolkit", "owner", "score", "archived_at", "deprecated_at",
    "created_at", "updated_at",
    search=["tool_id", "name", "slug"],
)  # fmt: skip
show_table(
    Revision, "tool", "number", "sha256", "created_by", "created_at",
    search=["tool__tool_id", "sha256"],
)  # fmt: skip
show_table(
    Waiver, "tool", "rule", "pointer", "reason", "created_by", "created_at",
    search=["tool__tool_id", "rule"],
)  # fmt: skip
show_table(
    Upload, "names", "by", "created_at", "total", "created", "revised", "unchanged", "rejected",
    search=["by__username", "names"],
)  # fmt: skip
show_table(
    Source, "name", "kind", "address", "policy", "every_minutes", "next_sync_at", "owner",
    search=["name", "address"],
)  # fmt: skip
show_table(
    SourceSync, "source", "started_at", "ended_at", "by", "listed", "created", "revised", "held",
    "error",
    search=["source__name"],
)  # fmt: skip
show_table(
    Proposal, "tool_id", "source", "state", "verdict", "created_at", "decided_by", "decided_at",
    search=["tool_id"],
)  # fmt: skip
