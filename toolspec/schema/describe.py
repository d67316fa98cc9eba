"""JSON Schema in words: names of types, and constraints as short phrases like "1 to 50 characters".

The documentation page, the form, exported descriptions and the messages of validation and of the diff all take their
words from here, so a constraint has the same wording everywhere.

    phrase("minLength", 3)                        "at least 3 characters"
    sentence("pattern", "^a")                     "Matches the pattern ^a."
    facts_of(Summary([schema]))                   Fact("Length", "text", "1 to 50 characters"), ...
    listed(["string", "integer", "null"])         "string, integer or null"
    array_of("string")                            "array of strings"
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal

from toolspec.schema.enum_labels import EnumLabel, enum_labels
from toolspec.schema.summary import Schema, Summary
from toolspec.text.containers import items_of, members_of, strings_of
from toolspec.text.numbers import is_number
from toolspec.text.reader import JSON, dumps

MAX_SENTENCE_CHARS: Final = 300
MAX_LABEL_CHARS: Final = 2_000  # of all labels of an `enum` together
MAX_VALUES: Final = 5
MAX_VALUE_CHARS: Final = 40

TYPES: Final = ("string", "integer", "number", "boolean", "null", "object", "array")
FORMATS: Final[Mapping[str, str]] = {
    "date": "date, like 2024-05-31",
    "time": "time with offset, like 14:30:00Z",
    "date-time": "date and time with offset, like 2024-05-31T14:30:00Z",
    "duration": "duration, like P3D or PT15M",
    "email": "email address",
    "idn-email": "email address",
    "hostname": "host name",
    "idn-hostname": "host name",
    "ipv4": "IPv4 address",
    "ipv6": "IPv6 address",
    "uri": "URI, like https://example.org/",
    "uri-reference": "URI or relative reference",
    "iri": "IRI, like https://example.org/",
    "iri-reference": "IRI or relative reference",
    "uri-template": "URI template, like /users/{id}",
    "uuid": "UUID",
    "json-pointer": "JSON Pointer, like /a/0",
    "relative-json-pointer": "relative JSON Pointer, like 1/a",
    "regex": "regular expression",
    "password": "password",
}
NOUNS: Final[Mapping[str, str]] = {
    "minLength": "character", "maxLength": "character", "minItems": "item", "maxItems": "item",
    "minProperties": "property", "maxProperties": "property", "minContains": "item", "maxContains": "item",
}  # fmt: skip
LIMITS: Final[Mapping[str, str]] = {
    "minimum": "at least", "maximum": "at most", "exclusiveMinimum": "greater than", "exclusiveMaximum": "less than",
    **{keyword: "at least" if keyword.startswith("min") else "at most" for keyword in NOUNS},
}  # fmt: skip


# Types and lists


def listed(words: Sequence[str], conjunction: str = "or") -> str:
    """The words as one list: "string, integer or null"; "" for none."""
    return (
        f"{', '.join(words[:-1])} {conjunction} {words[-1]}" if len(words) > 1 else "".join(words)
    )


def with_article(type_name: str) -> str:
    """A type or a format with its article: "an array", "a string", "an IPv4 address", "a URI"; "null" has none."""
    if type_name == "null":
        return type_name
    return f"{'an' if type_name[0] in 'aeioAEI' else 'a'} {type_name}"


def array_of(item_type: str) -> str:
    """An array by the type of its items: "array of strings", "array of (string or null)"."""
    if " or " in item_type:
        return f"array of ({item_type})"
    if item_type.startswith(("any ", "nothing")):
        return f"array of {item_type}"
    first, _, rest = item_type.partition(" ")
    return f"array of {first}s {rest}".rstrip()


def few(values: Sequence[JSON]) -> str:
    """The first values as JSON, each shortened: "1, 2, 3, 4, 5 and 3 more"."""
    more = len(values) - MAX_VALUES
    return ", ".join(cut(dumps(value)) for value in values[:MAX_VALUES]) + (
        f" and {more} more" if more > 0 else ""
    )


def cut(text: str, length: int = MAX_VALUE_CHARS) -> str:
    """The text, shortened to `length` characters."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def plural(noun: str, number: object) -> str:
    """The noun as it follows the number: "item" after 1, else "items"."""
    return noun if number == 1 else f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def amount(text: str) -> str:
    """The digits of a count, with separators from 10,000 on: "5000", "50,000"; other text stays as it is."""
    return f"{int(text):,}" if text.isdecimal() and 5 <= len(text) <= MAX_VALUE_CHARS else text


