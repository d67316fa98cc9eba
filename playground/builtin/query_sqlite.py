"""Query a SQLite database, read-only.

The file must be inside the folder that the operator names; otherwise, anyone who can configure a tool could read every
database that the server can read. Without a configured file, the tool uses a sample.
"""

from __future__ import annotations

import base64
import json
import math
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playground.builtin.shipped import SPECS, shipped
from playground.run_log import log
from toolshelf_tools import DefinedTool, Tool

FOLDER_VARIABLE = "SQLITE_QUERY_FOLDER"
SAMPLE = Path(__file__).parent / "data" / "shop.sql"
MAX_VALUE_BYTES = 1_000_000
INSTRUCTIONS_BETWEEN_CHECKS = 5_000
READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE}
FORBIDDEN_FUNCTIONS = {"load_extension", "fts3_tokenizer"}

Cell = str | int | float | None | dict[str, str]


@dataclass(frozen=True)
class Configuration:
    database: str | None = None
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
            closing(connect(self.configuration.database)) as connection,
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


def connect(database: str | None) -> sqlite3.Connection:
    """A read-only connection to `database`, or to the sample if it is None."""
    if database is not None:
        return sqlite3.connect(
            f"{database_file(database).as_uri()}?mode=ro", uri=True, isolation_level=None
        )
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(SAMPLE.read_text(encoding="utf-8"))
    return connection


def database_file(name: str) -> Path:
    """The file `name` inside the operator's folder.

    Raises:
        ValueError: no folder is named, or the file is outside it or does not exist.
    """
    named = os.environ.get(FOLDER_VARIABLE)
    if not named:
        raise ValueError(
            f"No database can be configured: the operator has not named a folder for them in {FOLDER_VARIABLE}."
        )
    folder = Path(named).resolve()
    try:
        file = (folder / name).resolve()
        usable = file.is_relative_to(folder) and file.is_file()
    except (OSError, ValueError):
        usable = False
    if not usable:
        raise ValueError(f"There is no database {name!r} in the operator's folder.")
    return file


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

    def may_read(table: str | None, view: str | None) -> bool:
        return readable is None or any(
            (name or "").casefold() in readable for name in (table, view)
        )

    def authorize(
        action: int, first: str | None, second: str | None, _database: str | None, view: str | None
    ) -> int:
        allowed = (
            action in READING
            or (action == sqlite3.SQLITE_READ and may_read(first, view))
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
