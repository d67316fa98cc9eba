from __future__ import annotations

import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from catalog.management.users import find_user
from catalog.tools.models import Tool
from playground.configurations.compiled_spec import NO_RETURN_TYPE
from playground.configurations.saved import UNREADABLE, find_configuration, open_configuration
from playground.configurations.secret_members import Configuration
from playground.runs import running
from playground.runs.models import Run
from playground.runs.run_json import run_text
from toolshelf_core.commands import BaseCommand, replace_controls
from toolshelf_core.encryption import Unreadable
from toolshelf_core.errors import Busy, NotAllowed
from toolspec.errors import JSONTextError
from toolspec.text import reader
from toolspec.text.reader import JSON

EXIT_CODES = """
exit code:
  0  the tool returned, and the response matches its return type (or the spec has no returnType)
  1  anything else: refused, raised, timed out, crashed; the response does not match, or could
     not be checked
  2  the command's arguments are invalid; no run was created

JSON is given as text, as @FILE, or as - for stdin. Put a configuration with secrets into a file:
other users of this machine can see a command's arguments.
"""


ENDINGS = {
    "returned": "The tool responded",
    "raised": "The tool failed",
    "refused": "The tool was not called",
    "timed_out": "The tool was stopped at its time limit",
    "cancelled": "The run was cancelled",
    "crashed": "The tool's process ended before it responded",
}


class Command(BaseCommand):
    help = (
        "Run a tool once. On a terminal, print the response, and on stderr how the run ended. "
        "Elsewhere, or with --json, print the run as JSON, as the API returns it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog, parser.formatter_class = EXIT_CODES, RawDescriptionHelpFormatter
        parser.add_argument("tool", metavar="ID", help="The tool's id, or its slug.")
        parser.add_argument("--parameters", default="{}", metavar="JSON", help="Default: {}.")
        parser.add_argument(
            "--configuration",
            metavar="JSON",
            help="The configuration to create the tool with; not stored.",
        )
        parser.add_argument(
            "--saved-configuration",
            metavar="NAME",
            help=(
                "A saved configuration of USER, or OWNER/NAME for one that OWNER shares; "
                "instead of --configuration."
            ),
        )
        parser.add_argument(
            "--mock",
            action="store_true",
            help="Do not call the tool; derive a response from its spec.",
        )
        parser.add_argument(
            "--json", action="store_true", help="Print the run as JSON also on a terminal."
        )
        parser.add_argument(
            "--timeout-s", type=float, default=settings.RUN_TIMEOUT_S, metavar="SECONDS"
        )
        parser.add_argument(
            "--user",
            metavar="USER",
            help="The run's owner. Default: no owner; only administrators can see it.",
        )

    @sensitive_variables("configuration", "options")
    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        tool = find_tool(options["tool"])
        if tool.current is None:
            raise CommandError(f"{tool.tool_id} has no revision.", returncode=2)
        if not 0 < options["timeout_s"] <= settings.RUN_TIMEOUT_MAX_S:
            raise CommandError(
                f"--timeout-s takes up to {settings.RUN_TIMEOUT_MAX_S}.", returncode=2
            )
        parameters = read_json(options["parameters"], "--parameters")
        user = find_user(options["user"])
        configuration = None
        if options["saved_configuration"] is not None:
            configuration = saved_configuration(user, tool, options["saved_configuration"])
            if options["configuration"] is not None:
                raise CommandError(
                    "Give --configuration or --saved-configuration, not both.", returncode=2
                )
        elif options["configuration"] is not None:
            configuration = Configuration(read_json(options["configuration"], "--configuration"))
        try:
            run = running.start(
                tool,
                tool.current,
                parameters,
                by=user,
                configuration=configuration,
                configuration_name=options["saved_configuration"] or "",
                mode="mock" if options["mock"] else "live",
                timeout_s=options["timeout_s"],
                interface="command",
            )
        except (Busy, NotAllowed) as busy:
            raise CommandError(str(busy)) from busy
        run = running.wait(run, options["timeout_s"] + 30)
        if self.prints_json(options):
            self.stdout.write(run_text(run))
        else:
            self.print_readably(run)
        if not succeeded(run):
            sys.exit(1)

    def print_readably(self, run: Run) -> None:
        if run.verdict:  # there is a response
            response = run.response
            text = response if isinstance(response, str) else reader.dumps(response, indent=2)
            self.stdout.write(replace_controls(text))
        for line in describe_end(run):
            self.stderr.write(replace_controls(line))
        self.stderr.write(f"Run {run.pk}: --json prints all of it.")


def succeeded(run: Run) -> bool:
    if run.outcome != "returned":
        return False
    return run.verdict == "conforms" or run.verdict_reason == NO_RETURN_TYPE


def describe_end(run: Run) -> Iterator[str]:
    """How a run ended, line by line."""
    took = "" if run.duration_ms is None else f" after {run.duration_ms:,.0f} ms"
    yield f"{ENDINGS.get(run.outcome, run.outcome)}{took}."
    if run.error:
        yield run.error
    if run.verdict == "conforms":
        yield "The response matches its return type."
    elif run.verdict == "violates":
        yield "The response does not match its return type:"
    elif run.verdict:
        yield f"The response was not checked: {run.verdict_reason}"
    for problem in run.problems:
        yield (
            f"  {problem.pointer}: {problem.message}" if problem.pointer else f"  {problem.message}"
        )
    for name, output in (("stdout", run.stdout), ("stderr", run.stderr)):
        if output:
            yield f"{name} of the tool:\n{output.rstrip()}"
    for file in run.file_list():
        yield f"File {file.number}: {file.name} ({file.media_type}, {file.size:,} bytes)"


def find_tool(name: str) -> Tool:
    tools = Tool.objects.select_related("current")
    tool: Tool | None = tools.filter(tool_id=name).first() or tools.filter(slug=name).first()
    if tool is None:
        raise CommandError(f"The catalog has no tool with the id {name!r}.", returncode=2)
    return tool


def saved_configuration(user: User | None, tool: Tool, name: str) -> Configuration:
    found = find_configuration(user, tool, name)
    if found is None:
        whose = (
            f"{user.get_username()} has"
            if user
            else "Without --user, only shared ones can be used, and there is"
        )
        message = (
            f"{whose} no saved configuration {name!r} for this tool. "
            "Name a shared one as OWNER/NAME."
        )
        raise CommandError(message, returncode=2)
    try:
        return open_configuration(found, user)
    except Unreadable:
        raise CommandError(UNREADABLE, returncode=2) from None


@sensitive_variables()
def read_json(text: str, option: str) -> JSON:
    """The JSON value of an option: as text, "@file", or "-" for stdin."""
    try:
        if text == "-":
            data: bytes | str = sys.stdin.buffer.read(settings.RUN_PARAMETERS_BYTES + 1)
        elif text.startswith("@"):
            with Path(text[1:]).open("rb") as file:
                data = file.read(settings.RUN_PARAMETERS_BYTES + 1)
        else:
            data = text
        return reader.loads(data, max_bytes=settings.RUN_PARAMETERS_BYTES)
    except OSError as error:
        raise CommandError(f"{option}: {error.strerror}: {text[1:]}", returncode=2) from error
    except JSONTextError as error:
        problem = error.problems[0]
        position = f", line {problem.line}, column {problem.column}" if problem.line else ""
        raise CommandError(f"{option}: {problem.message}{position}", returncode=2) from None
