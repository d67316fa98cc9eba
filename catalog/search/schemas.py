"""Schemas of searches, toolkits and tags."""

from __future__ import annotations

from typing import Annotated, Literal

from ninja import Schema
from pydantic import Field

from catalog.tools.schemas import ToolOut
from toolshelf_core.api.schemas import EmptyIsNone, Format, Out, Page

Choice = Annotated[bool | None, EmptyIsNone]


class ToolsQuery(Schema):
    q: str = Field(
        "",
        description=(
            "Words or sentences, up to 8,000 characters and 400 distinct words; the best matches "
            "come first. If fewer than 10 tools match all words, less exact matches with some of "
            "them follow (`exact` is false). "
            'Conditions: `"side by side"`, `-without`, `prefix*`, `takes:location`, '
            "`takes:location:string`, `returns:temperature`, `needs:configuration`, "
            "`needs:apiKey`, `has:examples`, `toolkit:github`, `tag:mail`, `is:deprecated`, "
            "`is:runnable`, `is:read-only`, `is:destructive`, `usable:openai`, `score:90` (or "
            "more), `score:<70`, `examples:pass`, `owner:alice`; "
            "with a token `owner:me` and `is:starred`. An unknown condition finds nothing (see "
            "`problems`)."
        ),
    )
    id: str | None = Field(
        None, description="Only the tool with exactly this id; all other parameters are ignored."
    )
    runnable: Choice = Field(None, description="Whether it can be run on this site.")
    configurable: Choice = Field(None, description="Whether it has a configuration.")
    examples: Choice = Field(None, description="Whether its spec has examples.")
    returns: Choice = Field(None, description="Whether its spec has a return type.")
    deprecated: Choice = Field(None, description="Whether it is deprecated.")
    examples_pass: Choice = Field(
        None, description="Whether all its examples passed when they were last run."
    )
    examples_hold: Choice = Field(None, description="Use `examples_pass`.", deprecated=True)
    starred: Choice = Field(
        None, description="Whether you have starred it. Finds nothing without a token."
    )
    usable: list[Format] = Field(
        [],
        description=(
            "Only tools that this format accepts without changes; if repeated, that all of them "
            "accept."
        ),
    )
    score: Annotated[int | None, EmptyIsNone] = Field(
        None,
        ge=0,
        le=100,
        description="Its minimum lint score. Tools that are not assessed yet are left out.",
    )
    grade: Annotated[Literal["90", "70", "0"] | None, EmptyIsNone] = Field(
        None,
        description=(
            "The range of its lint score: `90` is 90 to 100, `70` is 70 to 89, `0` is 0 to 69."
        ),
    )
    toolkit: Annotated[str | None, EmptyIsNone] = Field(
        None, max_length=100, description="The full name of its toolkit."
    )
    tag: list[str] = Field(
        [], max_length=20, description="The full name of a tag; if repeated, all of these tags."
    )
    owner: Annotated[str | None, EmptyIsNone] = Field(
        None, max_length=150, description="The user name of its owner."
    )
    include: Annotated[Literal["archived"] | None, EmptyIsNone] = Field(
        None, description="`archived` includes archived tools."
    )
    limit: int = Field(
        20,
        ge=1,
        le=100,
        description="A page can have fewer, because it is limited to 1 MiB; `next` continues.",
    )
    cursor: Annotated[str | None, EmptyIsNone] = Field(
        None, max_length=2_000, description="`next` of the previous page."
    )


class MatchOut(Out):
    """A text that contains search words; `marks` are their positions in it, as [start, end]."""

    field: Literal[
        "name",
        "id",
        "description",
        "parameter",
        "parameter_description",
        "return",
        "return_description",
        "configuration",
        "configuration_description",
    ]
    parameter: str | None = None
    text: str
    marks: list[tuple[int, int]]


class FoundToolOut(ToolOut):
    matched: list[MatchOut] = Field(description="Why it was found; empty without search words.")
    exact: bool = Field(
        description="Whether it matches all search words; a less exact match only has some of them."
    )


class FilterProblemOut(Out):
    """A condition in `q` that does not exist, or does not take such a value."""

    written: str = Field(description="The filter as written in `q`, such as `has:runnable`.")
    message: str
    instead: str = Field(
        description=(
            "The corrected filter, such as `is:runnable`; empty if it is correct but needs a token."
        )
    )


class ToolsOut(Page[FoundToolOut]):
    count: int = Field(description="The number of matching tools, counted up to 10,000.")
    count_is_exact: bool
    match: Literal["all", "any"] = Field(
        description="Whether each tool matches all search words, or only some."
    )
    problems: list[FilterProblemOut] = Field(
        description="Invalid filters in `q`; if there are any, nothing is found."
    )


class GroupsQuery(Schema):
    q: str = Field(
        "",
        max_length=100,
        description="Only names that contain this text; the list is then ordered by name.",
    )
    order: Literal["size", "name"] = Field("size", description="`size`: the largest first.")
    limit: int = Field(50, ge=1, le=100)
    cursor: Annotated[str | None, EmptyIsNone] = Field(
        None,
        max_length=200,
        description="`next` of the previous page, requested in the same order.",
    )


class GroupOut(Out):
    name: str
    tools: int


class GroupsOut(Page[GroupOut]):
    pass
