"""Small OpenAPI documents for tests of sources, and the ways in which they change."""

import json

from catalog.sources.registration import SourceForm, add_source, change_source


def operation(name, *, summary="Do it", required=("city",), properties=None):
    """An operation with query parameters."""
    properties = {"city": {"type": "string"}} if properties is None else properties
    return {
        "operationId": name,
        "summary": summary,
        "parameters": [
            {"name": key, "in": "query", "required": key in required, "schema": schema}
            for key, schema in properties.items()
        ],
        "responses": {"200": {"description": "OK"}},
    }


def document(*operations, title="Things"):
    paths = {f"/{one['operationId']}": {"get": one} for one in operations}
    return json.dumps(
        {"openapi": "3.1.0", "info": {"title": title, "version": "1"}, "paths": paths}
    )


FORECAST = operation("forecast")
DESCRIBED = operation("forecast", summary="Forecast the weather of a city")
COMPATIBLE = operation(
    "forecast", properties={"city": {"type": "string"}, "days": {"type": "integer"}}
)
BREAKING = operation(
    "forecast",
    required=("city", "key"),
    properties={"city": {"type": "string"}, "key": {"type": "string"}},
)
ALERTS = operation("alerts")


def store_source(name, kind, address="", *, by=None, **settings):
    """A new source, as an administrator adds it on the command line."""
    wanted = {"name": name, "kind": kind, "address": address, **settings}
    return add_source(SourceForm(wanted, allow_command=True), by=by)


def change_settings(source, **settings):
    return change_source(SourceForm(settings, source=source))


def add_document(text, *, name="weather", by=None, **settings):
    """A source with an uploaded document."""
    return store_source(name, "openapi", document=text, by=by, **settings)


def replace_document(source, text):
    source.refresh_from_db()
    return change_settings(source, document=text)
