"""The completions of the JSON editor of a tool's form."""

from __future__ import annotations

from dataclasses import asdict

from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from catalog.shortcuts import revision_of, tool_at
from playground.compiled_spec import compiled_spec_of
from playground.schema_form.completions import Completions, completions_at
from playground.schema_form.control_names import split_path


@require_safe
def completions(request: HttpRequest, slug: str) -> JsonResponse:
    """What may stand at `?path=` in the text of the control `?control=`; both are written as in `control_names.py`.

    The answer is {"members": [], "values": []}, each item {"text", "detail", "description", "is_required"}.
    """
    tool = tool_at(slug, request.user)
    form, _, control_path = request.GET.get("control", "").replace(":e:", ":", 1).partition(":")
    # A row of the form is read as the first item: its id is no index, and most items have the same schema.
    path = [0 if isinstance(token, int) else token for token in _tokens(control_path)]
    path += _tokens(request.GET.get("path", ""))
    spec = compiled_spec_of(revision_of(tool))
    schema = {"parameters": spec.parameters, "configuration": spec.configuration_form}.get(form)
    found = completions_at(schema.root, path) if schema else Completions()
    response = JsonResponse({"members": list(map(asdict, found.members)), "values": list(map(asdict, found.values))})
    response["Cache-Control"] = "private, max-age=60"
    return response


def _tokens(path: str) -> list[str | int]:
    """Names of members, and the numbers of rows.

    Raises:
        Http404: it is not a path.
    """
    tokens = split_path(path)
    if tokens is None:
        raise Http404
    return [token[1:] if token.startswith(".") else int(token.strip("@~")) for token in tokens]
