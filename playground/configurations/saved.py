"""Saved configurations, per user and tool, encrypted.

Their secrets are used in runs but never shown again.

A shared one can be used by everyone who may run the tool. Its contents are shown to nobody but its
owner, and they are not checked for others: whether a schema accepts a value says something about
the value.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from accounts.models import Person, User
from catalog.access.rights import may
from catalog.sources.models import Source
from catalog.tools.models import Tool
from playground.configurations.binding import binding_of, origins_of
from playground.configurations.models import SavedConfiguration, SavedConfigurationQuerySet
from playground.configurations.secret_members import Configuration
from playground.form.secret_search import find_secrets, secret_members
from toolshelf_core import audit
from toolshelf_core.encryption import Unreadable, decrypt, encrypt, rotate
from toolshelf_core.errors import NotAllowed
from toolspec.errors import DocumentError, Problem
from toolspec.schema.validation import CompiledSchema, compile_schema
from toolspec.text import patch
from toolspec.text.containers import members_of
from toolspec.text.pointers import exists_at
from toolspec.text.reader import JSON

MAX_PER_TOOL = 50
MAX_NAME_CHARACTERS = 100
UNSEARCHABLE = (
    "Finding the secrets in this saved configuration takes too long. "
    "Remove it and save a smaller one."
)
NO_SUCH_CONFIGURATION = (
    "You have no saved configuration of this name for this tool, and nobody shares one. "
    "Name a shared one as OWNER/NAME."
)
MOVED = "configuration.moved"
NOT_FOR_THIS_ADDRESS = (
    "This secret was saved for another URL than the one that would now receive it. Enter it "
    "again; or delete the saved configuration, or list the secret in `remove_secrets`, to save "
    "without it."
)
UNREADABLE = (
    "This saved configuration can no longer be decrypted: its key is not in "
    "TOOLSHELF_CONFIGURATION_KEYS. Save it again."
)


@dataclass(frozen=True)
class VisibleContents:
    """The contents of a saved configuration without its secrets.

    `secrets` has the JSON Pointers of the secrets that are set, and since when. `is_readable` is
    False if the configuration cannot be decrypted; then its contents are unknown.
    """

    value: JSON = None
    secrets: dict[str, datetime] = field(default_factory=dict)
    is_readable: bool = True


def check_name(name: str, rule: str) -> str:
    """`name` without surrounding spaces.

    Raises:
        DocumentError: it is empty, too long, or not printable; `rule` is the problem's.
    """
    name = name.strip()
    if not name or len(name) > MAX_NAME_CHARACTERS or not name.isprintable():
        message = f"Enter a name of 1 to {MAX_NAME_CHARACTERS} characters, on one line."
        raise DocumentError([Problem("/name", message, rule)])
    return name


@sensitive_variables("configuration", "stored", "value", "content")
def save_configuration(
    owner: User,
    tool: Tool,
    name: str,
    configuration: Configuration,
    schema: CompiledSchema | None,
    *,
    removed: Collection[str] = (),
    must_conform: bool = False,
) -> SavedConfiguration:
    """Save `configuration` for `tool` under `name`, replacing one of the same name.

    A secret of the replaced configuration that `configuration` leaves out is retained, unless
    `removed` contains its JSON Pointer: so users need not type it again to change something else.
    It is refused instead if the tool now sends requests to another origin. With `must_conform`, the
    result must not violate `schema`, except that members may be missing, which a run reports.

    Raises:
        DocumentError: the name or the value is not valid; with pointers such as
            "/configuration/key".
    """
    name = check_name(name, "configuration.name")
    if not isinstance(configuration.value, dict):
        raise DocumentError(
            [Problem("/configuration", "A configuration must be an object.", "configuration.type")]
        )
    mine = SavedConfiguration.objects.filter(owner=owner, tool=tool)
    saved = mine.filter(name=name).first()
    if saved is None and "/" in name:
        message = (
            'Enter a name without "/", '
            "which separates the owner from the name of a shared configuration."
        )
        raise DocumentError([Problem("/name", message, "configuration.name")])
    if saved is None and mine.count() >= MAX_PER_TOOL:
        message = f"You can save at most {MAX_PER_TOOL} configurations per tool; remove one first."
        raise DocumentError([Problem("/name", message, "configuration.too-many")])
    now = timezone.now()
    value: dict[str, JSON] = configuration.value
    set_at: dict[str, str] = {}
    origins = origins_of(tool, tool.current, value)
    if saved is not None:
        complete, times = _add_stored_secrets(saved, value, schema, removed)
        if _is_moved(saved, origins):
            _refuse_lost(schema, value, complete)
        else:
            value, set_at = complete, times
    secrets = find_secrets(schema, value)
    problems = secrets.problems("/configuration")
    if must_conform:
        problems = problems or _find_violations(schema, value)
    if problems:
        raise DocumentError(problems)
    set_times: dict[str, JSON] = {
        pointer: set_at.get(pointer, now.isoformat()) for pointer, _ in secrets.parts
    }
    encrypted = encrypt({"value": value, "secrets": set_times})
    with transaction.atomic():
        saved, is_new = SavedConfiguration.objects.update_or_create(
            owner=owner,
            tool=tool,
            name=name,
            defaults={"encrypted": encrypted, "origins": origins, "updated_at": now},
        )
        after = {"configuration": name, "is_new": is_new, "members": sorted(value)}  # names only
        audit.record("configuration.save", "tool", tool.tool_id, after=after, by=owner)
    return saved


@sensitive_variables("values", "own")
def configure_source(owner: User, source: Source, values: Mapping[str, str]) -> dict[str, str]:
    """Save `values` for each runnable tool of `source`, under the source's name.

    A tool gets the values that its configuration has members for.

    Returns:
        Why it could not be saved, by the id of the tool.
    """
    problems: dict[str, str] = {}
    for listed in source.tools.runnable().select_related("catalog_tool__current"):
        tool = listed.catalog_tool
        if tool is None or tool.current is None:
            continue
        schema = tool.current.spec.configuration
        members = members_of(members_of(schema).get("properties"))
        own: dict[str, JSON] = {name: value for name, value in values.items() if name in members}
        if not own:
            continue
        try:
            save_configuration(owner, tool, source.name, Configuration(own), compile_schema(schema))
        except DocumentError as error:
            problems[tool.tool_id] = str(error)
    return problems


def delete_configuration(owner: User, tool: Tool, name: str) -> bool:
    """Delete the user's saved configuration of this name; False if there is none."""
    with transaction.atomic():
        rows, _ = SavedConfiguration.objects.filter(owner=owner, tool=tool, name=name).delete()
        if not rows:
            return False
        before = {"configuration": name}
        audit.record("configuration.delete", "tool", tool.tool_id, before=before, by=owner)
    return True


