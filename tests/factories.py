"""Valid objects for tests; a test names only the members that it is about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import count
from typing import Any

from django.contrib.auth import get_user_model
from django.test import Client

from accounts.models import SCOPES, User
from accounts.sign_in_links import create_sign_in_link
from accounts.tokens import create_token
from catalog.organise.lifecycle import archive
from catalog.tools.models import Tool
from catalog.tools.publishing import publish
from tests import corpora
from toolspec.spec import ToolSpec, read_spec

GET_WEATHER = corpora.GET_WEATHER

_numbers = count(1)


def spec_text(
    tool_id: str | None = None,
    *,
    configuration: Any = None,
    siblings: Mapping[str, Any] | None = None,
    **definition: Any,
) -> str:
    """The text of a valid spec: `definition` replaces or adds members; `configuration` is its schema.

    `siblings`: other members of the document: {"x-mcp": …}.
    """
    tool_id = tool_id or f"tool-{next(_numbers)}"
    document: dict[str, Any] = {
        "definition": {
            "id": tool_id,
            "name": tool_id,
            "description": "Does something.",
            **definition,
        },
        **(siblings or {}),
    }
    if configuration is not None:
        document["configuration"] = configuration
    return json.dumps(document, indent=2)


def make_spec(tool_id: str | None = None, **members: Any) -> ToolSpec:
    return read_spec(spec_text(tool_id, **members))


def make_tool(tool_id: str | None = None, *, archived: bool = False, **members: Any) -> Tool:
    """A tool of the catalog, as `spec_text` describes it."""
    tool = publish(make_spec(tool_id, **members), by=None).tool
    if archived:
        archive(tool)
    return tool


def make_user(name: str = "ada", **fields: Any) -> User:
    return get_user_model().objects.create_user(name, **fields)


def signed_in(user: User) -> Client:
    """A browser in which `user` has just signed in, with a link."""
    client = Client()
    client.post(f"/sign-in/{create_sign_in_link(user.username)}/")
    return client


def make_token(*scopes: str, user: User | None = None) -> str:
    """The secret of a token with these scopes, or with all."""
    return create_token(user or make_user(), scopes=scopes or SCOPES)[1]


def properties(**schemas: Any) -> dict[str, Any]:
    """The schema of an object with these properties."""
    return {"type": "object", "properties": schemas}


def real_specs(name: str = "specs_mcp") -> list[str]:
    """The texts of a file of real specs, one per line."""
    return corpora.lines(name)
