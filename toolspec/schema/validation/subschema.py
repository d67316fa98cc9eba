"""A subschema with its document, base URI, dynamic scope and draft; it checks values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar

from toolspec.schema.dialects import HOLDS_IN_ANY_DRAFT, Dialect, Holds, dialect_of, list_held
from toolspec.schema.index import REFERENCES, base_within
from toolspec.schema.validation.budget import Budget, Run, Unchecked
from toolspec.schema.validation.documents import Document
from toolspec.schema.validation.errors import Violation, bounded_pointer
from toolspec.schema.validation.keywords import DRAFTS
from toolspec.schema.validation.references import resolve, resolve_dynamically
from toolspec.schema.validation.walk import Check, fits, list_checks, violations
from toolspec.text.containers import items_of
from toolspec.text.reader import JSON

MAX_PROBLEMS: Final = 50  # of one check

Result = TypeVar("Result")


def make_root(document: Document) -> Subschema:
    """The subschema of the whole document."""
    return document.share(
        Subschema(document, document.schema, document.uri, (document.uri,), document.dialect)
    )


@dataclass(frozen=True, eq=False)
class Subschema:
    """A subschema in its document.

    Attributes:
        schema: an object, true or false.
        base: the URI that references are resolved against.
        scope: the dynamic scope: the resources through which it was reached, the outermost first.
        dialect: its draft.
    """

    document: Document = field(repr=False)
    schema: JSON
    base: str
    scope: tuple[str, ...]
    dialect: Dialect
    _parent: Subschema | None = field(default=None, repr=False)
    _tokens: tuple[str | int, ...] = ()  # from the parent
    _children: dict[tuple[str | int, ...], Subschema] = field(default_factory=dict, repr=False)
    _targets: dict[tuple[object, str], Subschema | None] = field(default_factory=dict, repr=False)
    _built: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def identity(self) -> Hashable:
        """Equal for the same subschema in the same dynamic scope."""
        if isinstance(self.schema, dict) or self._parent is None:
            return (id(self.document), id(self.schema), self.scope)
        return (id(self.document), id(self._parent.schema), self._tokens, self.scope)

    @property
    def pointer(self) -> str:
        """Its JSON Pointer in the document; in a bundled meta-schema, after the URI and "#"."""
        return self.pointer_to()

    def pointer_to(self, *tokens: str | int) -> str:
        """The JSON Pointer of the value at `tokens` below it."""
        path: list[str | int] = list(tokens)
        subschema = self
        while subschema._parent is not None:
            path[:0] = subschema._tokens
            subschema = subschema._parent
        start = subschema.document.tokens_to(subschema.schema)
        if start is None:
            return f"{subschema.base}#{bounded_pointer(path)}"
        return bounded_pointer([*start, *path])

    # The keywords.

    @cached_property
    def all_keywords(self) -> dict[str, JSON]:
        """The keywords, even those that the draft does not define; none for true and false.

        Up to draft-07, `$ref` hides all keywords beside it. A keyword of another draft is left out
        if its value does not consist of schemas as it does there.
        """
        schema = self.schema
        if not isinstance(schema, dict):
            return {}
        if "$ref" in schema and self.dialect.ref_stands_alone:
            return {"$ref": schema["$ref"]}
        malformed = set()
        for keyword, value in schema.items():
            is_foreign = keyword in HOLDS_IN_ANY_DRAFT and keyword not in self.dialect.holds
            if is_foreign and not self._has_schemas(keyword, value):
                malformed.add(keyword)
        if not malformed:
            return schema
        return {keyword: value for keyword, value in schema.items() if keyword not in malformed}

    def _has_schemas(self, keyword: str, value: JSON) -> bool:
        how = HOLDS_IN_ANY_DRAFT[keyword]
        form = {Holds.ARRAY: list, Holds.SCHEMA: dict | bool}.get(how, dict)
        if not isinstance(value, form):
            return False
        for _, schema in list_held(how, value):
            dialect = dialect_of(schema, self.dialect) or self.dialect
            if not dialect.accepts(schema):
                return False
        return True

    @cached_property
    def keywords(self) -> dict[str, JSON]:
        """The keywords that the draft defines."""
        defined = self.dialect.keywords
        return {
            keyword: value for keyword, value in self.all_keywords.items() if keyword in defined
        }

    # Other subschemas.

    def list_schemas(self, keyword: str) -> list[Subschema]:
        """The subschemas in the array under `keyword`: `list_schemas("allOf")`."""
        count = len(items_of(self.keywords.get(keyword)))
        return [self.sub(keyword, index) for index in range(count)]

    def references(self) -> Iterator[Subschema]:
        """The targets of `$ref`, `$dynamicRef` and `$recursiveRef`, without dangling ones."""
        return (target for target in self._list_targets() if target is not None)

    @property
    def has_dangling_reference(self) -> bool:
        """Whether the target of a reference does not exist, or is outside the document."""
        return None in self._list_targets()

    def _list_targets(self) -> Iterator[Subschema | None]:
        for keyword in REFERENCES:
            reference = self.keywords.get(keyword)
            if isinstance(reference, str):
                follow = self.follow if keyword == "$ref" else self.follow_dynamic
                yield follow(reference)

    def sub(self, *tokens: str | int) -> Subschema:
        """The subschema at `tokens` from here: `sub("properties", "a")`.

        Raises:
            LookupError: there is no subschema.
        """
        known = self._children.get(tokens)
        if known is None:
            known = self._children[tokens] = self._find(tokens)
        return known

    def _find(self, tokens: tuple[str | int, ...]) -> Subschema:
        """Walk from subschema to subschema, since each may change the base URI and the draft."""
        subschema = self
        rest = list(tokens)
        while rest:
            length = _measure_step(subschema, rest)
            subschema = subschema._step(tuple(rest[:length]))
            rest = rest[length:]
        if subschema.base == self.base:
            return subschema
        return subschema.enter()

    def _step(self, tokens: tuple[str | int, ...]) -> Subschema:
        contents = self.schema
        for token in tokens:
            contents = _get_member(contents, token)
        dialect = dialect_of(contents, self.dialect) or self.dialect
        if tokens[0] not in self.dialect.holds and not dialect.accepts(contents):
            raise LookupError(tokens)  # the value of a keyword without schemas need not be one
        base = base_within(self.base, contents, dialect)
        return self.document.share(
            Subschema(self.document, contents, base, self.scope, dialect, self, tokens)
        )

    def enter(self) -> Subschema:
        """The same subschema, with its resource in the dynamic scope.

        Raises:
            Unchecked: the scope is too long.
        """
        scope = self.document.enter(self.scope, self.base)
        if scope == self.scope:
            return self
        return self.document.share(
            Subschema(
                self.document,
                self.schema,
                self.base,
                scope,
                self.dialect,
                self._parent,
                self._tokens,
            )
        )

    def of_resource(self, contents: JSON, dialect: Dialect, uri: str) -> Subschema:
        """The subschema of a resource, or of an anchor in it, in the scope of this one."""
        return self.document.share(Subschema(self.document, contents, uri, self.scope, dialect))

    def follow(self, reference: str) -> Subschema | None:
        """The target of `$ref`; None if it does not exist, or is outside the document."""
        return self._resolve(reference, resolve)

    def follow_dynamic(self, reference: str) -> Subschema | None:
        """The target of `$dynamicRef` (in 2019-09: `$recursiveRef`); None if it does not exist."""
        return self._resolve(reference, resolve_dynamically)

    def _resolve(
        self, reference: str, resolve_it: Callable[[Subschema, str], Subschema | None]
    ) -> Subschema | None:
        if not isinstance(reference, str):
            return None  # the meta-schema of draft-04 allows this
        key = (resolve_it, reference)
        if key not in self._targets:
            self._targets[key] = resolve_it(self, reference)
        return self._targets[key]

    # Outside a check.

    def is_valid(self, value: JSON, budget: Budget | None = None) -> bool | None:
        """Whether `value` is valid; None if the check cannot be finished."""
        if isinstance(self.schema, bool):
            return self.schema
        if self.document.flaw is not None:
            return None
        with Run(budget or Budget()):
            try:
                return fits(self, value)
            except (Unchecked, RecursionError, ValueError):
                return None

    def errors(self, value: JSON, budget: Budget | None = None) -> list[Violation]:
        """The violations of `value` found within the budget."""
        return self.find_violations(value, budget or Budget())[0]

    def find_violations(
        self, value: JSON, budget: Budget
    ) -> tuple[list[Violation], bool, str | None]:
        """The first violations of `value`, whether there may be more, and what ended the check."""
        found: list[Violation] = []
        if self.document.flaw is not None:
            return found, False, self.document.flaw
        with Run(budget) as run:
            run.reported = set()
            try:
                for violation in violations(self, value):
                    if len(found) == MAX_PROBLEMS:
                        return found, True, None
                    found.append(violation)
            except Unchecked as stop:
                return found, bool(found), str(stop)
            except RecursionError:  # a safeguard: levels are limited
                return found, bool(found), "The value is nested too deeply."
            except ValueError:  # Python does not write integers of more than 4,300 digits
                return found, bool(found), "A number has too many digits."
        return found, False, None

    # Inside a check.

    @cached_property
    def checks(self) -> list[Check]:
        """The keywords that the draft checks."""
        assert isinstance(self.schema, dict)  # noqa: S101 - true and false have no keywords
        schema = self.schema
        if self.dialect.ref_stands_alone and schema.get("$ref") is not None:
            schema = {"$ref": schema["$ref"]}
        return list_checks(self, schema, DRAFTS[self.dialect.uri])

    def build_once(self, name: str, build: Callable[[], Result]) -> Result:
        """The result of `build`, which is called once for each `name`."""
        known: Result | None = self._built.get(name)
        if known is None:
            known = self._built[name] = build()
        return known

    @property
    def keyword_around(self) -> str:
        """The keyword that contains it; "false" for a whole document."""
        if self._tokens:
            return str(self._tokens[0])
        return "false"


def _measure_step(subschema: Subschema, tokens: list[str | int]) -> int:
    """How many tokens lead to the next subschema; all of them if there is none."""
    schema = subschema.schema
    how = subschema.dialect.holds.get(str(tokens[0]))
    if how is None or not isinstance(schema, dict):
        return len(tokens)
    if how is Holds.SCHEMA_OR_ARRAY and not isinstance(_get_member(schema, tokens[0]), list):
        return 1
    if how is Holds.SCHEMA:
        return 1
    return min(2, len(tokens))


def _get_member(value: JSON, token: str | int) -> JSON:
    if isinstance(value, dict):
        return value[str(token)]
    if isinstance(value, list):
        is_index = isinstance(token, int) or (token.isascii() and token.isdecimal())
        if is_index:
            return value[int(token)]
    raise LookupError(token)
