"""Configurations: what a tool is made with, and which of it is secret.

Nothing here knows Django. A member is secret where its schema says so (`writeOnly`, `format: password`, `x-secret`), or
where its name does ("apiKey", "password").
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from dataclasses import dataclass, replace

from catalog.problems import pointer_join, resolve_pointer
from catalog.secret_names import is_secret_name
from catalog.strict_json import JSON, Number
from catalog.validation import CheckResult, CompiledSchema, Place, Violation
from catalog.validation.wording import show
from playground.applying import child_places, gather_all, item_places
from playground.forms.schemas import members
from playground.mocks import canonical
from playground.scrubbing import MARK, Scrubber, number_text


@dataclass(frozen=True, repr=False)
class Configuration:
    """A configuration on its way to a tool. It never shows its value: not in a log, a traceback or an error page."""

    value: JSON

    def __repr__(self) -> str:
        return "Configuration(…)"

    __str__ = __repr__

    def fingerprint(self, key: bytes) -> str:
        """Equal for equal configurations, and of no use for finding out what they hold: HMAC-SHA-256, in hex."""
        return hmac.digest(key, canonical(self.value).encode(), "sha256").hex()

    def scrubber(self, schema: CompiledSchema | None) -> Scrubber:
        """What takes this configuration's secrets out of anything that is stored or shown."""
        return Scrubber(text for _, secret in secret_members(schema, self.value) for text in _texts(secret))


NO_SECRETS = Scrubber(())


def scrubber_of(
    parameters_schema: CompiledSchema | None,
    parameters: JSON,
    configuration_schema: CompiledSchema | None,
    configuration: Configuration | None,
) -> Scrubber:
    """What takes the secrets of one run out of anything that is stored or shown.

    Of parameters those that their schema marks are secret; of a configuration, those that their names tell as well.
    """
    found = secret_members(parameters_schema, parameters, by_name=False)
    if configuration:
        found += secret_members(configuration_schema, configuration.value)
    return Scrubber(text for _, secret in found for text in _texts(secret)) if found else NO_SECRETS


def without_marked_secrets(schema: CompiledSchema | None, parameters: JSON) -> JSON:
    """`parameters` as they may be stored: `MARK` stands for what `schema` marks as secret, wherever else it is, too."""
    found = secret_members(schema, parameters, by_name=False)
    if not found:
        return parameters
    scrubber = Scrubber(text for _, secret in found for text in _texts(secret))
    return scrubber.value(_marked(parameters, frozenset(pointer for pointer, _ in found), ""))


def _marked(value: JSON, pointers: frozenset[str], pointer: str) -> JSON:
    if pointer in pointers:
        return MARK
    if isinstance(value, dict):
        return {name: _marked(member, pointers, pointer_join(pointer, name)) for name, member in value.items()}
    if isinstance(value, list):
        return [_marked(item, pointers, pointer_join(pointer, index)) for index, item in enumerate(value)]
    return value


def secret_members(schema: CompiledSchema | None, value: JSON, *, by_name: bool = True) -> list[tuple[str, JSON]]:
    """The secret members of `value`: their JSON Pointers and values, outermost first, in the order of `value`.

    With `by_name` False, only those that the schema marks.
    """
    return list(_Search(by_name).below([schema.root] if schema else [], value, "", ""))


def told_safely(
    result: CheckResult, schema: CompiledSchema | None, value: JSON, *, by_name: bool = False
) -> CheckResult:
    """`result` of checking `value`, with messages that do not quote its secrets."""
    pointers = [pointer for pointer, _ in secret_members(schema, value, by_name=by_name)]
    if not pointers or result.verdict != "violates":
        return result
    safe = _Safely(value, tuple(pointers))
    return replace(
        result,
        problems=tuple(
            replace(problem, message=safe.message(problem.message, problem.pointer)) for problem in result.problems
        ),
        violations=tuple(safe.violation(violation) for violation in result.violations),
    )


@dataclass(frozen=True, repr=False)
class _Safely:
    value: JSON
    secrets: tuple[str, ...]

    def message(self, message: str, pointer: str) -> str:
        if not any(f"{pointer}/".startswith(f"{secret}/") for secret in self.secrets):
            return message
        quoted = show(resolve_pointer(self.value, pointer))  # type: ignore[arg-type]
        return message.replace(quoted, "The secret", 1)

    def violation(self, violation: Violation) -> Violation:
        branches = tuple(tuple(self.violation(below) for below in branch) for branch in violation.branches)
        return replace(violation, message=self.message(violation.message, violation.pointer), branches=branches)


@dataclass(frozen=True)
class _Search:
    by_name: bool

    def below(self, places: list[Place], value: JSON, pointer: str, name: str) -> Iterator[tuple[str, JSON]]:
        applying = gather_all(places)
        named = self.by_name and is_secret_name(name) and not isinstance(value, bool | None)
        if named or any(_says_secret(place) for place in applying):
            yield pointer, value
        elif isinstance(value, dict):
            for member, part in value.items():
                yield from self.below(child_places(applying, member), part, pointer_join(pointer, member), member)
        elif isinstance(value, list):
            for index, part in enumerate(value):
                yield from self.below(item_places(applying, index), part, pointer_join(pointer, index), name)


def _says_secret(place: Place) -> bool:
    keywords = members(place)
    return keywords.get("writeOnly") is True or keywords.get("format") == "password" or keywords.get("x-secret") is True


def _texts(value: JSON) -> Iterator[str]:
    """Every string and number inside a secret, as text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, int | Number) and not isinstance(value, bool):
        yield number_text(value)


def with_secrets_marked(schema: JSON) -> JSON:
    """`schema` with `writeOnly` at each property whose name tells of a secret, so that forms hide it.

    Only for drawing: what a value is checked against stays as it was uploaded.
    """
    if isinstance(schema, list):
        return [with_secrets_marked(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    marked = {name: with_secrets_marked(part) for name, part in schema.items()}
    properties = marked.get("properties")
    if isinstance(properties, dict):
        marked["properties"] = {
            name: {**part, "writeOnly": True} if isinstance(part, dict) and is_secret_name(name) else part
            for name, part in properties.items()
        }
    return marked
