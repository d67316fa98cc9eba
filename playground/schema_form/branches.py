"""The subschemas that apply to one value of a form, with the chosen branch of each `oneOf` and `anyOf`.

`toolspec.schema.applicable` knows which subschemas apply in place. This module adds what a form
needs: the path to each union, which stays the same in every request, the branch in force, and the
values to choose from. It follows references, `allOf` and unions itself, since `always` yields no
paths, and `branches` takes `anyOf` before `oneOf`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote

from playground.schema_form.choices import Choice, Choices
from playground.schema_form.schemas import Kinds
from playground.schema_form.values import Absent, Kind, Maybe
from toolspec.schema.applicable import outcomes
from toolspec.schema.summary import Summary
from toolspec.schema.validation import Subschema
from toolspec.text.containers import members_of
from toolspec.text.reader import JSON

MAX_SUBSCHEMAS: Final = 500
_CONDITIONAL: Final = frozenset({"if", "dependentSchemas", "dependentRequired", "dependencies"})


@dataclass(frozen=True, slots=True)
class Union:
    """A `oneOf` or `anyOf` that applies to a value.

    Attributes:
        key: its path from the value's own schema ("oneOf", "allOf/0/anyOf"), the same in every
            request.
        keyword: "oneOf" or "anyOf".
        pointer: its pointer in the schema's document.
        options: all its branches.
        candidates: the indexes of the branches that allow the type that the value has or should
            have.
        chosen: the index of the branch in force; None if there is no candidate.
    """

    key: str
    keyword: str
    pointer: str
    options: tuple[Subschema, ...]
    candidates: tuple[int, ...]
    chosen: int | None


@dataclass(slots=True)
class Applicable:
    """The subschemas that apply to a value.

    Attributes:
        subschemas: all of them, outermost first.
        named: the subschemas whose title describes the value.
        unions: the unions among them that leave a choice.
        choices: the values to choose from, if there is a list.
        has_conditions: whether some of the subschemas apply because of the value.
        is_complete: False if some were left out because of `MAX_SUBSCHEMAS`.
    """

    subschemas: list[Subschema] = field(default_factory=list)
    named: list[Subschema] = field(default_factory=list)
    unions: list[Union] = field(default_factory=list)
    choices: tuple[Choice, ...] | None = None
    has_conditions: bool = False
    is_complete: bool = True

    @property
    def keywords(self) -> Summary:
        """What the subschemas say, with the keywords of any draft."""
        return Summary([subschema.all_keywords for subschema in self.subschemas])


@dataclass(frozen=True, slots=True)
class _Path:
    """How a subschema was reached.

    Attributes:
        text: the keywords that lead to it.
        is_sure: it applies whatever the value is. Only such subschemas may decide which values can
            be entered.
        is_named: its title describes the value, and not one branch of several.
    """

    text: str
    is_sure: bool = True
    is_named: bool = True

    def to(self, tokens: str, *, is_sure: bool = True, is_named: bool = True) -> _Path:
        return _Path(f"{self.text}/{tokens}", self.is_sure and is_sure, self.is_named and is_named)


Chooser = Callable[[Sequence[Subschema], Maybe, JSON], int]
"""Chooses the branch for a value that is shown for the first time, and for the defaults of its members."""


@dataclass(slots=True)
class Search:
    """One search for the subschemas that apply to one value.

    Attributes:
        value: the value, without the parts that cannot be read.
        kind: the type that the value has or should have.
        posted: the indexes of the branches in force, by the union's key.
        choose: picks a branch if none is in force.
        tag_names: the members that tell a branch from the others.
        is_valid: asks the validator; None if its time is used up.
    """

    value: Maybe
    kind: Kind | None
    posted: dict[str, int]
    kinds: Kinds
    choices: Choices
    choose: Chooser
    tag_names: Callable[[Subschema], set[str]]
    is_valid: Callable[[Subschema, JSON], bool | None]
    found: Applicable = field(default_factory=Applicable)
    _seen: set[object] = field(default_factory=set)
    _lists: list[tuple[Choice, ...]] = field(default_factory=list)

    def run(self, subschemas: Iterable[Subschema]) -> Applicable:
        """The subschemas that apply to the value if all of `subschemas` do."""
        for number, subschema in enumerate(subschemas):
            self._visit(subschema, _Path(str(number) if number else ""))
        self.found.choices = _common(self._lists)
        return self.found

    def _visit(self, subschema: Subschema, path: _Path) -> None:
        identity = subschema.identity
        if identity in self._seen:
            return
        if len(self._seen) >= MAX_SUBSCHEMAS:
            self.found.is_complete = False
            return
        self._seen.add(identity)
        self.found.subschemas.append(subschema)
        if path.is_named:
            self.found.named.append(subschema)
        if path.is_sure and (listed := self.choices.own(subschema)) is not None:
            self._lists.append(listed)
        for index, target in enumerate(subschema.references()):
            self._visit(target, path.to(f"$ref{index or ''}"))
        for index, part in enumerate(subschema.listed("allOf")):
            self._visit(part, path.to(f"allOf/{index}"))
        self._conditions(subschema, path)
        for keyword in ("oneOf", "anyOf"):  # choices of both are offered in this order
            if options := subschema.listed(keyword):
                self._union(subschema, keyword, options, path.to(keyword))

    def _conditions(self, subschema: Subschema, path: _Path) -> None:
        self.found.has_conditions = self.found.has_conditions or not _CONDITIONAL.isdisjoint(
            subschema.all_keywords
        )
        if not isinstance(self.value, Absent):
            for tokens, added in outcomes(subschema, subschema.keywords, self.value, self.is_valid):
                self._visit(added, path.to("/".join(map(_token, tokens)), is_sure=False))

    def _union(
        self, subschema: Subschema, keyword: str, options: list[Subschema], path: _Path
    ) -> None:
        listed = self.choices.of_union(options)
        if listed is not None and path.is_sure:
            self._lists.append(listed)
            return
        candidates = tuple(
            index
            for index, option in enumerate(options)
            if self.kind is None or self.kind in self.kinds.of(option)
        )
        self.found.has_conditions = self.found.has_conditions or self._has_tag_outside(options)
        chosen = self.posted.get(path.text)
        if chosen not in candidates:
            chosen = self._chosen(options, candidates)
        pointer = f"{subschema.pointer}/{keyword}"
        self.found.unions.append(
            Union(path.text, keyword, pointer, tuple(options), candidates, chosen)
        )
        if chosen is not None:
            self._visit(options[chosen], path.to(str(chosen), is_named=len(candidates) == 1))

    def _chosen(self, options: list[Subschema], candidates: tuple[int, ...]) -> int | None:
        if len(candidates) < 2:
            return candidates[0] if candidates else None
        return candidates[
            self.choose([options[index] for index in candidates], self.value, self._defaults())
        ]

    def _has_tag_outside(self, options: list[Subschema]) -> bool:
        """Whether a member that is declared outside the union decides between its branches."""
        names = set().union(*map(self.tag_names, options))
        return not names.isdisjoint(self.found.keywords.names("properties"))

    def _defaults(self) -> JSON:
        """The defaults of the members that are declared outside the unions."""
        defaults: dict[str, JSON] = {}
        for members in self.found.keywords.all("properties"):
            for name, member in members_of(members).items():
                if isinstance(member, dict) and "default" in member:
                    defaults.setdefault(name, member["default"])
        return defaults


def _token(name: str) -> str:
    return quote(name, safe="", errors="surrogatepass")


def _common(lists: list[tuple[Choice, ...]]) -> tuple[Choice, ...] | None:
    if not lists:
        return None
    first, *others = lists
    allowed = [{choice.key for choice in other} for other in others]
    return tuple(choice for choice in first if all(choice.key in keys for keys in allowed))
