"""The forms of a tool: its metadata, its access settings and its deprecation."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from django import forms

from accounts.models import User
from catalog.access.models import VISIBILITIES, Toolkit
from catalog.organise.access import Access, access_of, change_tool_access, change_toolkit_access
from catalog.organise.lifecycle import archive, deprecate, restore, undo_deprecation
from catalog.organise.metadata import UNCHANGED, Organisation, organise
from catalog.organise.organise_many import BulkChange, Deprecation
from catalog.tools.models import Tool
from toolshelf_core.stored_form import StoredForm
from toolspec.catalog_names import group_key


def split_names(text: str) -> tuple[str, ...]:
    """The names in a field, which are separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


class MetadataForm(StoredForm):
    """A form that changes settings of the tool whose entity tag was `seen`."""

    saved_message = "Saved."
    seen = forms.CharField(required=False)

    def __init__(self, tool: Any, data: Any = None, initial: Any = None) -> None:
        self.tool = tool
        super().__init__(data, initial=initial, auto_id=False)

    def save(self, by: User) -> Tool | Toolkit | None:
        """Store the settings; None if they were refused."""
        raise NotImplementedError

    @property
    def seen_etags(self) -> list[str] | None:
        return [self.cleaned_data["seen"]] if self.cleaned_data.get("seen") else None


class OrganiseForm(MetadataForm):
    """Toolkit and tags.

    `tags_were` are the tags that the form showed; those left out now are removed.
    """

    saved_message = "Toolkit and tags saved."

    toolkit_from = forms.CharField(required=False)
    toolkit = forms.CharField(required=False, strip=False)
    tags = forms.CharField(required=False)
    tags_were = forms.CharField(required=False, widget=forms.HiddenInput)

    field_of_pointer = {"add_tags": "tags"}

    def __init__(self, tool: Tool, data: Any = None) -> None:
        tags = ", ".join(tool.added_tags.splitlines())
        initial = {
            "toolkit_from": "id",
            "toolkit": "",
            "tags": tags,
            "tags_were": tags,
        }
        if tool.toolkit_chosen:
            initial |= {"toolkit_from": "typed", "toolkit": tool.toolkit}
        super().__init__(tool, data, initial)

    def save(self, by: User) -> Tool | None:
        return self.store_with(
            lambda: organise(self.tool, self._organisation(), by=by, seen=self.seen_etags)
        )

    def _organisation(self) -> Organisation:
        typed = self.cleaned_data
        # A toolkit typed into the empty field counts, even if its radio button was not selected.
        by_id = typed["toolkit_from"] == "id" and not (
            typed["toolkit"].strip() and not self.tool.toolkit_chosen
        )
        shown = (
            typed["tags_were"]
            if "tags_were" in self.data
            else ",".join(self.tool.added_tags.splitlines())
        )
        tags, were = split_names(typed["tags"]), split_names(shown)
        given = {group_key(tag) for tag in tags}
        return Organisation(
            toolkit=None if by_id else typed["toolkit"],
            add_tags=tags,
            remove_tags=[tag for tag in were if group_key(tag) not in given],
        )


class OrganiseManyForm(StoredForm):
    """One change of all tools that a search finds; a field that is left empty changes nothing.

    `seen` identifies the tools that the page listed; if others match by now, the form is refused.
    """

    seen = forms.CharField(required=False)
    set_toolkit = forms.BooleanField(required=False)
    toolkit = forms.CharField(required=False)
    add_tags = forms.CharField(required=False)
    remove_tags = forms.CharField(required=False)
    owner = forms.CharField(required=False)
    deprecate = forms.BooleanField(required=False)
    note = forms.CharField(required=False)
    superseded_by = forms.CharField(required=False)
    archive = forms.BooleanField(required=False)

    def __init__(self, tools: Sequence[Tool], data: Any = None, initial: Any = None) -> None:
        listed = ",".join(sorted(tool.slug for tool in tools))
        self.digest = sha256(listed.encode()).hexdigest()
        super().__init__(data, initial=initial, auto_id=False)

    def clean(self) -> dict[str, Any]:
        typed = self.cleaned_data
        if typed["seen"] != self.digest:
            message = (
                "Other tools match now. Nothing was changed; check the list and send the form "
                "again."
            )
            raise forms.ValidationError(message)
        if self.change == BulkChange():
            raise forms.ValidationError("Nothing was changed. Choose at least one change.")
        return typed

    @property
    def change(self) -> BulkChange:
        """The change as typed."""
        typed = self.cleaned_data
        has_toolkit = typed["set_toolkit"] or typed["toolkit"]
        organisation = Organisation(
            toolkit=typed["toolkit"] if has_toolkit else UNCHANGED,
            add_tags=split_names(typed["add_tags"]),
            remove_tags=split_names(typed["remove_tags"]),
            owner=typed["owner"] or UNCHANGED,
        )
        is_deprecation = typed["deprecate"] or typed["note"] or typed["superseded_by"]
        deprecation = Deprecation(typed["note"], typed["superseded_by"]) if is_deprecation else None
        return BulkChange(organisation, deprecation=deprecation, archive=typed["archive"])


