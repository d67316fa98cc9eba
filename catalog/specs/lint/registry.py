"""Every rule of lint, with its documentation: the title, why it matters, what to do, its sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from catalog.specs.lint import citations
from catalog.specs.lint.citations import Source
from catalog.specs.lint.findings import Finding, Fix, Severity

RULES_VERSION: Final = (
    5  # raise it when a change of rules changes assessments: all tools are then reassessed
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        id: a stable code, also the last part of its documentation's URL.
        severity: "error" if the tool cannot be used as described, "warning" if a model or a provider may fail, "info"
            for everything else.
        title: the finding, in a few words.
        why: why it matters.
        how: what to do.
        sources: the documents that the rule comes from.
    """

    id: str
    severity: Severity
    title: str
    why: str
    how: str
    sources: tuple[Source, ...]


_NAMES: Final = (
    Rule(
        "name-not-portable",
        "warning",
        "Some providers do not accept the name",
        "A model calls a tool by its name. OpenAI and Anthropic accept letters, digits, hyphens and underscores, at "
        "most 64; Gemini also requires a letter or an underscore first; MCP also allows dots, and up to 128 "
        "characters. An export to a provider that does not accept the name has to change it.",
        "Choose a name such as `get_weather`. Keep the old name as `id`, so that it stays the same tool in this "
        "catalog.",
        (citations.MCP, citations.OPENAI, citations.ANTHROPIC, citations.GEMINI),
    ),
    Rule(
        "member-name-not-portable",
        "warning",
        "Some providers do not accept the name of a parameter",
        "Anthropic rejects parameter names with characters other than letters, digits, dots, hyphens and "
        "underscores, and names of more than 64 characters.",
        "Rename the parameter, and let the tool accept the old name for a while.",
        (citations.ANTHROPIC,),
    ),
)

_MEMBERS: Final = (
    Rule(
        "name-mixed-scripts",
        "warning",
        "The id or name mixes letters of different scripts",
        "Some Cyrillic and Greek letters look like Latin ones. A tool whose id looks like another's can take its place "
        "unnoticed, and cannot be found by typing its name.",
        "Write the word in the letters of one script.",
        (citations.CONFUSABLE_LETTERS,),
    ),
    Rule(
        "member-misspelt",
        "error",
        "A member of the spec is probably misspelt",
        "The format allows members that it does not define, and ignores them: a tool with `paramters` instead of "
        "`parameters` takes none.",
        "Rename the member.",
        (citations.LLM_TOOL_SPEC,),
    ),
)

_DESCRIPTIONS: Final = (
    Rule(
        "description-empty",
        "error",
        "The tool has no description",
        "Without a description, a model can only guess from the name what the tool does.",
        "Describe what the tool does, when to use it, and what it returns.",
        citations.WRITING,
    ),
    Rule(
        "description-vague",
        "warning",
        "The description is too vague",
        "A model that does not know what a tool is for calls it too rarely, or with the wrong arguments.",
        "Describe what the tool does, when to use it and when not, what it needs and what it returns.",
        citations.WRITING,
    ),
    Rule(
        "description-long",
        "info",
        "The description is very long",
        "It is sent to the model with every request, costs tokens and hides what is important; some models and "
        "gateways cut or reject descriptions of more than 1,024 characters.",
        "Keep what helps a model to choose the tool; move details to the descriptions of the parameters.",
        (citations.DESCRIPTION_LIMIT,),
    ),
    Rule(
        "description-hidden",
        "error",
        "A description contains invisible characters",
        "A model reads them although nobody sees them: they can hide instructions from the people who approve the "
        "tool.",
        "Remove them.",
        (citations.UNICODE_SECURITY,),
    ),
    Rule(
        "description-instructs",
        "warning",
        "A description gives the model instructions",
        "A model that reads a description may follow it, whichever tool it calls. A description that asks for secrets, "
        "files or the conversation, hides something from the user, decides about other tools or overrides earlier "
        "instructions is how a tool attacks the people who use it.",
        "Describe only what the tool does. If the tool is not yours, ask its author why this is there.",
        (citations.PROMPT_INJECTION, citations.TOOL_POISONING),
    ),
    Rule(
        "parameter-undescribed",
        "warning",
        "A parameter has no description",
        "A model guesses its value from the name alone.",
        "Describe what the parameter means: its unit, its format, an example.",
        citations.WRITING,
    ),
    Rule(
        "member-undescribed",
        "info",
        "A property inside a parameter has no description",
        "A model guesses its value from the name alone.",
        "Describe what the property means: its unit, its format, an example.",
        citations.WRITING,
    ),
    Rule(
        "setting-undescribed",
        "warning",
        "A setting has no description",
        "The person who sets up the tool has to guess what to enter.",
        "Describe what the setting means and where to get its value.",
        (citations.LLM_TOOL_SPEC,),
    ),
    Rule(
        "parameter-untyped",
        "info",
        "A parameter has no type",
        "Without a type, choices or a reference, a model has to guess the format, and a form can only show a JSON "
        "field. Gemini rejects such a parameter.",
        "Declare the type.",
        (citations.GEMINI, citations.TYPE),
    ),
    Rule(
        "object-unspecified",
        "info",
        "An object declares no properties",
        "A model has to invent its properties.",
        "Declare the properties, or describe the values of a map with `additionalProperties`.",
        (citations.validation("6.5", "objects"),),
    ),
)

