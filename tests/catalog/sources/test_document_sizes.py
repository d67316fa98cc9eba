"""The size of a source's document is a setting."""

import json

import pytest

from tests.catalog.sources.documents import FORECAST, document
from tests.factories import make_token, make_user

pytestmark = pytest.mark.django_db


def add_source(client, user, padding):
    text = json.dumps({**json.loads(document(FORECAST)), "x-padding": "x" * padding})
    return client.post(
        "/api/v1/sources",
        json.dumps({"name": "weather", "kind": "openapi", "document": text}),
        content_type="application/json",
        headers={"Authorization": f"Bearer {make_token('admin', user=user)}"},
    )


def test_a_document_beyond_the_limit_is_refused_with_the_limit(client, settings):
    settings.MAX_DOCUMENT_BYTES = 1_000_000

    answer = add_source(client, make_user("ada", is_staff=True), 1_000_000)

    assert answer.status_code == 422
    assert "A document can have at most 1,000,000 bytes." in answer.content.decode()
