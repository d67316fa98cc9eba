"""The size of a source's document is a setting."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalog.proposals.models import Proposal
from catalog.sources.models import Source
from catalog.sources.sync import sync
from tests.catalog.sources.documents import (
    BREAKING,
    FORECAST,
    add_document,
    document,
    replace_document,
    store_source,
)
from tests.factories import make_token, make_user

pytestmark = pytest.mark.django_db


def padded(padding):
    return json.dumps({**json.loads(document(FORECAST)), "x-padding": "x" * padding})


def post_body(client, body, user=None):
    headers = {}
    if user:
        headers["Authorization"] = f"Bearer {make_token('admin', user=user)}"
    return client.post("/api/v1/sources", body, content_type="application/json", headers=headers)


def add_source(client, user, padding):
    body = {"name": "weather", "kind": "openapi", "document": padded(padding)}
    return post_body(client, json.dumps(body), user)


def test_a_document_beyond_the_limit_is_refused_with_the_limit(client, settings):
    settings.MAX_DOCUMENT_BYTES = 1_000_000

    answer = add_source(client, make_user("ada", is_staff=True), 1_000_000)

    assert answer.status_code == 422
    assert "A document can have at most 1,000,000 bytes." in answer.content.decode()


def test_a_document_larger_than_a_form_may_be_is_added_and_replaced(client):
    ada = make_user("ada", is_staff=True)

    added = add_source(client, ada, 5 * 2**20)
    changed = client.patch(
        "/api/v1/sources/weather",
        json.dumps({"document": padded(6 * 2**20)}),
        content_type="application/json",
        headers={"Authorization": f"Bearer {make_token('admin', user=ada)}"},
    )

    assert (added.status_code, changed.status_code) == (201, 200)
    assert len(Source.objects.get().document) > 6 * 2**20


def test_a_body_larger_than_any_document_is_refused_before_it_is_read(client, settings):
    settings.MAX_DOCUMENT_BYTES = 1_000_000

    answer = post_body(client, "x" * 2_000_001, make_user("ada", is_staff=True))

    assert answer.status_code == 413
    assert answer.json()["detail"] == "The body can have at most 2,000,000 bytes."


def test_a_body_that_is_no_object_is_refused(client):
    answer = post_body(client, "[]", make_user("ada", is_staff=True))

    assert (answer.status_code, answer.json()["detail"]) == (422, "The body must be an object.")


def test_a_body_of_somebody_without_the_right_is_not_parsed(client):
    no_json = "x" * (5 * 2**20)

    of_visitor = post_body(client, no_json)
    of_reader = post_body(client, no_json, make_user("ada"))

    assert (of_visitor.status_code, of_reader.status_code) == (401, 403)


@pytest.mark.parametrize(
    "path",
    [
        "/review/",
        "/review/{change}/",
        "/tools/weather.forecast/",
        "/tools/weather.forecast/try/",
        "/factories/",
        "/api/v1/sources/weather/changes",
        "/api/v1/sources/weather/changes/{change}",
    ],
)
@pytest.mark.usefixtures("_read_in_this_process")
def test_pages_of_tools_and_changes_do_not_read_the_document_of_a_source(client, path):
    source = add_document(document(FORECAST))
    sync(source)
    replace_document(source, document(BREAKING))
    sync(source)
    address = path.format(change=Proposal.objects.get().pk)
    client.force_login(make_user("grace", is_staff=True))

    with CaptureQueriesContext(connection) as asked:
        answer = client.get(address)

    assert answer.status_code == 200
    read = [one["sql"] for one in asked if '"catalog_source"."document"' in one["sql"]]
    assert read == []


@pytest.mark.usefixtures("_read_in_this_process")
def test_the_page_to_try_a_tool_without_a_connection_does_not_read_the_document(client):
    sync(store_source("weather", "document", document=document(FORECAST)))
    client.force_login(make_user("grace", is_staff=True))

    with CaptureQueriesContext(connection) as asked:
        answer = client.get("/tools/weather.forecast/try/")

    assert "/sources/weather/#settings" in answer.content.decode()
    assert not [one["sql"] for one in asked if '"catalog_source"."document"' in one["sql"]]
