"""The documents that the rules come from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from catalog.specs.exporters import format_rules
from catalog.specs.exporters.format_rules import Rules


@dataclass(frozen=True, slots=True)
class Source:
    """A document or a section of one; `as_of`: when a document that changes was looked up."""

    label: str
    url: str
    as_of: date | None = None


def _of(rules: Rules) -> Source:
    return Source(f"{rules.label}: its requirements for tools", rules.source, rules.as_of)


def validation(section: str, title: str) -> Source:
    url = f"https://json-schema.org/draft/2020-12/json-schema-validation#section-{section}"
    return Source(f"JSON Schema 2020-12, Validation, {section}: {title}", url)


def core(section: str, title: str) -> Source:
    url = f"https://json-schema.org/draft/2020-12/json-schema-core#section-{section}"
    return Source(f"JSON Schema 2020-12, Core, {section}: {title}", url)


MCP, OPENAI, ANTHROPIC, GEMINI = map(
    _of, (format_rules.MCP, format_rules.OPENAI, format_rules.ANTHROPIC, format_rules.GEMINI)
)
LLM_TOOL_SPEC: Final = Source("LLM Tool Spec", "https://github.com/JavaAIDev/easy-llm-tools")
WRITING: Final = (
    Source(
        "Anthropic: best practices for tool definitions",
        format_rules.ANTHROPIC.source,
        format_rules.ANTHROPIC.as_of,
    ),
    Source(
        "OpenAI: best practices for defining functions",
        format_rules.OPENAI.source,
        format_rules.OPENAI.as_of,
    ),
)
DESCRIPTION_LIMIT: Final = Source(
    "LlamaIndex: the limit of 1,024 characters",
    "https://github.com/run-llama/llama_index/pull/18784",
)
UNICODE_SECURITY: Final = Source(
    "Unicode Technical Report 36: Unicode Security Considerations",
    "https://www.unicode.org/reports/tr36/",
)
PROMPT_INJECTION: Final = Source(
    "OWASP, LLM01: Prompt Injection", "https://genai.owasp.org/llmrisk/llm01-prompt-injection/"
)
TOOL_POISONING: Final = Source(
    "Invariant Labs: Tool Poisoning Attacks",
    "https://invariantlabs.ai/blog/mcp-security-notification-tool-poisoning-attacks",
)
CONFUSABLE_LETTERS: Final = Source(
    "Unicode Technical Standard 39: Unicode Security Mechanisms",
    "https://www.unicode.org/reports/tr39/",
)
OPENAPI_SCHEMA: Final = Source(
    "OpenAPI 3.0.3, Schema Object", "https://spec.openapis.org/oas/v3.0.3#schema-object"
)
DRAFT_CHANGES: Final = Source(
    "JSON Schema 2020-12, release notes", "https://json-schema.org/draft/2020-12/release-notes"
)
SECRETS_MANAGEMENT: Final = Source(
    "OWASP: Secrets Management",
    "https://cheatsheetseries.owasp.org/cheatsheets/Secrets_Management_Cheat_Sheet.html",
)

TYPE: Final = validation("6.1.1", "type")
DEFAULT: Final = validation("9.2", "default")
WRITE_ONLY: Final = validation("9.4", "readOnly and writeOnly")
