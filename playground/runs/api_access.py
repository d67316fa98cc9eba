"""What several operations use: the text of a run, the configuration that a request names."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from pydantic import StringConstraints

from accounts.api_auth import actor
from catalog.tools.headers import add_deprecation_headers
from catalog.tools.models import Tool
from playground.configurations.saved import (
    NO_SUCH_CONFIGURATION,
    UNREADABLE,
    find_configuration,
    open_configuration,
)
from playground.configurations.schemas import ConfigurationIn
from playground.configurations.secret_members import Configuration
from playground.runs.models import Run
from playground.runs.run_json import run_text
from toolshelf_core.encryption import Unreadable
from toolspec.errors import DocumentError, Problem

RunId = Annotated[str, StringConstraints(pattern="^[0-9a-f]{32}$")]


def exact(text: str, status: int = 200, headers: dict[str, str] | None = None) -> HttpResponse:
    """A response from JSON text, for runs: a stored response is inserted unchanged.

    So its numbers stay exact, and a long one is neither parsed nor encoded again.
    """
    return HttpResponse(
        text, status=status, content_type="application/json; charset=utf-8", headers=headers
    )


def started(run: Run) -> HttpResponse:
    """The response to a request that has started a run.

    Its status is 201 if the run has ended, else 202; it has the URL of the run.
    """
    headers = {"Location": reverse("api:get_run", args=[run.id])}
    return add_deprecation_headers(
        exact(run_text(run), 202 if run.is_active else 201, headers), run.tool
    )


def configuration_of(
    request: HttpRequest, tool: Tool, body: ConfigurationIn
) -> Configuration | None:
    """The configuration for the tool: the one sent, or the saved one that is named.

    None if there is neither.

    Raises:
        DocumentError: both are given, or the saved one does not exist or cannot be decrypted.
    """
    sent = "configuration" in body.model_fields_set
    if body.saved_configuration is None:
        return Configuration(body.configuration) if sent else None
    if sent:
        raise refusal(
            "Send `configuration` or `saved_configuration`, not both.", "configuration.both"
        )
    saved = find_configuration(actor(request), tool, body.saved_configuration)
    if saved is None:
        raise refusal(NO_SUCH_CONFIGURATION, "configuration.unknown")
    try:
        return open_configuration(saved, actor(request))
    except Unreadable:
        raise refusal(UNREADABLE, "configuration.unreadable") from None


def refusal(message: str, rule: str, pointer: str = "/saved_configuration") -> DocumentError:
    """The error for a request that is refused with status 422."""
    return DocumentError([Problem(pointer, message, rule)])
