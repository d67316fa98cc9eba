"""The subschemas that apply to one value of a form, with the chosen branch of each union.

`toolspec.schema.applicable` knows which subschemas apply in place. This module adds what a form
needs: the path to each `oneOf` and `anyOf`, which stays the same in every request, the branch in
force, and the values to choose from. It follows references, `allOf` and unions itself, since
`always` yields no paths, and `branches` takes `anyOf` before `oneOf`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote

from playground.form.choices import Choice, Choices
from playground.form.kinds import Kinds
from playground.form.values import Absent, Kind, Maybe
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
    """

    subschemas: list[Subschema] = field(default_factory=list)
    named: list[Subschema] = field(default_factory=list)
    unions: list[Union] = field(default_factory=list)
    choices: tuple[Choice, ...] | None = None
    has_conditions: bool = False

    @property
    def keywords(self) -> Summary:
        """What the subschemas say, with the keywords of any draft."""
        return Summary([subschema.all_keywords for subschema in self.subschemas])

    @property
    def branches(self) -> tuple[tuple[str, int], ...]:
        """The pointer of each union, and the index of its branch in force."""
        return tuple(
            (union.pointer, union.chosen) for union in self.unions if union.chosen is not None
        )


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

    def join(
        self,
        tokens: str,
        *,
        is_sure: bool = True,
        is_named: bool = True,
    ) -> _Path:
        is_sure = is_sure and self.is_sure
        is_named = is_named and self.is_named
        return _Path(f"{self.text}/{tokens}", is_sure, is_named)


Chooser = Callable[[Sequence[Subschema], Maybe, JSON], int]
"""Chooses the branch for a new value, from the value and the defaults of its members."""


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
    result: Applicable = field(default_factory=Applicable)
    _seen: set[object] = field(default_factory=set)
    _lists: list[tuple[Choice, ...]] = field(default_factory=list)

    def run(self, subschemas: Iterable[Subschema]) -> Applicable:
        """The subschemas that apply to the value if all of `subschemas` do."""
        for number, subschema in enumerate(subschemas):
            self._visit(subschema, _Path(str(number) if number else ""))
        if self._lists:
            self.result.choices = _intersect_choices(self._lists)
        return self.result

    def _visit(self, subschema: Subschema, path: _Path) -> None:
        identity = subschema.identity
        if identity in self._seen or len(self._seen) >= MAX_SUBSCHEMAS:
            return
        self._seen.add(identity)
        self.result.subschemas.append(subschema)
        if path.is_named:
            self.result.named.append(subschema)
        choices = self.choices.own(subschema) if path.is_sure else None
        if choices is not None:
            self._lists.append(choices)
        for index, target in enumerate(subschema.references()):
            self._visit(target, path.join(f"$ref{index or ''}"))
        for index, part in enumerate(subschema.list_schemas("allOf")):
            self._visit(part, path.join(f"allOf/{index}"))
        self._visit_conditional(subschema, path)
        for keyword in ("oneOf", "anyOf"):  # choices of both are offered in this order
            options = subschema.list_schemas(keyword)
            if options:
                self._visit_union(subschema, keyword, options, path.join(keyword))

    def _visit_conditional(self, subschema: Subschema, path: _Path) -> None:
        if not _CONDITIONAL.isdisjoint(subschema.all_keywords):
            self.result.has_conditions = True
        if isinstance(self.value, Absent):
            return
        added = outcomes(subschema, subschema.keywords, self.value, self.is_valid)
        for tokens, conditional in added:
            text = "/".join(quote(token, safe="", errors="surrogatepass") for token in tokens)
            self._visit(conditional, path.join(text, is_sure=False))

    def _visit_union(
        self,
        subschema: Subschema,
        keyword: str,
        options: list[Subschema],
        path: _Path,
    ) -> None:
        choices = self.choices.of_union(options)
        if choices is not None and path.is_sure:
            self._lists.append(choices)
            return
        candidates = self._find_candidates(options)
        if not self.result.has_conditions:
            self.result.has_conditions = self._has_tag_outside(options)
        chosen = self.posted.get(path.text)
        if chosen not in candidates:
            chosen = self._choose(options, candidates)
        pointer = f"{subschema.pointer}/{keyword}"
        union = Union(path.text, keyword, pointer, tuple(options), candidates, chosen)
        self.result.unions.append(union)
        if chosen is not None:
            self._visit(options[chosen], path.join(str(chosen), is_named=len(candidates) == 1))

    def _find_candidates(self, options: list[Subschema]) -> tuple[int, ...]:
        """The indexes of the branches that allow the value's type."""
        if self.kind is None:
            return tuple(range(len(options)))
        kinds_of = self.kinds.of
        return tuple(i for i, option in enumerate(options) if self.kind in kinds_of(option))

    def _choose(self, options: list[Subschema], candidates: tuple[int, ...]) -> int | None:
        if not candidates:
            return None
        if len(candidates) == 1:
            return candidates[0]
        allowed = [options[index] for index in candidates]
        return candidates[self.choose(allowed, self.value, self._find_defaults())]

    def _has_tag_outside(self, options: list[Subschema]) -> bool:
        """Whether a member that is declared outside the union decides between its branches."""
        names = set().union(*map(self.tag_names, options))
        return not names.isdisjoint(self.result.keywords.names("properties"))

    def _find_defaults(self) -> JSON:
        """The defaults of the members that are declared outside the unions."""
        defaults: dict[str, JSON] = {}
        for members in self.result.keywords.all("properties"):
            for name, member in members_of(members).items():
                if isinstance(member, dict) and "default" in member:
                    defaults.setdefault(name, member["default"])
        return defaults


def _intersect_choices(lists: list[tuple[Choice, ...]]) -> tuple[Choice, ...]:
    """The choices of the first list that are in all others too."""
    common = lists[0]
    for choices in lists[1:]:
        keys = {choice.key for choice in choices}
        common = tuple(choice for choice in common if choice.key in keys)
    return common