# One keyword


def phrase(keyword: str, value: JSON) -> str:
    """One keyword in words: "at least 3 characters".

    Returns:
        str: "" where the keyword has no words, is false, or has a value of the wrong type.
    """
    to_words = _PHRASES.get(keyword)
    return to_words(value) if to_words else ""


def sentence(keyword: str, value: JSON) -> str | None:
    """One keyword as a sentence; None if it has no words, or too many for a description."""
    words = phrase(keyword, value)
    if not words or len(words) >= MAX_SENTENCE_CHARS or "\n" in words:
        return None
    return f"{words[0].upper()}{words[1:]}."


def _limit(keyword: str) -> Callable[[JSON], str]:
    def to_words(value: JSON) -> str:
        if not is_number(value):
            return ""
        if keyword in NOUNS:
            return f"{LIMITS[keyword]} {_count(value)} {plural(NOUNS[keyword], value)}"
        return f"{LIMITS[keyword]} {dumps(value)}"

    return to_words


def _text(before: str) -> Callable[[JSON], str]:
    return lambda value: f"{before} {value}" if isinstance(value, str) and value else ""


def _flag(words: str) -> Callable[[JSON], str]:
    return lambda value: words if value is True else ""


def _value(before: str) -> Callable[[JSON], str]:
    return lambda value: f"{before} {dumps(value)}"


def _values(before: str) -> Callable[[JSON], str]:
    return lambda value: (
        f"{before} {', '.join(map(dumps, value)) or 'nothing'}" if isinstance(value, list) else ""
    )


def _format(value: JSON) -> str:
    return (
        f"format: {FORMATS.get(value, value)}" if isinstance(value, str) and value.strip() else ""
    )


_PHRASES: Final[Mapping[str, Callable[[JSON], str]]] = {
    **{keyword: _limit(keyword) for keyword in LIMITS},
    "const": _value("always"),
    "contentEncoding": _text("encoded as"),
    "contentMediaType": _text("media type:"),
    "default": _value("default:"),
    "deprecated": _flag("deprecated"),
    "enum": _values("one of"),
    "examples": _values("for example"),
    "format": _format,
    "multipleOf": lambda value: f"a multiple of {dumps(value)}" if is_number(value) else "",
    "pattern": _text("matches the pattern"),
    "uniqueItems": _flag("no duplicates"),
}


# All keywords


@dataclass(frozen=True, slots=True)
class Fact:
    """One constraint or annotation of a value.

    Attributes:
        kind: the type of `value`: a JSON "value", a list of JSON "values", "code", or "text" in words; "labels" is a
            list of [value with its name, description] in words.
        words: a constraint as a phrase that needs no label; "" where only the documentation page lists it.
    """

    label: str
    kind: Literal["value", "values", "code", "text", "labels"]
    value: JSON
    words: str = ""


def facts_of(summary: Summary) -> Iterator[Fact]:
    """Everything about a value except its type, title, description, flags, and the schemas of its parts."""
    groups = (
        _choices,
        *chain.from_iterable(_CONSTRAINTS.values()),
        _exclusions,
        _closed,
        _dependencies,
        _examples,
    )
    return chain.from_iterable(group(summary) for group in groups)


def constraints(summary: Summary, type_name: str) -> Iterator[Fact]:
    """The facts that limit values of one type, without lists of choices."""
    return chain.from_iterable(
        group(summary) for group in (*_CONSTRAINTS.get(type_name, ()), _exclusions)
    )