_PARTS: Final = (
    Rule(
        "parameters-missing",
        "info",
        "There is no schema for the parameters",
        "It is unclear whether the tool takes no parameters or any parameters.",
        'If it takes none, use `{"type": "object", "properties": {}}`.',
        (citations.LLM_TOOL_SPEC,),
    ),
    Rule(
        "return-type-missing",
        "info",
        "There is no schema for the return value",
        "Neither a model nor a program knows what to expect, and results cannot be checked.",
        "Describe the result in `returnType`.",
        (citations.LLM_TOOL_SPEC,),
    ),
    Rule(
        "examples-missing",
        "info",
        "There is no example",
        "An example explains more than a schema, can be run with one click, and is returned by mocks.",
        "Add one to `examples`: its parameters and the result.",
        (citations.LLM_TOOL_SPEC,),
    ),
    Rule(
        "schema-draft",
        "info",
        "A schema uses an earlier draft of JSON Schema",
        "LLM Tool Spec requires 2020-12, and some providers read every schema as 2020-12.",
        "Apply the fix: it sets `$schema` to 2020-12, and rewrites keywords that mean something else there.",
        (citations.LLM_TOOL_SPEC, citations.core("8.1.1", "$schema")),
    ),
)

_PROVIDERS: Final = (
    Rule(
        "root-not-object",
        "error",
        "The parameters are not an object",
        "Every provider asks a model for an object, and rejects a tool whose parameters do not declare this type.",
        'Declare `"type": "object"` at the top; wrap any other value in a property.',
        (citations.MCP, citations.OPENAI, citations.ANTHROPIC),
    ),
    Rule(
        "root-combined",
        "warning",
        "The parameters use `oneOf`, `anyOf` or `allOf` at the top",
        "OpenAI and Anthropic reject `oneOf`, `anyOf` and `allOf` in the outermost schema; OpenAI also rejects "
        "`enum` and `not`.",
        "Declare all properties side by side and explain in their descriptions which belong together, or move the "
        "alternatives into one property.",
        (citations.OPENAI, citations.ANTHROPIC),
    ),
    Rule(
        "array-without-items",
        "warning",
        "An array does not describe its items",
        "OpenAI and Gemini reject an array without `items`; a model has to guess.",
        "Describe the items.",
        (citations.OPENAI, citations.GEMINI),
    ),
)

_VALUES: Final = (
    Rule(
        "default-invalid",
        "warning",
        "A default does not match its own schema",
        "Forms and models that use the default get an error.",
        "Correct the default or the schema; remove a default of null if null is not allowed.",
        (citations.DEFAULT,),
    ),
    Rule(
        "examples-invalid",
        "warning",
        "An example value does not match its own schema",
        "A model that imitates the example gets an error.",
        "Correct the example or the schema.",
        (citations.validation("9.5", "examples"),),
    ),
    Rule(
        "example-parameters-invalid",
        "error",
        "An example of the tool has invalid parameters",
        "It cannot be run, and a model that imitates it gets an error.",
        "Correct the example or the schema.",
        (citations.LLM_TOOL_SPEC,),
    ),
    Rule(
        "example-return-invalid",
        "error",
        "An example of the tool does not match `returnType`",
        "A mock returns it, although the spec does not allow it.",
        "Correct the example or the schema.",
        (citations.LLM_TOOL_SPEC,),
    ),
    Rule(
        "example-return-not-portable",
        "info",
        "Some readers of the format do not accept an example's return value",
        "The published schema of LLM Tool Spec allows only objects as `returnValue`. Toolshelf accepts any JSON value, "
        "because tools return arrays and text too; another program may reject the spec.",
        "If other programs read the spec and you can change the tool, let it return an object with a property for this "
        "value, and describe that in `returnType`. Otherwise leave the example as it is.",
        (citations.LLM_TOOL_SPEC,),
    ),
    Rule(
        "enum-duplicate",
        "warning",
        "A choice is listed twice",
        "1 and 1.0 are equal in JSON; a form shows the choice twice, and some validators reject the list.",
        "Keep one.",
        (citations.validation("6.1.2", "enum"),),
    ),
    Rule(
        "enum-impossible",
        "warning",
        "A choice does not match the declared type",
        "It is offered, but always rejected.",
        "Remove it, or allow its type.",
        (citations.validation("6.1.2", "enum"), citations.TYPE),
    ),
    Rule(
        "optional-null-without-default",
        "info",
        "An optional parameter may be null and has no default",
        "It is unclear whether null means the same as omitting it.",
        'Add `"default": null`.',
        (citations.DEFAULT,),
    ),
)

