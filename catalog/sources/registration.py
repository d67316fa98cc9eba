"""Add, change and remove sources."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Collection, Iterable
from typing import Any, Final

from django import forms
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.validators import ProhibitNullCharactersValidator
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from accounts.models import Person, User
from accounts.roles import is_administrator
from catalog.access.rights import may
from catalog.index import vocabulary
from catalog.sources.listings import APIS, read_document
from catalog.sources.models import ADDRESS_LENGTH, KINDS, NAME_LENGTH, POLICIES, Kind, Source
from catalog.sources.sync import AlreadySyncing
from toolshelf_core import audit
from toolshelf_core.encryption import rotate
from toolshelf_core.errors import OutgoingError
from toolshelf_core.form_problems import require_valid
from toolshelf_core.outgoing.addresses import origin_of, split_url
from toolshelf_core.site_addresses import find_url_problem
from toolspec.errors import ToolshelfError
from toolspec.imports import detect

MAX_HEADERS: Final = 10
MAX_HEADER_CHARS: Final = 8_000
MIN_EVERY_MINUTES: Final = 5
DOCUMENT_KINDS: Final[frozenset[Kind]] = frozenset(
    {"openapi", "document"}
)  # may have one that is stored
MAX_EVERY_MINUTES: Final = 60 * 24 * 31
SCHEDULES: Final[dict[str | int, str]] = {
    "": "Manually",
    15: "Every 15 minutes",
    60: "Every hour",
    1440: "Every day",
    10080: "Every week",
}  # to choose from on the page, in minutes
_NAME: Final = (
    f"Enter a name of 1 to {NAME_LENGTH} characters: lower-case letters, digits, `-` and `_`, "
    "starting with a letter or digit."
)
_COMMAND: Final = (
    "A command can be set only on the server's command line: manage.py add_source NAME --command "
    "COMMAND."
)
_COMMAND_VARIABLES: Final = (
    "The environment variables of a command can be set only on the server's command line. Remove "
    "the source, and add it again: manage.py add_source NAME --command COMMAND --header "
    "NAME=VARIABLE."
)
_SCHEDULE: Final = (
    f"Enter {MIN_EVERY_MINUTES} to {MAX_EVERY_MINUTES:,} minutes, or leave it empty to sync "
    "manually."
)
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")  # RFC 9110, "token"
_OWN_HEADERS: Final = frozenset(
    {
        "host",
        "content-length",
        "transfer-encoding",
        "connection",
        "accept-encoding",
        "content-type",
        "upgrade",
    }
)


def _refusals_of_choice(choices: Iterable[str]) -> dict[str, str]:
    return dict.fromkeys(["required", "invalid_choice"], f"Choose one of: {', '.join(choices)}.")


class DocumentInput(forms.FileInput):
    """An uploaded file, or the text of a document."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        return files.get(name) or data.get(name)

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return name not in data and name not in files


