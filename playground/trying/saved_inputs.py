"""Saved inputs: the parameters of a call under a name, per user and tool.

They contain neither the configuration nor secrets.
"""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import Person, User
from catalog.tools.models import Revision, Tool
from playground.configurations.compiled_spec import compiled_spec_of
from playground.configurations.saved import check_name
from playground.configurations.secret_members import Configuration
from playground.form.values import Absent
from playground.trying.input_links import remove_secrets
from playground.trying.models import SavedInput
from toolshelf_core.redaction import WITHHELD
from toolspec.errors import DocumentError, Problem
from toolspec.text.reader import JSON, dumps

MAX_PER_TOOL: Final = 50


def inputs_of(owner: Person, tool: Tool) -> QuerySet[SavedInput]:
    """The user's saved inputs of `tool`, by name; none for a visitor."""
    if not isinstance(owner, User):
        return SavedInput.objects.none()
    return SavedInput.objects.filter(owner=owner, tool=tool)


def save_input(
    owner: User,
    revision: Revision,
    name: str,
    parameters: JSON,
    configuration: Configuration | None = None,
) -> tuple[SavedInput, tuple[str, ...]]:
    """Save `parameters` for the tool of `revision` under `name`; replace the input of that name.

    The `configuration` is not saved. Its secrets are removed from the parameters if these repeat
    them.

    Returns:
        The saved input, and the JSON Pointers of the secret parameters that are not in it.

    Raises:
        DocumentError: the name is not valid, or the parameters are too long or cannot be searched
            for secrets.
    """
    name = check_name(name, "input.name")
    if "/" in name:  # it is part of the API's paths
        raise DocumentError([Problem("/name", 'Enter a name without "/".', "input.name")])
    own = inputs_of(owner, revision.tool)
    if not own.filter(name=name).exists() and own.count() >= MAX_PER_TOOL:
        message = f"You can save at most {MAX_PER_TOOL} inputs per tool. Delete one first."
        raise DocumentError([Problem("/name", message, "input.too-many")])
    public, left_out = remove_secrets(compiled_spec_of(revision), parameters, configuration)
    if public == WITHHELD:
        message = "This input could not be searched for secrets, so it cannot be saved."
        raise DocumentError([Problem("/parameters", message, "secrets.search")])
    text = dumps({} if isinstance(public, Absent) else public)
    if len(text.encode()) > settings.RUN_PARAMETERS_BYTES:
        message = f"The input is longer than {settings.RUN_PARAMETERS_BYTES} bytes."
        raise DocumentError([Problem("/parameters", message, "input.too-long")])
    saved, _ = SavedInput.objects.update_or_create(
        owner=owner,
        tool=revision.tool,
        name=name,
        defaults={
            "parameters_json": text,
            "revision_number": revision.number,
            "updated_at": timezone.now(),
        },
    )
    return saved, left_out


def delete_input(owner: Person, tool: Tool, name: str) -> bool:
    """Delete the user's saved input of this name; False if there is none."""
    deleted, _ = inputs_of(owner, tool).filter(name=name).delete()
    return bool(deleted)