class AccessForm(MetadataForm):
    """Who owns, maintains and sees a tool or a toolkit; names are separated by commas."""

    saved_message = "Access saved."

    owner = forms.CharField(required=False)
    maintainers = forms.CharField(required=False)
    maintainer_groups = forms.CharField(required=False)
    visibility = forms.CharField(required=False)
    groups = forms.CharField(required=False)

    def __init__(self, tool: Tool | Toolkit, data: Any = None) -> None:
        stored = access_of(tool)
        initial = {
            "owner": stored.owner,
            "maintainers": ", ".join(stored.maintainers),
            "maintainer_groups": ", ".join(stored.maintainer_groups),
            "visibility": stored.visibility,
            "groups": ", ".join(stored.groups),
        }
        super().__init__(tool, data, initial)

    def save(self, by: User) -> Tool | Toolkit | None:
        return self.store_with(lambda: self._change_access(by))

    def _change_access(self, by: User) -> Tool | Toolkit:
        if isinstance(self.tool, Toolkit):
            return change_toolkit_access(self.tool, self.access, by=by)
        return change_tool_access(self.tool, self.access, by=by, seen=self.seen_etags)

    @property
    def visibilities(self) -> dict[str, str]:
        return VISIBILITIES

    @property
    def access(self) -> Access:
        """The settings as typed."""
        typed = self.cleaned_data
        return Access(
            owner=typed["owner"] if "owner" in self.data else None,
            maintainers=split_names(typed["maintainers"]),
            maintainer_groups=split_names(typed["maintainer_groups"]),
            visibility=typed["visibility"],
            groups=split_names(typed["groups"]),
        )


class DeprecateForm(MetadataForm):
    """A note and the id of the tool's successor."""

    saved_message = "The tool is deprecated. It still works and shows a warning."

    note = forms.CharField(required=False, strip=False)
    superseded_by = forms.CharField(required=False)

    def __init__(self, tool: Tool, data: Any = None) -> None:
        successor = tool.superseded_by.tool_id if tool.superseded_by else ""
        super().__init__(tool, data, {"note": tool.deprecation_note, "superseded_by": successor})

    def clean_note(self) -> str:
        """Browsers send the line ends of a text as CR LF."""
        return str(self.cleaned_data["note"]).replace("\r\n", "\n")

    def save(self, by: User) -> Tool | None:
        return self.store_with(
            lambda: deprecate(
                self.tool,
                note=self.cleaned_data["note"],
                superseded_by=self.cleaned_data["superseded_by"],
                by=by,
                seen=self.seen_etags,
            )
        )


class UndoDeprecationForm(MetadataForm):
    """Remove the deprecation that a user chose; the spec's own stays."""

    saved_message = "The deprecation is removed."

    def save(self, by: User) -> Tool | None:  # noqa: ARG002 - the right to save was checked
        return self.store_with(lambda: undo_deprecation(self.tool, seen=self.seen_etags))


class ArchiveForm(MetadataForm):
    """Remove the tool from the lists."""

    saved_message = "The tool is archived. Lists no longer show it; its pages and runs remain."

    def save(self, by: User) -> Tool | None:  # noqa: ARG002 - the right to save was checked
        return self.store_with(lambda: archive(self.tool))


class RestoreForm(MetadataForm):
    """Return the tool to the lists."""

    saved_message = "The tool is restored. Lists show it again."

    def save(self, by: User) -> Tool | None:  # noqa: ARG002 - the right to save was checked
        return self.store_with(lambda: restore(self.tool))