_SECRETS: Final = (
    Rule(
        "secret-not-marked",
        "warning",
        "A setting that looks secret is not marked",
        "Its value may be shown, logged or exported.",
        'Add `"writeOnly": true`.',
        (citations.WRITE_ONLY,),
    ),
    Rule(
        "secret-in-parameters",
        "info",
        "A parameter looks like a secret",
        "The model sees every value that it sends: the secret appears in the conversation and in the provider's logs.",
        "Make it a setting, in `configuration`.",
        (citations.SECRETS_MANAGEMENT,),
    ),
    Rule(
        "secret-with-default",
        "error",
        "A setting that looks secret has a default",
        "Everyone who reads the spec can read the secret.",
        "Remove the default, and change the secret if it is a real one.",
        (citations.SECRETS_MANAGEMENT, citations.WRITE_ONLY),
    ),
)

_SCHEMAS: Final = (
    Rule(
        "required-undeclared",
        "warning",
        "`required` names a property that is not declared",
        "Every call without the property is rejected, and nothing describes it. It is usually a typo, or was "
        "forgotten when a property was renamed. If no other properties are allowed, no value is valid.",
        "Declare the property, or remove the name from `required`.",
        (citations.validation("6.5.3", "required"),),
    ),
    Rule(
        "bounds-contradictory",
        "error",
        "A lower bound is above the upper bound",
        "No value of that type is valid.",
        "Correct the bounds.",
        (citations.validation("6", "a vocabulary for structural validation"),),
    ),
    Rule(
        "keyword-without-effect",
        "warning",
        "A keyword has no effect on the declared type",
        "It looks like a constraint but is none: `minimum` does not constrain a string.",
        "Remove it, or correct the type.",
        (citations.validation("6", "a vocabulary for structural validation"),),
    ),
    Rule(
        "keyword-outdated",
        "warning",
        "A keyword of another draft has no effect",
        "JSON Schema 2020-12 no longer defines it, or only OpenAPI does, so validators ignore it.",
        "Use the keyword of 2020-12.",
        (citations.DRAFT_CHANGES, citations.OPENAPI_SCHEMA),
    ),
    Rule(
        "keyword-misspelt",
        "warning",
        "A keyword is probably misspelt",
        "Validators silently ignore unknown keywords.",
        "Correct the spelling.",
        (citations.core("6.5", "extending JSON Schema"),),
    ),
    Rule(
        "definition-unused",
        "info",
        "A definition is not used",
        "It is sent to the model with every request, and has no effect.",
        "Remove it.",
        (citations.core("8.2.4", "$defs"),),
    ),
    Rule(
        "format-unknown",
        "info",
        "A format is not known",
        "An unknown format is not checked, and means little to a model.",
        "Use one of JSON Schema's formats, or explain the format in the description.",
        (citations.validation("7.3", "defined formats"),),
    ),
    Rule(
        "pattern-not-portable",
        "info",
        "Some regex engines do not support a pattern",
        "The engines of some providers and languages (RE2, Rust) do not support look-around and back-references.",
        "Rewrite the pattern without them, or explain it in the description.",
        (citations.core("6.4", "regular expressions"),),
    ),
)

RULES: Final[Mapping[str, Rule]] = {
    rule.id: rule
    for group in (_NAMES, _MEMBERS, _DESCRIPTIONS, _PARTS, _PROVIDERS, _VALUES, _SECRETS, _SCHEMAS)
    for rule in group
}


def found(
    rule: str,
    pointer: str,
    message: str,
    fix: Fix | None = None,
    *,
    severity: Severity | None = None,
) -> Finding:
    """A finding of the rule with the id `rule`. `severity` replaces the rule's severity."""
    return Finding(rule, severity or RULES[rule].severity, pointer, message, fix)
