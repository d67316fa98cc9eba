"""The schemas of saved inputs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from catalog.api.schemas.base import In, Out


class SavedInputIn(In):
    name: str = Field(
        description="1 to 100 characters, without a slash. It replaces your input of the same name."
    )
    parameters: Any = Field(repr=False, description="The parameters of the call.")


class SavedInputOut(Out):
    """The parameters of a call, without secrets."""

    name: str
    parameters: Any
    revision: int = Field(
        validation_alias="revision_number",
        description="The tool's revision when the input was saved.",
    )
    created_at: datetime
    updated_at: datetime


class SavedInputsOut(Out):
    items: list[SavedInputOut] = Field(description="By name; at most 50 for each tool.")
