"""The schemas of saved inputs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from catalog.api.schemas.base import In, Out, with_example

EXAMPLE: dict[str, Any] = {
    "name": "New York",
    "parameters": {"location": "New York"},
    "revision": 1,
    "created_at": "2026-01-15T09:30:00Z",
    "updated_at": "2026-01-15T09:30:00Z",
}


class SavedInputIn(In):
    model_config = with_example({name: EXAMPLE[name] for name in ("name", "parameters")})

    name: str = Field(
        description="1 to 100 characters, without a slash. It replaces your input of the same name."
    )
    parameters: Any = Field(repr=False, description="The parameters of the call.")


class SavedInputOut(Out):
    """The parameters of a call, without secrets."""

    model_config = with_example(EXAMPLE)

    name: str
    parameters: Any
    revision: int = Field(description="The tool's revision when the input was saved.")
    created_at: datetime
    updated_at: datetime


class SavedInputsOut(Out):
    model_config = with_example({"items": [EXAMPLE]})

    items: list[SavedInputOut] = Field(description="By name; at most 50 for each tool.")
