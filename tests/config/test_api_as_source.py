"""The API's own OpenAPI document, read strictly, validated, and used as a source of the site that it describes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from tests.factories import GET_WEATHER
from tests.site import Site

METHODS = frozenset({"get", "put", "post", "delete", "patch"})


def refuse_duplicates(members: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in members]
    duplicates = {name for name in names if names.count(name) > 1}
    assert not duplicates, f"{duplicates} beside {names}"
    return dict(members)


@pytest.fixture
def document(client) -> dict[str, Any]:
    """The document, in which each object has each member once."""
    return json.loads(
        client.get("/api/v1/openapi.json").content, object_pairs_hook=refuse_duplicates
    )


@pytest.mark.unit
@pytest.mark.django_db
def test_each_object_of_the_document_has_each_member_once(document):
    assert document["openapi"] == "3.1.0"


@pytest.mark.unit
@pytest.mark.django_db
def test_the_document_is_valid_openapi(document):
    errors = list(OpenAPIV31SpecValidator(document).iter_errors())

    assert errors == []


@pytest.mark.unit
@pytest.mark.django_db
def test_a_file_of_a_run_is_documented_as_bytes(document):
    responses = document["paths"]["/api/v1/runs/{run_id}/file"]["get"]["responses"]

    assert responses["200"]["content"] == {
        "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
    }


class OwnSource:
    """The site's own API, imported into the site as the source `self`."""

    def __init__(self, site: Site) -> None:
        self.token = site.token("owner")
        self.api = httpx.Client(
            base_url=f"{site.url}/api/v1",
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=90,
        )
        self.document = self.api.get("/openapi.json").json()
        settings = {"name": "self", "kind": "openapi", "address": f"{site.url}/api/v1/openapi.json"}
        self.api.post("/sources", json=settings).raise_for_status()
        self.report = self.api.post("/sources/self/sync", json={"wait_s": 60}).json()

    def operations(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """(method, path, operation) of each operation of the document."""
        for path, operations in self.document["paths"].items():
            for method in METHODS & operations.keys():
                yield method, path, operations[method]

    def call(self, operation_id: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """The run of the tool of an operation, with the token in its configuration."""
        body = {"parameters": parameters, "configuration": {"Token": self.token}, "wait_s": 60}
        answer = self.api.post(f"/tools/self.{operation_id}/runs", json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()


@pytest.fixture(scope="module")
def own_source(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("own"))
    source = OwnSource(site)
    yield source
    source.api.close()
    site.stop()


@pytest.mark.slow
@pytest.mark.deep
def test_the_site_imports_each_operation_of_its_own_api(own_source):
    operations = list(own_source.operations())

    assert own_source.report["state"] == "succeeded", own_source.report
    assert own_source.report["created"] == len(operations)
    assert [one for one in own_source.report["changes"] if one["outcome"] != "created"] == []


@pytest.mark.slow
@pytest.mark.deep
def test_the_site_reads_lists_through_its_own_api(own_source):
    readers = [
        operation["operationId"]
        for method, path, operation in own_source.operations()
        if method == "get" and "{" not in path
    ]
    assert len(readers) == 10

    runs = {name: own_source.call(name, {}) for name in readers}

    outcomes = {name: (run["outcome"], run["verdict"]) for name, run in runs.items()}
    assert outcomes == dict.fromkeys(readers, ("returned", "conforms"))


@pytest.mark.slow
@pytest.mark.deep
def test_the_site_checks_stores_and_runs_a_tool_through_its_own_api(own_source):
    spec = json.loads(GET_WEATHER.read_text())
    spec["definition"]["id"] = "weather_of_this_test"

    checked = own_source.call("check_spec", {"body": spec})
    stored = own_source.call("publish_tool", {"body": spec})
    run = own_source.call(
        "create_run",
        {
            "slug": "weather_of_this_test",
            "body": {"parameters": {"location": "Oslo"}, "mode": "mock", "wait_s": 20},
        },
    )

    assert (checked["verdict"], checked["response"]["valid"]) == ("conforms", True)
    assert (stored["verdict"], stored["response"]["outcome"]) == ("conforms", "created")
    assert (run["verdict"], run["response"]["outcome"]) == ("conforms", "returned")
