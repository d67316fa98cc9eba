"""Recognize equal inputs: of the form, of an example, of a saved input and of a run."""

from __future__ import annotations

import hashlib

from playground.configurations.compiled_spec import CompiledSpec
from playground.configurations.secret_members import without_secrets
from playground.form.secret_search import find_secrets
from toolspec.text.reader import JSON, dumps


def stored_digest(parameters: JSON) -> str:
    """The same short text for equal parameters, as a run stores them: without secrets.

    "" if they are not JSON.
    """
    try:
        text = dumps(parameters, sort_keys=True)
    except ValueError:
        return ""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def input_digest(compiled_spec: CompiledSpec, parameters: JSON) -> str:
    """The digest that a run with these parameters has, which may contain secrets."""
    secrets = find_secrets(compiled_spec.parameters, parameters, by_name=False)
    return stored_digest(without_secrets(parameters, secrets))
