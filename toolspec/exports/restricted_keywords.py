"""One schema in progress for a provider that supports a subset of JSON Schema: its keywords.

A keyword that the subset lacks is explained in the description if a sentence can do so, else
dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from toolspec.conversion_report import Report
from toolspec.exports.aliases import NameRule
from toolspec.exports.merge_all_of import Flat
from toolspec.exports.type_mapping import Subset
from toolspec.schema.describe import label_sentence, sentence
from toolspec.schema.enum_labels import KEYWORDS, enum_labels
from toolspec.schema.normalize import Schema
from toolspec.schema.patterns import has_lookaround
from toolspec.text.containers import strings_of
from toolspec.text.reader import JSON

LOOKAROUND: Final = "lookaround in a `pattern`"
IRRELEVANT: Final = frozenset({"readOnly", "writeOnly"})  # to a model that fills in parameters
_INCLUSIVE: Final = {"exclusiveMinimum": ("minimum", 1), "exclusiveMaximum": ("maximum", -1)}


@dataclass(slots=True)
class Draft:
    """A schema in progress, and the sentences for its description.

    Attributes:
        flat: the keywords to write.
        done: keywords that are written already.
    """

    flat: Flat
    subset: Subset
    report: Report
    out: Schema = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)
    done: set[str] = field(default_factory=set)

    def finish(self) -> Schema:
        if self.sentences:
            self.out["description"] = with_sentences(self.out.get("description"), self.sentences)
        return self.out

    def note_rewritten(self, keyword: str, reason: str) -> None:
        self.report.rewritten(self.flat.pointer_to(keyword), reason)

    def note_dropped(self, keyword: str, reason: str) -> None:
        self.report.dropped(self.flat.pointer_to(keyword), reason)

    def add_keyword(self, keyword: str, types: list[str]) -> None:
        """Write or explain a keyword of a schema for values of `types`."""
        value = self.flat.members[keyword]
        if keyword in {"type", "$defs"} or keyword in IRRELEVANT:
            return
        if keyword in KEYWORDS and self.flat.members.get("enum"):
            self.explain(keyword, label_sentence(enum_labels(self.flat.members)))
        elif keyword == "description" or keyword in self.subset.annotations:
            self.out[keyword] = value
        elif keyword in {"enum", "const"}:
            self._add_choice(keyword, value, types)
        elif keyword == "pattern" and not self.subset.lookaround and looks_around(value):
            self.explain(keyword, sentence(keyword, value), LOOKAROUND)
        elif self._supports(keyword, value, types):
            self.out[keyword] = value
        elif not self._add_inclusive_bound(keyword, value, types):
            self.explain(keyword, sentence(keyword, value))

    def _supports(self, keyword: str, value: JSON, types: list[str]) -> bool:
        if keyword == "format":
            formats = self.subset.formats
            return isinstance(value, str) and any(value in formats.get(name, ()) for name in types)
        return any(keyword in self.subset.keywords.get(name, ()) for name in types)

    def _add_inclusive_bound(self, keyword: str, value: JSON, types: list[str]) -> bool:
        """Write an exclusive bound of integers as an inclusive one, if that is supported."""
        if types != ["integer"] or keyword not in _INCLUSIVE or not isinstance(value, int):
            return False
        bound, step = _INCLUSIVE[keyword]
        if not self._supports(bound, value, types):
            return False
        self.out.setdefault(bound, value + step)
        self.note_rewritten(keyword, f"`{keyword}` became `{bound}`.")
        return True

    def explain(self, keyword: str, words: str | None, what: str = "") -> None:
        """Explain `keyword` with `words` in the description.

        `what` is not supported; "" for the keyword itself.
        """
        pointer = self.flat.pointer_to(keyword)
        what = what or f"`{keyword}`"
        for text in explain(words, what, self.subset.label, pointer, self.report):
            if text not in self.sentences:
                self.sentences.append(text)

    def _add_choice(self, keyword: str, value: JSON, types: list[str]) -> None:
        if not self.subset.string_enums:
            self.out[keyword] = value
            return
        choices = value if keyword == "enum" and isinstance(value, list) else [value]
        choices = [choice for choice in choices if choice is not None]
        texts: list[JSON] = [choice for choice in choices if choice != ""]
        is_text = types == ["string"] and all(isinstance(choice, str) for choice in choices)
        if not texts or not is_text:
            self.explain(keyword, sentence(keyword, choices if keyword == "enum" else value))
            return
        self.out["enum"] = texts
        if len(texts) < len(choices):
            label = self.subset.label
            self.note_dropped(
                keyword, f"{label} allows no empty text in an `enum`; it was removed."
            )
        if keyword == "const":
            self.note_rewritten(keyword, "`const` became an `enum` of one value.")

    # Objects

    def require_names(self, members: dict[str, JSON]) -> set[str]:
        """The names that are required.

        Adds those that are not declared to `members`, because providers require it.
        """
        required = strings_of(self.flat.members.get("required"))
        for name in required:
            if name not in members:
                reason = f"`{name}` is required but not declared; a schema for any value was added."
                self.note_rewritten("required", reason)
                members[name] = True
        return set(required)

    def close_object(self, *, has_members: bool) -> None:
        """Write `additionalProperties` as the provider requires it."""
        keyword, label = "additionalProperties", self.subset.label
        is_declared = keyword in self.flat.members
        others = self.flat.members.get(keyword, True)
        if not self.subset.strict:
            if is_declared:
                self.note_dropped(keyword, f"{label} does not support `{keyword}`.")
            return
        self.out[keyword] = False
        reason = f"{label} allows only declared properties"
        if others is False:
            return
        if not has_members:
            self.note_dropped(keyword, f"{reason}, so only an empty object is possible.")
        elif is_declared:
            self.note_dropped(keyword, f"{reason}.")
        else:
            reason = f"`{keyword}` became false: only declared properties are allowed."
            self.note_rewritten(keyword, reason)


def looks_around(pattern: JSON) -> bool:
    """Whether the value of `pattern` is a regular expression that looks ahead or behind."""
    return isinstance(pattern, str) and has_lookaround(pattern)


def explain(words: str | None, what: str, label: str, pointer: str, report: Report) -> list[str]:
    """Report that `label` does not support `what`, which is at `pointer`.

    Returns:
        `words` in a list, for the description; [] if there are none.
    """
    if words is None:
        report.dropped(pointer, f"{label} does not support {what}.")
        return []
    reason = f"{label} does not support {what} here; the description explains it instead."
    report.rewritten(pointer, reason)
    return [words]


def with_sentences(description: JSON, sentences: list[str]) -> str:
    """`description` followed by `sentences`."""
    start = description.rstrip() if isinstance(description, str) else ""
    if start and start[-1].isalnum():
        start += "."
    return " ".join(filter(None, (start, *sentences)))


def explain_renaming(name: str, new: str, label: str, rule: NameRule) -> str:
    """The reason why a name was changed."""
    return f"{label} names may have {rule.in_words}; {name!r} was renamed to {new!r}."
