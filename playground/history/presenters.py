"""Present a run: its problems, its timing, code that repeats it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from catalog.tools.page import Usage
from playground.runs.api_calls import Call, as_curl, as_python
from playground.runs.models import Run
from toolspec.errors import Problem
from toolspec.text.positions import locate
from toolspec.text.pretty import print_json
from toolspec.text.reader import JSON, dumps

SNIPPET_CHARACTERS = 20_000
IS_MISSING = " is missing"
SCHEMA_BLOCK = "return-type"  # the id of the block that shows the schema


def annotate(problems: list[Problem], schema: JSON, edit_href: str = "") -> list[dict[str, object]]:
    """The problems as annotations for `{% json_block %}`.

    {"pointer", "message", "schema_href"?, "edit_href"?, …}.

    `edit_href`: of the page that makes the spec accept the whole response; "" for none.
    """
    schema_pointers = (problem.schema_pointer for problem in problems)
    local_pointers = {pointer or "" for pointer in schema_pointers if _is_local(pointer)}
    positions = locate(print_json(schema), local_pointers)
    annotations: list[dict[str, object]] = []
    for problem in join_missing(problems):
        annotation: dict[str, object] = dict(problem.as_json())
        if edit_href:
            violation = urlencode({"violation": problem.pointer})
            annotation["edit_href"] = f"{edit_href}&{violation}#draft-impact"
        if problem.schema_pointer in positions:
            annotation["schema_href"] = f"#{SCHEMA_BLOCK}-L{positions[problem.schema_pointer][0]}"
        annotations.append(annotation)
    return annotations


def join_missing(problems: Sequence[Problem]) -> list[Problem]:
    """The problems, with one for all members of an object that a rule misses.

    It is in the place of the first of them.
    """
    names: dict[tuple[str, str | None], list[str]] = {}
    for problem in problems:
        if _is_missing(problem):
            name = problem.message.removesuffix(IS_MISSING)
            names.setdefault((problem.pointer, problem.schema_pointer), []).append(name)
    result = []
    for problem in problems:
        if not _is_missing(problem):
            result.append(problem)
            continue
        missing_names = names.pop((problem.pointer, problem.schema_pointer), [])
        if missing_names:
            result.append(_name_all(problem, missing_names))
    return result


def _is_missing(problem: Problem) -> bool:
    return problem.keyword == "required" and problem.message.endswith(IS_MISSING)


def _name_all(first: Problem, names: list[str]) -> Problem:
    if len(names) == 1:
        return first
    message = f"{', '.join(names[:-1])} and {names[-1]} are missing"
    return replace(first, message=message)


def _is_local(pointer: str | None) -> bool:
    """Whether the rule is in the schema itself, not in another document that it refers to."""
    return pointer is not None and (not pointer or pointer.startswith("/"))


def snippets(run: Run, site: str) -> list[Usage]:
    """The run as `curl`, Python and a command.

    They contain no secrets: the user fills in token and configuration.
    """
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
        if run.by:
            words.append(f"--user={run.by.get_username()}")
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
    total_ms = sum(ms or 0.0 for *_, ms in parts) or 1.0
    result: list[Phase] = []
    x = 0.0
    for css, name, text, ms in parts:
        if ms is not None:
            width = round(100 * ms / total_ms, 2)
            result.append(Phase(css, name, text, ms, round(x, 2), width))
            x += width
    return result
