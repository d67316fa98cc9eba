"""Constraints as short sentences, for descriptions: a model may follow what it is told, where nothing enforces it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from catalog.jsontext.reader import JSON, dumps

MAX_SENTENCE_CHARS: Final = 300

_SENTENCES: Final[Mapping[str, str]] = {
    "const": "Always {}.",
    "contentEncoding": "Encoded as {}.",
    "contentMediaType": "Of the media type {}.",
    "default": "Default: {}.",
    "enum": "One of {}.",
    "examples": "For example {}.",
    "exclusiveMaximum": "Less than {}.",
    "exclusiveMinimum": "More than {}.",
    "format": "Format: {}.",
    "maxItems": "At most {} items.",
    "maxLength": "At most {} characters.",
    "maxProperties": "At most {} members.",
    "maximum": "At most {}.",
    "minItems": "At least {} items.",
    "minLength": "At least {} characters.",
    "minProperties": "At least {} members.",
    "minimum": "At least {}.",
    "multipleOf": "A multiple of {}.",
    "pattern": "Matches the regular expression {}.",
}
_FLAGS: Final[Mapping[str, str]] = {"uniqueItems": "No item twice.", "deprecated": "Deprecated."}
_BARE: Final = frozenset({"contentEncoding", "contentMediaType", "format", "pattern"})


def sentence_for(keyword: str, value: JSON) -> str | None:
    """What `keyword` asks for, said in one sentence; None where it is too long or cannot be said."""
    if keyword in _FLAGS:
        return _FLAGS[keyword] if value is True else None
    form = _SENTENCES.get(keyword)
    if form is None:
        return None
    if isinstance(value, list) and keyword in {"enum", "examples"}:
        said = ", ".join(map(dumps, value))
    else:
        said = value if isinstance(value, str) and keyword in _BARE else dumps(value)
    sentence = form.format(said)
    return sentence if len(sentence) <= MAX_SENTENCE_CHARS and "\n" not in sentence else None


def with_sentences(description: JSON, sentences: list[str]) -> str:
    """`description` and what else there is to tell."""
    start = description.rstrip() if isinstance(description, str) else ""
    if start and start[-1].isalnum():
        start += "."
    return " ".join(part for part in (start, *sentences) if part)
