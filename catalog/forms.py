"""The forms of the catalog's pages. What a name or a reason may be is checked where it is stored, and shown here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS

from catalog.accounts.models import User
from catalog.errors import DocumentError, HeldBySpec, NotTheOwner, RevisionConflict, ToolshelfError
from catalog.jsontext.pointers import split_pointer
from catalog.lifecycle import deprecate
from catalog.metadata import UNCHANGED, Organisation, organise
from catalog.models import Tool
from catalog.search.document import group_key
from catalog.waivers import waive

STATUSES: Final[dict[type[ToolshelfError], int]] = {HeldBySpec: 409, NotTheOwner: 403, RevisionConflict: 409}


class ToolForm(forms.Form):
    """A form about one tool. `status` is the HTTP status of the page that shows its errors."""

    status = 422
    field_of_pointer: dict[str, str] = {}

    def stored_by(self, store: Callable[[], object]) -> bool:
        """Whether the form is valid and `store` accepted it."""
        if not self.is_valid():
            return False
        try:
            store()
        except (DocumentError, HeldBySpec, NotTheOwner, RevisionConflict) as error:
            self.refuse(error)
        return not self.errors

    def refuse(self, error: ToolshelfError) -> None:
        """Show `error` at the fields that it is about."""
        self.status = STATUSES.get(type(error), 422)
        if not isinstance(error, DocumentError):
            field = {HeldBySpec: "tags", NotTheOwner: "owner"}.get(type(error))
            self.add_error(field if field in self.fields else None, str(error))
            return
        for problem in error.problems:
            name = split_pointer(problem.pointer)[0]
            self.add_error(self.field_of_pointer.get(name, name), problem.message)

    @property
    def error_links(self) -> list[dict[str, str]]:
        """What `_error_summary.html` shows: each error with a link to its field."""
        return [
            {"href": "" if name == NON_FIELD_ERRORS else f"#{name}", "message": str(message)}
            for name, messages in self.errors.items()
            for message in messages
        ]


class MetadataForm(ToolForm):
    """A form that changes the metadata of the tool whose entity tag was `seen`."""

    seen = forms.CharField(required=False)

    @property
    def seen_etags(self) -> list[str] | None:
        return [self.cleaned_data["seen"]] if self.cleaned_data.get("seen") else None


class OrganiseForm(MetadataForm):
    """Toolkit, tags and owner. `tags_were` are the tags that the form showed: those left out are removed."""

    toolkit_from = forms.CharField(required=False)
    toolkit = forms.CharField(required=False, strip=False)
    tags = forms.CharField(required=False)
    tags_were = forms.CharField(required=False, widget=forms.HiddenInput)
    owner = forms.CharField(required=False)

    field_of_pointer = {"add_tags": "tags"}

    def __init__(self, tool: Tool, data: Any = None) -> None:
        self.tool = tool
        tags = tool.added_tags.splitlines()
        initial = {
            "toolkit_from": "typed" if tool.toolkit_chosen else "id",
            "toolkit": tool.toolkit if tool.toolkit_chosen else "",
            "tags": ", ".join(tags),
            "tags_were": ", ".join(tags),
            "owner": tool.owner.username if tool.owner else "",
        }
        super().__init__(data, initial=initial, auto_id=False)

    def save(self, by: User) -> bool:
        """Store what was typed; False if it was refused."""
        return self.stored_by(lambda: organise(self.tool, self._organisation(), by=by, seen=self.seen_etags))

    def _organisation(self) -> Organisation:
        typed = self.cleaned_data
        # A name in the field that was empty counts, even if the choice beside it was left alone.
        by_id = typed["toolkit_from"] == "id" and not (typed["toolkit"].strip() and not self.tool.toolkit_chosen)
        shown = typed["tags_were"] if "tags_were" in self.data else ",".join(self.tool.added_tags.splitlines())
        tags, were = ([tag.strip() for tag in text.split(",") if tag.strip()] for text in (typed["tags"], shown))
        given = {group_key(tag) for tag in tags}
        return Organisation(
            toolkit=None if by_id else typed["toolkit"],
            add_tags=tags,
            remove_tags=[tag for tag in were if group_key(tag) not in given],
            owner=typed["owner"] if "owner" in self.data else UNCHANGED,
        )


class DeprecateForm(MetadataForm):
    """A note and the id of the tool's successor."""

    note = forms.CharField(required=False, strip=False)
    superseded_by = forms.CharField(required=False)

    def __init__(self, tool: Tool, data: Any = None) -> None:
        self.tool = tool
        successor = tool.superseded_by.tool_id if tool.superseded_by else ""
        super().__init__(data, initial={"note": tool.deprecation_note, "superseded_by": successor})

    def clean_note(self) -> str:
        """Browsers send the line ends of a text as CR LF."""
        return str(self.cleaned_data["note"]).replace("\r\n", "\n")

    def save(self) -> bool:
        """Deprecate the tool; False if it was refused."""
        return self.stored_by(
            lambda: deprecate(
                self.tool,
                note=self.cleaned_data["note"],
                superseded_by=self.cleaned_data["superseded_by"],
                seen=self.seen_etags,
            )
        )


class WaiverForm(ToolForm):
    """A finding to waive: a rule at `pointer`, or `everywhere`."""

    rule = forms.CharField(required=False, strip=False)
    pointer = forms.CharField(required=False, strip=False)
    everywhere = forms.BooleanField(required=False)
    reason = forms.CharField(required=False, strip=False)

    def save(self, tool: Tool, by: User) -> bool:
        """Store the waiver; False if it was refused."""
        return self.stored_by(lambda: self._waive(tool, by))

    def _waive(self, tool: Tool, by: User) -> None:
        pointer = "" if "everywhere" in self.data else self.cleaned_data["pointer"]
        waive(tool, rule=self.cleaned_data["rule"], pointer=pointer, reason=self.cleaned_data["reason"], by=by)
