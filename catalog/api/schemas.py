"""The schemas of the catalog's API requests and responses, each with an example from a real spec."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from ninja import Field, Schema
from pydantic import BeforeValidator, ConfigDict

from catalog.api.openapi_examples import ADVICE, DEPRECATION, ENTRY, GET_WEATHER, PROBLEM, REJECTED, SHA256, TOOL


def _like(example: dict[str, Any]) -> ConfigDict:
    return ConfigDict(json_schema_extra={"example": example})


def _empty_is_none(value: object) -> object:
    return None if value == "" else value


_EmptyIsNone = BeforeValidator(_empty_is_none)
Format = Literal["mcp", "openai", "openai-strict", "anthropic", "gemini", "langchain", "openapi"]
Choice = Annotated[bool | None, _EmptyIsNone]


class ToolsQuery(Schema):
    q: str = Field(
        "",
        description=(
            "Words, or a whole sentence; the best first. Where no tool has all words, tools with some are given. "
            '`"side by side"`, `-without`, `prefix*`, `takes:location`, `takes:location:string`, '
            "`returns:temperature`, `needs:configuration`, `needs:apiKey`, `has:examples`, "
            "`toolkit:github`, `tag:mail`, `is:deprecated`, `runnable:yes`, `usable:openai`, `score:90` (or more), "
            "`examples:hold`."
        ),
    )
    id: str | None = Field(None, description="Exactly this tool id; the rest is then ignored.")
    runnable: Choice = Field(None, description="Whether a factory for it is installed here.")
    configurable: Choice = Field(None, description="Whether it takes a configuration.")
    examples: Choice = Field(None, description="Whether its spec has examples.")
    returns: Choice = Field(None, description="Whether its spec says what it returns.")
    deprecated: Choice = Field(None, description="Whether it is deprecated.")
    examples_hold: Choice = Field(None, description="Whether all its examples passed when they were tried last.")
    usable: list[Format] = Field([], description="A format that takes it as it is; given again: all of them.")
    score: Annotated[int | None, _EmptyIsNone] = Field(
        None, ge=0, le=100, description="Its lint score, at least. Tools that are not judged yet are left out."
    )
    grade: Annotated[Literal["90", "70", "0"] | None, _EmptyIsNone] = Field(
        None, description="Its lint score: `90` and above, `70` to 89, `0` to 69."
    )
    toolkit: Annotated[str | None, _EmptyIsNone] = Field(
        None, max_length=100, description="The toolkit that it belongs to, by its whole name."
    )
    tag: list[str] = Field([], max_length=20, description="A tag that it has, by its whole name; given again: all.")
    owner: Annotated[str | None, _EmptyIsNone] = Field(None, max_length=150, description="The person who owns it.")
    include: Annotated[Literal["archived"] | None, _EmptyIsNone] = Field(
        None, description="`archived`: archived tools too."
    )
    limit: int = Field(20, ge=1, le=100)
    cursor: Annotated[str | None, _EmptyIsNone] = Field(
        None, max_length=2_000, description="`next` of the page before."
    )


class MatchOut(Schema):
    """A text in which words were found; `marks` are [start, end] in it."""

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


class SuccessorOut(Schema):
    id: str
    slug: str


class DeprecationOut(Schema):
    model_config = _like(DEPRECATION)

    since: datetime
    note: str
    superseded_by: SuccessorOut | None
    by_spec: bool = Field(description="Whether its own spec says so, and no person.")


class ToolOut(Schema):
    model_config = _like(TOOL)

    id: str
    slug: str
    name: str
    description: str
    revision: int
    runnable: bool
    configurable: bool
    examples: bool
    returns: bool
    archived: bool
    score: int | None = Field(description="Its lint score, from 0 to 100; null where it is not judged yet.")
    usable: list[Format] = Field(description="The formats that take it as it is; empty where it is not judged yet.")
    owner: str | None = Field(description="The person who published it first, or who took it over.")
    toolkit: str = Field(description="The group that it belongs to: chosen, or what its id begins with; may be empty.")
    tags: list[str] = Field(description="Those of its spec, and those that people added.")
    deprecation: DeprecationOut | None
    created_at: datetime
    updated_at: datetime


class FoundToolOut(ToolOut):
    matched: list[MatchOut] = Field(description="Why it was found; empty where no words were given.")


class ToolsOut(Schema):
    model_config = _like(
        {
            "items": [
                TOOL
                | {
                    "matched": [
                        {"field": "name", "parameter": None, "text": "Get weather", "marks": [[4, 11]]},
                        {"field": "id", "parameter": None, "text": "Get weather", "marks": [[4, 11]]},
                        {
                            "field": "description",
                            "parameter": None,
                            "text": "Get weather by location",
                            "marks": [[4, 11]],
                        },
                    ]
                }
            ],
            "next": None,
            "count": 1,
            "count_is_exact": True,
            "match": "all",
        }
    )

    items: list[FoundToolOut]
    next: str | None = Field(description="The cursor of the next page; null on the last.")
    count: int = Field(description="How many match, counted up to 10,000.")
    count_is_exact: bool
    match: Literal["all", "any"] = Field(description="Whether each tool has all the words, or only some.")


class GroupsQuery(Schema):
    q: str = Field("", max_length=100, description="What the names begin with; they come by name then.")
    order: Literal["size", "name"] = Field("size", description="`size`: the largest first.")
    limit: int = Field(50, ge=1, le=100)
    cursor: Annotated[str | None, _EmptyIsNone] = Field(
        None, max_length=200, description="`next` of the page before, asked for in the same order."
    )


class GroupOut(Schema):
    name: str
    tools: int


class GroupsOut(Schema):
    model_config = _like({"items": [{"name": "weather", "tools": 12}, {"name": "mail", "tools": 7}], "next": None})

    items: list[GroupOut]
    next: str | None


class ToolWithSpecOut(ToolOut):
    model_config = _like(TOOL | {"sha256": SHA256, "spec": GET_WEATHER})

    sha256: str = Field(description="Of the spec's text, in hex.")
    spec: Any = Field(description="The current spec. Its text as uploaded, byte for byte, is at `/spec`.")


class OrganisationIn(Schema):
    """What is left out stays as it is."""

    model_config = _like({"toolkit": "Weather", "add_tags": ["outdoors"], "remove_tags": [], "owner": "ada"})

    toolkit: str | None = Field(None, description="Its name; empty for none, null for what the tool's id begins with.")
    add_tags: list[str] = Field([], max_length=50)
    remove_tags: list[str] = Field([], max_length=50, description="Of those that people added.")
    owner: str | None = Field(None, description="The name of a person; null for nobody. Only for the owner, or staff.")


class DeprecationIn(Schema):
    model_config = _like({"note": "It knows no forecasts.", "superseded_by": "weather.forecast"})

    note: str = Field("", description="Why, or what to do: at most 500 characters.")
    superseded_by: str | None = Field(None, description="The id of the tool to use instead.")


class PublicationOut(Schema):
    model_config = _like({"outcome": "created", "dry_run": False, "tool": TOOL})

    outcome: Literal["created", "revised", "unchanged"]
    dry_run: bool
    tool: ToolOut


class SpecProblemOut(Schema):
    pointer: str = Field(description="JSON Pointer into the spec.")
    message: str
    rule: str
    keyword: str | None = None
    schema_pointer: str | None = None
    line: int | None = None
    column: int | None = None


class UploadedToolOut(Schema):
    id: str
    name: str
    slug: str
    revision: int
    archived: bool


class LossOut(Schema):
    pointer: str = Field(description="JSON Pointer into what it was made from: the spec, or the imported document.")
    what: Literal["kept", "rewritten", "dropped"]
    reason: str


class ImportedOut(Schema):
    format: str = Field(description="Of the document.")
    pointer: str = Field(description="JSON Pointer to the tool in the document.")
    notes: list[str] = Field(description="Of the document as a whole; with its first tool.")
    losses: list[LossOut] = Field(description="What became of parts of the tool.")
    spec: Any = Field(description="With `dry_run=1`: what the tool would become.")


class EntryOut(Schema):
    source: str = Field(description="The file, or the entry of an archive.")
    line: int = Field(description="Where the spec begins there.")
    outcome: Literal["created", "revised", "unchanged", "rejected"]
    tool: UploadedToolOut | None
    imported: ImportedOut | None = Field(
        None,
        description="Where it was made of a document of another format; and of a tool of an exported catalog, where "
        "not all is so here that people said of it there.",
    )
    problems: list[SpecProblemOut]


class ReportOut(Schema):
    model_config = _like(
        {
            "dry_run": False,
            "counts": {"created": 1, "revised": 0, "unchanged": 0, "rejected": 1},
            "specs": [ENTRY, REJECTED],
        }
    )

    dry_run: bool
    counts: dict[str, int] = Field(description="How many have each outcome.")
    specs: list[EntryOut] = Field(description="One for each spec, in order.")


class FixOut(Schema):
    key: str = Field(description="Names it where fixes are applied.")
    title: str = Field(description="What it does, in a few words.")
    safe: bool = Field(description="Whether all that was taken and returned before still is, and nothing else.")
    patch: list[dict[str, Any]] = Field(description="A JSON Patch (RFC 6902) of the spec.")


class AdviceOut(SpecProblemOut):
    """What is allowed and could be better."""

    severity: Literal["error", "warning", "info"]
    help: str = Field(description="Where on this site the rule is explained.")
    fix: FixOut | None = Field(None, description="What mends it, where that can be said for sure.")


class CheckOut(Schema):
    model_config = _like({"valid": True, "problems": [], "advice": [ADVICE], "score": 95})

    valid: bool
    problems: list[SpecProblemOut]
    advice: list[AdviceOut] = Field(description="The gravest first; nothing where the spec is not valid.")
    score: int | None = Field(description="How good the spec is, from 0 to 100; null where it is not valid.")


class RevisionOut(Schema):
    number: int
    sha256: str
    created_at: datetime
    by: str | None = Field(description="Who published it; null for the site's own samples.")
    score: int | None = Field(description="Its lint score; null where it is not judged yet.")


class RevisionsOut(Schema):
    model_config = _like(
        {
            "items": [{"number": 1, "sha256": SHA256, "created_at": "2026-01-15T09:30:00Z", "by": "ada", "score": 95}],
            "next": None,
        }
    )

    items: list[RevisionOut] = Field(description="The newest first.")
    next: str | None


class RevisionsQuery(Schema):
    limit: int = Field(50, ge=1, le=100)
    cursor: int | None = Field(None, ge=1, le=2**31 - 1, description="`next` of the page before.")


class UploadQuery(Schema):
    dry_run: bool = Field(False, description="Store nothing; only say what would happen.")
    prefix: str | None = Field(
        None,
        max_length=100,
        description="What the ids of imported tools start with; a dot follows. Left out: the title of an API, the name "
        "of the file of an MCP list. Empty: nothing.",
    )


class DiffQuery(Schema):
    from_: int = Field(alias="from", ge=1, le=2**31 - 1)
    to: int = Field(ge=1, le=2**31 - 1)


class ProofOut(Schema):
    kind: str = Field(description="`example`, `run`, or a made `witness`.")
    value: Any = Field(description="One revision accepts it, the other refuses it.")
    source: str
    message: str = Field(description="Why it is refused.")
    pointer: str = Field(description="Into the value.")


class ChangeOut(Schema):
    part: str = Field(description="`definition`, `parameters`, `returnType` or `configuration`.")
    place: str = Field(description="In the values that are described; empty for the whole.")
    kind: str
    message: str
    verdict: str = Field(description="`breaking`, `unknown`, or `compatible`, which is said only where it is certain.")
    before: str | None = Field(description="JSON Pointer into the older spec.")
    after: str | None = Field(description="JSON Pointer into the newer spec.")
    proof: ProofOut | None


class DiffOut(Schema):
    model_config = _like(
        {
            "from": 1,
            "to": 2,
            "text": '--- revision 1\n+++ revision 2\n@@ -3,1 +3,1 @@\n-    "type": "number"\n+    "type": "integer"\n',
            "added": 1,
            "removed": 1,
            "laid_out": False,
            "verdict": "breaking",
            "changes": [
                {
                    "part": "parameters",
                    "place": "value",
                    "kind": "type-changed",
                    "message": "`value` changes from number to integer.",
                    "verdict": "breaking",
                    "before": "/definition/parameters/properties/value",
                    "after": "/definition/parameters/properties/value",
                    "proof": {
                        "kind": "witness",
                        "value": {"value": 1.5},
                        "source": "",
                        "message": "1.5 is not an integer",
                        "pointer": "/value",
                    },
                }
            ],
        }
    )

    from_: int = Field(alias="from")
    to: int
    text: str = Field(description="In the unified format; empty where nothing changed.")
    added: int = Field(description="Lines.")
    removed: int = Field(description="Lines.")
    laid_out: bool = Field(description="Whether the texts were laid out first, because one stands on a single line.")
    verdict: str = Field(description="The worst of the changes; `identical` where nothing changed that means anything.")
    changes: list[ChangeOut]


class ExportOut(Schema):
    model_config = _like(
        {
            "format": "mcp",
            "document": {
                "name": "Get_weather_498ebfb0",
                "title": "Get weather",
                "description": "Get weather by location",
                "inputSchema": GET_WEATHER["definition"]["parameters"],
                "outputSchema": GET_WEATHER["definition"]["returnType"],
            },
            "verdict": "with changes",
            "losses": [
                {
                    "pointer": "/definition/examples",
                    "what": "dropped",
                    "reason": "MCP has no place for examples.",
                }
            ],
            "renamed": {},
            "obstacles": [],
            "as_of": "2025-11-25",
            "source": "https://modelcontextprotocol.io/specification/2025-11-25/server/tools",
        }
    )

    format: str
    document: Any
    verdict: Literal["as it is", "with changes", "not usable"] = Field(
        description="`as it is`: what a model sees of the tool there is what its spec says."
    )
    losses: list[LossOut] = Field(description="What became of each part of the spec.")
    renamed: dict[str, str] = Field(
        description="By JSON Pointer into the spec: what a member is called in the document because of its own name."
    )
    obstacles: list[str] = Field(description="Why the document would be refused even so.")
    as_of: str = Field(description="The day on which the rules of the format were looked up.")
    source: str = Field(description="Where they stand.")


class ErrorOut(Schema):
    """An error, as RFC 9457 has it: `application/problem+json`."""

    model_config = _like(
        {
            "type": "about:blank",
            "title": "Unprocessable Content",
            "status": 422,
            "detail": "`description` must be a text.",
            "errors": [PROBLEM],
        }
    )

    type: str
    title: str
    status: int
    detail: str
    errors: list[SpecProblemOut] = []
