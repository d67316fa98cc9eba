"""Every rule of lint: what it is about, why it matters, what to do. The documentation of the rules is made of this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from catalog.specs.lint.findings import Finding, Fix, Severity


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        id: a stable code, also the anchor of its documentation.
        severity: "error" where the tool cannot be used as it is described, "warning" where a model or a provider will
            stumble, "info" where more could be said.
        title: what is found, in a few words.
        why: why it matters.
        how: what to do.
    """

    id: str
    severity: Severity
    title: str
    why: str
    how: str


_NAMES: Final = (
    Rule(
        "name-not-portable",
        "warning",
        "The name is not one that every provider takes",
        "A model calls a tool by its name. OpenAI and Anthropic take letters, digits, hyphens and underscores, at most "
        "64; Gemini wants a letter or an underscore first; MCP takes dots as well, and up to 128 characters. Elsewhere "
        "the tool goes by another name than here.",
        "Choose a name such as `get_weather`. Keep the old one as `id`, so that the tool stays the same here.",
    ),
    Rule(
        "member-name-not-portable",
        "warning",
        "The name of a parameter is not one that every provider takes",
        "Anthropic refuses parameters whose names are made of anything but letters, digits, dots, hyphens and "
        "underscores, or are longer than 64 characters.",
        "Rename the parameter, and let the tool accept the old name for a while.",
    ),
)

_DESCRIPTIONS: Final = (
    Rule(
        "description-empty",
        "error",
        "The tool has no description",
        "A model chooses a tool by its description alone.",
        "Say what the tool does, when to use it, and what it gives back.",
    ),
    Rule(
        "description-vague",
        "warning",
        "The description says next to nothing",
        "A model that cannot tell what a tool is for calls it too rarely, or with the wrong things.",
        "Say what the tool does, when to use it and when not, what it needs and what it gives back.",
    ),
    Rule(
        "description-long",
        "info",
        "The description is very long",
        "It is sent to the model with every request, where it costs tokens and hides what is important; some models "
        "and gateways cut or refuse more than 1,024 characters.",
        "Keep what helps to choose the tool; move the details to the parameters they are about.",
    ),
    Rule(
        "description-hidden",
        "error",
        "A description holds characters that nobody sees",
        "A model reads them all the same: invisible characters are how instructions are hidden in a tool from the "
        "people who approve it.",
        "Take them out.",
    ),
    Rule(
        "parameter-undescribed",
        "warning",
        "A parameter has no description",
        "A model guesses what to send from the name alone.",
        "Say what the parameter means: its unit, its form, an example.",
    ),
    Rule(
        "member-undescribed",
        "info",
        "A member inside a parameter has no description",
        "A model guesses what to send from the name alone.",
        "Say what the member means: its unit, its form, an example.",
    ),
    Rule(
        "setting-undescribed",
        "warning",
        "A setting has no description",
        "Whoever sets up the tool has to guess what to enter.",
        "Say what the setting means and where to get its value.",
    ),
    Rule(
        "parameter-untyped",
        "info",
        "A parameter may be anything",
        "Without a type, choices or a reference there is nothing to go by: a model invents a form, and a person gets a "
        "field for JSON. Gemini refuses it.",
        "Say the type.",
    ),
    Rule(
        "object-unspecified",
        "info",
        "An object does not say what it holds",
        "A model has to invent its members.",
        "Declare the members, or describe those of a map with `additionalProperties`.",
    ),
)

_PARTS: Final = (
    Rule(
        "parameters-missing",
        "info",
        "There is no schema for the parameters",
        "It stays open whether the tool takes nothing or anything.",
        'If it takes nothing, say `{"type": "object", "properties": {}}`.',
    ),
    Rule(
        "return-type-missing",
        "info",
        "There is no schema for what the tool returns",
        "Neither a model nor a program knows what to expect, and no answer can be checked.",
        "Describe the response in `returnType`.",
    ),
    Rule(
        "examples-missing",
        "info",
        "There is no example",
        "An example shows more than a schema says, can be tried with one click, and is what a mock answers with.",
        "Add one to `examples`: its parameters, and what came back.",
    ),
    Rule(
        "schema-draft",
        "info",
        "A schema is of an earlier draft of JSON Schema",
        "LLM Tool Spec asks for 2020-12, and some providers read every schema as 2020-12.",
        "Name 2020-12 in `$schema`, or nothing.",
    ),
)

_PROVIDERS: Final = (
    Rule(
        "root-not-object",
        "error",
        "The parameters are no object",
        "Every provider asks a model for an object, and refuses a tool whose parameters do not say that they are one.",
        'Say `"type": "object"` at the top; wrap what is something else in a member.',
    ),
    Rule(
        "root-combined",
        "warning",
        "The parameters are combined at the top",
        "OpenAI and Anthropic refuse `oneOf`, `anyOf` and `allOf` in the outermost schema, OpenAI `enum` and `not` as "
        "well.",
        "Declare all members side by side and say in their descriptions which belong together, or put the "
        "alternatives into one member.",
    ),
    Rule(
        "array-without-items",
        "warning",
        "An array does not say what it holds",
        "OpenAI and Gemini refuse an array without `items`; a model has to guess.",
        "Describe the items.",
    ),
)

