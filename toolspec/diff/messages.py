"""The code and the sentence of each difference, from the texts in `messages.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any as Anything
from typing import Final

from toolspec.diff.changes import Any, Part, path_in_words
from toolspec.diff.changes import Path as ValuePath
from toolspec.diff.conjunction import LEAST, MOST, Conjunction
from toolspec.diff.differences import NOTHING, Effect, Nothing, SchemaDifference
from toolspec.diff.keywords import NUMBERS, TYPES
from toolspec.schema.describe import (
    LIMITS,
    MAX_VALUE_CHARS,
    MAX_VALUES,
    NOUNS,
    cut,
    few,
    listed,
    phrase,
    plural,
    with_article,
)
from toolspec.text.reader import JSON, dumps

_FILE: Final = Path(__file__).with_name("messages.toml")
_LIMITS: Final = frozenset({"minimum", "maximum", *LEAST.values(), *MOST.values()})
_LONG: Final = frozenset({"description", "examples", "title"})


@cache
def _texts() -> dict[str, dict[str, Anything]]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def message_of(difference: SchemaDifference, part: Part) -> tuple[str, str]:
    """(the stable code of the change, one sentence)."""
    words = Words(difference, part)
    entries = _texts()[_row_of(difference)]
    code, sentence = (text.format_map(words) for text in entries[_entry_of(difference, entries)])
    if difference.is_conditional:
        sentence = f"In some cases: {sentence[0].lower()}{sentence[1:]}"
    if difference.times > 1:
        more = difference.times - 1
        sentence = (
            f"{sentence.removesuffix('.')} (also at {more} {plural('other position', more)})."
        )
    return code, sentence


def note_of(difference: SchemaDifference, part: Part, effect: Effect) -> str:
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
    if part == "returnType":
        note = f"response-{note}" if f"response-{note}" in notes else note
    text: str = notes[note]
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
    kind = difference.kind
    if kind == "annotation" and difference.before is NOTHING:
        return "added"
    if kind == "annotation":
        return "removed" if difference.after is NOTHING else "changed"
    if kind == "member-added":
        is_required = difference.lost and difference.subject == difference.path[-1]
        return "required" if is_required else "optional"
    if kind == "member-removed":
        return "forbidden" if difference.new.accepts_nothing else "undeclared"
    if kind in {"choice", "alternative"}:
        return "lost" if difference.is_removal else "gained"
    if kind == "listed":
        return "lost" if difference.new.choices else "gained"
    if not difference.lost:
        return "any" if kind == "type" and difference.new.types >= TYPES else "gained"
    if "vague" in entries and (not difference.path or _schema(difference.new) == _types(TYPES)):
        return "vague"
    return "both" if difference.gained and "both" in entries else "lost"


# The words of messages


@dataclass(frozen=True, slots=True)
class Words:
    """What the texts about `difference` can name.

    `subject` is the value that changed, as the first words of a sentence: "`address.zip`", or "The response"; `inline`
    is the same inside a sentence. `holder` is the value that contains it.
    """

    difference: SchemaDifference
    part: Part

    def __getitem__(self, name: str) -> str:
        text: str = getattr(self, name)
        return text

    def _value_at(self, path: ValuePath) -> str:
        return f"`{path_in_words(path)}`" if path else self._of_part("whole")

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
        return self._value_at((*self.difference.path, self.difference.subject))

    @property
    def condition(self) -> str:
        return self._value_at((*self.difference.path, self.difference.subject.partition(" ")[0]))

    @property
    def needed(self) -> str:
        return self._value_at((*self.difference.path, self.difference.subject.partition(" ")[2]))

    @property
    def noun(self) -> str:
        is_parameter = self.part == "parameters" and len(self.difference.path) == 1
        return "parameter" if is_parameter else self._of_part("field")

    @property
    def kind(self) -> str:
        return self.difference.kind

    @property
    def lost_types(self) -> str:
        return _types(self.difference.old.types - self.difference.new.types)

    @property
    def gained_types(self) -> str:
        return _types(self.difference.new.types - self.difference.old.types)

    @property
    def old_types(self) -> str:
        return listed(_type_names(self.difference.old.types)) or "nothing"

    @property
    def new_types(self) -> str:
        return listed(_type_names(self.difference.new.types)) or "nothing"

    @property
    def old_schema(self) -> str:
        return _schema(self.difference.old)

    @property
    def new_schema(self) -> str:
        return _schema(self.difference.new)

    @property
    def values(self) -> str:
        return few(self.difference.values)

    @property
    def one_of(self) -> str:
        """The values as a choice: "1", "1 or 2", "one of 1, 2, 3, 4, 5 and 3 more"."""
        if len(self.difference.values) > MAX_VALUES:
            return f"one of {few(self.difference.values)}"
        return listed([cut(dumps(value)) for value in self.difference.values]) or "nothing"

    @property
    def old_steps(self) -> str:
        return few(self.difference.old.keywords.all("multipleOf"))

    @property
    def new_steps(self) -> str:
        return few(self.difference.new.keywords.all("multipleOf"))

    @property
    def old_limit(self) -> str:
        return _limit(self.difference.old, self.kind, "had to", "had", "could have")

    @property
    def new_limit(self) -> str:
        verb = "must now" if self.difference.lost else "may now"
        return _limit(self.difference.new, self.kind, verb, "now has", "may now have")

    @property
    def before(self) -> str:
        return _shown(self.difference.before)

    @property
    def after(self) -> str:
        return _shown(self.difference.after)

    @property
    def before_text(self) -> str:
        return cut(str(self.difference.before))

    @property
    def after_text(self) -> str:
        return cut(str(self.difference.after))

    @property
    def annotation(self) -> str:
        return self.difference.subject

    @property
    def label(self) -> str:
        text: str = _texts()["labels"].get(self.annotation, f"`{self.annotation}`")
        return text

    @property
    def omission(self) -> str:
        return self._of_part("omission")


def _lower(subject: str) -> str:
    """The first words of a sentence, inside a sentence."""
    return subject if subject.startswith("`") else subject[0].lower() + subject[1:]


def _types(names: frozenset[str]) -> str:
    """Types as a choice: "a string or null"."""
    phrases = [name if name == "any value" else with_article(name) for name in _type_names(names)]
    return listed(phrases) or "nothing"


def _type_names(names: frozenset[str]) -> list[str]:
    """["boolean", "string", "null"]; ["any value"] for all types."""
    if names >= TYPES:
        return ["any value"]
    single = names - NUMBERS | {"number"} if names >= NUMBERS else names
    in_order = sorted(single, key=lambda name: (name == "null", name in {"number", *NUMBERS}, name))
    return ["number with a fraction" if name == "fraction" else name for name in in_order]


def _schema(whole: Conjunction) -> str:
    """A schema in a word or two."""
    titles = [
        title for title in whole.annotations("title") if isinstance(title, str) and title.strip()
    ]
    if titles:
        return f"“{cut(titles[-1])}”"
    return few(min(whole.choices, key=len)) if whole.choices else _types(whole.types)


def _limit(whole: Conjunction, keyword: str, be: str, have: str, may_have: str) -> str:
    """A bound or a size: "had to be at least 1", "had no lower bound"; "could have any number of items"."""
    if keyword not in NOUNS:
        return _bound(whole, keyword, be, have)
    is_least = keyword in LEAST.values()
    counts = whole.counts(keyword)
    count = (max if is_least else min)(counts, default=0)
    if not counts or (is_least and count == 0):
        return f"{may_have} any number of {plural(NOUNS[keyword], 2)}"
    return f"{be} have {phrase(keyword, count)}"


def _bound(whole: Conjunction, keyword: str, be: str, have: str) -> str:
    edge = whole.edge(lowest=keyword == "minimum")
    if edge is None:
        return f"{have} no {'lower' if keyword == 'minimum' else 'upper'} bound"
    bound, is_exclusive = edge
    number = f"{bound:f}" if abs(bound.adjusted()) < MAX_VALUE_CHARS else str(bound)
    name = f"exclusive{keyword.capitalize()}" if is_exclusive else keyword
    return f"{be} be {LIMITS[name]} {number}"


def _shown(value: JSON | Nothing) -> str:
    return "" if isinstance(value, Nothing) else cut(dumps(value))
