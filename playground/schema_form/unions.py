"""Branches of `oneOf` and `anyOf`: which one fits a value, and its label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

from playground.schema_form.choices import Choices
from playground.schema_form.schemas import Kinds, is_integer, types_in_words
from playground.schema_form.values import ABSENT, Absent, Maybe
from toolspec.schema.applicable import Impossible, gather
from toolspec.schema.summary import Summary
from toolspec.schema.validation import Subschema
from toolspec.schema.validation.equality import canonical
from toolspec.text.containers import members_of, strings_of
from toolspec.text.reader import JSON

MAX_DEPTH = 8
MAX_TAG_VALUES = 20  # of one member in one branch
MAX_TAG_DEPTH = 3  # members within members
MAX_TAGS = 50  # of one branch

Tags = dict[tuple[str, ...], frozenset[str]]
"""The values that a branch allows for members, by their names from the outside, as `canonical` texts."""


class Branches:
    """Chooses and labels branches; the members that distinguish them are cached for one page."""

    def __init__(
        self, kinds: Kinds, choices: Choices, is_valid: Callable[[Subschema, JSON], bool | None]
    ) -> None:
        self._kinds = kinds
        self._choices = choices
        self._is_valid = is_valid
        self._known_tags: dict[tuple[object, int], Tags] = {}

    def choose(self, options: Sequence[Subschema], value: Maybe, defaults: JSON = None) -> int:
        """The index of the branch that fits `value` best.

        Members with fixed values in the branches decide first. Otherwise the branches are tried in
        order of how many of the value's members they declare, then of whether their tags agree with
        the `defaults` of members, and the first valid one wins. Later requests post the chosen
        index.
        """
        if isinstance(value, Absent):
            return next(
                (index for index, option in enumerate(options) if self.agrees(option, defaults)), 0
            )
        indexes = self._by_tags(options, value)
        if len(indexes) == 1:
            return indexes[0]

        def unlikeness(index: int) -> tuple[int, bool]:
            return -self._likeness(options[index], value), not self.agrees(options[index], defaults)

        by_likeness = sorted(indexes, key=unlikeness)
        return next(
            (index for index in by_likeness if self._is_valid(options[index], value)),
            by_likeness[0],
        )

    def follow(self, options: Sequence[Subschema], value: Maybe, chosen: int) -> int:
        """The index of the branch that the tags of `value` name.

        `chosen` unless they contradict that one.
        """
        if isinstance(value, Absent) or self.agrees(options[chosen], value) is not False:
            return chosen
        agreeing = [index for index, option in enumerate(options) if self.agrees(option, value)]
        if not agreeing:
            return chosen
        return agreeing[self.choose([options[index] for index in agreeing], value)]

    def agrees(self, option: Subschema, value: JSON) -> bool | None:
        """Whether the tags of a branch allow those of `value`; None if `value` has none of them."""
        is_known = False
        for path, allowed in self.tags(option).items():
            tag = _member_at(value, path)
            if isinstance(tag, Absent):
                continue
            if canonical(tag) not in allowed:
                return False
            is_known = True
        return True if is_known else None

    def _by_tags(self, options: Sequence[Subschema], value: JSON) -> list[int]:
        answers = [self.agrees(option, value) for option in options]
        agreeing = [index for index, answer in enumerate(answers) if answer]
        silent = [index for index, answer in enumerate(answers) if answer is None]
        return agreeing + silent if agreeing else silent or list(range(len(options)))

    def _likeness(self, option: Subschema, value: JSON) -> int:
        """How many members of `value` a branch declares."""
        keywords = Summary([part.all_keywords for part in _parts_of(option)])
        return len(members_of(value).keys() & keywords.names("properties"))

    def tags(self, subschema: Subschema, levels: int = MAX_TAG_DEPTH) -> Tags:
        """The members that a branch limits to a few values, with those values.

        Members within `levels` of members.
        """
        key = subschema.identity, levels
        if key not in self._known_tags:
            self._known_tags[key] = self._find_tags(subschema, levels)
        return self._known_tags[key]

    def tag_names(self, subschema: Subschema) -> set[str]:
        """The outermost names of the tags of a branch."""
        return {path[0] for path in self.tags(subschema)}

    def _find_tags(self, subschema: Subschema, levels: int) -> Tags:
        tags: Tags = {}
        for part in _parts_of(subschema):
            tags = {**self._own_tags(part, levels), **tags}
            if len(tags) >= MAX_TAGS:
                break
        return dict(islice(tags.items(), MAX_TAGS))

    def _own_tags(self, subschema: Subschema, levels: int) -> Tags:
        tags: Tags = {}
        for name in members_of(subschema.all_keywords.get("properties")):
            member = subschema.sub("properties", name)
            listed = self._choices.of(member)
            if listed is not None and len(listed) <= MAX_TAG_VALUES:
                tags[(name,)] = frozenset(choice.key for choice in listed)
            elif listed is None and levels > 1:
                tags |= {
                    (name, *path): keys for path, keys in self.tags(member, levels - 1).items()
                }
        return tags

    def label(self, option: Subschema, number: int) -> str:
        """The label of a branch: its title, a fixed member, its required members, or its type."""
        if title := self._title(option):
            return title
        listed = self._fixed(option)
        if listed:
            return listed
        names = strings_of(option.all_keywords.get("required"))
        if names:
            return "with " + ", ".join(names[:4]) + (" …" if len(names) > 4 else "")
        words = types_in_words(self._kinds.of(option), is_integer=is_integer(option))
        return f"{number + 1}: {words}" if words else f"option {number + 1}"

    def _title(self, subschema: Subschema, depth: int = 0) -> str:
        title = subschema.all_keywords.get("title")
        if isinstance(title, str) and title:
            return title
        if depth < MAX_DEPTH:
            for target in subschema.references():
                if found := self._title(target, depth + 1):
                    return found
        reference = subschema.all_keywords.get("$ref")
        return (
            reference.rpartition("/")[2]
            if isinstance(reference, str) and "/$defs/" in reference.replace("definitions", "$defs")
            else ""
        )

    def _fixed(self, subschema: Subschema) -> str:
        for name in members_of(subschema.all_keywords.get("properties")):
            listed = self._choices.of(subschema.sub("properties", name))
            if listed is not None and len(listed) == 1:
                return f"{name}: {listed[0].label}"
        return ""


def _parts_of(option: Subschema) -> list[Subschema]:
    """The subschemas that always apply where a branch does."""
    try:
        return gather([option])[0]
    except Impossible:
        return [option]


def _member_at(value: JSON, path: Sequence[str]) -> Maybe:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return ABSENT
        value = value[name]
    return value
