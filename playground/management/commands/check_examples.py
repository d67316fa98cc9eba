from __future__ import annotations

import re
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.views.decorators.debug import sensitive_variables

from catalog.tools.models import Tool
from playground.configurations.secret_members import Configuration
from playground.examples.checks import begin_check, wait_for
from playground.examples.models import ExampleCheck
from playground.examples.results import ExampleResult, results_of
from playground.factories.registry import registry
from playground.management.commands.run_tool import find_tool, read_json
from toolshelf_core.commands import BaseCommand, replace_controls
from toolshelf_core.errors import Busy
from toolspec.text.pointers import split_pointer

EXIT_CODES = """
An example passes if its parameters and return value match the spec, and a live call returns that
value.

exit code:
  0  every example of every tool passes
  1  at least one does not
  2  the command's arguments are invalid; nothing was called
"""
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Command(BaseCommand):
    help = "Call tools with the parameters of their examples, and check whether the examples pass."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog, parser.formatter_class = EXIT_CODES, RawDescriptionHelpFormatter
        parser.add_argument(
            "tools", metavar="ID", nargs="*", help="Default: every tool that a factory serves."
        )
        parser.add_argument(
            "--conform",
            action="store_true",
            help="An example passes if its response matches the return type.",
        )
        parser.add_argument(
            "--ignore",
            action="append",
            default=[],
            metavar="POINTER",
            help="A JSON Pointer to a value of the response that may differ; may be repeated.",
        )
        parser.add_argument(
            "--configuration",
            metavar="JSON",
            help="The configuration to create the tools with; not stored.",
        )
        parser.add_argument(
            "--junit", type=Path, metavar="FILE", help="Also write the result as JUnit XML."
        )

    @sensitive_variables("configuration", "options")
    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        tools = [find_tool(name) for name in options["tools"]] or runnable_tools()
        ignored = [checked_pointer(pointer) for pointer in options["ignore"]]
        configuration = None
        if options["configuration"] is not None:
            configuration = Configuration(read_json(options["configuration"], "--configuration"))
        checked = []
        for tool in tools:
            check = check_tool(tool, configuration, exactly=not options["conform"], ignored=ignored)
            results = results_of(check)
            checked.append((check, results))
            for result in results:
                self.write_result(tool, result)
        if options["junit"]:
            options["junit"].write_text(junit_xml(checked), encoding="utf-8")
        failed = sum(check.failed for check, _ in checked)
        self.stdout.write(f"{sum(check.passed for check, _ in checked)} passed, {failed} failed.")
        if failed:
            sys.exit(1)

    def write_result(self, tool: Tool, result: ExampleResult) -> None:
        word = "ok  " if result.passed else "FAIL"
        text = f"{word} {tool.tool_id} {result.number}. {result.description}"
        if not result.passed:
            text += f"\n     {result.message}"
        self.stdout.write(replace_controls(text) if self.stdout.isatty() else text)


def check_tool(
    tool: Tool, configuration: Configuration | None, *, exactly: bool, ignored: list[str]
) -> ExampleCheck:
    if tool.current is None:
        raise CommandError(f"{tool.tool_id} has no revision.", returncode=2)
    try:
        check = begin_check(
            tool,
            tool.current,
            by=None,
            configuration=configuration,
            exactly=exactly,
            ignored=ignored,
        )
    except Busy as busy:
        raise CommandError(str(busy)) from busy
    return wait_for(check, settings.RUN_TIMEOUT_S + 30)


def runnable_tools() -> list[Tool]:
    tools = Tool.objects.select_related("current").filter(
        tool_id__in=registry().runnable_ids(), archived_at=None, has_examples=True
    )
    return list(tools.order_by("tool_id"))


def checked_pointer(pointer: str) -> str:
    try:
        split_pointer(pointer)
    except ValueError as error:
        raise CommandError(f"--ignore: {error}", returncode=2) from error
    return pointer


def junit_xml(checked: Sequence[tuple[ExampleCheck, Sequence[ExampleResult]]]) -> str:
    """The results for continuous integration: one suite per tool, one case per example.

    Source: the JUnit XML format as documented by Jenkins and GitLab.
    """
    root = ET.Element("testsuites")
    for check, results in checked:
        failures = sum(not result.passed for result in results)
        name = _text(check.tool.tool_id)
        suite = ET.SubElement(
            root, "testsuite", name=name, tests=str(len(results)), failures=str(failures)
        )
        for result in results:
            duration_ms = (result.run.duration_ms if result.run else None) or 0
            case = ET.SubElement(
                suite,
                "testcase",
                classname=name,
                name=_text(f"{result.number}. {result.description}"),
                time=f"{duration_ms / 1000:.3f}",
            )
            if not result.passed:
                failure = ET.SubElement(case, "failure", message=_text(result.message))
                failure.text = _text(
                    "\n".join(str(difference) for difference in result.differences)
                )
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _text(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
