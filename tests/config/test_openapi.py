"""The OpenAPI document is written from the API, and the page from it."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.django_db, pytest.mark.unit]


def test_the_api_is_documented_from_its_own_description(client):
    page = client.get("/api/v1/docs").content.decode().replace("<wbr>", "")
    described = client.get("/api/v1/openapi.json").json()

    assert described["openapi"].startswith("3.1")
    for path, operations in described["paths"].items():
        assert path in page
        for operation in operations.values():
            assert operation["summary"] in page


def test_the_documentation_of_the_api_joins_the_lines_of_a_paragraph(client):
    page = client.get("/api/v1/docs").content.decode()

    assert "<br" not in page


def test_every_operation_of_the_api_is_described(client):
    described = client.get("/api/v1/openapi.json").json()

    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            assert operation.get("summary"), (method, path)
            assert operation.get("responses"), (method, path)
