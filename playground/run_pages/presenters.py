"""Present a run: its state in one sentence, its response as a table, its problems, its timing, code that repeats it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from catalog.errors import Problem
from catalog.jsontext.numbers import is_number
from catalog.jsontext.pointers import pointer_join, split_pointer
from catalog.jsontext.positions import locate
from catalog.jsontext.reader import JSON, dumps
from catalog.tool_page import Usage
from playground.models import Run
from playground.snippets.api_calls import Call, as_curl, as_python

MAX_ROWS = 200
MAX_COLUMNS = 24
SNIPPET_CHARACTERS = 20_000
SCHEMA_BLOCK = "return-type"  # the id of the block that shows the schema


@dataclass(frozen=True)
class Sentence:
    """The state of a run in one sentence. `tone` is "good", "bad", "warn", "info" or "muted"."""

    text: str
    tone: str
    icon: str


RUNNING = Sentence("Running.", "info", "play")


def sentence(run: Run, position: int = 0) -> Sentence:
    """The state of `run`; `position` is its position in the queue, from 1, or 0 if it is not waiting."""
    if run.outcome == "queued" and position:
        which = f"number {position:,}" if position > 1 else "next"
        return Sentence(f"Waiting: {which} in the queue.", "info", "clock")
    if run.verdict == "conforms":
        return Sentence("Conforms to the return type", "good", "circle-check")
    if run.verdict == "violates":
        return Sentence(f"{_problem_count(run)}: violates the return type", "bad", "triangle-alert")
    if run.verdict == "unchecked":
        return Sentence(
            f"Not checked: {run.verdict_reason[:1].lower()}{run.verdict_reason[1:]}", "muted", "circle-dashed"
        )
    return {
        "queued": RUNNING,  # the row of a short run is not updated before its end
        "running": RUNNING,
        "raised": Sentence("The tool raised an error instead of returning a response.", "bad", "circle-x"),
        "timed_out": Sentence(f"Timed out after {run.timeout_s:g} s.", "bad", "hourglass"),
        "cancelled": Sentence("Cancelled.", "muted", "square"),
        "crashed": Sentence("Crashed: the process ended before the tool returned a response.", "bad", "zap"),
        "refused": Sentence("Refused: the tool was not called.", "warn", "circle-slash"),
    }.get(run.outcome, Sentence("Ended without a response.", "muted", "circle-dashed"))


def _problem_count(run: Run) -> str:
    count = len(run.problems)
    if run.problems_truncated:
        return f"More than {count} problems"
    return "1 problem" if count == 1 else f"{count} problems"


@dataclass(frozen=True)
class Table:
    """A list of objects as rows. `pointer` leads to the list in the response."""

    pointer: str
    columns: list[str]
    rows: list[Row]
    rows_in_all: int
    columns_in_all: int

    @property
    def headings(self) -> list[tuple[str, bool]]:
        """The name of each column, and whether all its values are numbers, which are aligned at their ends."""
        columns = zip(self.columns, zip(*(row.cells for row in self.rows), strict=True), strict=True)
        return [(name, all(cell.is_number for cell in cells if cell.is_present)) for name, cells in columns]


@dataclass(frozen=True)
class Row:
    """One object, with the messages of the problems of the object as a whole, or of its columns that are not shown."""

    cells: list[Cell]
    problems: list[str]


@dataclass(frozen=True)
class Cell:
    """One value of a table and the messages of its problems. A value that is no string or number is shown as JSON."""

    value: JSON
    is_present: bool
    problems: list[str]

    @property
    def is_text(self) -> bool:
        return isinstance(self.value, str)

    @property
    def is_number(self) -> bool:
        return is_number(self.value)


def as_table(response: JSON, problems: Iterable[Problem] = ()) -> Table | None:
    """The response as a table, if it is a list of objects, or an object with exactly one such list; else None.

    Each of `problems`, those of the response, is in the cell of its value.
    """
    pointer, found = "", response
    if isinstance(response, dict):
        lists = [(name, value) for name, value in response.items() if _is_table(value)]
        if len(lists) != 1:
            return None
        name, found = lists[0]
        pointer = pointer_join("", name)
    if not _is_table(found) or not isinstance(found, list):
        return None
    objects = [row for row in found if isinstance(row, dict)]
    columns = list(dict.fromkeys(name for row in objects for name in row))
    shown = columns[:MAX_COLUMNS]
    messages = _messages_by_cell(pointer, problems, set(shown))
    rows = [
        Row(
            [Cell(row.get(name), name in row, messages.get((str(index), name), [])) for name in shown],
            messages.get((str(index), None), []),
        )
        for index, row in enumerate(objects[:MAX_ROWS])
    ]
    return Table(pointer, shown, rows, len(objects), len(columns))


def _messages_by_cell(
    pointer: str, problems: Iterable[Problem], columns: set[str]
) -> dict[tuple[str, str | None], list[str]]:
    """The messages of problems in the list at `pointer`, by index and column; None for the whole object."""
    found: dict[tuple[str, str | None], list[str]] = {}
    for problem in problems:
        if problem.pointer.startswith(f"{pointer}/"):
            index, *path = split_pointer(problem.pointer.removeprefix(pointer))
            column = path[0] if path and path[0] in columns else None
            found.setdefault((index, column), []).append(problem.message)
    return found


def _is_table(value: JSON) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) and row for row in value)


def pinned(problems: list[Problem], schema: JSON) -> list[dict[str, object]]:
    """The problems as annotations for `{% json_block %}`: {"pointer", "message", "schema_href"?, …}."""
    pointers = {problem.schema_pointer or "" for problem in problems if _is_local(problem.schema_pointer)}
    positions = locate(dumps(schema, indent=2), pointers)
    found: list[dict[str, object]] = []
    for problem in problems:
        annotation: dict[str, object] = dict(problem.as_json())
        if problem.schema_pointer in positions:
            annotation["schema_href"] = f"#{SCHEMA_BLOCK}-L{positions[problem.schema_pointer][0]}"
        found.append(annotation)
    return found


def _is_local(pointer: str | None) -> bool:
    """Whether the rule is in the schema itself, not in another document that it refers to."""
    return pointer is not None and (not pointer or pointer.startswith("/"))


def snippets(run: Run, site: str) -> list[Usage]:
    """The run as `curl`, Python and a command. They contain no secrets: the user fills in token and configuration."""
    body: dict[str, JSON] = {"parameters": run.parameters}
    if run.mode == "mock":
        body["mode"] = "mock"
    if run.configuration_name:
        body["saved_configuration"] = run.configuration_name
    elif run.configuration_fingerprint:
        body["configuration"] = {}
    text = dumps(body)
    if len(text) > SNIPPET_CHARACTERS:
        return []
    fill_in = FILL_IN if "configuration" in body else ""
    call = Call(f"{site}/api/v1/tools/{run.tool.slug}/runs", body, fill_in)
    return [
        Usage("curl", "curl", as_curl(call)),
        Usage("python", "Python", as_python(call)),
        Usage("command", "manage.py", _command(run, fill_in)),
    ]


FILL_IN = "the configuration is not stored: fill it in"


def _command(run: Run, fill_in: str) -> str:
    words = [".venv/bin/python", "manage.py", "run_tool", f"--parameters={run.parameters_json}"]
    if run.mode == "mock":
        words.append("--mock")
    if fill_in:
        words.append("--configuration={}")
    if run.configuration_name:
        words.append(f"--saved-configuration={run.configuration_name}")
        words += [f"--user={run.by.get_username()}"] if run.by else []
    command = shlex.join([*words, "--", run.tool.tool_id])
    return f"# {fill_in}\n{command}" if fill_in else command


@dataclass(frozen=True)
class Phase:
    """One part of a run's time, and its position on a line of length 100."""

    css: str
    name: str
    text: str
    ms: float
    x: float
    width: float


def phases(run: Run) -> list[Phase]:
    """The phases of `run` in order; [] if nothing was called, as in a mock."""
    if run.is_mock:
        return []
    parts = [
        ("queue", "Waiting", "for a free slot", run.queue_ms),
        ("start", "Starting", "an isolated process, and the tool", run.start_ms),
        ("call", "Calling", "the tool", run.call_ms),
        ("check", "Checking", "the response against returnType", run.check_ms),
    ]
    known = [(css, name, text, ms) for css, name, text, ms in parts if ms is not None]
    whole = sum(ms for *_, ms in known) or 1.0
    found: list[Phase] = []
    x = 0.0
    for css, name, text, ms in known:
        width = round(100 * ms / whole, 2)
        found.append(Phase(css, name, text, ms, round(x, 2), width))
        x += width
    return found
