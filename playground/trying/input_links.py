"""An address that opens the Try page with the same input: tool, revision and parameters.

It has no configuration and no secret: the parts of the parameters that are secret, or look so by
their name, are left out, and where another string repeats one of them, or one of the configuration,
a mark replaces it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse

from catalog.tools.models import Revision, Tool
from playground.configurations.compiled_spec import CompiledSpec
from playground.configurations.secret_members import Configuration, redactor_of
from playground.form.secret_search import NONE, find_secrets
from playground.form.values import ABSENT, Absent, Maybe
from toolshelf_core.redaction import WITHHELD
from toolspec.text.patch import REMOVED, change_all
from toolspec.text.pretty import print_json
from toolspec.text.reader import JSON, dumps

MAX_CHARACTERS: Final = (
    4000  # of path and query; chats, proxies and some browsers cut longer addresses
)


@dataclass(frozen=True, slots=True)
class InputLink:
    """The content of the Try page after *Share*.

    Attributes:
        path: path and query of the address; "" if there is none.
        text: the input as JSON, if it is too long for an address.
        problem: why there is neither.
        left_out: JSON Pointers of the secret parameters that are not in it, in the order of the
            input.
    """

    path: str = ""
    text: str = ""
    problem: str = ""
    left_out: tuple[str, ...] = ()


def input_link(
    tool: Tool,
    revision: Revision,
    compiled_spec: CompiledSpec,
    parameters: Maybe,
    configuration: Configuration | None,
) -> InputLink:
    """The address of `parameters`; `configuration` is only searched for secrets that they repeat."""
    query = {"revision": str(revision.number)}
    address = reverse("playground:try", args=[tool.slug])
    shown, left_out = without_secrets(compiled_spec, parameters, configuration)
    if shown == WITHHELD:
        return InputLink(
            problem="This input could not be searched for secrets, so it cannot be shared."
        )
    if isinstance(shown, Absent):
        return InputLink(path=f"{address}?{urlencode(query)}", left_out=left_out)
    try:
        query["parameters"] = dumps(shown)
        path = f"{address}?{urlencode(query)}"
    except ValueError:
        return InputLink(problem="This input contains characters that a link cannot contain.")
    if len(path) > MAX_CHARACTERS:
        return InputLink(text=print_json(shown), left_out=left_out)
    return InputLink(path=path, left_out=left_out)


def without_secrets(
    compiled_spec: CompiledSpec, parameters: Maybe, configuration: Configuration | None
) -> tuple[Maybe, tuple[str, ...]]:
    """The parameters without their secrets, or `WITHHELD` if those cannot be found; the pointers of omitted parts.

    `configuration` is only searched for secrets that the parameters repeat.
    """
    if isinstance(parameters, Absent):
        return ABSENT, ()
    found = find_secrets(compiled_spec.parameters, parameters)
    others = configuration.secrets(compiled_spec.configuration) if configuration else NONE
    if any(secrets.reason or secrets.problems() for secrets in (found, others)):
        return WITHHELD, ()
    left_out = tuple(pointer for pointer, _ in found.parts)
    if "" in left_out:
        return ABSENT, left_out
    rest: JSON = change_all(parameters, found.pointers, lambda *_: REMOVED) if found else parameters
    return redactor_of(found, others).value(rest), left_out