def only_requirements(branches: list[JSON]) -> bool:
    """Whether the branches of `oneOf` or `anyOf` only name required members, which one fact can list."""
    return bool(branches) and all(
        isinstance(branch, dict) and set(branch) == {"required"} for branch in branches
    )


def only_values(schema: JSON) -> bool:
    """Whether a schema only lists values, with `const` or `enum`."""
    return (
        isinstance(schema, dict)
        and bool(schema)
        and schema.keys() <= {"const", "enum"}
        and bool(values_of(schema))
    )


def values_of(schema: JSON) -> list[JSON]:
    """The values of `const` or `enum`; none where a schema lists no values."""
    if not isinstance(schema, dict):
        return []
    return [schema["const"]] if "const" in schema else items_of(schema.get("enum"))


def label_sentence(labels: Sequence[EnumLabel]) -> str | None:
    """The labels of the values of an `enum` as a sentence: "0 is Female, 1 is Male."; None if it would be too long."""
    phrases = []
    for label in labels:
        meaning = label.name
        if label.description:
            meaning = f"{label.name} ({label.description})" if label.name else label.description
        if meaning:
            phrases.append(f"{dumps(label.value)} is {meaning}")
    words = ", ".join(phrases)
    return f"{words}." if 0 < len(words) <= MAX_LABEL_CHARS else None


def _choices(summary: Summary) -> Iterator[Fact]:
    if summary.has("const"):
        yield Fact("Always", "value", summary.first("const"))
    choices = summary.first("enum")
    labels = next((found for schema in summary.schemas if (found := enum_labels(schema))), None)
    if labels:
        yield Fact("One of", "labels", [[label.text, label.description] for label in labels])
    elif isinstance(choices, list):
        yield Fact("One of", "values", choices)
    if summary.has("default"):
        yield Fact("Default", "value", summary.first("default"))


def _range(summary: Summary) -> Iterator[Fact]:
    low, high = summary.bound(lowest=True), summary.bound(lowest=False)
    words = []
    if low and high and not (low[1] or high[1]):
        words.append(_span(low[0], high[0]))
    else:
        words += [phrase("exclusiveMinimum" if low[1] else "minimum", low[0])] if low else []
        words += [phrase("exclusiveMaximum" if high[1] else "maximum", high[0])] if high else []
    if words := [*words, *_phrases(summary, "multipleOf")]:
        yield _words_fact("Range", ", ".join(words))


def _length(summary: Summary) -> Iterator[Fact]:
    if words := _size(summary, "minLength", "maxLength"):
        yield _words_fact("Length", words)


def _text_form(summary: Summary) -> Iterator[Fact]:
    for value in dict.fromkeys(strings_of(summary.all("pattern"))):
        yield Fact("Pattern", "code", value, phrase("pattern", value))
    for name in summary.texts("format"):
        yield Fact(
            "Format", "text", FORMATS.get(name, name), FORMATS.get(name, phrase("format", name))
        )
    for keyword, label in (("contentMediaType", "Media type"), ("contentEncoding", "Encoded as")):
        if text := summary.text(keyword):
            yield Fact(label, "code", text, phrase(keyword, text))


def _items(summary: Summary) -> Iterator[Fact]:
    if words := [
        *filter(None, [_size(summary, "minItems", "maxItems")]),
        *_phrases(summary, "uniqueItems"),
    ]:
        yield _words_fact("Items", ", ".join(words))


def _contained(summary: Summary) -> Iterator[Fact]:
    for schema in summary.schemas:
        if "contains" not in schema:
            continue
        limits: Schema = {
            "minContains": schema.get("minContains", 1),
            "maxContains": schema.get("maxContains"),
        }
        if count := _size(Summary([limits]), "minContains", "maxContains"):
            words = f"{count} {_description(schema['contains'])}"
            yield Fact("Contains", "text", words, f"contains {words}")


