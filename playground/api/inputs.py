"""The API's operations for saved inputs."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja.errors import HttpError

from catalog.accounts.api_auth import actor, token_or_session
from catalog.api.schemas.problems import errors
from catalog.shortcuts import revision_of, tool_for
from playground.api.access import exact
from playground.api.router import router
from playground.api.schemas import inputs as schemas
from playground.models import SavedInput
from playground.run_json import text_with_stored
from playground.try_page.saved_inputs import delete_input, inputs_of, save_input


def input_text(saved: SavedInput) -> str:
    """A saved input as `SavedInputOut` describes it; its numbers stay as they were written."""
    described = schemas.SavedInputOut.of(saved, parameters=None)
    return text_with_stored(described, parameters=saved.parameters_json)


@router.get(
    "/tools/{slug}/inputs",
    response={200: schemas.SavedInputsOut, **errors(401, 403, 404)},
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
    response={201: schemas.SavedInputOut, **errors(401, 403, 404, 422)},
    auth=token_or_session("run"),
    summary="Save an input",
    tags=["inputs"],
)
def create_input(request: HttpRequest, slug: str, body: schemas.SavedInputIn) -> HttpResponse:
    """The parameters of a call, under a name. Replaces the input of the same name. Secrets are left out."""
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
