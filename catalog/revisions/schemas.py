"""Schemas of a tool's revisions and their differences."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import Field

from toolshelf_core.api.schemas import MAX_NUMBER, CursorQuery, DifferenceText, Out, Page, UserName


class RevisionsQuery(CursorQuery):
    pass


class OriginOut(Out):
    kind: str = Field(description="`spec`, `catalog`, or the format that it was imported from.")
    name: str = Field(description="The title of the API, the server, or the file; may be empty.")


class RevisionOut(Out):
    number: int
    sha256: str
    created_at: datetime
    by: UserName = Field(
        validation_alias="created_by", description="The publisher; null for the site's own samples."
    )
    score: int | None = Field(description="Its lint score; null if it has not been assessed yet.")
    origin: OriginOut | None = Field(
        None,
        description=(
            "Where it came from; null for revisions that were stored before origins were recorded."
        ),
    )


class RevisionsOut(Page[RevisionOut]):
    """The newest first."""


class DiffQuery(Schema):
    from_: int = Field(alias="from", ge=1, le=MAX_NUMBER)
    to: int = Field(ge=1, le=MAX_NUMBER)
    strict: bool = Field(
        False,
        description=(
            "Whether to report changes that are compatible only by "
            "convention as `unknown`: new optional"
            " properties of objects that allow undeclared properties."
        ),
    )


class ProofOut(Out):
    kind: str = Field(
        description=(
            "`example` or `run` if the value was found there, `witness` if it was generated."
        )
    )
    value: Any = Field(description="A value that one revision accepts and the other rejects.")
    source: str
    message: str = Field(description="Why it is rejected.")
    pointer: str = Field(description="JSON Pointer into the value.")


class ChangeOut(Out):
    part: str = Field(description="`definition`, `parameters`, `returnType` or `configuration`.")
    place: str = Field(
        description="The path in the values that the schema describes; empty for the whole value."
    )
    kind: str
    message: str
    verdict: str = Field(
        description=(
            "`breaking`, `unknown`, `wording` (only words that a model "
            "reads changed), or `compatible` (only "
            "if it is certain, or by convention)."
        ),
    )
    before: str | None = Field(description="JSON Pointer into the older spec.")
    after: str | None = Field(description="JSON Pointer into the newer spec.")
    note: str = Field(
        description=(
            "Which callers a compatible change may still affect, or "
            "which instructions are gone; empty if "
            "there is nothing to note."
        ),
    )
    is_by_convention: bool = Field(
        description=(
            "Whether only callers that use undeclared properties are "
            "affected; `proof` then shows such a value."
        )
    )
    proof: ProofOut | None


class DiffOut(Out):
    from_: int = Field(serialization_alias="from")
    to: int
    text: DifferenceText = Field(
        description=(
            "A unified diff; empty if the texts are equal. Only the "
            "first million characters, if it is longer."
        )
    )
    added: int = Field(description="The number of added lines.")
    removed: int = Field(description="The number of removed lines.")
    laid_out: bool = Field(
        description="Whether the texts were pretty-printed first, because one is on a single line."
    )
    verdict: str = Field(
        description="The worst verdict of the changes; `identical` if the meaning is the same."
    )
    changes: list[ChangeOut]
