"""Schemas of a tool in another format, and of what its conversion changed."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from toolshelf_core.api.schemas import Out


class LossOut(Out):
    pointer: str = Field(
        description="JSON Pointer into the original: the spec, or the imported document."
    )
    what: Literal["kept", "rewritten", "dropped"]
    reason: str


class ExportOut(Out):
    format: str
    document: Any
    verdict: Literal["as it is", "with changes", "not usable"] = Field(
        description=(
            "`as it is`: a model sees the same name, description and parameters as in the spec."
        )
    )
    losses: list[LossOut] = Field(
        description="The parts of the spec that were kept, rewritten or dropped."
    )
    renamed: dict[str, str] = Field(
        description=(
            "The new names of properties whose names the format does not "
            "allow, by JSON Pointer into the spec."
        )
    )
    obstacles: list[str] = Field(description="Why the provider would still reject the document.")
    as_of: str = Field(description="The date on which the rules of the format were looked up.")
    source: str = Field(description="Where these rules are published.")
