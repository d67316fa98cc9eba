"""The small words of sentences: places, kinds of values, some values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from catalog.jsontext.reader import JSON, dumps
from catalog.specs.diff.annotations import Nothing
from catalog.specs.diff.changes import Part, Path, place_of
from catalog.specs.diff.conjunction import Together
from catalog.specs.diff.keywords import KINDS, NUMBERS

MAX_SHOWN: Final = 5
MAX_CHARACTERS: Final = 40  # of one value
WHOLE: Final[Mapping[Part, str]] = {
    "definition": "The definition",
    "parameters": "The parameters object",
    "returnType": "The response",
    "configuration": "The configuration",
}


def words(path: Path, part: Part) -> str:
    """The place: "`address.zip`", or "The response" for the whole of it."""
    return f"`{place_of(path)}`" if path else WHOLE[part]


def kinds(names: frozenset[str]) -> str:
    """Kinds of values as a choice: "a string or null"."""
    if names >= KINDS:
        return "anything"
    single = sorted(names - NUMBERS)
    if names >= NUMBERS:
        single.append("number")
    else:
        single += sorted(names & NUMBERS)
    articles = {
        "array": "an array", "boolean": "true or false", "fraction": "a number with a fraction",
        "integer": "an integer", "null": "null", "number": "a number", "object": "an object", "string": "a string",
    }  # fmt: skip
    texts = [articles[name] for name in sorted(single, key=lambda name: name == "null")]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}" if texts else "nothing"


def described(whole: Together) -> str:
    """A schema in a word or two."""
    titles = [title for title in whole.told("title") if isinstance(title, str) and title.strip()]
    if titles:
        return f"“{cut(titles[-1])}”"
    return few(choices(whole)) if whole.choices else kinds(whole.kinds)


def few(values: Sequence[JSON]) -> str:
    """Some values in words."""
    texts = [cut(dumps(value)) for value in values[:MAX_SHOWN]]
    more = len(values) - len(texts)
    return ", ".join(texts) + (f" and {more} more" if more > 0 else "")


def shown(value: JSON | Nothing) -> str:
    return "" if isinstance(value, Nothing) else cut(dumps(value))


def cut(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…"


def inline(place: str) -> str:
    return place if place.startswith("`") else place[0].lower() + place[1:]


def choices(whole: Together) -> Sequence[JSON]:
    return min(whole.choices, key=len, default=[])
