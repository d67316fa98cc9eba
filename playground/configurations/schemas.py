"""The schemas of saved configurations."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from toolshelf_core.api.schemas import In, Out


class ConfigurationIn(In):
    """The configuration of a call, or the name of a saved one."""

    configuration: Any = Field(
        None,
        repr=False,
        description=(
            "Used to create the tool for this run, and not stored. "
            "If it is sent, it must not be null."
        ),
    )
    saved_configuration: str | None = Field(
        None,
        max_length=255,
        description=(
            "The name of one of your saved configurations, or OWNER/NAME of a shared one, "
            "instead of `configuration`."
        ),
    )


Visibility = Literal["private", "everyone"]


class SecretOut(Out):
    pointer: str = Field(description="JSON Pointer into the configuration.")
    set_at: datetime


class SavedConfigurationOut(Out):
    """A saved configuration without its secrets, which are never returned."""

    name: str
    configuration: Any = Field(
        validation_alias="value", description="The configuration without its secrets."
    )
    secrets: list[SecretOut] = Field(description="The secrets that are set, and since when.")
    readable: bool = Field(
        validation_alias="is_readable",
        description=(
            "False if its encryption key is no longer available; save the configuration again."
        ),
    )
    visibility: Visibility = Field(
        description="Who may use it: only you, or everyone who may run the tool."
    )
    created_at: datetime
    updated_at: datetime


class SharedConfigurationOut(Out):
    """A configuration that its owner shares.

    Everyone who may run the tool can use it, and nobody sees its contents.
    """

    reference: str = Field(description="What to send as `saved_configuration`: OWNER/NAME.")
    name: str
    shared_by: str
    updated_at: datetime


class SavedConfigurationsOut(Out):
    items: list[SavedConfigurationOut]
    shared: list[SharedConfigurationOut] = Field(
        description="The configurations that others share."
    )


class VisibilityIn(In):
    visibility: Visibility
    owner: str | None = Field(
        None,
        max_length=150,
        description="Whose configuration, for administrators. Default: your own.",
    )


class VisibilityOut(Out):
    name: str
    owner: str
    visibility: Visibility


class SavedConfigurationIn(In):
    name: str = Field(max_length=100)
    configuration: dict[str, Any] = Field(repr=False)
    remove_secrets: list[str] = Field(
        default_factory=list,
        max_length=100,
        description=(
            "JSON Pointers of secrets to remove. "
            "Other secrets left out of `configuration` are retained."
        ),
    )


class ShareIn(In):
    groups: list[str] = Field(
        max_length=50, description="Names of groups that you belong to; [] makes it private."
    )


class SharedOut(Out):
    groups: list[str]
