"""The configurations that tools are created with, and messages that do not reveal their secrets."""

from __future__ import annotations

import hmac
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import cast

from playground.form.secret_search import NONE, Secrets, find_secrets
from toolshelf_core.redaction import MARK, WITHHELD, Redactor, shared_redactor
from toolspec.errors import Problem
from toolspec.schema.validation import CheckResult, CompiledSchema, Violation
from toolspec.secret_names import is_secret_name
from toolspec.text.containers import members_of
from toolspec.text.patch import change_all
from toolspec.text.pointers import resolve_pointer
from toolspec.text.reader import JSON
from toolspec.value_differences import canonical


@dataclass(frozen=True, repr=False)
class Configuration:
    """The configuration of a run. Its value never appears in a log, a traceback or an error page.

    Attributes:
        secret_pointers: parts that were secret when it was saved; they stay secret whatever a later
            schema marks.
        shared_as: identifies a saved configuration that its user may use but not see; "" for any
            other.
        bound_to: the origins that it was saved for, separated by spaces; None if it is not a saved
            one.
    """

    value: JSON
    secret_pointers: frozenset[str] = frozenset()
    shared_as: str = ""
    bound_to: str | None = None

    def __repr__(self) -> str:
        return "Configuration(…)"

    __str__ = __repr__

    def fingerprint(self, key: bytes) -> str:
        """Equal for equal configurations, without revealing their contents: HMAC-SHA-256, in hex.

        That of a shared one equals no other: otherwise its users could confirm guesses of its
        contents.
        """
        content = canonical(self.value)
        if self.shared_as:
            content = f"{self.shared_as}\n{content}"
        return hmac.digest(key, content.encode(), "sha256").hex()

    def secrets(self, schema: CompiledSchema | None) -> Secrets:
        """The secrets in the value.

        `schema` marks them, their names suggest them, or they are known since it was saved.
        """
        secrets = find_secrets(schema, self.value)
        earlier: list[tuple[str, JSON]] = []
        for pointer in sorted(self.secret_pointers - secrets.pointers):
            with suppress(LookupError):
                earlier.append((pointer, cast("JSON", resolve_pointer(self.value, pointer))))
        return replace(secrets, parts=(*secrets.parts, *earlier))


NO_SECRETS = Redactor(())


def redactor_of(*secrets: Secrets, environment: tuple[str, ...] = ()) -> Redactor:
    """A redactor that removes these secrets from anything that is stored or shown.

    `environment`: the secret values of the environment variables that the tool sees,
    `FactoryOptions.secrets`.
    """
    if any(secrets):
        texts = list(environment)
        for each in secrets:
            texts += each.texts()
        return Redactor(texts)
    return shared_redactor(environment) if environment else NO_SECRETS


@dataclass(frozen=True, repr=False)
class RunSecrets:
    """The secrets of one run, found once for all uses.

    In parameters, a member is secret if the schema marks it; in a configuration, also if its name
    suggests it.
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
            configuration.secrets(configuration_schema) if configuration else NONE,
        )

    def problems(self) -> list[Problem]:
        """The reasons to refuse a run with these secrets.

        Pointers begin with /parameters or /configuration.
        """
        return [
            *self.parameters.problems("/parameters"),
            *self.configuration.problems("/configuration"),
        ]

    def redactor(self, environment: tuple[str, ...] = ()) -> Redactor:
        """A redactor that removes them, and secret values of the environment (`redactor_of`)."""
        return redactor_of(self.parameters, self.configuration, environment=environment)


def without_secrets(parameters: JSON, secrets: Secrets) -> JSON:
    """`parameters` as they may be stored.

    `MARK` replaces the `secrets` in them, wherever they are repeated.
    """
    if not secrets:
        return parameters
    if secrets.reason or secrets.problems():
        return WITHHELD
    return redactor_of(secrets).value(change_all(parameters, secrets.pointers, lambda *_: MARK))


def describe_secrets_in_form(
    result: CheckResult, schema: CompiledSchema | None, value: JSON, *, by_name: bool = False
) -> CheckResult:
    """`result`, in which secrets for which a run would be refused are violations.

    Each is at its field.
    """
    problems = find_secrets(schema, value, by_name=by_name).problems()
    if not problems:
        return result
    violations = tuple(
        Violation(problem.pointer, problem.rule, problem.message, "") for problem in problems
    )
    return CheckResult("violates", problems=tuple(problems), violations=violations)


def mark_secrets(schema: JSON) -> JSON:
    """Mark each property of `schema` whose name suggests a secret by `writeOnly`: forms hide it.

    Only for drawing forms: values are still checked against the schema as uploaded.
    """
    if isinstance(schema, list):
        return [mark_secrets(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result = {name: mark_secrets(part) for name, part in schema.items()}
    for name, part in members_of(result.get("properties")).items():
        if isinstance(part, dict) and is_secret_name(name):
            part["writeOnly"] = True
    return result