def open_configuration(saved: SavedConfiguration, by: User | AnonymousUser | None) -> Configuration:
    """The configuration, for a run of `by`, who may not see it unless it is their own.

    Raises:
        Unreadable: none of the keys decrypts it.
    """
    value, set_at = _decrypt_contents(saved)
    is_own = by is not None and saved.owner_id == by.pk
    shared_as = "" if is_own else f"shared {saved.pk}"
    return Configuration(value, frozenset(set_at), shared_as, binding_of(saved, value))


def find_configuration(
    by: User | AnonymousUser | None, tool: Tool, reference: str
) -> SavedConfiguration | None:
    """The saved configuration that `reference` means to `by`.

    It is the name of their own one, "OWNER/NAME" of a shared one.
    """
    return SavedConfiguration.objects.filter(tool=tool).named(reference, by)


@dataclass(frozen=True, slots=True, order=True)
class Choice:
    """A configuration that a user may choose.

    `shared_by` is its owner's name, "" for an own one.
    """

    shared_by: str
    name: str
    reference: str

    @property
    def label(self) -> str:
        return f"{self.name} (shared by {self.shared_by})" if self.shared_by else self.name


def list_usable_choices(by: Person, saved: SavedConfigurationQuerySet) -> list[Choice]:
    """Those of a tool's `saved` configurations that `by` may use: their own first.

    [] for an anonymous visitor.
    """
    if not isinstance(by, User):
        return []
    choices = []
    for each in saved.usable_by(by):
        shared_by = "" if each.owner_id == by.pk else each.owner.get_username()
        choices.append(Choice(shared_by, each.name, each.reference_for(by)))
    return sorted(choices)


def share(saved: SavedConfiguration, visibility: str, *, by: User) -> None:
    """Let everyone who may run the tool use `saved`, or only its owner again.

    Raises:
        NotAllowed: `by` is neither its owner nor an administrator (with a token, one that may
            administer).
        DocumentError: there is no such visibility.
    """
    if saved.owner_id != by.pk and not may(by, "administer"):
        raise NotAllowed(
            "Only the owner of a saved configuration and administrators may share it or stop "
            "sharing it."
        )
    if visibility not in {SavedConfiguration.PRIVATE, SavedConfiguration.EVERYONE}:
        message = (
            f'The visibility is "{SavedConfiguration.PRIVATE}" or "{SavedConfiguration.EVERYONE}".'
        )
        raise DocumentError([Problem("/visibility", message, "configuration.visibility")])
    with transaction.atomic():
        SavedConfiguration.objects.filter(pk=saved.pk).update(visibility=visibility)
        if visibility != saved.visibility:
            audit.record(
                "configuration.share",
                "tool",
                saved.tool.tool_id,
                before={"configuration": saved.name, "visibility": saved.visibility},
                after={"configuration": saved.name, "visibility": visibility},
                by=by,
            )
    saved.visibility = visibility


