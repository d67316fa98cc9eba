"""Schemas in plain words: kinds, constraints, formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from catalog.jsontext.reader import JSON, Number
from playground.schema_form.values import KINDS, Kind, literal

KIND_WORDS: Final[Mapping[Kind, str]] = {
    "text": "text",
    "number": "number",
    "boolean": "true or false",
    "null": "null",
    "object": "object",
    "array": "list",
}
PLURALS: Final[Mapping[str, str]] = {
    "number": "numbers",
    "whole number": "whole numbers",
    "true or false": "true or false",
    "object": "objects",
    "list": "lists",
}
FORMAT_WORDS: Final[Mapping[str, str]] = {
    "date": "a date, like 2024-05-31",
    "time": "a time with its offset, like 14:30:00Z",
    "date-time": "a date and time with its offset, like 2024-05-31T14:30:00Z",
    "duration": "a duration, like P3D or PT15M",
    "email": "an e-mail address",
    "idn-email": "an e-mail address",
    "hostname": "a host name",
    "idn-hostname": "a host name",
    "ipv4": "an IPv4 address",
    "ipv6": "an IPv6 address",
    "uri": "a URI, like https://example.org/",
    "uri-reference": "a URI, or a part of one",
    "iri": "a URI, like https://example.org/",
    "iri-reference": "a URI, or a part of one",
    "uri-template": "a URI template, like /users/{id}",
    "uuid": "a UUID",
    "json-pointer": "a JSON Pointer, like /a/0",
    "relative-json-pointer": "a relative JSON Pointer, like 1/a",
    "regex": "a regular expression",
    "password": "kept secret",
}
MAX_PATTERN: Final = 120


def kinds_in_words(kinds: Iterable[Kind], keywords: Mapping[str, JSON]) -> str:
    """`kinds`, as in "whole number or null"; "" where every kind is allowed."""
    present = set(kinds)
    if len(present) == len(KINDS):
        return ""
    words = dict(KIND_WORDS)
    if is_whole(keywords):
        words["number"] = "whole number"
    return " or ".join(words[kind] for kind in KINDS if kind in present)


def is_whole(keywords: Mapping[str, JSON]) -> bool:
    """Whether `type` speaks of integers, and not of numbers at large."""
    named = keywords.get("type")
    names = named if isinstance(named, list) else [named]
    return "integer" in names and "number" not in names


def constraints(keywords: Mapping[str, JSON], kind: Kind | None) -> list[str]:
    """What the keywords of one subschema demand of a value of `kind`, each as a few words."""
    wordings = _WORDINGS.get(kind, ()) if kind else ()
    return [words for wording in wordings if (words := wording(keywords))]


def _number_range(keywords: Mapping[str, JSON]) -> str:
    low, high = keywords.get("minimum"), keywords.get("maximum")
    above, below = keywords.get("exclusiveMinimum"), keywords.get("exclusiveMaximum")
    if above is True:  # draft-04: a flag beside the bound
        low, above = None, low
    if below is True:
        high, below = None, high
    parts = []
    if _is_number(low) and _is_number(high):
        parts.append(f"{_text(low)} to {_text(high)}")
    elif _is_number(low):
        parts.append(f"at least {_text(low)}")
    elif _is_number(high):
        parts.append(f"at most {_text(high)}")
    if _is_number(above):
        parts.append(f"more than {_text(above)}")
    if _is_number(below):
        parts.append(f"less than {_text(below)}")
    return ", ".join(parts)


def _multiple(keywords: Mapping[str, JSON]) -> str:
    step = keywords.get("multipleOf")
    return f"a multiple of {_text(step)}" if _is_number(step) else ""


def _counted(low_name: str, high_name: str, noun: str, plural: str) -> Callable[[Mapping[str, JSON]], str]:
    def wording(keywords: Mapping[str, JSON]) -> str:
        low, high = keywords.get(low_name), keywords.get(high_name)
        low = low if _is_number(low) and low != 0 else None
        if not _is_number(high):
            return "" if low is None else f"at least {_text(low)} {noun if low == 1 else plural}"
        if low is None:
            return f"at most {_text(high)} {noun if high == 1 else plural}"
        span = _text(low) if low == high else f"{_text(low)} to {_text(high)}"
        return f"{span} {noun if low == high == 1 else plural}"

    return wording


def _pattern(keywords: Mapping[str, JSON]) -> str:
    pattern = keywords.get("pattern")
    if not isinstance(pattern, str):
        return ""
    return f"matches {pattern if len(pattern) <= MAX_PATTERN else pattern[: MAX_PATTERN - 1] + '…'}"


def _format(keywords: Mapping[str, JSON]) -> str:
    named = keywords.get("format")
    return FORMAT_WORDS.get(named, "") if isinstance(named, str) else ""


def _media(keywords: Mapping[str, JSON]) -> str:
    media, encoding = keywords.get("contentMediaType"), keywords.get("contentEncoding")
    parts = [part for part in (media, f"as {encoding}" if isinstance(encoding, str) else "") if isinstance(part, str)]
    return " ".join(part for part in parts if part)


def _unique(keywords: Mapping[str, JSON]) -> str:
    return "each item once" if keywords.get("uniqueItems") is True else ""


def _contains(keywords: Mapping[str, JSON]) -> str:
    if "contains" not in keywords:
        return ""
    low, high = keywords.get("minContains", 1), keywords.get("maxContains")
    if low == 0 and high is None:
        return ""
    count = _counted("low", "high", "item", "items")({"low": low, "high": high} if high is not None else {"low": low})
    words = _brief(keywords["contains"])
    return f"{count} {words}" if count and words else count and f"{count} of a certain form"


def _names(keywords: Mapping[str, JSON]) -> str:
    names = keywords.get("propertyNames")
    if not isinstance(names, dict):
        return ""
    words = [_brief(names), *constraints(names, "text")]
    told = ", ".join(word for word in words if word)
    return f"names: {told}" if told else ""


def _brief(schema: JSON) -> str:
    """The values that a schema lists, or the kind that it names, in a few words."""
    if not isinstance(schema, dict):
        return ""
    listed = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(listed, list) and listed:
        words = " or ".join(literal(value) for value in listed[:5])
        return words if len(words) <= MAX_PATTERN else words[: MAX_PATTERN - 1] + "…"
    named = schema.get("type")
    return {"string": "of text", "integer": "that are whole numbers"}.get(named, "") if isinstance(named, str) else ""


def _excluded(keywords: Mapping[str, JSON]) -> str:
    refused = keywords.get("not")
    is_list = isinstance(refused, dict) and ("const" in refused or "enum" in refused)
    return f"not {_brief(refused)}" if is_list else ""


def _is_number(value: JSON) -> bool:
    return isinstance(value, int | Number) and not isinstance(value, bool)


def _text(value: JSON) -> str:
    return literal(value)


_WORDINGS: Final[Mapping[Kind, tuple[Callable[[Mapping[str, JSON]], str], ...]]] = {
    "text": (_format, _counted("minLength", "maxLength", "character", "characters"), _pattern, _media, _excluded),
    "number": (_number_range, _multiple, _excluded),
    "array": (_counted("minItems", "maxItems", "item", "items"), _unique, _contains),
    "object": (_counted("minProperties", "maxProperties", "entry", "entries"), _names),
}
