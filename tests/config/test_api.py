"""The tokens of the API: where they are read, and what they need."""

from __future__ import annotations

import re

import pytest

from accounts.tokens import create_token
from config.api import api

pytestmark = [pytest.mark.django_db, pytest.mark.unit]


def test_an_invalid_token_is_refused_even_by_public_operations(client):
    answer = client.get("/api/v1/tools", headers={"authorization": "Bearer tsk_wrong"})

    assert answer.status_code == 401
    assert answer.json()["status"] == 401
    assert "WWW-Authenticate" in answer


def test_a_token_in_the_url_is_not_accepted(client, ada):
    _, secret = create_token(ada, scopes=["publish"])

    answer = client.post(
        f"/api/v1/tools?token={secret}", data="{}", content_type="application/json"
    )

    assert answer.status_code == 401


def test_a_token_without_the_scope_is_refused(client, ada):
    _, secret = create_token(ada, scopes=["read"])

    answer = client.post(
        "/api/v1/tools",
        data="{}",
        content_type="application/json",
        headers={"authorization": f"Bearer {secret}"},
    )

    assert answer.status_code == 403
    assert "publish" in answer.json()["detail"]


def test_the_ids_of_operations_are_verbs_with_nouns_and_unique():
    paths = api.get_openapi_schema()["paths"].values()
    ids = [operation["operationId"] for methods in paths for operation in methods.values()]

    assert len(ids) == len({*ids}) == 88
    assert [name for name in ids if not re.fullmatch(r"[a-z]+(_[a-z]+)+", name)] == []
