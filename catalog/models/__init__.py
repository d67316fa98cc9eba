"""The catalog's tables: tools and their revisions, lint assessments and waivers, large uploads."""

from catalog.models.lint import Assessment, Waiver
from catalog.models.tools import Revision, Tool, ToolQuerySet, ToolTag
from catalog.models.uploads import Upload, UploadedSpec

__all__ = ["Assessment", "Revision", "Tool", "ToolQuerySet", "ToolTag", "Upload", "UploadedSpec", "Waiver"]
