"""Saved configurations: kept per person and tool, encrypted. Secrets go in and are used, and never come out."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from catalog.accounts.models import User
from catalog.errors import DocumentError, Problem
from catalog.json_schema.validation import CompiledSchema
from catalog.jsontext import patch
from catalog.jsontext.pointers import resolve_pointer
from catalog.jsontext.reader import JSON
from catalog.models import Tool
from playground.configurations.encryption import Unreadable, decrypt, encrypt, rotated
from playground.configurations.secret_members import Configuration
from playground.models import SavedConfiguration
from playground.schema_form.secret_search import find_secrets, secret_members

MAX_PER_TOOL = 50
MAX_NAME_CHARACTERS = 100
UNSEARCHABLE = "It takes too long to find the secrets in this saved configuration. Remove it, and save a smaller one."
UNREADABLE = (
    "This saved configuration cannot be read any more: the key that it was encrypted with is not among "
    "TOOLSHELF_CONFIGURATION_KEYS. Save it anew."
)


@dataclass(frozen=True)
class Shown:
    """What may be seen of a saved configuration: everything but its secrets.

    `secrets` are the JSON Pointers of those that are set, with when that was. `is_readable` is False where its key is
    gone; then nothing else of it is known.
    """

    name: str
    value: JSON
    secrets: dict[str, datetime]
    created_at: datetime
    updated_at: datetime
    is_readable: bool = True


@sensitive_variables("configuration", "stored", "value", "content")
def save_configuration(
    owner: User,
    tool: Tool,
    name: str,
    configuration: Configuration,
    schema: CompiledSchema | None,
    *,
    removed: Collection[str] = (),
) -> SavedConfiguration:
    """Keep `configuration` for `tool` under `name`, in place of one of that name.

    A secret that the one in its place has and `configuration` leaves out stays as it is, unless `removed` names its
    JSON Pointer: nobody has to type it again to change something else. The result need not fit the schema; a run says
    what is missing.

    Raises:
        DocumentError: the name or the value cannot be taken.
    """
    name = name.strip()
    if not name or len(name) > MAX_NAME_CHARACTERS or not name.isprintable():
        message = f"A name has 1 to {MAX_NAME_CHARACTERS} characters on one line."
        raise DocumentError([Problem("/name", message, "configuration.name")])
    if not isinstance(configuration.value, dict):
        raise DocumentError([Problem("/configuration", "A configuration is an object.", "configuration.type")])
    mine = SavedConfiguration.objects.filter(owner=owner, tool=tool)
    saved = mine.filter(name=name).first()
    if saved is None and mine.count() >= MAX_PER_TOOL:
        message = f"At most {MAX_PER_TOOL} configurations are kept for one tool; remove one first."
        raise DocumentError([Problem("/name", message, "configuration.too-many")])
    now = timezone.now()
    value: dict[str, JSON] = configuration.value
    set_at: dict[str, str] = {}
    if saved is not None:
        value, set_at = _with_stored_secrets(saved, value, schema, removed)
    found = find_secrets(schema, value)
    if problems := found.problems("/configuration"):
        raise DocumentError(problems)
    secrets: dict[str, JSON] = {pointer: set_at.get(pointer, now.isoformat()) for pointer, _ in found.parts}
    encrypted = encrypt({"value": value, "secrets": secrets})
    saved, _ = SavedConfiguration.objects.update_or_create(
        owner=owner, tool=tool, name=name, defaults={"encrypted": encrypted, "updated_at": now}
    )
    return saved


def open_configuration(saved: SavedConfiguration) -> Configuration:
    """The configuration, for a run.

    Raises:
        Unreadable: the key that it was encrypted with is gone.
    """
    return Configuration(_content(saved)[0])


def shown(saved: SavedConfiguration, schema: CompiledSchema | None) -> Shown:
    """What may be seen of `saved`."""
    try:
        value, set_at = _content(saved)
    except Unreadable:
        return Shown(saved.name, None, {}, saved.created_at, saved.updated_at, is_readable=False)
    pointers = [pointer for pointer, _ in secret_members(schema, value)]
    value = _without(value, pointers)
    since = saved.updated_at.isoformat()
    secrets = {pointer: datetime.fromisoformat(set_at.get(pointer, since)) for pointer in pointers}
    return Shown(saved.name, value, secrets, saved.created_at, saved.updated_at)


def rotate_configurations() -> tuple[int, int]:
    """Encrypt every saved configuration anew, with the first key.

    Returns:
        How many were, and how many no key opens.
    """
    done = lost = 0
    for saved in SavedConfiguration.objects.iterator():
        try:
            encrypted = rotated(saved.encrypted)
        except Unreadable:
            lost += 1
            continue
        done += SavedConfiguration.objects.filter(pk=saved.pk, encrypted=saved.encrypted).update(encrypted=encrypted)
    return done, lost


@sensitive_variables()
def _with_stored_secrets(
    saved: SavedConfiguration, value: dict[str, JSON], schema: CompiledSchema | None, removed: Collection[str]
) -> tuple[dict[str, JSON], dict[str, str]]:
    """`value` with the stored secrets that it leaves out, and when each of those that stay was set."""
    try:
        stored, set_at = _content(saved)
    except Unreadable:
        return value, {}
    set_times: dict[str, str] = {}
    result: JSON = value
    found = find_secrets(schema, stored)
    if found.reason:  # else its secrets would be lost without a word
        raise DocumentError([Problem("/configuration", UNSEARCHABLE, "secrets.search")])
    for pointer, secret in found.parts:
        if pointer in removed or _exists(value, pointer):
            continue
        with suppress(LookupError):  # the new value has something else around it
            result = patch.set_at(result, pointer, secret)
        if pointer in set_at:
            set_times[pointer] = set_at[pointer]
    return (result if isinstance(result, dict) else value), set_times


def _content(saved: SavedConfiguration) -> tuple[JSON, dict[str, str]]:
    content = decrypt(saved.encrypted)
    if not isinstance(content, dict) or not isinstance(secrets := content.get("secrets"), dict):
        raise Unreadable
    return content.get("value"), {pointer: at for pointer, at in secrets.items() if isinstance(at, str)}


def without_unmarked_secrets(value: JSON, schema: CompiledSchema | None) -> JSON:
    """`value` without what only its name tells to be secret, where a form would show it.

    A form hides the secrets that its schema marks; a member that the schema does not declare has no mark. None if it
    takes too long to find the secrets.
    """
    marked, found = find_secrets(schema, value, by_name=False), find_secrets(schema, value)
    if marked.reason or found.reason:
        return None
    return _without(value, found.pointers - marked.pointers)


def _exists(value: JSON, pointer: str) -> bool:
    try:
        resolve_pointer(value, pointer)
    except LookupError:
        return False
    return True


def _without(value: JSON, pointers: Collection[str]) -> JSON:
    """`value` without the parts at `pointers`; an item becomes null, so that the others keep their positions."""
    return patch.change_all(value, pointers, lambda _, is_item: None if is_item else patch.REMOVED)


__all__ = [
    "UNREADABLE",
    "UNSEARCHABLE",
    "Shown",
    "Unreadable",
    "open_configuration",
    "rotate_configurations",
    "save_configuration",
    "shown",
]
