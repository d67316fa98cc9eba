"""The code and the message of each type of change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from catalog.json_schema.describe import LIMITS, MAX_VALUE_CHARS, NOUNS, cut, few, listed, phrase, with_article
from catalog.jsontext.reader import JSON, dumps
from catalog.specs.diff.annotations import NOTHING, Nothing
from catalog.specs.diff.changes import Any, Part, Path, place_of
from catalog.specs.diff.conjunction import Together
from catalog.specs.diff.differences import DetectedDifference
from catalog.specs.diff.keywords import KINDS, NUMBERS
from catalog.specs.diff.obstacles import Obstacle
from catalog.specs.diff.ranges import LEAST, MOST, is_integral, number_edge

_WHOLE: Final[Mapping[Part, str]] = {
    "definition": "The definition",
    "parameters": "The parameters object",
    "returnType": "The response",
    "configuration": "The configuration",
}


def message_of(finding: DetectedDifference, part: Part) -> tuple[str, str]:
    """(the stable code of the change, one sentence)."""
    code, sentence = _WORDINGS[finding.kind](finding, part)
    if finding.is_conditional:
        sentence = f"Where a condition holds: {sentence[0].lower()}{sentence[1:]}"
    if finding.times > 1:
        sentence = f"{sentence.removesuffix('.')} (and so at {finding.times - 1} other places)."
    return code, sentence


def _direction(finding: DetectedDifference, gone: str, come: str, both: str) -> str:
    if finding.lost is not None and finding.gained is not None:
        return both
    return gone if finding.lost is not None else come


# The words of messages


def _subject(path: Path, part: Part) -> str:
    """The value that a message is about: "`address.zip`", or "The response" for the whole of it."""
    return f"`{place_of(path)}`" if path else _WHOLE[part]


def _inline(subject: str) -> str:
    """The subject inside a sentence."""
    return subject if subject.startswith("`") else subject[0].lower() + subject[1:]


def _types(names: frozenset[str]) -> str:
    """Types as a choice: "a string or null"."""
    if names >= KINDS:
        return "anything"
    single = names - NUMBERS | {"number"} if names >= NUMBERS else names
    in_order = sorted(single, key=lambda name: (name == "null", name in {"number", *NUMBERS}, name))
    phrases = ["a number with a fraction" if name == "fraction" else with_article(name) for name in in_order]
    return listed(phrases) or "nothing"


def _schema(whole: Together) -> str:
    """A schema in a word or two."""
    titles = [title for title in whole.annotations("title") if isinstance(title, str) and title.strip()]
    if titles:
        return f"“{cut(titles[-1])}”"
    return few(_choices(whole)) if whole.choices else _types(whole.kinds)


def _choices(whole: Together) -> Sequence[JSON]:
    return min(whole.choices, key=len, default=[])


def _shown(value: JSON | Nothing) -> str:
    return "" if isinstance(value, Nothing) else cut(dumps(value))


# Types and choices


def _type(finding: DetectedDifference, part: Part) -> tuple[str, str]:
    subject = _subject(finding.path, part)
    lost, gained = (_lost_types(side) for side in (finding.lost, finding.gained))
    both = f"{subject} was {_types(finding.old.kinds)}, and is {_types(finding.new.kinds)} now."
    gone = f"{subject} may no longer be {_types(lost)}."
    come = f"{subject} may also be {_types(gained)} now."
    if finding.new.kinds >= KINDS:
        come = f"{subject} may be of any type now."
    return "type-changed", _direction(finding, gone, come, both)


def _lost_types(obstacle: Obstacle | None) -> frozenset[str]:
    return frozenset() if obstacle is None else obstacle.giver.kinds - obstacle.taker.kinds


def _choice(finding: DetectedDifference, part: Part) -> tuple[str, str]:
    subject = _subject(finding.path, part)
    if finding.lost is not None:
        return "choice-removed", f"{subject} may no longer be {few(finding.lost.values)}."
    return "choice-added", f"{subject} may also be {few(finding.gained.values if finding.gained else ())} now."


def _listed(finding: DetectedDifference, part: Part) -> tuple[str, str]:
    subject = _subject(finding.path, part)
    if finding.lost is not None:
        return "list-added", f"{subject} has to be one of {few(_choices(finding.new))} now."
    return "list-removed", f"{subject} is no longer bound to {few(_choices(finding.old))}."


def _alternative(finding: DetectedDifference, part: Part) -> tuple[str, str]:
    subject = _subject(finding.path, part)
    if finding.lost is not None:
        return "alternative-removed", f"{subject} may no longer be {_schema(finding.old)}."
    return "alternative-added", f"{subject} may also be {_schema(finding.new)} now."


def _described(finding: DetectedDifference, part: Part) -> tuple[str, str]:
    subject = _subject(finding.path, part)
    if not finding.path:
        gone = f"{subject} had no schema that refuses anything, and has one now."
        return "described", _direction(finding, gone, f"{subject} may be anything now.", gone)
    if finding.path[-1] is Any.MEMBER:
        whole = _subject(finding.path[:-1], part)
        gone = f"Members of {_inline(whole)} that it does not declare have to be {_schema(finding.new)} now."
        come = f"Members of {_inline(whole)} that it does not declare may be anything now."
        return "other-members-changed", _direction(finding, gone, come, gone)
    gone = f"{subject} could be anything, and has to be {_schema(finding.new)} now."
    if _schema(finding.new) == _types(KINDS):
        gone = f"{subject} could be anything, and not any more."
    return "described", _direction(finding, gone, f"{subject} may be anything now.", gone)


def _forbidden(finding: DetectedDifference, part: Part) -> tuple[str, str]:
    if finding.path and finding.path[-1] is Any.MEMBER:
        whole = _subject(finding.path[:-1], part)
        gone = f"{whole} no longer takes members that it does not declare."
        return "other-members-changed", _direction(
            finding, gone, f"{whole} takes members now that it does not declare.", gone
        )
    if finding.path and finding.path[-1] is Any.ITEM:
        whole = _subject(finding.path[:-1], part)
        gone, come = f"{whole} takes no further items any more.", f"{whole} takes further items now."
        return "other-items-changed", _direction(finding, gone, come, gone)
    subject = _subject(finding.path, part)
    gone = f"{subject} is not allowed any more."
    return "forbidden-changed", _direction(finding, gone, f"{subject} is allowed now.", gone)


# Numbers, strings, sizes


def _bound(*, lowest: bool) -> Callable[[DetectedDifference, Part], tuple[str, str]]:
    name = "minimum" if lowest else "maximum"

    def wording(finding: DetectedDifference, part: Part) -> tuple[str, str]:
        before = _edge(finding.old, "was", "had", lowest=lowest)
        after = _edge(finding.new, "is", "has", lowest=lowest)
        return f"{name}-changed", f"{_subject(finding.path, part)} {after} now; before, it {before}."

    return wording


def _edge(whole: Together, be: str, have: str, *, lowest: bool) -> str:
    edge = number_edge(whole, lowest=lowest, integers=is_integral(whole))
    if edge is None:
        return f"{have} no {'lower' if lowest else 'upper'} bound"
    number = f"{edge[0]:f}" if abs(edge[0].adjusted()) < MAX_VALUE_CHARS else str(edge[0])
    name = "minimum" if lowest else "maximum"
    return f"{be} {LIMITS[f'exclusive{name.capitalize()}' if edge[1] else name]} {number}"


def _multiple(finding: DetectedDifference, part: Part) -> tuple[str, str]:
    subject = _subject(finding.path, part)
    before, after = (few(whole.values("multipleOf")) for whole in (finding.old, finding.new))
    gone = f"{subject} has to be a multiple of {after} now."
    come = f"{subject} need no longer be a multiple of {before}."
    return "multiple-changed", _direction(finding, gone, come, gone)


def _size(keyword: str) -> Callable[[DetectedDifference, Part], tuple[str, str]]:
    lowest = keyword in LEAST.values()
    pick: Callable[[Iterable[int]], int] = max if lowest else min

    def counted(whole: Together) -> str:
        counts = whole.counts(keyword)
        if not counts or (lowest and pick(counts) == 0):
            return f"any number of {NOUNS[keyword]}s"
        return phrase(keyword, pick(counts))

    def wording(finding: DetectedDifference, part: Part) -> tuple[str, str]:
        sentence = (
            f"{_subject(finding.path, part)} has {counted(finding.new)} now; before, it had {counted(finding.old)}."
        )
        return f"{keyword}-changed", sentence

    return wording


def _text_rule(keyword: str) -> Callable[[DetectedDifference, Part], tuple[str, str]]:
    def wording(finding: DetectedDifference, part: Part) -> tuple[str, str]:
        subject = _subject(finding.path, part)
        after = cut(finding.lost.subject) if finding.lost else ""
        before = cut(finding.gained.subject) if finding.gained else ""
        gone = f"{subject} has to be of the {keyword} `{after}` now."
        come = f"{subject} need no longer be of the {keyword} `{before}`."
        both = f"{subject} was of the {keyword} `{before}`, and has to be of `{after}` now."
        return f"{keyword}-changed", _direction(finding, gone, come, both)

    return wording


# Members and items


def _required(finding: DetectedDifference, part: Part) -> tuple[str, str]:
    subject = _subject((*finding.path, finding.subject), part)
    if finding.lost is not None:
        return "required-added", f"{subject} is required now."
    return "required-removed", f"{subject} is no longer required."


def _needed(finding: DetectedDifference, part: Part) -> tuple[str, str]:
    name, _, needed = finding.subject.partition(" ")
    one, other = (_subject((*finding.path, member), part) for member in (name, needed))
    if finding.lost is not None:
        return "needed-added", f"Where {one} is given, {other} has to be given now."
    return "needed-removed", f"Where {one} is given, {other} need no longer be given."


def _member_added(finding: DetectedDifference, part: Part) -> tuple[str, str]:
    name = finding.path[-1]
    required = finding.lost is not None and finding.lost.kind == "required" and finding.lost.subject == name
    sentence = f"{_subject(finding.path, part)} is new, and {'required' if required else 'optional'}."
    if finding.lost is not None and finding.lost.undeclared and part != "returnType":
        sentence += " It was not declared before, so a caller who sent something else under this name is refused now."
    return "member-added", sentence


def _member_removed(finding: DetectedDifference, part: Part) -> tuple[str, str]:
    subject = _subject(finding.path, part)
    if finding.lost is not None and finding.lost.kind == "forbidden":
        return "member-removed", f"{subject} is gone, and not allowed any more."
    sentence = f"{subject} is no longer described."
    if finding.gained is not None and finding.gained.undeclared:
        sentence += " Whatever stands there is accepted now."
    return "member-removed", sentence


# The rest, and annotations


def _plainly(code: str, gone: str, come: str, both: str) -> Callable[[DetectedDifference, Part], tuple[str, str]]:
    def wording(finding: DetectedDifference, part: Part) -> tuple[str, str]:
        return code, f"{_subject(finding.path, part)} {_direction(finding, gone, come, both)}"

    return wording


def _annotation(finding: DetectedDifference, part: Part) -> tuple[str, str]:
    assert finding.note is not None  # noqa: S101 - a difference of this kind has a note
    note, subject = finding.note, _inline(_subject(finding.path, part))
    label = _LABELS.get(note.subject, f"`{note.subject}`")
    if note.subject in _LONG:
        verb = "was added" if note.before is NOTHING else "was removed" if note.after is NOTHING else "changed"
        return f"{note.subject}-changed", f"The {label} of {subject} {verb}."
    before, after = (_shown(value) for value in (note.before, note.after))
    if note.before is NOTHING:
        return f"{note.subject}-changed", f"The {label} of {subject} is {after} now; before, there was none."
    if note.after is NOTHING:
        return f"{note.subject}-changed", f"The {label} of {subject}, {before}, was removed."
    return f"{note.subject}-changed", f"The {label} of {subject} changed from {before} to {after}."


_LABELS: Final = {
    "default": "default",
    "deprecated": "`deprecated` mark",
    "description": "description",
    "examples": "list of examples",
    "format": "format",
    "readOnly": "`readOnly` mark",
    "title": "title",
    "writeOnly": "`writeOnly` mark",
}
_LONG: Final = frozenset({"description", "examples", "title"})

_WORDINGS: Final[Mapping[str, Callable[[DetectedDifference, Part], tuple[str, str]]]] = {
    "alternative": _alternative,
    "choice": _choice,
    "described": _described,
    "forbidden": _forbidden,
    "listed": _listed,
    "type": _type,
    "minimum": _bound(lowest=True),
    "maximum": _bound(lowest=False),
    "multiple": _multiple,
    **{keyword: _size(keyword) for keyword in (*LEAST.values(), *MOST.values())},
    "format": _text_rule("format"),
    "pattern": _text_rule("pattern"),
    "required": _required,
    "needed": _needed,
    "member-added": _member_added,
    "member-removed": _member_removed,
    "annotation": _annotation,
    "contains": _plainly(
        "contains-changed",
        "has to contain items now that it need not contain before.",
        "need no longer contain certain items.",
        "has to contain other items than before.",
    ),
    "exclusive": _plainly(
        "alternatives-changed",
        "may fit more than one of its alternatives now, of which exactly one has to hold.",
        "may fit more than one of its alternatives, of which exactly one had to hold.",
        "has alternatives that exclude each other in another way.",
    ),
    "maxContains": _plainly(
        "contains-changed",
        "may hold fewer items of a certain form.",
        "may hold more items of a certain form.",
        "may hold another number of items of a certain form.",
    ),
    "names": _plainly(
        "names-changed",
        "takes fewer names for members that it does not declare.",
        "takes more names for members that it does not declare.",
        "takes other names for members that it does not declare.",
    ),
    "not": _plainly(
        "not-changed",
        "may not have a form now that was allowed.",
        "may have a form now that was ruled out.",
        "may not have another form than before.",
    ),
    "unclear": _plainly("unclear", *["has a schema that cannot be compared with the one before."] * 3),
    "unevaluated": _plainly(
        "unevaluated-changed",
        "may no longer hold all that it could hold besides what is described.",
        "may hold more besides what is described.",
        "may hold something else besides what is described.",
    ),
    "unique": _plainly(
        "unique-changed", "may no longer hold an item twice.", "may hold an item twice now.", "may hold an item twice."
    ),
}
