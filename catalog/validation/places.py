"""A subschema where it stands: what it refers to, in which draft it is read, what validates it.

References are resolved by `referencing`, from the document itself and the bundled drafts; nothing is ever fetched.

Sources: JSON Schema 2020-12 Core, sections 7.1 (dynamic scope), 8.2 (identifiers and references), 9.2; draft 2019-09
Core, section 8.2.4.2 (`$recursiveRef`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar
from urllib.parse import unquote, urldefrag, urljoin

from jsonschema.protocols import Validator
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DynamicAnchor, SchemaRegistry

from catalog.dialects import Dialect, Holds, dialect_of
from catalog.strict_json import JSON
from catalog.validation.budget import Budget, Run, Unchecked, current_run
from catalog.validation.flaws import flaw_of, objects_in
from catalog.validation.violations import Failure, Violation, bounded_pointer
from catalog.validation.wording import show_text

MAX_PLACES: Final = 20_000  # that one document remembers
MAX_SCOPE: Final = 50  # resources in one dynamic scope

ValidatorFactory = Callable[["Place"], Validator]
Built = TypeVar("Built")

_DRAFTS: SchemaRegistry = REGISTRY
_SCOPE_KEYWORDS = ("$dynamicRef", "$recursiveRef")


class Document:
    """One schema document, with all that its places share."""

    def __init__(
        self, schema: JSON, dialect: Dialect, make_validator: ValidatorFactory, *, asserts_formats: bool = True
    ) -> None:
        self.schema = schema
        self.dialect = dialect
        self.make_validator = make_validator
        self.asserts_formats = asserts_formats
        self._places: dict[tuple[int, tuple[str, ...]], Place] = {}
        self._uri = _identifier(schema, dialect) or ""
        self.root = self.resource(schema, self._uri, (self._uri,), dialect)

    @cached_property
    def flaw(self) -> str | None:
        """Why no value can be checked against the document; None where nothing is wrong with it."""
        return flaw_of(self.schema, self.dialect)

    @cached_property
    def registry(self) -> SchemaRegistry:
        """The document beside the bundled drafts, its identifiers and anchors found.

        Raises:
            Unchecked: they cannot be read.
        """
        resource = self.dialect.specification.create_resource(self.schema)  # type: ignore[arg-type]
        try:
            crawled: SchemaRegistry = _DRAFTS.with_resource(self._uri, resource).crawl()
        except (AttributeError, TypeError, ValueError) as error:
            raise Unchecked("The schema is malformed: its identifiers cannot be read.") from error
        return crawled

    @cached_property
    def _has_dynamic_scope(self) -> bool:
        """Whether it matters on which way a place was reached."""
        return any(keyword in schema for schema in objects_in(self.schema) for keyword in _SCOPE_KEYWORDS)

    @cached_property
    def _parents(self) -> dict[int, tuple[int, str | int]]:
        """The identity of each object and array -> that of what it stands in, and under which token."""
        found: dict[int, tuple[int, str | int]] = {}
        waiting: list[JSON] = [self.schema]
        while waiting:
            value = waiting.pop()
            members: Any = value.items() if isinstance(value, dict) else enumerate(value)  # type: ignore[arg-type]
            for token, child in members:
                if isinstance(child, (dict, list)):
                    found[id(child)] = (id(value), token)
                    waiting.append(child)
        return found

    def tokens_to(self, schema: JSON) -> list[str | int] | None:
        """Where in the document `schema` stands; None where it does not."""
        tokens: list[str | int] = []
        identity = id(schema)
        while identity != id(self.schema):
            if identity not in self._parents:
                return None
            identity, token = self._parents[identity]
            tokens.append(token)
        return tokens[::-1]

    def resource(self, contents: Any, uri: str, scope: tuple[str, ...], dialect: Dialect) -> Place:
        """The place of a resource, or of what an anchor in it names."""
        return self.remembered(Place(self, contents, uri, scope, dialect_of(contents, dialect) or dialect))

    def remembered(self, place: Place) -> Place:
        """The first place that had this object in this dynamic scope, so that answers about it are kept."""
        if not isinstance(place.schema, dict):
            return place
        key = (id(place.schema), place.scope)
        known = self._places.get(key)
        if known is not None:
            return known
        if len(self._places) < MAX_PLACES:
            self._places[key] = place
        return place

    def entered(self, scope: tuple[str, ...], uri: str) -> tuple[str, ...]:
        """The dynamic scope after entering the resource `uri`; only the first time counts.

        Raises:
            Unchecked: it grows too long.
        """
        if uri in scope or not (self._has_dynamic_scope or uri in _DRAFTS):
            return scope
        if len(scope) >= MAX_SCOPE:
            raise Unchecked("The schema's resources refer to each other too deeply.")
        return (*scope, uri)


@dataclass(frozen=True, slots=True)
class Survey:
    """What is wrong with a value; `truncated`: there may be more; `reason`: why the check could not be finished."""

    violations: tuple[Violation, ...]
    truncated: bool = False
    reason: str | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Place:
    """A subschema where it stands.

    Attributes:
        schema: an object, true or false.
        base: the URI that references are resolved against.
        scope: the resources through which it was reached, the outermost first.
        dialect: the draft that it is read in.
    """

    document: Document = field(repr=False)
    schema: JSON
    base: str
    scope: tuple[str, ...]
    dialect: Dialect
    _parent: Place | None = field(default=None, repr=False)
    _tokens: tuple[str | int, ...] = ()  # from the parent
    _children: dict[tuple[str | int, ...], Place] = field(default_factory=dict, repr=False)
    _targets: dict[tuple[bool, str], Place | None] = field(default_factory=dict, repr=False)
    _built: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def identity(self) -> Hashable:
        """Equal for the same subschema in the same scope."""
        if isinstance(self.schema, dict) or self._parent is None:
            return (id(self.document), id(self.schema), self.scope)
        return (id(self.document), id(self._parent.schema), self._tokens, self.scope)

    @property
    def pointer(self) -> str:
        """Where it stands in the document; in a bundled meta-schema, its URI and "#" come first."""
        return self.pointer_to()

    def pointer_to(self, *tokens: str | int) -> str:
        """Where what stands at `tokens` from here stands in the document."""
        path: list[str | int] = list(tokens)
        place = self
        while place._parent is not None:
            path[:0] = place._tokens
            place = place._parent
        start = place.document.tokens_to(place.schema)
        return f"{place.base}#{bounded_pointer(path)}" if start is None else bounded_pointer([*start, *path])

    # Where it leads.

    def sub(self, *tokens: str | int) -> Place:
        """The subschema at `tokens` from here: `sub("properties", "a")`.

        Raises:
            LookupError: nothing stands there.
        """
        known = self._children.get(tokens)
        if known is None:
            known = self._children[tokens] = self._find(tokens)
        return known

    def _find(self, tokens: tuple[str | int, ...]) -> Place:
        """Walk from subschema to subschema, since each may change the base URI and the draft."""
        place, rest = self, list(tokens)
        while rest:
            length = _length_of_step(place, rest)
            place, rest = place._step(tuple(rest[:length])), rest[length:]
        return place if place.base == self.base else place._entered()

    def _step(self, tokens: tuple[str | int, ...]) -> Place:
        contents = self.schema
        for token in tokens:
            contents = _member(contents, token)
        dialect = dialect_of(contents, self.dialect) or self.dialect
        if tokens[0] not in self.dialect.holds and not dialect.accepts(contents):
            raise LookupError(tokens)  # what stands under a keyword that holds no schemas need not be one
        identifier = _identifier(contents, dialect)
        base = self.base if identifier is None else _joined(self.base, identifier)
        return self.document.remembered(Place(self.document, contents, base, self.scope, dialect, self, tokens))

    def _entered(self) -> Place:
        """The same place, its resource in the dynamic scope."""
        scope = self.document.entered(self.scope, self.base)
        if scope == self.scope:
            return self
        return self.document.remembered(
            Place(self.document, self.schema, self.base, scope, self.dialect, self._parent, self._tokens)
        )

    def follow(self, reference: str) -> Place | None:
        """What `$ref` leads to; None where it leads nowhere, or out of the document."""
        return self._target(reference, is_dynamic=False)

    def follow_dynamic(self, reference: str) -> Place | None:
        """What `$dynamicRef` (in 2019-09: `$recursiveRef`) leads to from here; None where it leads nowhere."""
        return self._target(reference, is_dynamic=True)

    def _target(self, reference: str, *, is_dynamic: bool) -> Place | None:
        if not isinstance(reference, str):
            return None  # draft-04's meta-schema lets it pass
        key = (is_dynamic, reference)
        if key in self._targets:
            return self._targets[key]
        try:
            found = self._resolved(reference)._entered()
            if is_dynamic:
                found = self._outermost(found, reference)._entered()
        except (Unresolvable, LookupError, ValueError, Unchecked):
            found = None
        self._targets[key] = found
        return found

    def _resolved(self, reference: str) -> Place:
        """What `reference` leads to; the resources on the way do not count as entered.

        Raises:
            Unresolvable, LookupError, ValueError: it leads nowhere.
        """
        uri, fragment = self.base, reference[1:]
        if not reference.startswith("#"):
            uri, fragment = urldefrag(urljoin(self.base, reference))
        registry = self.document.registry
        home = self.document.resource(
            registry.get_or_retrieve(uri).value.contents, uri, self.scope, self.document.dialect
        )
        if not fragment:
            return home
        if fragment.startswith("/"):
            tokens = [token.replace("~1", "/").replace("~0", "~") for token in unquote(fragment)[1:].split("/")]
            return home.sub(*tokens)
        anchor = registry.anchor(uri, unquote(fragment)).value
        return self.document.resource(anchor.resource.contents, uri, self.scope, home.dialect)

    def _outermost(self, found: Place, reference: str) -> Place:
        """The same anchor in the outermost resource of the dynamic scope that has it."""
        fragment = urldefrag(reference).fragment
        if not isinstance(found.schema, dict):
            return found
        if fragment and found.schema.get("$dynamicAnchor") == fragment:
            return next(self._dynamic_anchors(fragment), found)
        if not fragment and found.schema.get("$recursiveAnchor") is True:
            return next(self._recursive_anchors(), found)
        return found

    def _dynamic_anchors(self, name: str) -> Iterator[Place]:
        registry = self.document.registry
        for uri in self.scope:
            try:
                anchor = registry.anchor(uri, name).value
            except (Unresolvable, LookupError):
                continue
            if isinstance(anchor, DynamicAnchor):
                yield self.document.resource(anchor.resource.contents, uri, self.scope, self.dialect)

    def _recursive_anchors(self) -> Iterator[Place]:
        for uri in self.scope:
            contents = self.document.registry.get_or_retrieve(uri).value.contents
            if isinstance(contents, dict) and contents.get("$recursiveAnchor") is True:
                yield self.document.resource(contents, uri, self.scope, self.dialect)

    # Questions from outside a check.

    def is_valid(self, value: JSON, budget: Budget | None = None) -> bool | None:
        """Whether `value` is valid here; None where that cannot be found out."""
        if isinstance(self.schema, bool):
            return self.schema
        if self.document.flaw is not None:
            return None
        with Run(budget or Budget()):
            try:
                return self.fits(value)
            except (Unchecked, RecursionError):
                return None

    def errors(self, value: JSON, budget: Budget | None = None) -> list[Violation]:
        """What is wrong with `value` here, as far as that can be found out."""
        return list(self.survey(value, budget or Budget()).violations)

    def survey(self, value: JSON, budget: Budget, *, limit: int = 50) -> Survey:
        """What is wrong with `value` here, the first `limit` of it."""
        if self.document.flaw is not None:
            return Survey((), reason=self.document.flaw)
        found: list[Violation] = []
        with Run(budget) as run:
            run.reported = set()
            try:
                for failure in self.failures(value):
                    if len(found) == limit:
                        return Survey(tuple(found), truncated=True)
                    found.append(failure.violation())
            except Unchecked as stop:
                return Survey(tuple(found), truncated=bool(found), reason=str(stop))
            except RecursionError:  # levels are counted so that this cannot be
                return Survey(tuple(found), truncated=bool(found), reason="The value is nested too deeply.")
        return Survey(tuple(found))

    # Inside a check.

    @property
    def validator(self) -> Any:
        """The validator of `jsonschema` for this subschema alone."""
        known = self._built.get("")
        return self.built("", lambda: self.document.make_validator(self)) if known is None else known

    def built(self, name: str, build: Callable[[], Built]) -> Built:
        """What `build` makes of this place, made once."""
        known: Built | None = self._built.get(name)
        if known is None:
            known = self._built[name] = build()
        return known

    def failures(self, instance: JSON) -> Iterator[Failure]:
        """What is wrong with `instance`, which stands where the run stands.

        Raises:
            Unchecked: the check cannot be finished.
        """
        run = current_run()
        run.spend()
        if isinstance(self.schema, bool):
            if not self.schema:
                yield self._refusal(run)
            return
        run.descend()
        try:
            yield from self.validator.iter_errors(instance)
        finally:
            run.levels += 1

    def failures_at(self, token: str | int, instance: JSON) -> Iterator[Failure]:
        """What is wrong with `instance`, which stands at `token` from where the run stands."""
        run = current_run()
        run.spend()
        run.path.append(token)
        run.descend()
        try:
            if not isinstance(self.schema, bool):
                yield from self.validator.iter_errors(instance)
            elif not self.schema:
                yield self._refusal(run)
        finally:
            run.levels += 1
            run.path.pop()

    def fits(self, instance: JSON) -> bool:
        """Whether `instance` is valid here; remembered for the run.

        Raises:
            Unchecked: the check cannot be finished.
        """
        if isinstance(self.schema, bool):
            return self.schema
        run = current_run()
        key = (self, id(instance))
        known = run.fits.get(key)
        if known is None:
            run.spend()
            run.descend()
            reported, run.reported = run.reported, None
            known = run.fits[key] = next(self.validator.iter_errors(instance), None) is None
            run.reported = reported
            run.levels += 1
        return known

    def _refusal(self, run: Run) -> Failure:
        """What a `false` says; it stands under the keyword that is named."""
        member = run.path[-1] if run.path else None
        message = "Nothing is allowed here" if member is None else f"{_show_token(member)} is not allowed here"
        keyword = str(self._tokens[0]) if self._tokens else "false"
        return Failure(self, run.path, keyword, message, tokens=(), names=(member,) if isinstance(member, str) else ())


def _show_token(token: str | int) -> str:
    return show_text(token) if isinstance(token, str) else f"Item {token} (counted from 0)"


def _identifier(schema: JSON, dialect: Dialect) -> str | None:
    """The URI that a subschema gives itself."""
    if not isinstance(schema, dict) or not isinstance(schema.get(dialect.id_keyword), str):
        return None
    identifier = dialect.specification.id_of(schema)
    return None if identifier is None else identifier.rstrip("#")


def _joined(base: str, identifier: str) -> str:
    try:
        return urljoin(base, identifier)
    except ValueError:  # no URI at all, say "http://["
        return base


def _length_of_step(place: Place, tokens: list[str | int]) -> int:
    """How many tokens lead to the next subschema; all of them where none comes."""
    schema = place.schema
    how = place.dialect.holds.get(str(tokens[0])) if isinstance(schema, dict) else None
    if how is None:
        return len(tokens)
    if how is Holds.SCHEMA or (how is Holds.SCHEMA_OR_ARRAY and not isinstance(_member(schema, tokens[0]), list)):
        return 1
    return min(2, len(tokens))


def _member(value: JSON, token: str | int) -> JSON:
    if isinstance(value, dict):
        return value[str(token)]
    if isinstance(value, list) and (isinstance(token, int) or (token.isascii() and token.isdecimal())):
        return value[int(token)]
    raise LookupError(token)