def _description(contained: JSON) -> str:
    """The items that match a `contains` schema, in a few words."""
    if values := values_of(contained):
        return f"equal to {few(values)}" if len(values) == 1 else f"out of {few(values)}"
    type_name = contained.get("type") if isinstance(contained, dict) else None
    return f"of type {type_name}" if isinstance(type_name, str) else "matching `contains`"


def _members(summary: Summary) -> Iterator[Fact]:
    if words := _size(summary, "minProperties", "maxProperties"):
        yield _words_fact("Size", words)


def _names(summary: Summary) -> Iterator[Fact]:
    for names in summary.all("propertyNames"):
        if values := values_of(names):
            yield Fact("Names: one of", "values", values, f"names: one of {few(values)}")
        for fact in constraints(Summary([names]), "string") if isinstance(names, dict) else ():
            yield Fact(
                f"Names: {fact.label.lower()}", fact.kind, fact.value, f"names: {fact.words}"
            )


def _exclusions(summary: Summary) -> Iterator[Fact]:
    for schema in summary.all("not"):
        if only_values(schema):
            values = values_of(schema)
            yield Fact(
                "Not", "values", values, f"{'not' if len(values) == 1 else 'none of'} {few(values)}"
            )


def _closed(summary: Summary) -> Iterator[Fact]:
    for label, keywords in (
        ("Further items", ("items", "additionalItems", "unevaluatedItems")),
        ("Other properties", ("additionalProperties", "unevaluatedProperties")),
    ):
        if any(value is False for keyword in keywords for value in summary.all(keyword)):
            yield Fact(label, "text", "not allowed")


def _dependencies(summary: Summary) -> Iterator[Fact]:
    for name, others in members_of(summary.first("dependentRequired")).items():
        yield Fact(
            "Together",
            "text",
            f"{name} needs {listed(strings_of(others), 'and') or 'nothing'}",
        )
    for keyword, label in (("oneOf", "Exactly one of"), ("anyOf", "At least one of")):
        for branches in summary.all(keyword):
            if isinstance(branches, list) and only_requirements(branches):
                required = [branch["required"] for branch in branches if isinstance(branch, dict)]
                words = listed(
                    [listed(strings_of(names), "and") or "nothing" for names in required]
                )
                yield Fact(label, "text", words)


def _examples(summary: Summary) -> Iterator[Fact]:
    examples = summary.first("examples")
    if isinstance(examples, list) and examples:
        yield Fact("Examples" if len(examples) > 1 else "Example", "values", examples)
    elif summary.has("example"):
        yield Fact("Example", "value", summary.first("example"))


_CONSTRAINTS: Final[Mapping[str, tuple[Callable[[Summary], Iterator[Fact]], ...]]] = {
    "number": (_range,),
    "string": (_length, _text_form),
    "array": (_items, _contained),
    "object": (_members, _names),
}


def _phrases(summary: Summary, keyword: str) -> list[str]:
    """The different phrases for the keyword."""
    phrases = (phrase(keyword, value) for value in summary.all(keyword))
    return list(dict.fromkeys(words for words in phrases if words))


def _words_fact(label: str, words: str) -> Fact:
    return Fact(label, "text", words, words)


def _size(summary: Summary, least: str, most: str) -> str:
    """The tightest limits of a size as "2 to 5 items", "at least 1 item" or "exactly 3 items"; "" if there are none."""
    low = max(summary.numbers(least), default=0)
    high = min(summary.numbers(most), default=None)
    if low == 0:
        return "" if high is None else phrase(most, high)
    return (
        phrase(least, low)
        if high is None
        else f"{_span(low, high, _count)} {plural(NOUNS[most], high)}"
    )


def _count(value: JSON) -> str:
    return amount(dumps(value))


def _span(low: JSON, high: JSON, to_text: Callable[[JSON], str] = dumps) -> str:
    return f"exactly {to_text(low)}" if low == high else f"{to_text(low)} to {to_text(high)}"
