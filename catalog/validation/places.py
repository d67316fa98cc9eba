"""A subschema where it stands: what it refers to, in which draft it is read, what validates it.

References are resolved by `referencing`, from the document itself and the bundled drafts; nothing is ever fetched.

Sources: JSON Schema 2020-12 Core, sections 7.1 (dynamic scope), 8.2 (identifiers and references), 9.2; draft 2019-09
Core, section 8.2.4.2 (`$recursiveRef`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar
from urllib.parse import unquote, urldefrag, urljoin

from jsonschema.protocols import Validator
from jsonschema_specifications import REGISTRY
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DynamicAnchor, SchemaRegistry

from catalog.dialects import Dialect, Holds, dialect_of
from catalog.problems import pointer_join
from catalog.strict_json import JSON
from catalog.validation.budget import Budget, Run, Unchecked, current_run, running
from catalog.validation.violations import Failure, Violation
from catalog.validation.wording import show_text

MAX_PLACES: Final = 50_000  # that one document remembers
MAX_SCHEMA_DEPTH: Final = 200

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
        self.root = self.place_at(schema, base=self._root_uri, pointer="", scope=(self._root_uri,), dialect=dialect)

    @cached_property
    def _root_uri(self) -> str:
        return _identifier(self.schema, self.dialect) or ""

    @cached_property
    def registry(self) -> SchemaRegistry:
        """The document beside the bundled drafts, its identifiers and anchors found.

        Raises:
            Unchecked: they cannot be read.
        """
        resource = self.dialect.specification.create_resource(self.schema)  # type: ignore[arg-type]
        try:
            return _DRAFTS.with_resource(self._root_uri, resource).crawl()
        except (AttributeError, TypeError, ValueError) as error:
            raise Unchecked("The schema is malformed: its identifiers cannot be read.") from error

    @cached_property
    def flaw(self) -> str | None:
        """Why no value can be checked against the document; None where nothing is wrong with it."""
        if _is_deeper_than(MAX_SCHEMA_DEPTH, self.schema):
            return "The schema is nested too deeply."
        if not self.dialect.accepts(self.schema):
            return f"The schema is not valid by draft {self.dialect.name}."
        return None

    @cached_property
    def has_dynamic_scope(self) -> bool:
        """Whether it matters on which way a place was reached."""
        return any(keyword in schema for schema in _objects(self.schema) for keyword in _SCOPE_KEYWORDS)

    @cached_property
    def _pointers(self) -> dict[int, str]:
        """The identity of every object of the document -> where it stands."""
        found: dict[int, str] = {}
        waiting: list[tuple[JSON, str]] = [(self.schema, "")]
        while waiting:
            value, pointer = waiting.pop()
            if isinstance(value, dict):
                found[id(value)] = pointer
                waiting += [(child, pointer_join(pointer, name)) for name, child in value.items()]
            elif isinstance(value, list):
                waiting += [(child, pointer_join(pointer, index)) for index, child in enumerate(value)]
        return found

    def place_at(self, schema: JSON, *, base: str, pointer: str, scope: tuple[str, ...], dialect: Dialect) -> Place:
        """The place of `schema`, always the same one for an object in one dynamic scope."""
        if not isinstance(schema, dict):
            return Place(self, schema, base, pointer, scope, dialect)
        key = (id(schema), scope)
        known = self._places.get(key)
        if known is None:
            known = Place(self, schema, base, pointer, scope, dialect_of(schema, dialect) or dialect)
            if len(self._places) < MAX_PLACES:
                self._places[key] = known
        return known

    def resource_at(self, contents: Any, uri: str, scope: tuple[str, ...], dialect: Dialect) -> Place:
        """The place of a resource, or of what an anchor in it names."""
        pointer = self._pointers.get(id(contents)) if isinstance(contents, dict) else None
        if pointer is None and contents is not self.schema:
            pointer = f"{uri}#"
        return self.place_at(contents, base=uri, pointer=pointer or "", scope=self.entered(scope, uri), dialect=dialect)

    def entered(self, scope: tuple[str, ...], uri: str) -> tuple[str, ...]:
        """The dynamic scope after entering the resource `uri`; only the first time counts."""
        if uri in scope or not (self.has_dynamic_scope or uri in _DRAFTS):
            return scope
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
        pointer: where it stands in the document; in a bundled meta-schema, after its URI and "#".
        scope: the resources through which it was reached, the outermost first.
        dialect: the draft that it is read in.
    """

    document: Document = field(repr=False)
    schema: JSON
    base: str
    pointer: str
    scope: tuple[str, ...]
    dialect: Dialect
    keyword: str = "false"  # that a `false` stands under
    _children: dict[tuple[str | int, ...], Place] = field(default_factory=dict, repr=False)
    _targets: dict[tuple[bool, str], Place | None] = field(default_factory=dict, repr=False)
    _built: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def identity(self) -> Hashable:
        """Equal for the same subschema in the same scope."""
        return (id(self.document), self.pointer, self.scope)

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
        return place

    def _step(self, tokens: tuple[str | int, ...]) -> Place:
        contents = self.schema
        for token in tokens:
            contents = _member(contents, token)
        base, scope = self.base, self.scope
        identifier = _identifier(contents, dialect_of(contents, self.dialect) or self.dialect)
        if identifier is not None:
            base = _joined(base, identifier)
            scope = self.document.entered(scope, base)
        pointer = pointer_join(self.pointer, *tokens)
        if isinstance(contents, dict):
            return self.document.place_at(contents, base=base, pointer=pointer, scope=scope, dialect=self.dialect)
        return Place(self.document, contents, base, pointer, scope, self.dialect, str(tokens[0]))

    def follow(self, reference: str) -> Place | None:
        """What `$ref` leads to; None where it leads nowhere, or out of the document."""
        return self._target(reference, is_dynamic=False)

    def follow_dynamic(self, reference: str) -> Place | None:
        """What `$dynamicRef` (in 2019-09: `$recursiveRef`) leads to from here; None where it leads nowhere."""
        return self._target(reference, is_dynamic=True)

    def _target(self, reference: str, *, is_dynamic: bool) -> Place | None:
        key = (is_dynamic, reference)
        if key in self._targets:
            return self._targets[key]
        try:
            found = self._resolved(reference)
            if is_dynamic and found is not None:
                found = self._outermost(found, reference)
        except (Unresolvable, LookupError, ValueError, TypeError):
            found = None
        self._targets[key] = found
        return found

    def _resolved(self, reference: str) -> Place | None:
        uri, fragment = (
            (self.base, reference[1:]) if reference.startswith("#") else urldefrag(urljoin(self.base, reference))
        )
        resource = self.document.registry.get_or_retrieve(uri).value
        canonical = resource.id()
        home_uri = uri if canonical is None else urljoin(uri, canonical)
        home = self.document.resource_at(resource.contents, home_uri, self.scope, self.dialect)
        if not fragment:
            return home
        if fragment.startswith("/"):
            tokens = [token.replace("~1", "/").replace("~0", "~") for token in unquote(fragment)[1:].split("/")]
            return home.sub(*tokens)
        anchor = self.document.registry.anchor(uri, unquote(fragment)).value
        return self.document.resource_at(anchor.resource.contents, home_uri, home.scope, home.dialect)

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
                yield self.document.resource_at(anchor.resource.contents, uri, self.scope, self.dialect)

    def _recursive_anchors(self) -> Iterator[Place]:
        for uri in self.scope:
            contents = self.document.registry.get_or_retrieve(uri).value.contents
            if isinstance(contents, dict) and contents.get("$recursiveAnchor") is True:
                yield self.document.resource_at(contents, uri, self.scope, self.dialect)

    # Questions from outside a check.

    def is_valid(self, value: JSON, budget: Budget | None = None) -> bool | None:
        """Whether `value` is valid here; None where that cannot be found out."""
        if isinstance(self.schema, bool):
            return self.schema
        if self.document.flaw is not None:
            return None
        with running(budget or Budget()):
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
        with running(budget) as run:
            run.reported = set()
            try:
                for failure in self.failures(value):
                    if len(found) == limit:
                        return Survey(tuple(found), truncated=True)
                    found.append(failure.violation())
            except Unchecked as stop:
                return Survey(tuple(found), truncated=bool(found), reason=str(stop))
            except RecursionError:  # levels are counted so that this cannot be
                return Survey(
                    tuple(found), truncated=bool(found), reason="The schema or the value is nested too deeply."
                )
        return Survey(tuple(found))

    # What validates it.

    @property
    def validator(self) -> Validator:
        """The validator of `jsonschema` for this subschema alone; it finds its way here by `place_of`."""
        return self.built("", lambda: self.document.make_validator(self))

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
        if self.schema is True:
            return
        run = current_run()
        if self.schema is False:
            yield self._refusal(run)
            return
        if not isinstance(self.schema, dict):
            raise Unchecked("The schema is malformed: a subschema is neither an object nor true or false.")
        run.descend()
        try:
            yield from self.validator.iter_errors(instance)  # type: ignore[misc, arg-type]
        finally:
            run.levels += 1

    def failures_at(self, token: str | int, instance: JSON) -> Iterator[Failure]:
        """What is wrong with `instance`, which stands at `token` from where the run stands."""
        path = current_run().path
        path.append(token)
        try:
            yield from self.failures(instance)
        finally:
            path.pop()

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
            reported, run.reported = run.reported, None
            known = run.fits[key] = next(self.failures(instance), None) is None
            run.reported = reported
        return known

    def _refusal(self, run: Run) -> Failure:
        member = run.path[-1] if run.path else None
        names = (member,) if isinstance(member, str) else ()
        message = "Nothing is allowed here" if member is None else f"{_show_token(member)} is not allowed here"
        return Failure(self, run.path, self.keyword, message, tokens=(), names=names)


def _show_token(token: str | int) -> str:
    return show_text(token) if isinstance(token, str) else f"Item {token} (counted from 0)"


def _objects(value: JSON) -> Iterator[Mapping[str, JSON]]:
    """Every object in `value`."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part


def _is_deeper_than(depth: int, value: JSON) -> bool:
    level = [value]
    for _ in range(depth):
        level = [child for part in level for child in _children_of(part)]
        if not level:
            return False
    return True


def _children_of(value: JSON) -> Iterable[JSON]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _identifier(schema: JSON, dialect: Dialect) -> str | None:
    """The URI that a subschema gives itself."""
    if not isinstance(schema, dict) or not isinstance(schema.get(dialect.id_keyword), str):
        return None
    identifier = dialect.specification.id_of(schema)
    return None if identifier is None else identifier.rstrip("#")


def _joined(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference)
    except ValueError:
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
    if isinstance(value, list):
        index = int(token)
        if index < 0:
            raise LookupError(token)
        return value[index]
    raise LookupError(token)
