"""Branches of `oneOf` and `anyOf`: which one fits a value, and its label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

from playground.form.choices import Choices
from playground.form.kinds import Kinds, describe_types, is_integer
from playground.form.values import ABSENT, Absent, Maybe
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
"""The values that a branch allows for members, as `canonical` texts, by the path of names."""


class Branches:
    """Chooses and labels branches; caches the members that distinguish them for one page."""

    def __init__(
        self,
        kinds: Kinds,
        choices: Choices,
        is_valid: Callable[[Subschema, JSON], bool | None],
    ) -> None:
        self._kinds = kinds
        self._choices = choices
        self._is_valid = is_valid
        self._known_tags: dict[tuple[object, int], Tags] = {}

    def choose(
        self,
        options: Sequence[Subschema],
        value: Maybe,
        defaults: JSON = None,
    ) -> int:
        """The index of the branch that fits `value` best.

        Members with fixed values in the branches decide first. Otherwise the branches are tried in
        order of how many of the value's members they declare, then of whether their tags agree with
        the `defaults` of members, and the first valid one wins. Later requests post the chosen
        index.
        """
        if isinstance(value, Absent):
            for index, option in enumerate(options):
                if self.match_tags(option, defaults):
                    return index
            return 0
        indexes = self._filter_by_tags(options, value)
        if len(indexes) == 1:
            return indexes[0]

        def measure_distance(index: int) -> tuple[int, bool]:
            declared = self._count_declared(options[index], value)
            return -declared, not self.match_tags(options[index], defaults)

        indexes.sort(key=measure_distance)
        for index in indexes:
            if self._is_valid(options[index], value):
                return index
        return indexes[0]

    def follow(
        self,
        options: Sequence[Subschema],
        value: Maybe,
        chosen: int,
    ) -> int:
        """The index of the branch that the tags of `value` name.

        `chosen` unless the tags contradict that branch.
        """
        if isinstance(value, Absent) or self.match_tags(options[chosen], value) is not False:
            return chosen
        indexes = [i for i, option in enumerate(options) if self.match_tags(option, value)]
        if not indexes:
            return chosen
        return indexes[self.choose([options[index] for index in indexes], value)]

    def match_tags(self, option: Subschema, value: JSON) -> bool | None:
        """Whether the tags of a branch allow those of `value`; None if `value` has none of them."""
        is_known = False
        for path, allowed in self.find_tags(option).items():
            tag = _find_member(value, path)
            if isinstance(tag, Absent):
                continue
            if canonical(tag) not in allowed:
                return False
            is_known = True
        return is_known or None

    def _filter_by_tags(self, options: Sequence[Subschema], value: JSON) -> list[int]:
        """The indexes of the branches that the tags allow, those that they name first.

        All indexes if the tags allow none.
        """
        agreeing = []
        silent = []
        for index, option in enumerate(options):
            is_match = self.match_tags(option, value)
            if is_match:
                agreeing.append(index)
            elif is_match is None:
                silent.append(index)
        return agreeing + silent or list(range(len(options)))

    def _count_declared(self, option: Subschema, value: JSON) -> int:
        """How many members of `value` a branch declares."""
        keywords = Summary([part.all_keywords for part in _find_parts(option)])
        return len(members_of(value).keys() & keywords.names("properties"))

    def find_tags(self, subschema: Subschema, levels: int = MAX_TAG_DEPTH) -> Tags:
        """The members that a branch limits to a few values, with those values.

        Includes members within `levels` of members.
        """
        key = subschema.identity, levels
        if key not in self._known_tags:
            self._known_tags[key] = self._collect_tags(subschema, levels)
        return self._known_tags[key]

    def tag_names(self, subschema: Subschema) -> set[str]:
        """The outermost names of the tags of a branch."""
        return {path[0] for path in self.find_tags(subschema)}

    def _collect_tags(self, subschema: Subschema, levels: int) -> Tags:
        tags: Tags = {}
        for part in _find_parts(subschema):
            tags = {**self._find_own_tags(part, levels), **tags}
            if len(tags) >= MAX_TAGS:
                break
        return dict(islice(tags.items(), MAX_TAGS))

    def _find_own_tags(self, subschema: Subschema, levels: int) -> Tags:
        tags: Tags = {}
        for name in members_of(subschema.all_keywords.get("properties")):
            member = subschema.sub("properties", name)
            choices = self._choices.of(member)
            if choices is not None and len(choices) <= MAX_TAG_VALUES:
                tags[(name,)] = frozenset(choice.key for choice in choices)
            elif choices is None and levels > 1:
                for path, keys in self.find_tags(member, levels - 1).items():
                    tags[(name, *path)] = keys
        return tags

    def make_label(self, option: Subschema, number: int) -> str:
        """The label of a branch: its title, a fixed member, its required members, or its type."""
        label = _find_title(option) or self._describe_fixed_member(option)
        if label:
            return label
        names = strings_of(option.all_keywords.get("required"))
        if len(names) > 4:
            return "with " + ", ".join(names[:4]) + " …"
        if names:
            return "with " + ", ".join(names)
        words = describe_types(self._kinds.of(option), is_integer=is_integer(option))
        if words:
            return f"{number + 1}: {words}"
        return f"option {number + 1}"

    def _describe_fixed_member(self, subschema: Subschema) -> str:
        for name in members_of(subschema.all_keywords.get("properties")):
            choices = self._choices.of(subschema.sub("properties", name))
            if choices is not None and len(choices) == 1:
                return f"{name}: {choices[0].label}"
        return ""


def _find_title(subschema: Subschema, depth: int = 0) -> str:
    """The title of a branch; without one, the name of the definition that it refers to."""
    title = subschema.all_keywords.get("title")
    if isinstance(title, str) and title:
        return title
    if depth < MAX_DEPTH:
        for target in subschema.references():
            title = _find_title(target, depth + 1)
            if title:
                return title
    reference = subschema.all_keywords.get("$ref")
    if not isinstance(reference, str):
        return ""
    if "/$defs/" not in reference and "/definitions/" not in reference:
        return ""
    return reference.rpartition("/")[2]


def _find_parts(option: Subschema) -> list[Subschema]:
    """The subschemas that always apply where a branch does."""
    try:
        return gather([option])[0]
    except Impossible:
        return [option]


def _find_member(value: JSON, path: Sequence[str]) -> Maybe:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return ABSENT
        value = value[name]
    return value
