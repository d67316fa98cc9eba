"""The baseline of a search over HTTP: raw FTS5 behind a minimal Django view, in the same server.

One table has the names, descriptions and parameters of the tools. All words of a query must match.
It returns the best 20 by bm25, with the columns of a row, and a count that stops at 10,000; without
a query the first 20 by name. There are no sessions, accounts, facets, highlights or pages.

    FLOOR_DATABASE=… granian --interface wsgi bench.floor:application
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, JsonResponse
from django.urls import path

PAGE_SIZE = 20
COUNT_AT_MOST = 10_000

if not settings.configured:
    settings.configure(
        ROOT_URLCONF=__name__, SECRET_KEY="of no use", ALLOWED_HOSTS=["127.0.0.1"], MIDDLEWARE=[]
    )
    django.setup()

_thread = threading.local()


def get_connection() -> sqlite3.Connection:
    """The connection of this thread."""
    if not hasattr(_thread, "connection"):
        _thread.connection = sqlite3.connect(os.environ["FLOOR_DATABASE"])
        _thread.connection.execute("PRAGMA cache_size=-16000")
        _thread.connection.execute("PRAGMA mmap_size=134217728")
    return _thread.connection


def tool_list(request: HttpRequest) -> JsonResponse:  # noqa: ARG001
    database = get_connection()
    rows = database.execute(
        "SELECT tool_id, name, description FROM listed ORDER BY name, rowid LIMIT ?", (PAGE_SIZE,)
    ).fetchall()
    [(count,)] = database.execute(
        "SELECT count(*) FROM (SELECT 1 FROM listed LIMIT ?)", (COUNT_AT_MOST + 1,)
    )
    return _respond(rows, count)


def search(request: HttpRequest) -> JsonResponse:
    words = [f'"{word}"' for word in re.findall(r"[^\W_]+", request.GET["q"])]
    if "typing" in request.GET:
        words[-1] += "*"
    match = " AND ".join(words)
    if "examples" in request.GET:
        match = f"({match}) AND flags : examples"
    database = get_connection()
    rows = database.execute(
        "SELECT tool_id, name, description FROM tools WHERE tools MATCH ? ORDER BY rank LIMIT ?",
        (match, PAGE_SIZE),
    ).fetchall()
    [(count,)] = database.execute(
        "SELECT count(*) FROM (SELECT 1 FROM tools WHERE tools MATCH ? LIMIT ?)",
        (match, COUNT_AT_MOST + 1),
    )
    return _respond(rows, count)


def _respond(rows: list[tuple[str, str, str]], count: int) -> JsonResponse:
    items = []
    for tool_id, name, description in rows:
        items.append({"id": tool_id, "name": name, "description": description})
    return JsonResponse({"items": items, "count": count})


urlpatterns = [path("", tool_list), path("search", search)]
application = get_wsgi_application()


def build(file: Path, specs: Iterable[str]) -> None:
    """Create the database from the texts of specs."""
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute(
            "CREATE VIRTUAL TABLE tools USING fts5("
            "tool_id UNINDEXED, name, description, parameters, flags, prefix='2 3')"
        )
        database.executemany("INSERT INTO tools VALUES (?, ?, ?, ?, ?)", map(make_row, specs))
        database.execute("INSERT INTO tools(tools) VALUES ('optimize')")
        database.execute("CREATE TABLE listed (tool_id text, name text, description text)")
        database.execute("INSERT INTO listed SELECT tool_id, name, description FROM tools")
        database.execute("CREATE INDEX by_name ON listed (name)")
    database.close()


def make_row(spec: str) -> tuple[str, str, str, str, str]:
    """The searched columns of a spec, with the texts of its outermost parameters."""
    definition: dict[str, Any] = json.loads(spec)["definition"]
    parameters = definition.get("parameters") or {}
    texts = []
    for name, schema in (parameters.get("properties") or {}).items():
        texts.append(name)
        if isinstance(schema, dict):
            texts.append(str(schema.get("description", "")))
    flags = "examples" if definition.get("examples") else ""
    return definition["id"], definition["name"], definition["description"], " ".join(texts), flags
