"""The documents that the rules come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from catalog.specs.exporters import providers
from catalog.specs.exporters.providers import Rules


@dataclass(frozen=True, slots=True)
class Source:
    """A document or a section of one; `as_of`: when a document that changes was looked up."""

    label: str
    url: str
    as_of: date | None = None


def _of(rules: Rules) -> Source:
    return Source(f"{rules.label}: its requirements for tools", rules.source, rules.as_of)


def _validation(section: str, title: str) -> Source:
    url = f"https://json-schema.org/draft/2020-12/json-schema-validation#section-{section}"
    return Source(f"JSON Schema 2020-12, Validation, {section}: {title}", url)


def _core(section: str, title: str) -> Source:
    url = f"https://json-schema.org/draft/2020-12/json-schema-core#section-{section}"
    return Source(f"JSON Schema 2020-12, Core, {section}: {title}", url)


_MCP, _OPENAI, _ANTHROPIC, _GEMINI = map(_of, (providers.MCP, providers.OPENAI, providers.ANTHROPIC, providers.GEMINI))
_FORMAT: Final = Source("LLM Tool Spec", "https://github.com/JavaAIDev/easy-llm-tools")
_WRITING: Final = (
    Source("Anthropic: best practices for tool definitions", providers.ANTHROPIC.source, providers.ANTHROPIC.as_of),
    Source("OpenAI: best practices for defining functions", providers.OPENAI.source, providers.OPENAI.as_of),
)
_LONG: Final = Source(
    "LlamaIndex: the limit of 1,024 characters", "https://github.com/run-llama/llama_index/pull/18784"
)
_INVISIBLE: Final = Source(
    "Unicode Technical Report 36: Unicode Security Considerations", "https://www.unicode.org/reports/tr36/"
)
_CONFUSABLE: Final = Source(
    "Unicode Technical Standard 39: Unicode Security Mechanisms", "https://www.unicode.org/reports/tr39/"
)
_NULLABLE: Final = Source("OpenAPI 3.0.3, Schema Object", "https://spec.openapis.org/oas/v3.0.3#schema-object")
_CHANGES: Final = Source("JSON Schema 2020-12, release notes", "https://json-schema.org/draft/2020-12/release-notes")
_SECRETS: Final = Source(
    "OWASP: Secrets Management", "https://cheatsheetseries.owasp.org/cheatsheets/Secrets_Management_Cheat_Sheet.html"
)

_TYPE: Final = _validation("6.1.1", "type")
_DEFAULT: Final = _validation("9.2", "default")
_WRITE_ONLY: Final = _validation("9.4", "readOnly and writeOnly")

SOURCES: Final[Mapping[str, tuple[Source, ...]]] = {
    "name-not-portable": (_MCP, _OPENAI, _ANTHROPIC, _GEMINI),
    "member-name-not-portable": (_ANTHROPIC,),
    "name-mixed-scripts": (_CONFUSABLE,),
    "member-misspelt": (_FORMAT,),
    "description-empty": _WRITING,
    "description-vague": _WRITING,
    "description-long": (_LONG,),
    "description-hidden": (_INVISIBLE,),
    "parameter-undescribed": _WRITING,
    "member-undescribed": _WRITING,
    "setting-undescribed": (_FORMAT,),
    "parameter-untyped": (_GEMINI, _TYPE),
    "object-unspecified": (_validation("6.5", "objects"),),
    "parameters-missing": (_FORMAT,),
    "return-type-missing": (_FORMAT,),
    "examples-missing": (_FORMAT,),
    "schema-draft": (_FORMAT, _core("8.1.1", "$schema")),
    "root-not-object": (_MCP, _OPENAI, _ANTHROPIC),
    "root-combined": (_OPENAI, _ANTHROPIC),
    "array-without-items": (_OPENAI, _GEMINI),
    "default-invalid": (_DEFAULT,),
    "examples-invalid": (_validation("9.5", "examples"),),
    "example-parameters-invalid": (_FORMAT,),
    "example-return-invalid": (_FORMAT,),
    "example-return-not-portable": (_FORMAT,),
    "enum-duplicate": (_validation("6.1.2", "enum"),),
    "enum-impossible": (_validation("6.1.2", "enum"), _TYPE),
    "optional-null-without-default": (_DEFAULT,),
    "secret-not-marked": (_WRITE_ONLY,),
    "secret-in-parameters": (_SECRETS,),
    "secret-with-default": (_SECRETS, _WRITE_ONLY),
    "required-undeclared": (_validation("6.5.3", "required"),),
    "bounds-contradictory": (_validation("6", "a vocabulary for structural validation"),),
    "keyword-without-effect": (_validation("6", "a vocabulary for structural validation"),),
    "keyword-outdated": (_CHANGES, _NULLABLE),
    "keyword-misspelt": (_core("6.5", "extending JSON Schema"),),
    "definition-unused": (_core("8.2.4", "$defs"),),
    "format-unknown": (_validation("7.3", "defined formats"),),
    "pattern-not-portable": (_core("6.4", "regular expressions"),),
}
