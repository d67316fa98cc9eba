"""The requirements of each format, as tables with the source and the date of the lookup.

Providers change their rules without notice. If only the errors of an API reveal a rule, a report of
it is cited.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from toolspec.exports.aliases import NameRule
from toolspec.exports.type_mapping import Subset

LETTERS_DIGITS_DASHES: Final = "up to 64 letters, digits, hyphens and underscores"


@dataclass(frozen=True, slots=True)
class Rules:
    """The requirements of a format.

    Attributes:
        key: identifies it in URLs; label: its name for users.
        as_of: when the rules were looked up, in `source`.
        name: legal tool names.
        members: legal names of the outermost members; None if all are.
        barred: keywords that are not allowed in the outermost schema.
        reads_drafts: whether schemas of earlier drafts are read as such.
        needs_items: whether every array must have `items`.
        lookaround: whether patterns may look ahead or behind.
        object_members: whether the schemas of the outermost members must be objects, not true or
            false.
        subset: the supported subset of JSON Schema; None if all of it is supported.
    """

    key: str
    label: str
    as_of: date
    source: str
    name: NameRule
    members: NameRule | None = None
    barred: frozenset[str] = frozenset()
    reads_drafts: bool = False
    needs_items: bool = False
    lookaround: bool = True
    object_members: bool = False
    subset: Subset | None = None


# Tool names: "Tools > Tool Names" (SHOULD). `inputSchema` and, until the revision of 2026-07-28,
# `outputSchema` are objects; a schema without `$schema` is 2020-12.
MCP: Final = Rules(
    key="mcp",
    label="MCP",
    as_of=date(2025, 11, 25),
    source="https://modelcontextprotocol.io/specification/2025-11-25/server/tools",
    name=NameRule("A-Za-z0-9_.-", 128, "up to 128 letters, digits, dots, hyphens and underscores"),
    reads_drafts=True,
    object_members=True,
)

# SEP-2106: `inputSchema` stays an object; `outputSchema` is any schema, because a result may be any
# value.
MCP_2026: Final = replace(
    MCP,
    key="mcp-2026-07-28",
    label="MCP 2026-07-28",
    as_of=date(2026, 7, 28),
    source="https://modelcontextprotocol.io/specification/2026-07-28/server/tools",
)

# Name: API reference, "FunctionDefinition". The other rules are from errors of the API:
# "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top
# level" (github.com/langchain-ai/langchainjs/issues/9804), "array schema missing items"
# (github.com/sigoden/aichat/pull/1049). "Invalid JSON schema: regex lookaround is not supported",
# in strict mode and without it (github.com/tombii/better-ccflare/issues/357,
# github.com/vercel/ai/pull/21037). Descriptions of more than 1,024 characters are accepted since
# May 2025 (github.com/run-llama/llama_index/pull/18784).
OPENAI: Final = Rules(
    key="openai",
    label="OpenAI",
    as_of=date(2026, 9, 17),
    source="https://developers.openai.com/api/docs/guides/function-calling",
    name=NameRule("A-Za-z0-9_-", 64, LETTERS_DIGITS_DASHES),
    barred=frozenset({"oneOf", "anyOf", "allOf", "enum", "not"}),
    needs_items=True,
    lookaround=False,
)

_STRICT_NUMBERS: Final = frozenset({
    "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
})  # fmt: skip
_STRICT_FORMATS: Final = frozenset({
    "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid",
})  # fmt: skip


# "Supported schemas": types, keywords, formats. `minLength` and `maxLength` are not listed, and
# some models reject them (github.com/pydantic/pydantic-ai/pull/4490); no keyword is allowed beside
# `$ref`. OpenAI's own libraries send schemas with `$schema`.
OPENAI_STRICT: Final = Rules(
    key="openai-strict",
    label="OpenAI strict",
    as_of=date(2026, 9, 17),
    source="https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas",
    name=OPENAI.name,
    subset=Subset(
        label="OpenAI's strict mode",
        keywords={
            "string": frozenset({"pattern"}),
            "number": _STRICT_NUMBERS,
            "integer": _STRICT_NUMBERS,
            "array": frozenset({"minItems", "maxItems"}),
        },
        formats={"string": _STRICT_FORMATS},
        annotations=frozenset({"title"}),
        references=True,
        strict=True,
        drafts=True,
        lookaround=False,
    ),
)

# Name: "Define tools". The other rules are from the errors of its API: "input_schema does not
# support oneOf, allOf, or anyOf at the top level" (github.com/anthropics/claude-code/issues/27337),
# "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"
# (github.com/anthropics/claude-code/issues/79418), "It must match JSON Schema draft 2020-12".
ANTHROPIC: Final = Rules(
    key="anthropic",
    label="Anthropic",
    as_of=date(2026, 7, 20),
    source="https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools",
    name=NameRule("A-Za-z0-9_-", 64, LETTERS_DIGITS_DASHES),
    members=NameRule("A-Za-z0-9_.-", 64, "up to 64 letters, digits, dots, hyphens and underscores"),
    barred=frozenset({"oneOf", "anyOf", "allOf"}),
)

# "FunctionDeclaration" and "Schema", the fields that both the Gemini API and Vertex AI define.
# `format` of strings: "only 'enum' and 'date-time' are supported for STRING type"
# (github.com/google-gemini/gemini-cli/issues/3178); an `enum` has only strings, none of them empty
# ("enum[0]: cannot be empty"); "When using any_of, it must be the only field set"; an object
# without members is rejected (github.com/agno-agi/agno/issues/2112).
GEMINI: Final = Rules(
    key="gemini",
    label="Gemini",
    as_of=date(2026, 9, 7),
    source="https://ai.google.dev/api/caching#FunctionDeclaration",
    name=NameRule(
        "A-Za-z0-9_.-",
        64,
        "up to 64 letters, digits, dots, hyphens and underscores, a letter first",
        "A-Za-z_",
    ),
    subset=Subset(
        label="Gemini",
        keywords={
            "string": frozenset({"pattern", "minLength", "maxLength"}),
            "number": frozenset({"minimum", "maximum"}),
            "integer": frozenset({"minimum", "maximum"}),
            "array": frozenset({"minItems", "maxItems"}),
            "object": frozenset({"minProperties", "maxProperties"}),
        },
        formats={
            "string": frozenset({"date-time"}),
            "number": frozenset({"float", "double"}),
            "integer": frozenset({"int32", "int64"}),
        },
        annotations=frozenset({"title", "default", "propertyOrdering"}),
        nullable=True,
        lone_unions=True,
        string_enums=True,
        members=NameRule(
            "A-Za-z0-9_", 64, "up to 64 letters, digits and underscores, a letter first", "A-Za-z_"
        ),
    ),
)

# `convert_to_openai_tool`: "a JSON schema with top-level 'title' key specified"; its title becomes
# the tool's name, which is then OpenAI's.
LANGCHAIN: Final = Rules(
    key="langchain",
    label="LangChain",
    as_of=date(2026, 1, 14),
    source="https://reference.langchain.com/python/langchain-core"
    "/utils/function_calling/convert_to_openai_tool",
    name=OPENAI.name,
)

# `operationId` is a word in most programming languages; a schema is 2020-12 unless it says
# otherwise.
OPENAPI: Final = Rules(
    key="openapi",
    label="OpenAPI",
    as_of=date(2024, 10, 24),
    source="https://spec.openapis.org/oas/v3.1.1.html",
    name=NameRule("A-Za-z0-9_.-", 100, "up to 100 letters, digits, dots, hyphens and underscores"),
)
