"""The floor under a search over HTTP: raw FTS5 behind a minimal Django view, in the server that Toolshelf runs in.

One table with the names, descriptions and parameters of the tools; all words of a query must be found (any of them in a
question); the best 20 by bm25, with what a row shows, and a count that stops at 10,000. No sessions, accounts, facets,
marks or pages: less than this cannot answer the question.

    FLOOR_DATABASE=… granian --interface wsgi bench.floor:application
"""

from __future__ import annotations

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
    settings.configure(ROOT_URLCONF=__name__, SECRET_KEY="of no use", ALLOWED_HOSTS=["127.0.0.1"], MIDDLEWARE=[])
    django.setup()

_own = threading.local()


def connection() -> sqlite3.Connection:
    """This thread's."""
    if not hasattr(_own, "connection"):
        _own.connection = sqlite3.connect(os.environ["FLOOR_DATABASE"])
        _own.connection.execute("PRAGMA cache_size=-16000")
        _own.connection.execute("PRAGMA mmap_size=134217728")
    return _own.connection


def search(request: HttpRequest) -> JsonResponse:
    words = [f'"{word}"' for word in re.findall(r"[^\W_]+", request.GET["q"])]
    if "typing" in request.GET:
        words[-1] += "*"
    match = (" OR " if "question" in request.GET else " ").join(words)
    database = connection()
    found = database.execute(
        "SELECT tool_id, name, description FROM tools WHERE tools MATCH ? ORDER BY rank LIMIT ?", (match, PAGE_SIZE)
    ).fetchall()
    [(count,)] = database.execute(
        "SELECT count(*) FROM (SELECT 1 FROM tools WHERE tools MATCH ? LIMIT ?)", (match, COUNT_AT_MOST + 1)
    )
    items = [{"id": tool_id, "name": name, "description": description} for tool_id, name, description in found]
    return JsonResponse({"items": items, "count": count})


urlpatterns = [path("search", search)]
application = get_wsgi_application()


def build(file: Path, tools: Iterable[tuple[str, str, str, str]]) -> None:
    """Make the database: (id, name, description, parameters) of each tool."""
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute(
            "CREATE VIRTUAL TABLE tools USING fts5(tool_id UNINDEXED, name, description, parameters, prefix='2 3')"
        )
        database.executemany("INSERT INTO tools VALUES (?, ?, ?, ?)", tools)
    database.execute("INSERT INTO tools(tools) VALUES ('optimize')")
    database.commit()
    database.close()


def texts(definition: dict[str, Any]) -> tuple[str, str, str, str]:
    """What of a spec is searched: with the names and descriptions of its outermost parameters."""
    parameters = definition.get("parameters") or {}
    said = []
    for name, schema in (parameters.get("properties") or {}).items():
        said.append(name)
        if isinstance(schema, dict):
            said.append(str(schema.get("description", "")))
    return definition["id"], definition["name"], definition["description"], " ".join(said)
