"""Query a sample SQLite database, read-only."""

from __future__ import annotations

import base64
import json
import math
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playground.builtin.shipped import SPECS, shipped
from playground.runner.log import log
from toolshelf_tools import DefinedTool, Tool

SAMPLE = Path(__file__).parent / "data" / "shop.sql"
MAX_VALUE_BYTES = 1_000_000
INSTRUCTIONS_BETWEEN_CHECKS = 5_000
READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE}
FORBIDDEN_FUNCTIONS = {"load_extension", "fts3_tokenizer"}

Cell = str | int | float | None | dict[str, str]


@dataclass(frozen=True)
class Configuration:
    tables: list[str] | None = None
    max_rows: int = 1000
    timeout_s: float = 5


@dataclass(frozen=True)
class Query:
    sql: str
    arguments: list[Any] | dict[str, Any] = field(default_factory=list)
    row_limit: int = 100


@dataclass(frozen=True)
class Rows:
    columns: list[str]
    rows: list[list[Cell]]
    row_count: int
    truncated: bool


class QuerySqlite(DefinedTool):
    definition = shipped("query_sqlite")
    request_type = Query

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration

    def call(self, request: Query) -> Rows:
        limit = min(request.row_limit, self.configuration.max_rows)
        with (
            closing(connect()) as connection,
            refusals_in_words(self.configuration),
        ):
            restrict(connection, self.configuration)
            cursor = connection.execute(request.sql, request.arguments)
            if cursor.description is None:
                raise ValueError("The statement returns no rows; use SELECT, WITH or VALUES.")
            columns = [column[0] for column in cursor.description]
            fetched = cursor.fetchmany(limit + 1)
        rows = [[as_json(value) for value in row] for row in fetched[:limit]]
        log(f"rows: {len(rows)}, columns: {len(columns)}")
        return Rows(columns=columns, rows=rows, row_count=len(rows), truncated=len(fetched) > limit)


def connect() -> sqlite3.Connection:
    """A connection to a new copy of the sample, in memory."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(SAMPLE.read_text(encoding="utf-8"))
    return connection


def restrict(connection: sqlite3.Connection, configuration: Configuration) -> None:
    """Restrict `connection` to reading permitted tables, for a limited time."""
    connection.execute("PRAGMA query_only = ON")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    connection.text_factory = lambda value: value.decode(errors="replace")
    connection.set_authorizer(authorizer(configuration.tables))
    end = time.monotonic() + configuration.timeout_s
    connection.set_progress_handler(lambda: time.monotonic() > end, INSTRUCTIONS_BETWEEN_CHECKS)


def authorizer(tables: list[str] | None) -> Callable[..., int]:
    """A function that SQLite calls before each action of a statement; it allows reading `tables` only."""
    readable = None if tables is None else {table.casefold() for table in tables}

    def may_read(table: str | None) -> bool:
        return readable is None or (table or "").casefold() in readable

    def authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        allowed = (
            action in READING
            or (action == sqlite3.SQLITE_READ and may_read(first))
            or (
                action == sqlite3.SQLITE_FUNCTION
                and (second or "").lower() not in FORBIDDEN_FUNCTIONS
            )
        )
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    return authorize


@contextmanager
def refusals_in_words(configuration: Configuration) -> Iterator[None]:
    """Turn SQLite's refusal into a sentence.

    Raises:
        TimeoutError: the statement ran too long.
        PermissionError: it does more than read permitted tables.
        ValueError: it is not a statement that SQLite can run.
    """
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning, OverflowError) as error:
        reason = str(error)
        if reason == "interrupted":
            raise TimeoutError(
                f"The statement ran longer than {configuration.timeout_s} s and was stopped."
            ) from None
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_AUTH or reason.startswith(
            "not authorized"
        ):
            raise PermissionError(
                f"Only reading is allowed, and only what the configuration names ({reason})."
            ) from None
        raise ValueError(f"SQLite refuses the statement: {reason}.") from None


def as_json(value: str | float | bytes | None) -> Cell:
    """A value of SQLite as JSON.

    Raises:
        ValueError: it is infinite, which JSON cannot represent.
    """
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("A value is infinite, which JSON cannot represent.")
    return value


class QuerySqliteFactory:
    configuration_type = Configuration
    configuration_schema = json.loads((SPECS / "query_sqlite.json").read_bytes())["configuration"]

    def tool_id(self) -> str:
        return QuerySqlite.definition.id

    def create(self, configuration: Configuration) -> Tool[Query, Rows]:
        return QuerySqlite(configuration)
