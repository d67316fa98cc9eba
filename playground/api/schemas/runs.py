"""The schemas of lists of runs and of saved configurations. `playground.run_json` has that of a run."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.conf import settings
from ninja import Schema
from pydantic import Field

from catalog.api.schemas.base import In, Out, Page, with_example
from playground.run_json import Mode, RunSummary
from playground.run_pages.filters import (
    MAX_PAGE_SIZE,
    PAGE_SIZE,
    RunConditions,
    RunCursor,
)

DEFAULT_WAIT_S = 10
MAX_WAIT_S = 60


class ConfigurationIn(In):
    """The configuration of a call, or the name of a saved one."""

    configuration: Any = Field(
        None,
        repr=False,
        description="Used to create the tool for this run, and not stored. If it is sent, it must not be null.",
    )
    saved_configuration: str | None = Field(
        None,
        max_length=255,
        description=(
            "The name of one of your saved configurations, or OWNER/NAME of a shared one, instead of `configuration`."
        ),
    )


class RunIn(ConfigurationIn):
    model_config = with_example({"parameters": {"location": "New York"}})

    parameters: Any = Field(
        default_factory=dict, repr=False, description="The parameters of the call. Default: {}."
    )
    mode: Mode = Field(
        "live", description="`mock` does not call the tool; the response is made from the spec."
    )
    revision: int | None = Field(
        None, ge=1, description="The revision whose schemas apply. Default: the current one."
    )
    timeout_s: float | None = Field(
        None, strict=True, gt=0, le=settings.RUN_TIMEOUT_MAX_S, description="The run's time limit."
    )
    wait_s: float = Field(
        DEFAULT_WAIT_S,
        strict=True,
        ge=0,
        le=MAX_WAIT_S,
        description="How long the request waits for the run to end.",
    )


class RunsOut(Page[RunSummary]):
    pass


class RunsQuery(RunConditions):
    by: str = Field("", max_length=150, description="A user name.")
    cursor: RunCursor = ""
    limit: int = Field(PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE)


Visibility = Literal["private", "everyone"]


class FileQuery(Schema):
    number: int = Field(1, ge=1, le=1000, description="The number of the file, from 1.")


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
        description="False if its encryption key is no longer available; save the configuration again.",
    )
    visibility: Visibility = Field(
        description="Who may use it: only you, or everyone who may run the tool."
    )
    created_at: datetime
    updated_at: datetime


class SharedConfigurationOut(Out):
    """A configuration that its owner shares: everyone who may run the tool can use it, and nobody sees its contents."""

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
        description="JSON Pointers of secrets to remove. Other secrets left out of `configuration` are retained.",
    )


class ShareIn(In):
    groups: list[str] = Field(
        max_length=50, description="Names of groups that you belong to; [] makes it private."
    )


class SharedOut(Out):
    groups: list[str]
