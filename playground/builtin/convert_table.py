"""Convert a table between CSV, tab-separated values, Markdown and JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from playground.builtin.shipped import SPECS
from toolshelf_tools import tool

Format = Literal["csv", "tsv", "markdown", "json"]

JSON_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?")
MARKDOWN_DASHES = re.compile(r":?-+:?")
UNESCAPED_BAR = re.compile(r"(?<!\\)\|")
EMPTY_CELL = '""'
"""A line that is one empty cell: an empty line would be none."""
ALIGNMENTS = {None: "---", "left": ":---", "center": ":---:", "right": "---:"}


@dataclass(frozen=True)
class Options:
    read_numbers: bool = True
    columns: list[str] | None = None
    align: dict[str, Literal["left", "center", "right"]] = field(default_factory=dict)


@dataclass(frozen=True)
class ConvertedTable:
    table: str
    columns: list[str]
    row_count: int


@dataclass(frozen=True)
class Cell:
    """A cell: `text` for display, and `json` as JSON text if the table was given as JSON."""

    text: str
    json: str | None = None

    def as_json(self, *, read_numbers: bool) -> str:
        if self.json is not None:
            return self.json
        if read_numbers and not self.text:
            return "null"
        if read_numbers and (self.text in ("true", "false") or JSON_NUMBER.fullmatch(self.text)):
            return self.text
        return json.dumps(self.text, ensure_ascii=False)


@dataclass(frozen=True)
class Table:
    columns: list[str]
    rows: list[list[Cell]]

    def only(self, columns: list[str]) -> Table:
        """The same table with only these columns.

        Raises:
            ValueError: it has no such column.
        """
        unknown = [column for column in columns if column not in self.columns]
        if unknown:
            raise ValueError(
                f"The table has no column {unknown[0]!r}; it has {', '.join(map(repr, self.columns))}."
            )
        indexes = [self.columns.index(column) for column in columns]
        return Table(columns, [[row[index] for index in indexes] for row in self.rows])


@tool(spec=SPECS / "convert_table.json")
def convert_table(
    table: str,
    from_format: Format,
    to_format: Format,
    options: Options = Options(),
) -> ConvertedTable:
    read = READERS[from_format](table)
    if options.columns is not None:
        read = read.only(options.columns)
    text = WRITERS[to_format](read, options)
    return ConvertedTable(table=text, columns=read.columns, row_count=len(read.rows))


def rectangular(lines: list[list[str]]) -> Table:
    """A table from its lines; the first line names the columns.

    Raises:
        ValueError: there is no line, two columns have one name, or a line has too many cells.
    """
    if not lines:
        raise ValueError("The table is empty: its first row must name the columns.")
    columns, *rows = lines
    if len(set(columns)) < len(columns):
        raise ValueError("Two columns have the same name.")
    for number, row in enumerate(rows, start=1):
        if len(row) > len(columns):
            raise ValueError(
                f"Row {number} has {len(row)} cells, but there are {len(columns)} columns."
            )
    return Table(
        columns, [[Cell(text) for text in row + [""] * (len(columns) - len(row))] for row in rows]
    )


def read_delimited(text: str, delimiter: str) -> Table:
    try:
        lines = [
            line
            for line in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
            if line
        ]
    except csv.Error as error:
        raise ValueError(f"The table is not readable: {error}.") from None
    return rectangular(lines)


def read_markdown(text: str) -> Table:
    lines = [markdown_cells(line) for line in text.strip().splitlines() if line.strip()]
    if len(lines) < 2 or not all(MARKDOWN_DASHES.fullmatch(cell) for cell in lines[1]):
        raise ValueError(
            "It is not a Markdown table: the second line must contain dashes, as in | --- | --- |."
        )
    return rectangular([lines[0], *lines[2:]])


def markdown_cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    if UNESCAPED_BAR.search(inner[-2:]):
        inner = inner[:-1]
    return [
        cell.strip().replace("\\|", "|").replace("<br>", "\n")
        for cell in UNESCAPED_BAR.split(inner)
    ]


def read_json(text: str) -> Table:
    try:
        rows = json.loads(
            text, parse_float=Lexeme, parse_int=Lexeme, parse_constant=refuse_constant
        )
    except (ValueError, RecursionError) as error:
        raise ValueError(f"The table is not JSON: {error}.") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("The table is not a JSON array of objects.")
    columns = list(dict.fromkeys(column for row in rows for column in row))
    return Table(
        columns,
        [
            [cell_of(row[column]) if column in row else Cell("") for column in columns]
            for row in rows
        ],
    )


class Lexeme(str):
    """A JSON number as it was written."""

    __slots__ = ()


def refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def cell_of(value: object) -> Cell:
    written = json_text(value)
    if value is None:
        return Cell("", written)
    return Cell(value if isinstance(value, str) else written, written)


def json_text(value: object) -> str:
    """`value` as JSON, with numbers as they were written."""
    if isinstance(value, Lexeme):
        return str(value)
    if isinstance(value, dict):
        members = (
            f"{json.dumps(name, ensure_ascii=False)}: {json_text(item)}"
            for name, item in value.items()
        )
        return "{" + ", ".join(members) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(json_text(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def write_delimited(table: Table, delimiter: str) -> str:
    lines = [table.columns, *([cell.text for cell in row] for row in table.rows)]
    return "".join(
        f"{delimiter.join(quoted(cell, delimiter) for cell in line) or EMPTY_CELL}\n"
        for line in lines
    )


def quoted(cell: str, delimiter: str) -> str:
    """`cell`, quoted if necessary (RFC 4180); the module csv does not quote a lone carriage return."""
    if any(special in cell for special in (delimiter, '"', "\r", "\n")):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def write_markdown(table: Table, options: Options) -> str:
    dashes = [ALIGNMENTS[options.align.get(column)] for column in table.columns]
    lines = [table.columns, dashes, *([cell.text for cell in row] for row in table.rows)]
    return "".join(f"| {' | '.join(markdown_text(cell) for cell in line)} |\n" for line in lines)


def markdown_text(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\r\n", "\n").replace("\n", "<br>")


def write_json(table: Table, options: Options) -> str:
    names = [json.dumps(column, ensure_ascii=False) for column in table.columns]
    rows = [
        ", ".join(
            f"{name}: {cell.as_json(read_numbers=options.read_numbers)}"
            for name, cell in zip(names, row, strict=True)
        )
        for row in table.rows
    ]
    return "[\n" + ",\n".join(f"  {{{row}}}" for row in rows) + "\n]\n" if rows else "[]\n"


READERS: dict[Format, Callable[[str], Table]] = {
    "csv": lambda text: read_delimited(text, ","),
    "tsv": lambda text: read_delimited(text, "\t"),
    "markdown": read_markdown,
    "json": read_json,
}
WRITERS: dict[Format, Callable[[Table, Options], str]] = {
    "csv": lambda table, _options: write_delimited(table, ","),
    "tsv": lambda table, _options: write_delimited(table, "\t"),
    "markdown": write_markdown,
    "json": write_json,
}
