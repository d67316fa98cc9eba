"""The operations on saved inputs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja.errors import HttpError
from pydantic import Field

from accounts.api_auth import actor, token_or_session
from catalog.tools.lookup import revision_of, tool_for
from playground.router import router
from playground.runs.api_access import exact
from playground.runs.run_json import dump_with_texts
from playground.trying.models import SavedInput
from playground.trying.saved_inputs import delete_input, inputs_of, save_input
from toolshelf_core.api.problems import errors
from toolshelf_core.api.schemas import In, Out


class SavedInputIn(In):
    name: str = Field(
        description="1 to 100 characters, without a slash. It replaces your input of the same name."
    )
    parameters: Any = Field(repr=False, description="The parameters of the call.")


class SavedInputOut(Out):
    """The parameters of a call, without secrets."""

    name: str
    parameters: Any
    revision: int = Field(
        validation_alias="revision_number",
        description="The tool's revision when the input was saved.",
    )
    created_at: datetime
    updated_at: datetime


class SavedInputsOut(Out):
    items: list[SavedInputOut] = Field(description="By name; at most 50 for each tool.")


def input_text(saved: SavedInput) -> str:
    """A saved input as `SavedInputOut` describes it; its numbers stay as they were written."""
    described = SavedInputOut.of(saved, parameters=None)
    return dump_with_texts(described, parameters=saved.parameters_json)


@router.get(
    "/tools/{slug}/inputs",
    response={200: SavedInputsOut, **errors(401, 403, 404)},
    auth=token_or_session("run"),
    summary="List your saved inputs of a tool",
    tags=["inputs"],
)
def list_inputs(request: HttpRequest, slug: str) -> HttpResponse:
    """Only you see them. Returns JSON text (see `exact`)."""
    saved = inputs_of(actor(request), tool_for(request.user, "run", slug))
    return exact('{"items": [' + ", ".join(input_text(each) for each in saved) + "]}")


@router.post(
    "/tools/{slug}/inputs",
    response={201: SavedInputOut, **errors(401, 403, 404, 422)},
    auth=token_or_session("run"),
    summary="Save an input",
    tags=["inputs"],
)
def create_input(request: HttpRequest, slug: str, body: SavedInputIn) -> HttpResponse:
    """The parameters of a call, under a name. Replaces the input of the same name.

    Secrets are left out.
    """
    tool = tool_for(request.user, "run", slug)
    saved, _ = save_input(actor(request), revision_of(tool), body.name, body.parameters)
    # JSON text, not a `SavedInputOut`: the parameters stay as they were written, down to the digits
    # of their numbers.
    return exact(input_text(saved), 201)


@router.delete(
    "/tools/{slug}/inputs/{name}",
    response={204: None, **errors(401, 403, 404)},
    auth=token_or_session("run"),
    summary="Delete a saved input",
    tags=["inputs"],
)
def remove_input(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    if not delete_input(actor(request), tool_for(request.user, "run", slug), name):
        raise HttpError(404, "You have no saved input of this name for this tool.")
    return HttpResponse(status=204)