_VALUES: Final = (
    Rule(
        "default-invalid",
        "warning",
        "A default is not allowed by its own schema",
        "Whoever fills it in is refused: a form that starts with it, a model that repeats it.",
        "Correct the default or the schema; leave out a default of null where null is not allowed.",
    ),
    Rule(
        "examples-invalid",
        "warning",
        "An example value is not allowed by its own schema",
        "A model learns from it what is refused afterwards.",
        "Correct the example or the schema.",
    ),
    Rule(
        "example-parameters-invalid",
        "error",
        "An example of the tool has parameters that are refused",
        "It cannot be tried, and a model learns the wrong thing from it.",
        "Correct the example or the schema.",
    ),
    Rule(
        "example-return-invalid",
        "error",
        "An example of the tool returns what `returnType` does not allow",
        "A mock answers with it, and breaks the promise of the spec.",
        "Correct the example or the schema.",
    ),
    Rule(
        "enum-duplicate",
        "warning",
        "A choice is listed twice",
        "1 and 1.0 are the same in JSON; a list shows it twice for nothing, and some validators refuse it.",
        "Keep one.",
    ),
    Rule(
        "enum-impossible",
        "warning",
        "A choice is not of the type that is asked for",
        "It is offered, and refused when it is taken.",
        "Take it out, or allow its type.",
    ),
    Rule(
        "optional-null-without-default",
        "info",
        "A parameter that may be null does not say so by its default",
        "It stays open whether null means the same as leaving it out.",
        'Add `"default": null`.',
    ),
)

_SECRETS: Final = (
    Rule(
        "secret-not-marked",
        "warning",
        "A setting that looks secret is not marked",
        "A value that is not marked may be shown, logged or exported.",
        'Add `"writeOnly": true`.',
    ),
    Rule(
        "secret-in-parameters",
        "info",
        "A parameter looks like a secret",
        "What a model sends, it has seen: it stands in the conversation and in the log of the provider.",
        "Make it a setting, in `configuration`.",
    ),
    Rule(
        "secret-with-default",
        "error",
        "A setting that looks secret has a default",
        "Whoever reads the spec knows it.",
        "Take it out, and change the secret if it is a real one.",
    ),
)

_SCHEMAS: Final = (
    Rule(
        "required-undeclared",
        "warning",
        "`required` names a member that is not declared",
        "Every call without it is refused, and nothing says what it is. Most often it is a typing error, or what a "
        "renaming forgot. Where no other members are allowed, no value at all is valid.",
        "Declare the member, or take the name out of `required`.",
    ),
    Rule(
        "bounds-contradictory",
        "error",
        "A lower bound is above the upper one",
        "No value is valid.",
        "Correct the bounds.",
    ),
    Rule(
        "keyword-without-effect",
        "warning",
        "A keyword has no effect on the type beside it",
        "It looks like a rule and is none: `minimum` says nothing about a text.",
        "Take it out, or correct the type.",
    ),
    Rule(
        "keyword-outdated",
        "warning",
        "A keyword of another draft has no effect",
        "JSON Schema 2020-12 does not know it any more (or OpenAPI alone does), so what it says does not hold.",
        "Write it as 2020-12 does.",
    ),
    Rule(
        "keyword-misspelt",
        "warning",
        "A keyword is not known, and is nearly one that is",
        "A keyword that is not known is passed over without a word.",
        "Correct the spelling.",
    ),
    Rule(
        "definition-unused",
        "info",
        "A definition is not used",
        "It is sent to the model with every request, for nothing.",
        "Take it out.",
    ),
    Rule(
        "format-unknown",
        "info",
        "A format is not known",
        "A format that nobody knows is not checked, and says little to a model.",
        "Use one of JSON Schema's formats, or say in the description what is meant.",
    ),
    Rule(
        "pattern-not-portable",
        "info",
        "A pattern uses what other engines do not know",
        "Look-around and back-references are not understood by the engines of some providers and languages (RE2, "
        "Rust).",
        "Say it without them, or in the description.",
    ),
)

RULES: Final[Mapping[str, Rule]] = {
    rule.id: rule
    for group in (_NAMES, _DESCRIPTIONS, _PARTS, _PROVIDERS, _VALUES, _SECRETS, _SCHEMAS)
    for rule in group
}


def found(
    rule: str, pointer: str, message: str, fix: Fix | None = None, *, severity: Severity | None = None
) -> Finding:
    """A finding of the rule that has the id `rule`; its severity is the rule's unless this one is not as grave."""
    return Finding(rule, severity or RULES[rule].severity, pointer, message, fix)
