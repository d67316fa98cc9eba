"""Find the secret parts of a value.

A part is secret if the schema marks it (`writeOnly`, `format: password`, `x-secret`), or if its
name suggests it ("apiKey", "password"). Everything below a secret belongs to it.

The search is one pass over the value. The subschemas that apply are determined once for each
combination, not for each item, and the work is counted in a budget. If the budget runs out, the
whole value counts as secret, and `Secrets.reason` explains why: the value is then refused or
hidden, never shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from playground.form.secret_marks import is_marked_secret, mentions_secrets
from toolshelf_core.redaction import MAX_SECRET_BYTES, MAX_SECRETS, write_number
from toolspec.errors import Problem
from toolspec.schema import children
from toolspec.schema.applicable import gather_all
from toolspec.schema.validation import Budget, CompiledSchema, Subschema
from toolspec.schema.validation.budget import Run, Unchecked, current_run
from toolspec.schema.validation.pattern_search import found_in
from toolspec.secret_names import is_secret_name
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON, Number

MAX_SECONDS: Final = 0.5  # CPU time of one search
NOT_FOUND: Final = "The secrets in this value cannot be found"

_CONTAINERS: Final = (dict, list)
_CONTAINER_TYPES: Final = frozenset(_CONTAINERS)
_TEXT_TYPES: Final = frozenset({str, dict, list})
_STEPS_PER_SECRET: Final = 8  # steps for each secret found, to build its pointer


_Trail: TypeAlias = "tuple[_Trail | None, str | int]"
"""The path to a part of a value: the trail to its container, and the token from there."""


@dataclass(frozen=True, repr=False)
class Secrets:
    """The secret parts of a value: their JSON Pointers and values.

    Outermost first, in the order of the value. `reason` explains why the search could not be
    finished; `parts` is then the whole value, as one secret.
    """

    parts: tuple[tuple[str, JSON], ...] = ()
    reason: str | None = None

    def __bool__(self) -> bool:
        return bool(self.parts)

    @property
    def pointers(self) -> frozenset[str]:
        return frozenset(pointer for pointer, _ in self.parts)

    def texts(self) -> Iterator[str]:
        """Every string and number inside the secrets, as text."""
        for _, value in self.parts:
            yield from _list_texts(value)

    def problems(self, pointer: str = "") -> list[Problem]:
        """The reason to refuse a value with these secrets.

        The search took too long, or the secrets are too many or too long. `pointer` is the value's
        pointer in its request.
        """
        if self.reason:
            return [Problem(pointer, self.reason, "secrets.search")]
        count = size = 0
        for below, value in self.parts:
            for text in _list_texts(value):
                count += 1
                size += len(text.encode("utf-8", "surrogatepass"))
                if count > MAX_SECRETS:
                    message = (
                        f"There are more than {MAX_SECRETS} secret values. "
                        f"Send at most {MAX_SECRETS}."
                    )
                    return [Problem(pointer + below, message, "secrets.too-many")]
                if size > MAX_SECRET_BYTES:
                    message = (
                        f"The secret values have more than {MAX_SECRET_BYTES:,} bytes together. "
                        "Shorten this one, or leave it out."
                    )
                    return [Problem(pointer + below, message, "secrets.too-long")]
        return []


NONE: Final = Secrets()


def find_secrets(
    schema: CompiledSchema | None,
    value: JSON,
    *,
    by_name: bool = True,
    budget: Budget | None = None,
) -> Secrets:
    """The secrets of `value`. With `by_name` False, only those that the schema marks.

    Always ends within `budget`, by default `MAX_SECONDS` of CPU time.
    """
    subschemas = []
    if schema is not None and schema.root.build_once(
        "mentions secrets", lambda: mentions_secrets(schema.schema)
    ):
        subschemas.append(schema.root)
    if not subschemas and not by_name:
        return NONE
    return find_marked(subschemas, value, budget or Budget(seconds=MAX_SECONDS), by_name=by_name)


def find_marked(
    subschemas: Sequence[Subschema],
    value: JSON,
    budget: Budget,
    *,
    first: int = 0,
    by_name: bool = False,
) -> Secrets:
    """The parts of `value` that `subschemas` mark as secret.

    All branches and conditions count. `first` is the index of the first item, if `value` is a slice
    of a list. With `by_name`, also the parts whose names suggest a secret.
    """
    with Run(budget):
        try:
            start = _Combination(list(subschemas)) if subschemas else None
            return Secrets(tuple(_Search(by_name=by_name).find(start, value, first)))
        except Unchecked as error:
            reason = f"{NOT_FOUND}: {error} Send a smaller value, or simplify the schema."
            return Secrets((("", value),), reason=reason)


def secret_members(
    schema: CompiledSchema | None,
    value: JSON,
    *,
    by_name: bool = True,
) -> list[tuple[str, JSON]]:
    """The JSON Pointers and values of the secrets of `value`.

    The whole value if the search takes too long.
    """
    return list(find_secrets(schema, value, by_name=by_name).parts)


@dataclass(slots=True, eq=False)
class _Combination:
    """Subschemas that apply together, and what follows from them.

    Computed once, however many values they apply to.

    Attributes:
        subschemas: the subschemas themselves, without those that they refer to in place.
        prefix: how many items have their own subschemas, by position.
        known: all combinations of this search, by their subschemas.
    """

    subschemas: Sequence[Subschema]
    known: dict[frozenset[object], _Combination] = field(default_factory=dict)
    prefix: int = 0
    is_secret: bool = False
    _applying: list[Subschema] = field(default_factory=list)
    _members: dict[str, _Combination | None] = field(default_factory=dict)
    _items: dict[int, _Combination | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._applying = gather_all(self.subschemas, current_run())
        self.is_secret = is_marked_secret(self._applying)
        self.prefix = children.prefix_length(self._applying, any_draft=True)

    def member(self, name: str) -> _Combination | None:
        """The combination for the member called `name`; None if nothing applies to it."""
        if name not in self._members:
            run = current_run()
            run.spend(len(self._applying))
            child = children.member(
                self._applying,
                name,
                lambda pattern, name: found_in(pattern, name, run),
            )
            self._members[name] = self._combine(child.subschemas)
        return self._members[name]

    def item(self, index: int) -> _Combination | None:
        """The combination for the item at `index`.

        The same for all after the first `prefix` items.
        """
        index = min(index, self.prefix)
        if index not in self._items:
            current_run().spend(len(self._applying))
            child = children.item(self._applying, index, any_draft=True)
            self._items[index] = self._combine(child.subschemas)
        return self._items[index]

    def _combine(self, subschemas: Sequence[Subschema]) -> _Combination | None:
        if not subschemas:
            return None
        key = frozenset(subschema.identity for subschema in subschemas)
        if key not in self.known:
            self.known[key] = _Combination(subschemas, self.known)
        return self.known[key]


@dataclass(slots=True)
class _Part:
    """A part of the value that is secret, or may contain a secret.

    `trail` leads here; None for the whole value. `first` is the index of its first item.
    """

    value: JSON
    combination: _Combination | None
    is_secret: bool
    trail: _Trail | None = None
    first: int = 0


class _Search:
    """One search. It does not recurse, so a value may be nested to any depth."""

    def __init__(self, *, by_name: bool) -> None:
        self._by_name = by_name
        self._run = current_run()
        self._names: dict[str, bool] = {}

    def find(
        self,
        start: _Combination | None,
        value: JSON,
        first: int = 0,
    ) -> Iterator[tuple[str, JSON]]:
        """The secrets at and below `value`, outermost first, in its order."""
        is_secret = start is not None and start.is_secret
        waiting = [iter([_Part(value, start, is_secret, first=first)])]
        while waiting:
            part = next(waiting[-1], None)
            if part is None:
                waiting.pop()
            elif part.is_secret:
                self._run.spend(_STEPS_PER_SECRET)
                yield _build_pointer(part.trail), part.value
            elif part.combination is None and not self._by_name:
                continue
            elif isinstance(part.value, dict):
                waiting.append(self._list_members(part, part.value))
            elif isinstance(part.value, list):
                waiting.append(self._list_items(part, part.value))

    def _list_members(self, part: _Part, members: dict[str, JSON]) -> Iterator[_Part]:
        """The members that are secret, objects or arrays."""
        combination = part.combination
        self._run.spend(1 + len(members) // 4)
        for name, member in members.items():
            below = combination.member(name) if combination else None
            is_secret = below is not None and below.is_secret
            is_secret = is_secret or self._is_secret_by_name(name, member)
            if is_secret or isinstance(member, _CONTAINERS):
                yield _Part(member, below, is_secret, (part.trail, name))

    def _list_items(self, part: _Part, items: list[JSON]) -> Iterator[_Part]:
        """The items that are secret, objects or arrays."""
        combination = part.combination
        self._run.spend(1 + len(items) // 16)
        prefix = combination.prefix if combination else 0
        rest = combination.item(prefix) if combination else None
        may_be_secret = prefix > 0 or (rest is not None and rest.is_secret)
        if not may_be_secret and _CONTAINER_TYPES.isdisjoint(map(type, items)):
            return
        for index, item in enumerate(items):
            below = rest
            if combination is not None and index + part.first < prefix:
                below = combination.item(index + part.first)
            is_secret = below is not None and below.is_secret
            if is_secret or isinstance(item, _CONTAINERS):
                yield _Part(item, below, is_secret, (part.trail, index))

    def _is_secret_by_name(self, name: str, member: JSON) -> bool:
        if not self._by_name or isinstance(member, bool) or member is None:
            return False
        if name not in self._names:
            self._run.spend(1 + len(name) // 64)
            self._names[name] = is_secret_name(name)
        return self._names[name]


def pointers_of_texts(value: JSON, is_wanted: Callable[[str], bool]) -> list[str]:
    """The pointers of the strings in `value` that are wanted, in its order."""
    pointers: list[str] = []
    waiting: list[tuple[JSON, _Trail | None]] = [(value, None)]
    while waiting:
        part, trail = waiting.pop()
        if isinstance(part, str):
            if is_wanted(part):
                pointers.append(_build_pointer(trail))
        elif isinstance(part, dict | list):
            if isinstance(part, list) and _TEXT_TYPES.isdisjoint(map(type, part)):
                continue
            entries = part.items() if isinstance(part, dict) else enumerate(part)
            below = [(inner, (trail, key)) for key, inner in entries if type(inner) in _TEXT_TYPES]
            waiting += reversed(below)
    return pointers


def _build_pointer(trail: _Trail | None) -> str:
    tokens: list[str | int] = []
    while trail is not None:
        trail, token = trail
        tokens.append(token)
    return pointer_join("", *reversed(tokens))


def _list_texts(value: JSON) -> Iterator[str]:
    """Every string and number inside a secret, as text."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
        elif isinstance(part, bool):
            continue
        elif isinstance(part, int | Number):  # `is_number` would be a call for each
            yield write_number(part)
