"""The forms of the catalog's pages. Values are validated where they are stored, and their errors are shown here."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final, cast

from django import forms
from django.conf import settings
from django.core.exceptions import NON_FIELD_ERRORS
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from catalog.access import Access, access_of
from catalog.accounts.models import User
from catalog.errors import DocumentError, HeldBySpec, NotAllowed, RevisionConflict, ToolshelfError
from catalog.jsontext.pointers import split_pointer
from catalog.lifecycle import deprecate
from catalog.metadata import UNCHANGED, Organisation, organise
from catalog.models import Source, Tool, Toolkit, Webhook
from catalog.models.access import VISIBILITIES
from catalog.models.sources import POLICIES, Policy
from catalog.models.webhooks import EVENTS
from catalog.search.document import group_key
from catalog.sources.registration import SourceSettings, add_source, change_source
from catalog.specs.importers import MAX_DOCUMENT_BYTES
from catalog.waivers import waive
from catalog.webhooks.registration import WebhookSettings, add_webhook, change_webhook

MAX_PREFIX_CHARS: Final = 100  # as in the API
SCHEDULES: Final = {
    "": "Manually",
    "15": "Every 15 minutes",
    "60": "Every hour",
    "1440": "Every day",
    "10080": "Every week",
}
PASTED: Final = "pasted text"
NamedFile = tuple[str, BinaryIO]
STATUSES: Final[dict[type[ToolshelfError], int]] = {HeldBySpec: 409, NotAllowed: 403, RevisionConflict: 409}


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
        except (DocumentError, HeldBySpec, NotAllowed, RevisionConflict) as error:
            self.refuse(error)
        return not self.errors

    def refuse(self, error: ToolshelfError) -> None:
        """Show `error` at the fields that it concerns."""
        self.status = STATUSES.get(type(error), 422)
        if not isinstance(error, DocumentError):
            field = error.field if isinstance(error, NotAllowed) else "tags" if isinstance(error, HeldBySpec) else None
            self.add_error(field if field in self.fields else None, str(error))
            return
        for problem in error.problems:
            name = split_pointer(problem.pointer)[0]
            self.add_error(self.field_of_pointer.get(name, name), problem.message)

    @property
    def error_links(self) -> list[dict[str, str]]:
        """The errors for `_error_summary.html`, each with a link to its field."""
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
    """Toolkit, tags and owner. `tags_were` are the tags that the form showed; those left out now are removed."""

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
        """Store the metadata; False if it was refused."""
        return self.stored_by(lambda: organise(self.tool, self._organisation(), by=by, seen=self.seen_etags))

    def _organisation(self) -> Organisation:
        typed = self.cleaned_data
        # A toolkit typed into the empty field counts, even if its radio button was not selected.
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


class AccessForm(MetadataForm):
    """Who owns, maintains and sees a tool or a toolkit; names are separated by commas."""

    owner = forms.CharField(required=False)
    maintainers = forms.CharField(required=False)
    maintainer_groups = forms.CharField(required=False)
    visibility = forms.CharField(required=False)
    groups = forms.CharField(required=False)

    def __init__(self, one: Tool | Toolkit, data: Any = None) -> None:
        stored = access_of(one)
        initial = {
            "owner": stored.owner,
            "visibility": stored.visibility,
            **{name: ", ".join(getattr(stored, name)) for name in ("maintainers", "maintainer_groups", "groups")},
        }
        super().__init__(data, initial=initial, auto_id=False)

    @property
    def visibilities(self) -> dict[str, str]:
        return VISIBILITIES

    @property
    def access(self) -> Access:
        """The settings as typed."""
        typed = self.cleaned_data

        def names(text: str) -> list[str]:
            return [name.strip() for name in text.split(",") if name.strip()]

        return Access(
            owner=typed["owner"] if "owner" in self.data else None,
            maintainers=names(typed["maintainers"]),
            maintainer_groups=names(typed["maintainer_groups"]),
            visibility=typed["visibility"],
            groups=names(typed["groups"]),
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

    def save(self, by: User) -> bool:
        """Deprecate the tool; False if it was refused."""
        return self.stored_by(
            lambda: deprecate(
                self.tool,
                note=self.cleaned_data["note"],
                superseded_by=self.cleaned_data["superseded_by"],
                by=by,
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


class SourceForm(ToolForm):
    """The settings of a source: a new one, or those of `source`."""

    kind = forms.CharField(required=False)
    address = forms.CharField(required=False)
    document = forms.FileField(required=False, max_length=500)
    header_name = forms.CharField(required=False)
    header_value = forms.CharField(required=False, strip=True)
    remove_credentials = forms.BooleanField(required=False)
    policy = forms.CharField(required=False)
    every_minutes = forms.CharField(required=False)

    field_of_pointer = {"headers": "header_value"}

    def __init__(self, source: Source | None = None, data: Any = None, files: Any = None) -> None:
        self.source = source
        initial: dict[str, Any] = {"kind": "mcp-http", "policy": "compatible", "header_name": "Authorization"}
        if source is not None:
            names = source.header_names or ["Authorization"]
            initial = {
                "address": source.address,
                "policy": source.policy,
                "every_minutes": source.every_minutes or "",
                "header_name": names[0],
            }
        super().__init__(data, files, initial=initial, auto_id=False)
        self.fields["name"] = forms.CharField(required=False)

    @property
    def reaches_this_machine(self) -> bool:
        """Whether sources may connect to this machine (see `address_policy`)."""
        return bool(settings.LOOPBACK_ONLY)

    @property
    def schedules(self) -> dict[str, str]:
        """The intervals to choose from, with the stored one."""
        stored = self.source.every_minutes if self.source else None
        own = {} if not stored or str(stored) in SCHEDULES else {str(stored): f"Every {stored} minutes"}
        return {**SCHEDULES, **own}

    @property
    def policies(self) -> dict[Policy, str]:
        return POLICIES

    def clean_document(self) -> str:
        """The text of the uploaded file; "" if there is none."""
        file = self.cleaned_data["document"]
        if not file:
            return ""
        if file.size > MAX_DOCUMENT_BYTES:
            raise forms.ValidationError(f"The document is larger than {MAX_DOCUMENT_BYTES // 2**20} MiB.")
        try:
            return str(file.read().decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise forms.ValidationError("The document is not text in UTF-8.") from error

    def clean_every_minutes(self) -> int | None:
        typed = self.cleaned_data["every_minutes"].strip()
        if not typed:
            return None
        if not (typed.isascii() and typed.isdecimal() and len(typed) < 7):
            raise forms.ValidationError("Enter a number of minutes, or leave it empty to sync manually.")
        return int(typed)

    def add(self, by: User) -> Source | None:
        """Store a new source; None if it was refused."""
        added: list[Source] = []
        self.stored_by(lambda: added.append(add_source(self._settings(self.cleaned_data), by=by)))
        return added[0] if added else None

    def save(self) -> bool:
        """Store the changed settings; False if they were refused."""
        return self.stored_by(self._change)

    def _change(self) -> None:
        source = self.source
        assert source is not None  # noqa: S101 - for mypy: `save` is for forms of a source
        typed = {**self.cleaned_data, "name": source.name, "kind": source.kind}
        if source.kind == "mcp-stdio":
            typed["address"] = source.address
        if not typed["document"] and not typed["address"]:
            typed["document"] = source.document
        change_source(source, self._settings(typed))

    def _settings(self, typed: dict[str, Any]) -> SourceSettings:
        headers = {typed["header_name"]: typed["header_value"]} if typed["header_value"] else None
        if headers is None and typed["remove_credentials"]:
            headers = {}
        return SourceSettings(
            name=typed["name"],
            kind=typed["kind"],
            address=typed["address"],
            document=typed["document"],
            headers=headers,
            policy=typed["policy"],
            every_minutes=typed["every_minutes"],
        )


class WebhookForm(ToolForm):
    """The settings of a webhook: a new one, or those of `webhook`."""

    url = forms.CharField(required=False)
    events = forms.MultipleChoiceField(required=False, choices=list(EVENTS.items()))
    toolkits = forms.CharField(required=False)
    is_active = forms.BooleanField(required=False)

    def __init__(self, webhook: Webhook | None = None, data: Any = None) -> None:
        self.webhook = webhook
        initial: dict[str, Any] = {"events": ["tool.revised", "change.held"], "is_active": True}
        if webhook is not None:
            initial = {
                "url": webhook.url,
                "events": webhook.events,
                "toolkits": ", ".join(webhook.toolkits),
                "is_active": webhook.is_active,
            }
        super().__init__(data, initial=initial, auto_id=False)

    def add(self, by: User) -> tuple[Webhook, str] | None:
        """Store a new webhook; returns it with its secret, or None if it was refused."""
        added: list[tuple[Webhook, str]] = []
        self.stored_by(lambda: added.append(add_webhook(self._settings(is_active=True), by=by)))
        return added[0] if added else None

    def save(self) -> bool:
        """Store the changed settings; False if they were refused."""
        webhook = self.webhook
        assert webhook is not None  # noqa: S101 - for mypy: `save` is for forms of a webhook
        return self.stored_by(lambda: change_webhook(webhook, self._settings(is_active=self.cleaned_data["is_active"])))

    def _settings(self, *, is_active: bool) -> WebhookSettings:
        toolkits = [name.strip() for name in self.cleaned_data["toolkits"].split(",") if name.strip()]
        return WebhookSettings(self.cleaned_data["url"].strip(), self.cleaned_data["events"], toolkits, is_active)


def skipped_ids(sent: QueryDict) -> frozenset[str]:
    """The ids of the tools that a form offers in `offered`, a JSON array, but whose boxes `take` are not checked."""
    try:
        offered = json.loads(sent.get("offered", "[]"))
    except (ValueError, RecursionError):
        return frozenset()
    if not isinstance(offered, list):
        return frozenset()
    return frozenset(one for one in offered if isinstance(one, str)) - set(sent.getlist("take"))


class UploadForm(forms.Form):
    """Files, pasted text, corrected specs (`fixed`, each from its `source`), and the options of the upload."""

    text = forms.Field(required=False)
    dry_run = forms.Field(required=False)
    no_prefix = forms.Field(required=False)
    replace = forms.Field(required=False)

    def __init__(self, data: QueryDict, files: MultiValueDict[str, UploadedFile[Any]]) -> None:
        self.sent = data
        self.sent_files = files
        super().__init__(data, files)
        self.fields["prefix"] = forms.Field(required=False)  # `prefix` as a class attribute belongs to Django's forms

    def clean_prefix(self) -> str:
        """The prefix for the ids of imported tools; "" takes it from the document."""
        if len(self.typed_prefix) > MAX_PREFIX_CHARS or "\0" in self.typed_prefix:
            raise forms.ValidationError(f"Enter at most {MAX_PREFIX_CHARS} characters, without NUL characters")
        return self.typed_prefix

    @property
    def typed_prefix(self) -> str:
        return self.sent.get("prefix", "").strip()

    @property
    def prefix_of_imports(self) -> str | None:
        """The prefix as uploads take it: None takes it from the document, "" is none."""
        return "" if self.has_no_prefix else self.typed_prefix or None

    @property
    def has_no_prefix(self) -> bool:
        return "no_prefix" in self.sent

    @property
    def replaces(self) -> bool:
        """Whether imports may revise tools of another origin or owner."""
        return "replace" in self.sent

    @property
    def is_dry_run(self) -> bool:
        return "dry_run" in self.sent

    @property
    def skipped(self) -> frozenset[str]:
        """The ids of imported tools that the person leaves out."""
        return skipped_ids(self.sent)

    @property
    def entries(self) -> dict[str, str]:
        """The entries to restore after the user has signed in."""
        return {name: self.sent.get(name, "") for name in self.fields}

    @property
    def sources(self) -> list[NamedFile]:
        """The files and the texts, each with its name in the report."""
        return [*self._files(), *self._texts()]

    def _files(self) -> Iterator[NamedFile]:
        for file in self.sent_files.getlist("files"):
            if file.file is not None:
                yield file.name or "file", cast("BinaryIO", file.file)

    def _texts(self) -> Iterator[NamedFile]:
        fixed = zip(self.sent.getlist("source"), self.sent.getlist("fixed"), strict=False)
        for name, text in [(PASTED, self.sent.get("text", "")), *fixed]:
            if text.strip():  # browsers send line ends as CR LF
                yield name, io.BytesIO(text.replace("\r\n", "\n").encode(errors="surrogatepass"))
