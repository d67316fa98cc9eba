"""A URL that opens the Try page with the same input: tool, revision and parameters.

It has no configuration and no secret: the parts of the parameters that are secret, or look so by
their name, are left out, and where another string repeats one of them, or one of the configuration,
a mark replaces it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse

from catalog.tools.lookup import revision_of
from catalog.tools.models import Tool
from playground.configurations.compiled_spec import CompiledSpec
from playground.configurations.secret_members import Configuration, redactor_of
from playground.form.secret_search import NONE, find_secrets
from playground.form.values import ABSENT, Absent, Maybe
from toolshelf_core.redaction import WITHHELD
from toolspec.text.patch import REMOVED, change_all
from toolspec.text.pretty import print_json
from toolspec.text.reader import JSON, dumps

# Of path and query: chats, proxies and some browsers cut longer URLs.
MAX_CHARACTERS: Final = 4000


@dataclass(frozen=True, slots=True)
class InputLink:
    """The content of the Try page after *Share*.

    Attributes:
        path: path and query of the URL; "" if there is none.
        text: the input as JSON, if it is too long for a URL.
        problem: why there is neither.
        left_out: JSON Pointers of the secret parameters that are not in it, in the order of the
            input.
    """

    path: str = ""
    text: str = ""
    problem: str = ""
    left_out: tuple[str, ...] = ()


def link_input(
    tool: Tool,
    compiled_spec: CompiledSpec,
    parameters: Maybe,
    configuration: Configuration | None,
) -> InputLink:
    """The URL of `parameters`; `configuration` is only searched for secrets that they repeat."""
    page = reverse("playground:try", args=[tool.slug])
    query = {"revision": str(revision_of(tool).number)}
    public, left_out = remove_secrets(compiled_spec, parameters, configuration)
    if public == WITHHELD:
        problem = "This input could not be searched for secrets, so it cannot be shared."
        return InputLink(problem=problem)
    if isinstance(public, Absent):
        return InputLink(path=f"{page}?{urlencode(query)}", left_out=left_out)
    try:
        query["parameters"] = dumps(public)
        path = f"{page}?{urlencode(query)}"
    except ValueError:
        return InputLink(problem="This input contains characters that a link cannot contain.")
    if len(path) > MAX_CHARACTERS:
        return InputLink(text=print_json(public), left_out=left_out)
    return InputLink(path=path, left_out=left_out)


def remove_secrets(
    compiled_spec: CompiledSpec, parameters: Maybe, configuration: Configuration | None
) -> tuple[Maybe, tuple[str, ...]]:
    """The parameters without their secrets, and the pointers of the parts that are left out.

    `WITHHELD` if the secrets cannot be found. `configuration` is only searched for secrets that the
    parameters repeat.
    """
    if isinstance(parameters, Absent):
        return ABSENT, ()
    own = find_secrets(compiled_spec.parameters, parameters)
    others = NONE
    if configuration is not None:
        others = configuration.secrets(compiled_spec.configuration)
    if any(secrets.reason or secrets.problems() for secrets in (own, others)):
        return WITHHELD, ()
    left_out = tuple(pointer for pointer, _ in own.parts)
    if "" in left_out:
        return ABSENT, left_out
    rest: JSON = change_all(parameters, own.pointers, lambda *_: REMOVED)
    return redactor_of(own, others).value(rest), left_out