def hide_secrets(saved: SavedConfiguration, schema: CompiledSchema | None) -> VisibleContents:
    """The contents of `saved` without its secrets."""
    try:
        value, set_at = _decrypt_contents(saved)
    except Unreadable:
        return VisibleContents(is_readable=False)
    since = saved.updated_at.isoformat()
    secrets = {}
    for pointer, _ in secret_members(schema, value):
        secrets[pointer] = datetime.fromisoformat(set_at.get(pointer, since))
    return VisibleContents(_remove_parts(value, secrets), secrets)


def rotate_configurations() -> tuple[int, int]:
    """Re-encrypt all saved configurations with the first key (see `encryption.rotate`)."""
    return rotate(SavedConfiguration.objects.all(), "encrypted", object_type="configuration")


@sensitive_variables("value")
def _find_violations(schema: CompiledSchema | None, value: JSON) -> list[Problem]:
    """Where `value` violates its schema, without missing members.

    [] if that takes too long to find out.
    """
    if schema is None:
        return []
    violations = []
    for problem in schema.check(value).problems:
        if problem.rule != "schema.required":
            violations.append(replace(problem, pointer=f"/configuration{problem.pointer}"))
    return violations


@sensitive_variables()
def _add_stored_secrets(
    saved: SavedConfiguration,
    value: dict[str, JSON],
    schema: CompiledSchema | None,
    removed: Collection[str],
) -> tuple[dict[str, JSON], dict[str, str]]:
    """`value` with the stored secrets that it leaves out, and when each of them was set."""
    try:
        stored_value, set_at = _decrypt_contents(saved)
    except Unreadable:
        return value, {}
    set_times: dict[str, str] = {}
    result: JSON = value
    secrets = find_secrets(schema, stored_value)
    if secrets.reason:  # otherwise its secrets would be lost silently
        raise DocumentError([Problem("/configuration", UNSEARCHABLE, "secrets.search")])
    for pointer, secret in secrets.parts:
        if pointer in removed or exists_at(value, pointer):
            continue
        with suppress(LookupError):  # the new value has no such parent
            result = patch.set_at(result, pointer, secret)
        if pointer in set_at:
            set_times[pointer] = set_at[pointer]
    return members_of(result), set_times


@sensitive_variables()
def _refuse_lost(schema: CompiledSchema | None, value: JSON, complete: JSON) -> None:
    """Check that no stored secret of `complete` is missing from `value`.

    Raises:
        DocumentError: some are; with their pointers.
    """
    problems = []
    for pointer, _ in secret_members(schema, complete):
        if not exists_at(value, pointer):
            problem = Problem(f"/configuration{pointer}", NOT_FOR_THIS_ADDRESS, MOVED)
            problems.append(problem)
    if problems:
        raise DocumentError(problems)


def _is_moved(saved: SavedConfiguration, origins: str) -> bool:
    """Whether `saved` was saved for other origins than these."""
    try:
        value, _ = _decrypt_contents(saved)
    except Unreadable:
        return False
    return bool(origins) and binding_of(saved, value) != origins


def _decrypt_contents(saved: SavedConfiguration) -> tuple[JSON, dict[str, str]]:
    content = members_of(decrypt(saved.encrypted))
    secrets = content.get("secrets")
    if not isinstance(secrets, dict):
        raise Unreadable
    set_times = {pointer: at for pointer, at in secrets.items() if isinstance(at, str)}
    return content.get("value"), set_times


def without_unmarked_secrets(value: JSON, schema: CompiledSchema | None) -> JSON:
    """`value` without the secrets that only their names reveal, because a form would show them.

    A form hides the secrets that the schema marks; a member that the schema does not declare has no
    mark. None if finding the secrets takes too long.
    """
    marked_secrets = find_secrets(schema, value, by_name=False)
    all_secrets = find_secrets(schema, value)
    if marked_secrets.reason or all_secrets.reason:
        return None
    return _remove_parts(value, all_secrets.pointers - marked_secrets.pointers)


def _remove_parts(value: JSON, pointers: Collection[str]) -> JSON:
    """`value` without the parts at `pointers`.

    An item becomes null, so that the others keep their positions.
    """
    return patch.change_all(value, pointers, lambda _, is_item: None if is_item else patch.REMOVED)
