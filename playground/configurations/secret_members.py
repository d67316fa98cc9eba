"""Configurations, which tools are created with, and messages that do not reveal their secrets.

`secret_search.py` finds the members that are secret.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from catalog.errors import Problem
from catalog.json_schema.validation import CheckResult, CompiledSchema, Violation
from catalog.json_schema.validation.messages import show
from catalog.jsontext.patch import change_all
from catalog.jsontext.pointers import resolve_pointer
from catalog.jsontext.reader import JSON
from catalog.specs.secret_names import is_secret_name
from playground.mocks import canonical
from playground.redaction import MARK, WITHHELD, Redactor
from playground.schema_form.secret_search import NONE, Secrets, find_secrets, secret_members

__all__ = [
    "NO_SECRETS",
    "Configuration",
    "RunSecrets",
    "described_in_form",
    "described_safely",
    "redactor_of",
    "secret_members",
    "with_secrets_marked",
    "without_secrets",
]


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

    def redactor(self, schema: CompiledSchema | None) -> Redactor:
        """What takes this configuration's secrets out of anything that is stored or shown."""
        return redactor_of(find_secrets(schema, self.value))


NO_SECRETS = Redactor(())


def redactor_of(*found: Secrets) -> Redactor:
    """A redactor that removes these secrets from anything that is stored or shown."""
    return Redactor(text for secrets in found for text in secrets.texts()) if any(found) else NO_SECRETS


@dataclass(frozen=True, repr=False)
class RunSecrets:
    """The secrets of one run, found once for everything that needs them.

    Of parameters those that their schema marks are secret; of a configuration, those that their names tell as well.
    """

    parameters: Secrets = NONE
    configuration: Secrets = NONE

    @classmethod
    def of(
        cls,
        parameters_schema: CompiledSchema | None,
        parameters: JSON,
        configuration_schema: CompiledSchema | None,
        configuration: Configuration | None,
    ) -> RunSecrets:
        return cls(
            find_secrets(parameters_schema, parameters, by_name=False),
            find_secrets(configuration_schema, configuration.value) if configuration else NONE,
        )

    def problems(self) -> list[Problem]:
        """Why a run with these secrets is refused; pointers begin with /parameters or /configuration."""
        return [*self.parameters.problems("/parameters"), *self.configuration.problems("/configuration")]

    def redactor(self) -> Redactor:
        """A redactor that removes them from anything that is stored or shown."""
        return redactor_of(self.parameters, self.configuration)


def without_secrets(parameters: JSON, found: Secrets) -> JSON:
    """`parameters` as they may be stored: `MARK` replaces the secrets `found` in them, wherever they are repeated."""
    if not found:
        return parameters
    if found.reason or found.problems():
        return WITHHELD
    return redactor_of(found).value(change_all(parameters, found.pointers, lambda *_: MARK))


def described_safely(
    result: CheckResult,
    schema: CompiledSchema | None,
    value: JSON,
    *,
    by_name: bool = False,
    found: Secrets | None = None,
) -> CheckResult:
    """`result` of checking `value`, with messages that do not quote its secrets (`found`, if already known)."""
    if result.verdict != "violates":
        return result
    secrets = find_secrets(schema, value, by_name=by_name) if found is None else found
    if not secrets:
        return result
    safe = _Safely(value, secrets.pointers)
    return replace(
        result,
        problems=tuple(
            replace(problem, message=safe.message(problem.message, problem.pointer)) for problem in result.problems
        ),
        violations=tuple(safe.violation(violation) for violation in result.violations),
    )


def described_in_form(
    result: CheckResult, schema: CompiledSchema | None, value: JSON, *, by_name: bool = False
) -> CheckResult:
    """Like `described_safely`; secrets for which a run would be refused become violations, each at its field."""
    found = find_secrets(schema, value, by_name=by_name)
    refused = found.problems()
    if not refused:
        return described_safely(result, schema, value, found=found)
    violations = tuple(Violation(problem.pointer, problem.rule, problem.message, "") for problem in refused)
    return CheckResult("violates", problems=tuple(refused), violations=violations)


@dataclass(frozen=True, repr=False)
class _Safely:
    value: JSON
    secrets: Collection[str]

    def message(self, message: str, pointer: str) -> str:
        if not any(around in self.secrets for around in _pointers_around(pointer)):
            return message
        quoted = show(resolve_pointer(self.value, pointer))  # type: ignore[arg-type]
        return message.replace(quoted, "The secret", 1)

    def violation(self, violation: Violation) -> Violation:
        branches = tuple(tuple(self.violation(below) for below in branch) for branch in violation.branches)
        return replace(violation, message=self.message(violation.message, violation.pointer), branches=branches)


def _pointers_around(pointer: str) -> Iterator[str]:
    """`pointer`, and the pointers of everything around it."""
    yield pointer
    while pointer:
        pointer = pointer.rpartition("/")[0]
        yield pointer


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
