"""The code and the sentence of each difference, from the texts in `messages.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any as Anything
from typing import Final

from toolspec.diff.changes import Any, Part, path_in_words
from toolspec.diff.changes import Path as ValuePath
from toolspec.diff.conjunction import Conjunction
from toolspec.diff.differences import NOTHING, Effect, Nothing, SchemaDifference
from toolspec.diff.keywords import NUMBERS, TYPES, find_annotations
from toolspec.diff.limits import LEAST, MOST, counts_of, edge_of
from toolspec.schema.describe import (
    LIMITS,
    MAX_VALUE_CHARS,
    MAX_VALUES,
    NOUNS,
    cut,
    join_words,
    list_few,
    phrase,
    plural,
    with_article,
)
from toolspec.text.containers import strings_of
from toolspec.text.reader import JSON, dumps

_FILE: Final = Path(__file__).with_name("messages.toml")
_LIMITS: Final = frozenset({"minimum", "maximum", *LEAST.values(), *MOST.values()})
_LONG: Final = frozenset({"description", "examples", "title"})


@cache
def _texts() -> dict[str, dict[str, Anything]]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def write_message(difference: SchemaDifference, part: Part) -> tuple[str, str]:
    """(the stable code of the change, one sentence)."""
    words = Words(difference, part)
    entries = _texts()[_row_of(difference)]
    code, sentence = (text.format_map(words) for text in entries[_entry_of(difference, entries)])
    if difference.is_conditional:
        sentence = f"In some cases: {sentence[0].lower()}{sentence[1:]}"
    if difference.times > 1:
        more = difference.times - 1
        sentence = sentence.removesuffix(".")
        sentence += f" (also at {more} {plural('other position', more)})."
    return code, sentence


def write_note(difference: SchemaDifference, part: Part, effect: Effect) -> str:
    """Which callers a difference may affect although it is not breaking, as a sentence; "" if none.

    Args:
        difference: the difference.
        part: the part of the spec that it is in.
        effect: which values break callers, without conventions.
    """
    if difference.kind == "member-removed":
        note = "member-removed"
    elif effect is not Effect.UNDECLARED:
        return ""
    else:
        note = "undeclared" if difference.path else "whole"
    notes = _texts()["notes"]
    text: str = notes[note]
    if part == "returnType":
        text = notes.get(f"response-{note}", text)
    return text.strip().format_map(Words(difference, part))


def _row_of(difference: SchemaDifference) -> str:
    """The table of `messages.toml` that has the texts."""
    kind, last = difference.kind, difference.path[-1:]
    if kind in _LIMITS:
        return "limit"
    if kind == "annotation" and difference.subject == "default":
        return "default"
    if kind == "annotation" and difference.subject in _LONG:
        return "long-annotation"
    if kind in {"described", "forbidden"} and last == (Any.MEMBER,):
        return f"{kind}-members"
    if kind == "forbidden" and last == (Any.ITEM,):
        return "forbidden-items"
    return kind


def _entry_of(difference: SchemaDifference, entries: dict[str, Anything]) -> str:
    kind, new = difference.kind, difference.new
    if kind == "annotation":
        if difference.before is NOTHING:
            return "added"
        return "removed" if difference.after is NOTHING else "changed"
    if kind == "member-added":
        is_required = difference.lost and difference.subject == difference.path[-1]
        return "required" if is_required else "optional"
    if kind == "member-removed":
        return "forbidden" if new.accepts_nothing else "undeclared"
    if kind in {"choice", "alternative"}:
        return "lost" if difference.is_removal else "gained"
    if kind == "listed":
        return "lost" if new.choices else "gained"
    if not difference.lost:
        return "any" if kind == "type" and new.types >= TYPES else "gained"
    if "vague" in entries and (not difference.path or _schema(new) == "any value"):
        return "vague"
    return "both" if difference.gained and "both" in entries else "lost"


# The words of messages


@dataclass(frozen=True, slots=True)
class Words:
    """What the texts about `difference` can name.

    `subject` is the value that changed, as the first words of a sentence: "`address.zip`", or "The
    response"; `inline` is the same inside a sentence. `holder` is the value that contains it.
    """

    difference: SchemaDifference
    part: Part

    def __getitem__(self, name: str) -> str:
        write = SCHEMA_WORDS.get(name)
        text: str = write(self.difference) if write else getattr(self, name)
        return text

    def _value_at(self, path: ValuePath) -> str:
        return f"`{path_in_words(path)}`" if path else self._of_part("whole")

    def _member_of_value(self, name: str) -> str:
        return self._value_at((*self.difference.path, name))

    def _of_part(self, word: str) -> str:
        text: str = _texts()["parts"][self.part][word]
        return text

    @property
    def subject(self) -> str:
        return self._value_at(self.difference.path)

    @property
    def inline(self) -> str:
        return _lower(self.subject)

    @property
    def holder(self) -> str:
        return self._value_at(self.difference.path[:-1])

    @property
    def holder_inline(self) -> str:
        return _lower(self.holder)

    @property
    def member(self) -> str:
        return self._member_of_value(self.difference.subject)

    @property
    def condition(self) -> str:
        return self._member_of_value(self.difference.subject.partition(" ")[0])

    @property
    def needed(self) -> str:
        return self._member_of_value(self.difference.subject.partition(" ")[2])

    @property
    def noun(self) -> str:
        is_parameter = self.part == "parameters" and len(self.difference.path) == 1
        return "parameter" if is_parameter else self._of_part("field")

    @property
    def omission(self) -> str:
        return self._of_part("omission")


def _lower(subject: str) -> str:
    """The first words of a sentence, inside a sentence."""
    return subject if subject.startswith("`") else subject[0].lower() + subject[1:]


def _label(difference: SchemaDifference) -> str:
    """The name of an annotation in a sentence."""
    name = difference.subject
    text: str = _texts()["labels"].get(name, f"`{name}`")
    return text


def _choose_value(difference: SchemaDifference) -> str:
    """The values as a choice: "1", "1 or 2", "one of 1, 2, 3, 4, 5 and 3 more"."""
    values = difference.values
    if len(values) > MAX_VALUES:
        return f"one of {list_few(values)}"
    return join_words([cut(dumps(value)) for value in values]) or "nothing"


def _types(names: frozenset[str]) -> str:
    """Types as a choice: "a string or null"."""
    phrases = []
    for name in _type_names(names):
        phrases.append(name if name == "any value" else with_article(name))
    return join_words(phrases) or "nothing"


def _bare_types(names: frozenset[str]) -> str:
    """The same without articles: "string or null"."""
    return join_words(_type_names(names)) or "nothing"


def _type_names(names: frozenset[str]) -> list[str]:
    """["boolean", "string", "null"]; ["any value"] for all types."""
    if names >= TYPES:
        return ["any value"]
    in_order = sorted(names - NUMBERS - {"null"})
    if names >= NUMBERS:
        in_order.append("number")
    elif "integer" in names:
        in_order.append("integer")
    elif "fraction" in names:
        in_order.append("number with a fraction")
    if "null" in names:
        in_order.append("null")
    return in_order


def _schema(conjunction: Conjunction) -> str:
    """A schema in a word or two."""
    titles = strings_of(find_annotations(conjunction.subschemas, "title"))
    titles = [title for title in titles if title.strip()]
    if titles:
        return f"“{cut(titles[-1])}”"
    if conjunction.choices:
        return list_few(min(conjunction.choices, key=len))
    return _types(conjunction.types)


def _old_limit(difference: SchemaDifference) -> str:
    """A bound or a size before: "had to be at least 1", "could have any number of items"."""
    return _limit(difference.old, difference.kind, "had to", "had", "could have")


def _new_limit(difference: SchemaDifference) -> str:
    verb = "must now" if difference.lost else "may now"
    return _limit(difference.new, difference.kind, verb, "now has", "may now have")


def _limit(conjunction: Conjunction, keyword: str, be: str, have: str, may_have: str) -> str:
    if keyword not in NOUNS:
        return _bound(conjunction, keyword, be, have)
    counts = counts_of(conjunction, keyword)
    is_least = keyword in LEAST.values()
    count = max(counts, default=0) if is_least else min(counts, default=0)
    if not counts or (is_least and count == 0):
        return f"{may_have} any number of {plural(NOUNS[keyword], 2)}"
    return f"{be} have {phrase(keyword, count)}"


def _bound(conjunction: Conjunction, keyword: str, be: str, have: str) -> str:
    is_lowest = keyword == "minimum"
    edge = edge_of(conjunction, lowest=is_lowest)
    if edge is None:
        side = "lower" if is_lowest else "upper"
        return f"{have} no {side} bound"
    bound, is_exclusive = edge
    number = f"{bound:f}" if abs(bound.adjusted()) < MAX_VALUE_CHARS else str(bound)
    name = f"exclusive{keyword.capitalize()}" if is_exclusive else keyword
    return f"{be} be {LIMITS[name]} {number}"


def _as_json(value: JSON | Nothing) -> str:
    return "" if isinstance(value, Nothing) else cut(dumps(value))


# The words that name the schemas.
SCHEMA_WORDS: Final[Mapping[str, Callable[[SchemaDifference], str]]] = {
    "kind": lambda difference: difference.kind,
    "annotation": lambda difference: difference.subject,
    "label": _label,
    "lost_types": lambda difference: _types(difference.old.types - difference.new.types),
    "gained_types": lambda difference: _types(difference.new.types - difference.old.types),
    "old_types": lambda difference: _bare_types(difference.old.types),
    "new_types": lambda difference: _bare_types(difference.new.types),
    "old_schema": lambda difference: _schema(difference.old),
    "new_schema": lambda difference: _schema(difference.new),
    "values": lambda difference: list_few(difference.values),
    "one_of": _choose_value,
    "old_steps": lambda difference: list_few(difference.old.keywords.all("multipleOf")),
    "new_steps": lambda difference: list_few(difference.new.keywords.all("multipleOf")),
    "old_limit": _old_limit,
    "new_limit": _new_limit,
    "before": lambda difference: _as_json(difference.before),
    "after": lambda difference: _as_json(difference.after),
    "before_text": lambda difference: cut(str(difference.before)),
    "after_text": lambda difference: cut(str(difference.after)),
}