class DocumentField(forms.Field):
    """The text of a document; "" if there is none."""

    widget = DocumentInput
    default_validators = [ProhibitNullCharactersValidator()]

    def to_python(self, value: Any) -> str:
        if not value:
            return ""
        limit = settings.MAX_DOCUMENT_BYTES
        content = value.encode() if isinstance(value, str) else value.read(limit + 1)
        if len(content) > limit:
            raise forms.ValidationError(f"A document can have at most {limit:,} bytes.")
        try:
            return str(content.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise forms.ValidationError("The document is not text in UTF-8.") from error


class HeadersInput(forms.Widget):
    """Headers by name; the page has inputs for one of them, and a box that removes the stored ones."""

    @sensitive_variables()
    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:  # noqa: ARG002
        if isinstance(data.get(name), dict):
            return data[name]
        if value := data.get("header_value", "").strip():
            return {data.get("header_name", "").strip(): value}
        return {} if "remove_credentials" in data else None

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return self.value_from_datadict(data, files, name) is None


class HeadersField(forms.Field):
    """HTTP headers by name, or the environment variables of a command; {} removes the stored ones."""

    widget = HeadersInput

    @sensitive_variables()
    def run_validators(self, value: dict[str, str] | None) -> None:
        headers = value or {}
        if len(headers) > MAX_HEADERS:
            raise forms.ValidationError(f"Enter at most {MAX_HEADERS} headers.")
        problems = [_header_problem(*header) for header in headers.items()]
        if any(problems):
            raise forms.ValidationError([problem for problem in problems if problem])


class SourceForm(forms.ModelForm):  # type: ignore[type-arg]
    """The settings of a source that a user chooses, for its page, the API and `add_source`.

    Settings of `source` that are not sent stay; its name and kind always do.

    Args:
        data: the settings, as their page or the API sends them.
        files: a file for "document", which can also be a text in `data`.
        source: the source to change; None for a new one.
        allow_command: accept the kind "mcp-stdio" for a new source: its command runs on this
            machine.
    """

    name = forms.RegexField(
        rf"^[a-z0-9][a-z0-9_-]{{0,{NAME_LENGTH - 1}}}\Z",
        strip=True,
        error_messages={
            "required": _NAME,
            "invalid": _NAME,
            "unique": "The source '%(model)s' already exists. Choose another name.",
        },
    )
    document = DocumentField(required=False)
    every_minutes = forms.IntegerField(
        required=False,
        min_value=MIN_EVERY_MINUTES,
        max_value=MAX_EVERY_MINUTES,
        error_messages={
            "invalid": "Enter a number of minutes, or leave it empty to sync manually.",
            "min_value": _SCHEDULE,
            "max_value": _SCHEDULE,
        },
    )
    headers = HeadersField(required=False)

    class Meta:
        model = Source
        fields = ["name", "kind", "document", "address", "policy", "every_minutes"]
        error_messages = {
            "kind": _refusals_of_choice(KINDS),
            "address": {"max_length": f"Enter at most {ADDRESS_LENGTH:,} characters."},
            "policy": _refusals_of_choice(POLICIES),
        }

    def __init__(
        self,
        data: Any = None,
        files: Any = None,
        *,
        source: Source | None = None,
        allow_command: bool = False,
    ) -> None:
        super().__init__(data, files, instance=source or Source(), auto_id=False)
        self.allow_command = allow_command
        for name, field in self.fields.items():
            is_fixed = source is not None and name in ("name", "kind")
            if name == "kind" and source is not None:
                is_fixed = source.is_connected  # a document is connected by another kind
            is_omitted = field.widget.value_omitted_from_data(self.data, self.files, name)
            field.disabled = is_fixed or is_omitted  # so its stored value is used

    @property
    def reaches_this_machine(self) -> bool:
        """Whether sources may connect to this machine (see `read_address_policy`)."""
        return bool(settings.LOOPBACK_ONLY)

    @property
    def header_name(self) -> str:
        """The name of the header on the page."""
        stored = self.instance.header_names or ["Authorization"]
        return str(self.data.get("header_name", stored[0]))

    @property
    def schedules(self) -> dict[str | int, str]:
        """The intervals to choose from, with the stored one."""
        stored = self.initial["every_minutes"]
        if not stored or stored in SCHEDULES:
            return SCHEDULES
        return {**SCHEDULES, stored: f"Every {stored} minutes"}

    def clean_kind(self) -> str:
        kind: str = self.cleaned_data["kind"]
        is_command = kind == "mcp-stdio"
        if is_command and self.initial["kind"] != kind and not self.allow_command:
            raise forms.ValidationError(_COMMAND)
        return kind

    def _check_api(self, document: str) -> None:
        try:
            kind = detect(read_document(document))
        except OutgoingError as error:
            raise forms.ValidationError(str(error)) from None
        if kind not in APIS:
            message = (
                "The document describes no API. Enter the URL of an MCP server with its tools."
            )
            raise forms.ValidationError(message)

    def clean_address(self) -> str:
        """A URL, or the command of "mcp-stdio"; "" if there is a document, which a new URL replaces."""
        address: str = self.cleaned_data["address"]
        kind = self.cleaned_data.get("kind")
        document = self.cleaned_data.get("document")
        if kind is None or document is None:
            return address  # they have errors of their own
        has_document = kind in DOCUMENT_KINDS
        if not has_document or (address and self.fields["document"].disabled):
            document = self.cleaned_data["document"] = ""
        if kind == "mcp-stdio":
            self._check_command(address)
        elif kind == "document" and address:
            raise forms.ValidationError("Choose what this URL is: an API or an MCP server.")
        elif kind == "document" and not document:
            raise forms.ValidationError("Upload a document.")
        elif has_document and bool(address) == bool(document):
            message = "Enter the URL of an OpenAPI document, or upload one, but not both."
            raise forms.ValidationError(message)
        elif document and kind == "openapi" and self.initial["kind"] == "document":
            self._check_api(document)
        elif not document and (problem := find_url_problem(address)):
            raise forms.ValidationError(problem)
        return address

    def _check_command(self, command: str) -> None:
        if self.instance.pk is not None and command != self.initial["address"].strip():
            raise forms.ValidationError(_COMMAND)
        try:
            is_usable = bool(shlex.split(command))
        except ValueError:
            is_usable = False
        if not is_usable:
            raise forms.ValidationError("Enter a command with its arguments.")

    @sensitive_variables("headers")
    def clean_headers(self) -> dict[str, str] | None:
        """The headers; None leaves them as they are.

        The environment variables of a command never change: with some (`LD_PRELOAD`), they decide
        what runs here.
        """
        headers: dict[str, str] | None = self.cleaned_data["headers"]
        if headers is not None and self.initial["kind"] == "mcp-stdio":
            raise forms.ValidationError(_COMMAND_VARIABLES)
        return headers


@sensitive_variables("value")
def _header_problem(name: str, value: str) -> str:
    """Why a header cannot be sent; "" if it can."""
    if not _HEADER_NAME.fullmatch(name) or name.lower() in _OWN_HEADERS:
        return f"{name[:100]!r} cannot be the name of a header with credentials."
    is_text = value.isascii() and value.isprintable()
    if not 1 <= len(value) <= MAX_HEADER_CHARS or not is_text:
        return (
            f"The value of {name} must be 1 to {MAX_HEADER_CHARS:,} printable ASCII characters "
            "on one line."
        )
    if value != value.strip():
        return f"Remove the spaces at the beginning and the end of the value of {name}."
    return ""


def address_for(source: Source, person: Person) -> str:
    """The address as `person` may see it: only administrators see a query and the arguments of a command."""
    if is_administrator(person):
        return source.address
    if source.kind == "mcp-stdio":
        return shlex.split(source.address)[0]
    parts = split_url(source.address)
    return parts._replace(query="", fragment="").geturl() if parts else ""


class SourceExists(ToolshelfError):
    """A document has the name of a source, and may not replace that source's document.

    Attributes:
        may_replace: whether the sender may do that.
    """

    def __init__(self, name: str, free: str, *, may_replace: bool) -> None:
        self.may_replace = may_replace
        ways = f"use another prefix (`prefix`), such as {free}"
        if may_replace:
            ways = f"replace its document (`replace`), or {ways}"
        super().__init__(f"The source {name!r} exists already. {ways[:1].upper()}{ways[1:]}.")


def may_replace_document(person: Person | None, source: Source) -> bool:
    """Whether `person` may send another document for a source that has one.

    Its owner may until an administrator connects it: the document decides where calls and other
    people's secrets go.
    """
    if not source.document:
        return False
    is_own = person is not None and source.owner_id == person.pk
    return bool(may(person, "administer")) or (is_own and not source.is_connected)


def free_name(wanted: str, used: Collection[str]) -> str:
    """`wanted`, or with a number if it is used already."""
    name, number = wanted, 2
    while name in used:
        ending = f"-{number}"
        name = wanted[: NAME_LENGTH - len(ending)] + ending
        number += 1
    return name


@sensitive_variables("headers")
def add_source(form: SourceForm, *, by: User | None) -> Source:
    """Store a new source, whose tools `by` owns. It is due immediately if it has a schedule.

    Raises:
        DocumentError: settings are invalid, or the name exists; with pointers such as "/address".
    """
    require_valid(form, "source")
    source: Source = form.instance
    source.owner = by
    source.next_sync_at = timezone.now() if source.every_minutes else None
    source.set_headers(form.cleaned_data["headers"] or {})
    try:
        with transaction.atomic():
            source.save()
            audit.record("source.add", "source", source.name, after=_facts_of(source), by=by)
    except IntegrityError:  # since the check, another process has stored one with this name
        form.validate_unique()
        require_valid(form, "source")
        raise
    return source


@sensitive_variables("headers")
def change_source(form: SourceForm) -> Source:
    """Store changed settings. Credentials are removed if the address moves to another server.

    Raises:
        DocumentError: settings are invalid.
    """
    require_valid(form, "source")
    source: Source = form.instance
    headers = form.cleaned_data["headers"]
    is_newly_connected = source.kind != form.initial["kind"]
    moved = origin_of(source.address) != origin_of(form.initial["address"]) or is_newly_connected
    if headers is not None or moved:
        source.set_headers(headers or {})
    if moved:
        source.moved_at = timezone.now()
    if source.every_minutes != form.initial["every_minutes"]:
        source.schedule_next(timezone.now())
    with transaction.atomic():
        before = _facts_of(Source.objects.get(pk=source.pk))
        source.save()
        after = _facts_of(source)
        if headers is not None:
            after["credentials"] = "replaced" if headers else "removed"
        audit.record_change("source.change", "source", source.name, before, after)
        if is_newly_connected:
            vocabulary.change_state()  # its tools run now
    return source


def _facts_of(source: Source) -> dict[str, Any]:
    """For the audit log: without what may be secret, a query in the address and the arguments of a command."""
    digest = hashlib.sha256(source.document.encode()).hexdigest() if source.document else None
    return {
        "kind": source.kind,
        "address": address_for(source, AnonymousUser()),
        "document_sha256": digest,
        "credentials": source.header_names,
        "policy": source.policy,
        "every_minutes": source.every_minutes,
    }


def remove_source(source: Source) -> None:
    """Remove a source with its reports and held changes. Its tools stay in the catalog, but are not read again.

    Raises:
        AlreadySyncing: a sync of it is running.
    """
    last = source.last_sync
    if last is not None and last.state == "running":
        raise AlreadySyncing(
            f"The source {source.name} is being synced. Remove it when the sync has ended."
        )
    with transaction.atomic():
        audit.record("source.remove", "source", source.name, before=_facts_of(source))
        source.delete()
        vocabulary.change_state()  # none of its tools runs any more


def rotate_credentials() -> tuple[int, int]:
    """Re-encrypt the credentials of all sources with the first key (see `encryption.rotate`)."""
    return rotate(Source.objects.exclude(credentials=""), "credentials", object_type="source")
