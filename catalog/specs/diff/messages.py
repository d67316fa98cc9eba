"""The code and the message of each type of change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from catalog.json_schema.describe import (
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
from catalog.jsontext.reader import JSON, dumps
from catalog.specs.diff.changes import Any, Part, Path, path_in_words
from catalog.specs.diff.conjunction import LEAST, MOST, Conjunction
from catalog.specs.diff.differences import NOTHING, Effect, Nothing, SchemaDifference
from catalog.specs.diff.keywords import NUMBERS, TYPES

_WHOLE: Final[Mapping[Part, str]] = {
    "definition": "The definition",
    "parameters": "The parameters",
    "returnType": "The response",
    "configuration": "The configuration",
}
_FIELDS: Final[Mapping[Part, str]] = {
    "definition": "field",
    "parameters": "field",
    "returnType": "response field",
    "configuration": "configuration field",
}


def message_of(difference: SchemaDifference, part: Part) -> tuple[str, str]:
    """(the stable code of the change, one sentence)."""
    code, sentence = _WORDINGS[difference.kind](difference, part)
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
    subject = _inline(_subject(difference.path, part))
    if difference.kind == "member-removed" and part == "returnType":
        return f"Callers that read {subject} may no longer find it, or may get another type."
    if difference.kind == "member-removed":
        return f"Callers that still send {subject} are accepted, but the tool may ignore it."
    if effect is not Effect.UNDECLARED:
        return ""
    if not difference.path:
        return "Any value was accepted before; callers that send other values are now rejected."
    if part == "returnType":
        return f"The response could already contain {subject} as an undeclared property; it may now have another type."
    return f"Undeclared properties were accepted before; callers that send other values as {subject} are now rejected."


def _direction(difference: SchemaDifference, gone: str, come: str, both: str) -> str:
    if difference.lost and difference.gained:
        return both
    return gone if difference.lost else come


# The words of messages


def _subject(path: Path, part: Part) -> str:
    """The value that a message is about: "`address.zip`", or "The response" for the whole value."""
    return f"`{path_in_words(path)}`" if path else _WHOLE[part]


def _inline(subject: str) -> str:
    """The subject inside a sentence."""
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
    return few(_choices(whole)) if whole.choices else _types(whole.types)


def _choices(whole: Conjunction) -> Sequence[JSON]:
    return min(whole.choices, key=len, default=[])


def _one_of(values: Sequence[JSON]) -> str:
    """Values as a choice: "1", "1 or 2", "one of 1, 2, 3, 4, 5 and 3 more"."""
    if len(values) > MAX_VALUES:
        return f"one of {few(values)}"
    return listed([cut(dumps(value)) for value in values]) or "nothing"


def _shown(value: JSON | Nothing) -> str:
    return "" if isinstance(value, Nothing) else cut(dumps(value))


# Types and choices


def _type(difference: SchemaDifference, part: Part) -> tuple[str, str]:
    subject = _subject(difference.path, part)
    lost = difference.old.types - difference.new.types
    gained = difference.new.types - difference.old.types
    before, after = (
        listed(_type_names(whole.types)) or "nothing" for whole in (difference.old, difference.new)
    )
    both = f"{subject} changed from {before} to {after}."
    gone = f"{subject} may no longer be {_types(lost)}."
    come = f"{subject} may now also be {_types(gained)}."
    if difference.new.types >= TYPES:
        come = f"{subject} may now have any type."
    return "type-changed", _direction(difference, gone, come, both)


def _choice(difference: SchemaDifference, part: Part) -> tuple[str, str]:
    subject = _subject(difference.path, part)
    if difference.is_removal:
        return "choice-removed", f"{subject} may no longer be {few(difference.values)}."
    return "choice-added", f"{subject} may now also be {few(difference.values)}."


def _list_sentence(difference: SchemaDifference, part: Part) -> tuple[str, str]:
    subject = _subject(difference.path, part)
    if difference.new.choices:
        return "list-added", f"{subject} must now be {_one_of(difference.values)}."
    return "list-removed", f"{subject} is no longer limited to {_one_of(difference.values)}."


def _alternative(difference: SchemaDifference, part: Part) -> tuple[str, str]:
    subject = _subject(difference.path, part)
    if difference.is_removal:
        return "alternative-removed", f"{subject} may no longer be {_schema(difference.old)}."
    return "alternative-added", f"{subject} may now also be {_schema(difference.new)}."


def _description_sentence(difference: SchemaDifference, part: Part) -> tuple[str, str]:
    subject = _subject(difference.path, part)
    if not difference.path:
        gone = f"{subject} could have any value before and now has constraints."
        return "described", _direction(difference, gone, f"{subject} may now have any value.", gone)
    if difference.path[-1] is Any.MEMBER:
        whole = _subject(difference.path[:-1], part)
        gone = f"Undeclared properties of {_inline(whole)} must now be {_schema(difference.new)}."
        come = f"Undeclared properties of {_inline(whole)} may now have any value."
        return "other-members-changed", _direction(difference, gone, come, gone)
    gone = f"{subject} could have any value before and must now be {_schema(difference.new)}."
    if _schema(difference.new) == _types(TYPES):
        gone = f"{subject} could have any value before and now has constraints."
    return "described", _direction(difference, gone, f"{subject} may now have any value.", gone)


def _forbidden(difference: SchemaDifference, part: Part) -> tuple[str, str]:
    if difference.path and difference.path[-1] is Any.MEMBER:
        whole = _subject(difference.path[:-1], part)
        gone = f"{whole} no longer allows undeclared properties."
        return "other-members-changed", _direction(
            difference, gone, f"{whole} now allows undeclared properties.", gone
        )
    if difference.path and difference.path[-1] is Any.ITEM:
        whole = _subject(difference.path[:-1], part)
        gone, come = (
            f"{whole} no longer allows additional items.",
            f"{whole} now allows additional items.",
        )
        return "other-items-changed", _direction(difference, gone, come, gone)
    subject = _subject(difference.path, part)
    gone = f"{subject} is no longer allowed."
    return "forbidden-changed", _direction(difference, gone, f"{subject} is now allowed.", gone)


# Numbers, strings, sizes


def _bound(*, lowest: bool) -> Callable[[SchemaDifference, Part], tuple[str, str]]:
    name = "minimum" if lowest else "maximum"

    def wording(difference: SchemaDifference, part: Part) -> tuple[str, str]:
        before = _edge(difference.old, "had to be", "had", lowest=lowest)
        verb = "must" if difference.lost else "may"
        after = _edge(difference.new, f"{verb} now be", "now has", lowest=lowest)
        return f"{name}-changed", f"{_subject(difference.path, part)} {after}; before, it {before}."

    return wording


def _edge(whole: Conjunction, be: str, have: str, *, lowest: bool) -> str:
    edge = whole.edge(lowest=lowest)
    if edge is None:
        return f"{have} no {'lower' if lowest else 'upper'} bound"
    number = f"{edge[0]:f}" if abs(edge[0].adjusted()) < MAX_VALUE_CHARS else str(edge[0])
    name = "minimum" if lowest else "maximum"
    return f"{be} {LIMITS[f'exclusive{name.capitalize()}' if edge[1] else name]} {number}"


def _multiple(difference: SchemaDifference, part: Part) -> tuple[str, str]:
    subject = _subject(difference.path, part)
    before, after = (
        few(whole.keywords.all("multipleOf")) for whole in (difference.old, difference.new)
    )
    gone = f"{subject} must now be a multiple of {after}."
    come = f"{subject} no longer has to be a multiple of {before}."
    return "multiple-changed", _direction(difference, gone, come, gone)


def _size(keyword: str) -> Callable[[SchemaDifference, Part], tuple[str, str]]:
    lowest = keyword in LEAST.values()
    pick: Callable[[Iterable[int]], int] = max if lowest else min

    def counted(whole: Conjunction, must: str, may: str) -> str:
        counts = whole.counts(keyword)
        if not counts or (lowest and pick(counts) == 0):
            return f"{may} any number of {plural(NOUNS[keyword], 2)}"
        return f"{must} {phrase(keyword, pick(counts))}"

    def wording(difference: SchemaDifference, part: Part) -> tuple[str, str]:
        verb = "must" if difference.lost else "may"
        after = counted(difference.new, f"{verb} now have", "may now have")
        before = counted(difference.old, "had to have", "could have")
        return (
            f"{keyword}-changed",
            f"{_subject(difference.path, part)} {after}; before, it {before}.",
        )

    return wording


def _string_rule(keyword: str, verb: str) -> Callable[[SchemaDifference, Part], tuple[str, str]]:
    def wording(difference: SchemaDifference, part: Part) -> tuple[str, str]:
        subject = _subject(difference.path, part)
        after, before = cut(str(difference.after)), cut(str(difference.before))
        gone = f"{subject} must now {verb} `{after}`."
        come = f"{subject} no longer has to {verb} `{before}`."
        both = f"{subject} must now {verb} `{after}`; before, it was `{before}`."
        return f"{keyword}-changed", _direction(difference, gone, come, both)

    return wording


# Members and items


def _required_sentence(difference: SchemaDifference, part: Part) -> tuple[str, str]:
    subject = _subject((*difference.path, difference.subject), part)
    if difference.lost:
        return "required-added", f"{subject} is now required."
    return "required-removed", f"{subject} is no longer required."


def _needed_sentence(difference: SchemaDifference, part: Part) -> tuple[str, str]:
    name, _, needed = difference.subject.partition(" ")
    one, other = (_subject((*difference.path, member), part) for member in (name, needed))
    if difference.lost:
        return "needed-added", f"If {one} is given, {other} must now be given too."
    return "needed-removed", f"If {one} is given, {other} no longer has to be given."


def _member_added(difference: SchemaDifference, part: Part) -> tuple[str, str]:
    name = difference.path[-1]
    required = bool(difference.lost) and difference.subject == name
    adjective = "required" if required else "optional"
    noun = "parameter" if part == "parameters" and len(difference.path) == 1 else _FIELDS[part]
    return "member-added", f"New {adjective} {noun} {_subject(difference.path, part)}."


def _member_removed(difference: SchemaDifference, part: Part) -> tuple[str, str]:
    subject = _subject(difference.path, part)
    if difference.new.accepts_nothing:
        return "member-removed", f"{subject} was removed and is no longer allowed."
    return "member-removed", f"{subject} is no longer declared."


# The rest, and annotations


def _plainly(
    code: str, gone: str, come: str, both: str
) -> Callable[[SchemaDifference, Part], tuple[str, str]]:
    def wording(difference: SchemaDifference, part: Part) -> tuple[str, str]:
        return code, f"{_subject(difference.path, part)} {_direction(difference, gone, come, both)}"

    return wording


def _annotation(difference: SchemaDifference, part: Part) -> tuple[str, str]:
    subject = _inline(_subject(difference.path, part))
    label = _LABELS.get(difference.subject, f"`{difference.subject}`")
    if difference.subject in _LONG:
        verb = (
            "was added"
            if difference.before is NOTHING
            else "was removed"
            if difference.after is NOTHING
            else "changed"
        )
        return f"{difference.subject}-changed", f"The {label} of {subject} {verb}."
    before, after = (_shown(value) for value in (difference.before, difference.after))
    if difference.before is NOTHING:
        sentence = f"The {label} of {subject} is now {after}; it had none before."
    elif difference.after is NOTHING:
        sentence = f"The {label} of {subject} ({before}) was removed."
    else:
        sentence = f"The {label} of {subject} changed from {before} to {after}."
    if difference.subject == "default":
        effect = _ABSENT if part == "returnType" else _OMITTED
        sentence = f"{sentence.removesuffix('.')}: {effect}."
    return f"{difference.subject}-changed", sentence


_OMITTED: Final = "a caller that omits it may now get something else"
_ABSENT: Final = "where a response omits it, readers may now assume something else"


_LABELS: Final = {
    "default": "default",
    "deprecated": "`deprecated` flag",
    "description": "description",
    "examples": "list of examples",
    "format": "format",
    "readOnly": "`readOnly` flag",
    "title": "title",
    "writeOnly": "`writeOnly` flag",
}
_LONG: Final = frozenset({"description", "examples", "title"})

_WORDINGS: Final[Mapping[str, Callable[[SchemaDifference, Part], tuple[str, str]]]] = {
    "alternative": _alternative,
    "choice": _choice,
    "described": _description_sentence,
    "forbidden": _forbidden,
    "listed": _list_sentence,
    "type": _type,
    "minimum": _bound(lowest=True),
    "maximum": _bound(lowest=False),
    "multiple": _multiple,
    **{keyword: _size(keyword) for keyword in (*LEAST.values(), *MOST.values())},
    "format": _string_rule("format", "have the format"),
    "pattern": _string_rule("pattern", "match the pattern"),
    "required": _required_sentence,
    "needed": _needed_sentence,
    "member-added": _member_added,
    "member-removed": _member_removed,
    "annotation": _annotation,
    "contains": _plainly(
        "contains-changed",
        "must now contain certain items that were not required before.",
        "no longer has to contain certain items.",
        "must contain different items than before.",
    ),
    "exclusive": _plainly(
        "alternatives-changed",
        "may no longer match more than one alternative of `oneOf`.",
        "may now match more than one alternative; before, exactly one had to match (`oneOf`).",
        "has alternatives of `oneOf` that overlap differently than before.",
    ),
    "maxContains": _plainly(
        "contains-changed",
        "may contain fewer items that match `contains`.",
        "may contain more items that match `contains`.",
        "may contain a different number of items that match `contains`.",
    ),
    "names": _plainly(
        "names-changed",
        "allows fewer names for undeclared properties.",
        "allows more names for undeclared properties.",
        "allows different names for undeclared properties.",
    ),
    "not": _plainly(
        "not-changed",
        "now excludes some values by `not` that were allowed before.",
        "now allows some values that `not` excluded before.",
        "excludes different values by `not` than before.",
    ),
    "unclear": _plainly(
        "unclear", *["has a schema that cannot be compared with the previous one."] * 3
    ),
    "unevaluated": _plainly(
        "unevaluated-changed",
        "allows fewer undeclared properties or items.",
        "allows more undeclared properties or items.",
        "allows different undeclared properties or items.",
    ),
    "unique": _plainly(
        "unique-changed",
        "may no longer contain duplicate items.",
        "may now contain duplicate items.",
        "has a different rule for duplicate items.",
    ),
}
