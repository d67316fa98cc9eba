"""JSON Schema in words: names of types, and constraints as short phrases like "1 to 50 characters".

The documentation page, the form, exported descriptions and the messages of validation and of the
diff all take their words from here, so a constraint has the same wording everywhere.

    phrase("minLength", 3)                        "at least 3 characters"
    sentence("pattern", "^a")                     "Matches the pattern ^a."
    facts_of(Summary([schema]))                   Fact("Length", "text", "1 to 50 characters"), ...
    join_words(["string", "integer", "null"])     "string, integer or null"
    array_of("string")                            "array of strings"
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
    "minLength": "character",
    "maxLength": "character",
    "minItems": "item",
    "maxItems": "item",
    "minProperties": "property",
    "maxProperties": "property",
    "minContains": "item",
    "maxContains": "item",
}
LIMITS: Final[Mapping[str, str]] = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "greater than",
    "exclusiveMaximum": "less than",
    "minLength": "at least",
    "maxLength": "at most",
    "minItems": "at least",
    "maxItems": "at most",
    "minProperties": "at least",
    "maxProperties": "at most",
    "minContains": "at least",
    "maxContains": "at most",
}


# Types and lists


def join_words(words: Sequence[str], conjunction: str = "or") -> str:
    """The words as one list: "string, integer or null"; "" for none."""
    if len(words) < 2:
        return "".join(words)
    *first, last = words
    return f"{', '.join(first)} {conjunction} {last}"


def with_article(type_name: str) -> str:
    """A type or a format with its article: "an array", "a URI"; "null" has none."""
    if type_name == "null":
        return type_name
    article = "an" if type_name[0] in "aeioAEI" else "a"
    return f"{article} {type_name}"


def array_of(item_type: str) -> str:
    """An array by the type of its items: "array of strings", "array of (string or null)"."""
    if " or " in item_type:
        return f"array of ({item_type})"
    if item_type.startswith(("any ", "nothing")):
        return f"array of {item_type}"
    first, _, rest = item_type.partition(" ")
    return f"array of {first}s {rest}".rstrip()


def list_few(values: Sequence[JSON]) -> str:
    """The first values as JSON, each shortened: "1, 2, 3, 4, 5 and 3 more"."""
    words = ", ".join(cut(dumps(value)) for value in values[:MAX_VALUES])
    if len(values) > MAX_VALUES:
        words += f" and {len(values) - MAX_VALUES} more"
    return words


def cut(text: str, length: int = MAX_VALUE_CHARS) -> str:
    """The text, shortened to `length` characters."""
    if len(text) <= length:
        return text
    return f"{text[: length - 1]}…"


def plural(noun: str, number: object) -> str:
    """The noun as it follows the number: "item" after 1, else "items"."""
    if number == 1:
        return noun
    if noun.endswith("y"):
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def amount(text: str) -> str:
    """The digits of a count, with separators from 10,000 on: "5000", "50,000".

    Other text stays as it is.
    """
    if text.isdecimal() and 5 <= len(text) <= MAX_VALUE_CHARS:
        return f"{int(text):,}"
    return text


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


def _describe_limit(keyword: str) -> Callable[[JSON], str]:
    def to_words(value: JSON) -> str:
        if not is_number(value):
            return ""
        if keyword in NOUNS:
            return f"{LIMITS[keyword]} {_count(value)} {plural(NOUNS[keyword], value)}"
        return f"{LIMITS[keyword]} {dumps(value)}"

    return to_words


def _describe_text(before: str) -> Callable[[JSON], str]:
    return lambda value: f"{before} {value}" if isinstance(value, str) and value else ""


def _describe_flag(words: str) -> Callable[[JSON], str]:
    return lambda value: words if value is True else ""


def _describe_value(before: str) -> Callable[[JSON], str]:
    return lambda value: f"{before} {dumps(value)}"


def _describe_values(before: str) -> Callable[[JSON], str]:
    def to_words(value: JSON) -> str:
        if not isinstance(value, list):
            return ""
        return f"{before} {', '.join(map(dumps, value)) or 'nothing'}"

    return to_words


def _describe_format(value: JSON) -> str:
    if not isinstance(value, str) or not value.strip():
        return ""
    return f"format: {FORMATS.get(value, value)}"


def _describe_multiple(value: JSON) -> str:
    if is_number(value):
        return f"a multiple of {dumps(value)}"
    return ""


_PHRASES: Final[Mapping[str, Callable[[JSON], str]]] = {
    **{keyword: _describe_limit(keyword) for keyword in LIMITS},
    "const": _describe_value("always"),
    "contentEncoding": _describe_text("encoded as"),
    "contentMediaType": _describe_text("media type:"),
    "default": _describe_value("default:"),
    "deprecated": _describe_flag("deprecated"),
    "enum": _describe_values("one of"),
    "examples": _describe_values("for example"),
    "format": _describe_format,
    "multipleOf": _describe_multiple,
    "pattern": _describe_text("matches the pattern"),
    "uniqueItems": _describe_flag("no duplicates"),
}


# All keywords


@dataclass(frozen=True, slots=True)
class Fact:
    """One constraint or annotation of a value.

    Attributes:
        kind: the type of `value`: a JSON "value", a list of JSON "values", "code", or "text" in
            words; "labels" is a list of [value with its name, description] in words.
        words: a constraint as a phrase that needs no label; "" where only the documentation page
            lists it.
    """

    label: str
    kind: Literal["value", "values", "code", "text", "labels"]
    value: JSON
    words: str = ""


def facts_of(summary: Summary) -> Iterator[Fact]:
    """Everything about a value but its type, title, description, flags, and what is inside it."""
    groups = (
        _state_choices,
        *chain.from_iterable(_CONSTRAINTS.values()),
        _state_exclusions,
        _state_closed,
        _state_dependencies,
        _state_examples,
    )
    for group in groups:
        yield from group(summary)


def list_constraints(summary: Summary, type_name: str) -> Iterator[Fact]:
    """The facts that limit values of one type, without lists of choices."""
    for group in _CONSTRAINTS.get(type_name, ()):
        yield from group(summary)
    yield from _state_exclusions(summary)


def has_only_requirements(branches: list[JSON]) -> bool:
    """Whether the branches of `oneOf` or `anyOf` only name required members.

    Then one fact can list them.
    """
    return bool(branches) and all(members_of(branch).keys() == {"required"} for branch in branches)


def has_only_values(schema: JSON) -> bool:
    """Whether a schema only lists values, with `const` or `enum`."""
    return bool(values_of(schema)) and members_of(schema).keys() <= {"const", "enum"}


def values_of(schema: JSON) -> list[JSON]:
    """The values of `const` or `enum`; none where a schema lists no values."""
    keywords = members_of(schema)
    if "const" in keywords:
        return [keywords["const"]]
    return items_of(keywords.get("enum"))


def label_sentence(labels: Sequence[EnumLabel]) -> str | None:
    """The labels of the values of an `enum` as a sentence: "0 is Female, 1 is Male.".

    None if it would be too long.
    """
    phrases = []
    for label in labels:
        meaning = label.name or label.description
        if label.name and label.description:
            meaning = f"{label.name} ({label.description})"
        if meaning:
            phrases.append(f"{dumps(label.value)} is {meaning}")
    words = ", ".join(phrases)
    if 0 < len(words) <= MAX_LABEL_CHARS:
        return f"{words}."
    return None


def _state_choices(summary: Summary) -> Iterator[Fact]:
    if summary.has("const"):
        yield Fact("Always", "value", summary.first("const"))
    choices = summary.first("enum")
    labels = next(filter(None, map(enum_labels, summary.schemas)), None)
    if labels:
        yield Fact("One of", "labels", [[label.text, label.description] for label in labels])
    elif isinstance(choices, list):
        yield Fact("One of", "values", choices)
    if summary.has("default"):
        yield Fact("Default", "value", summary.first("default"))


def _state_range(summary: Summary) -> Iterator[Fact]:
    low, is_above = summary.bound(lowest=True) or (None, False)
    high, is_below = summary.bound(lowest=False) or (None, False)
    words = []
    if low is not None and high is not None and not (is_above or is_below):
        words.append(_describe_span(low, high))
    else:
        words.append(phrase("exclusiveMinimum" if is_above else "minimum", low))
        words.append(phrase("exclusiveMaximum" if is_below else "maximum", high))
    words += _list_phrases(summary, "multipleOf")
    if any(words):
        yield _make_fact("Range", ", ".join(filter(None, words)))


def _state_length(summary: Summary) -> Iterator[Fact]:
    if words := _describe_size(summary, "minLength", "maxLength"):
        yield _make_fact("Length", words)


def _state_form(summary: Summary) -> Iterator[Fact]:
    for value in dict.fromkeys(strings_of(summary.all("pattern"))):
        yield Fact("Pattern", "code", value, phrase("pattern", value))
    for name in summary.texts("format"):
        words = FORMATS.get(name, phrase("format", name))
        yield Fact("Format", "text", FORMATS.get(name, name), words)
    for keyword, label in (("contentMediaType", "Media type"), ("contentEncoding", "Encoded as")):
        if text := summary.text(keyword):
            yield Fact(label, "code", text, phrase(keyword, text))


def _state_items(summary: Summary) -> Iterator[Fact]:
    words = [_describe_size(summary, "minItems", "maxItems")]
    words += _list_phrases(summary, "uniqueItems")
    if any(words):
        yield _make_fact("Items", ", ".join(filter(None, words)))


def _state_contained(summary: Summary) -> Iterator[Fact]:
    for schema in summary.schemas:
        if "contains" not in schema:
            continue
        limits: Schema = {
            "minContains": schema.get("minContains", 1),
            "maxContains": schema.get("maxContains"),
        }
        if count := _describe_size(Summary([limits]), "minContains", "maxContains"):
            words = f"{count} {_describe_contained(schema['contains'])}"
            yield Fact("Contains", "text", words, f"contains {words}")


def _describe_contained(contained: JSON) -> str:
    """The items that match a `contains` schema, in a few words."""
    if values := values_of(contained):
        preposition = "equal to" if len(values) == 1 else "out of"
        return f"{preposition} {list_few(values)}"
    type_name = members_of(contained).get("type")
    if isinstance(type_name, str):
        return f"of type {type_name}"
    return "matching `contains`"


def _state_size(summary: Summary) -> Iterator[Fact]:
    if words := _describe_size(summary, "minProperties", "maxProperties"):
        yield _make_fact("Size", words)


def _state_names(summary: Summary) -> Iterator[Fact]:
    for names in summary.all("propertyNames"):
        if values := values_of(names):
            yield Fact("Names: one of", "values", values, f"names: one of {list_few(values)}")
        for fact in list_constraints(Summary([members_of(names)]), "string"):
            label = f"Names: {fact.label.lower()}"
            yield replace(fact, label=label, words=f"names: {fact.words}")


def _state_exclusions(summary: Summary) -> Iterator[Fact]:
    for schema in summary.all("not"):
        if has_only_values(schema):
            values = values_of(schema)
            words = "not" if len(values) == 1 else "none of"
            yield Fact("Not", "values", values, f"{words} {list_few(values)}")


def _state_closed(summary: Summary) -> Iterator[Fact]:
    for label, keywords in (
        ("Further items", ("items", "additionalItems", "unevaluatedItems")),
        ("Other properties", ("additionalProperties", "unevaluatedProperties")),
    ):
        values = chain.from_iterable(map(summary.all, keywords))
        if any(value is False for value in values):
            yield Fact(label, "text", "not allowed")


def _state_dependencies(summary: Summary) -> Iterator[Fact]:
    for name, others in members_of(summary.first("dependentRequired")).items():
        yield Fact("Together", "text", f"{name} needs {_describe_names(others)}")
    for keyword, label in (("oneOf", "Exactly one of"), ("anyOf", "At least one of")):
        for branches in summary.all(keyword):
            if isinstance(branches, list) and has_only_requirements(branches):
                groups = [members_of(branch)["required"] for branch in branches]
                yield Fact(label, "text", join_words(list(map(_describe_names, groups))))


def _describe_names(names: JSON) -> str:
    return join_words(strings_of(names), "and") or "nothing"


def _state_examples(summary: Summary) -> Iterator[Fact]:
    examples = summary.first("examples")
    if isinstance(examples, list) and examples:
        yield Fact(plural("Example", len(examples)), "values", examples)
    elif summary.has("example"):
        yield Fact("Example", "value", summary.first("example"))


_CONSTRAINTS: Final[Mapping[str, tuple[Callable[[Summary], Iterator[Fact]], ...]]] = {
    "number": (_state_range,),
    "string": (_state_length, _state_form),
    "array": (_state_items, _state_contained),
    "object": (_state_size, _state_names),
}


def _list_phrases(summary: Summary, keyword: str) -> list[str]:
    """The different phrases for the keyword."""
    phrases = [phrase(keyword, value) for value in summary.all(keyword)]
    return list(dict.fromkeys(filter(None, phrases)))


def _make_fact(label: str, words: str) -> Fact:
    return Fact(label, "text", words, words)


def _describe_size(summary: Summary, least: str, most: str) -> str:
    """The tightest limits of a size as "2 to 5 items" or "at least 1 item", or ""."""
    low = max(summary.numbers(least), default=0)
    high = min(summary.numbers(most), default=None)
    if low == 0:
        return phrase(most, high)
    if high is None:
        return phrase(least, low)
    return f"{_describe_span(low, high, _count)} {plural(NOUNS[most], high)}"


def _count(value: JSON) -> str:
    return amount(dumps(value))


def _describe_span(low: JSON, high: JSON, to_text: Callable[[JSON], str] = dumps) -> str:
    if low == high:
        return f"exactly {to_text(low)}"
    return f"{to_text(low)} to {to_text(high)}"
