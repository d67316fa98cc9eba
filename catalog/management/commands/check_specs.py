"""Check specs without storing them, in a terminal or in CI."""

from __future__ import annotations

import os
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import httpx2
from django.conf import settings
from django.core.management.base import CommandError

from catalog.uploads.file_types import JSON_ENDINGS
from catalog.uploads.files import files_at, pieces_at
from catalog.uploads.pieces import Piece
from toolshelf_core.commands import BaseCommand, replace_controls
from toolshelf_core.outgoing.clients import ssl_context
from toolshelf_core.site_url import read_site_url
from toolspec.errors import DocumentError, Problem, SpecError
from toolspec.lint import RULES, SEVERITIES, LocatedFinding, lint_with_positions, score
from toolspec.lint.assessment import WaivedFinding
from toolspec.lint.reporters import FORMATS, Checked, as_sarif
from toolspec.schema.describe import plural
from toolspec.spec import ToolSpec, read_spec
from toolspec.text.positions import locate
from toolspec.text.reader import loads

NONE: Final = "none"
MAX_WAIT_S: Final = 300  # for a site that is asked too often
SHOWN: Final = {NONE: SEVERITIES[:0]} | {
    severity: SEVERITIES[: rank + 1] for rank, severity in enumerate(SEVERITIES)
}


class Command(BaseCommand):
    help = (
        "Check specs without storing them. Exits with 1 if a spec has problems or would refuse recent calls, with 2 "
        "if a file cannot be read or the site does not answer."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument(
            "--format",
            choices=sorted(FORMATS),
            help="default: groups (by rule) on a terminal, text elsewhere",
        )
        parser.add_argument(
            "--site",
            type=_address,
            metavar="URL",
            help="the URL of a Toolshelf that explains the rules, for links in SARIF: https://tools.example.org",
        )
        parser.add_argument(
            "--against-runs",
            type=_address,
            metavar="URL",
            help="the URL of a Toolshelf that checks its live calls of the last 30 days against each spec; the "
            "variable TOOLSHELF_TOKEN has an API token with the scope read",
        )
        parser.add_argument(
            "--waivers",
            type=Path,
            metavar="FILE",
            help='findings to waive: JSON, [{"rule", "reason", "tool"? (its id), "pointer"?}, ...]',
        )
        parser.add_argument(
            "--advice",
            choices=(*SEVERITIES, NONE),
            default="warning",
            help="for valid specs, show findings of this severity or higher (default: warning)",
        )
        parser.add_argument(
            "--fail-on",
            choices=(*SEVERITIES, NONE),
            default=NONE,
            help="also exit with 1 if there are findings of this severity or higher (default: none)",
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        try:
            files = list(files_at(options["paths"], JSON_ENDINGS))
        except OSError as error:
            raise CommandError(str(error), returncode=2) from error
        waivers = _waivers_in(options["waivers"]) if options["waivers"] else []
        pieces = pieces_at(
            files, max_bytes=settings.MAX_SPEC_BYTES, max_document_bytes=settings.MAX_DOCUMENT_BYTES
        )
        ask = _calls_at(options["against_runs"]) if options["against_runs"] else _check_no_calls
        checked = [_check(piece, waivers, ask) for piece in pieces]
        shown = [_with_advice(one, options["advice"]) for one in checked]
        form = options["format"] or ("groups" if self.stdout.isatty() else "text")
        report = FORMATS[form]
        if form == "sarif":
            report = partial(as_sarif, site=options["site"] or "", home=read_site_url() or "")
        if text := report(shown):
            self.stdout.write(replace_controls(text) if self.stdout.isatty() else text)
        wrong = sum(bool(one.problems) for one in checked)
        advised = sum(bool(one.advice) for one in shown)
        self.stderr.write(
            f"{len(checked):,} spec{'s' * (len(checked) != 1)} checked, {wrong:,} with problems"
            + (f", {advised:,} with findings" if advised else "")
        )
        failing = sum(bool(one.failing_calls) for one in checked)
        if failing:
            self.stderr.write(f"{failing:,} would break recent calls")
        if wrong or failing or any(_from(options["fail_on"], one.advice) for one in checked):
            sys.exit(1)


def _address(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise ArgumentTypeError("a URL must begin with http:// or https://")
    return text


def _waivers_in(file: Path) -> list[tuple[str, WaivedFinding]]:
    """(the id of a tool, or "" for all; the waived finding) for each waiver in a file.

    Raises:
        CommandError: the file cannot be read, or a waiver has no reason or no valid rule.
    """
    try:
        listed = loads(file.read_bytes())
    except (OSError, DocumentError) as error:
        raise CommandError(f"{file}: {error}", returncode=2) from error
    found = []
    for number, one in enumerate(listed if isinstance(listed, list) else [None]):
        texts = (
            {str(name): str(text) for name, text in one.items()} if isinstance(one, dict) else {}
        )
        if texts.get("rule") not in RULES or not texts.get("reason", "").strip():
            message = "a waiver needs a `rule`, which must be the id of a lint rule, and a `reason`"
            raise CommandError(f"{file}: /{number}: {message}", returncode=2)
        found.append(
            (texts.get("tool", ""), WaivedFinding(texts["rule"], texts.get("pointer", "")))
        )
    return found


def _check_no_calls(_spec: ToolSpec) -> tuple[LocatedFinding, ...]:
    return ()


def _calls_at(site: str) -> Callable[[ToolSpec], tuple[LocatedFinding, ...]]:
    """A function that asks a site how the recent calls of a spec's tool would fare with the spec.

    Raises:
        CommandError: there is no token. The function raises it if the site does not answer.
    """
    token = os.environ.get("TOOLSHELF_TOKEN", "")
    if not token:
        message = "--against-runs needs an API token with the scope read in TOOLSHELF_TOKEN."
        raise CommandError(message, returncode=2)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    url = f"{site.rstrip('/')}/api/v1/specs/check-calls"

    def send(spec: ToolSpec) -> httpx2.Response:
        return httpx2.post(
            url,
            content=spec.source.encode(),
            headers=headers,
            timeout=60,
            verify=ssl_context(),
        )

    def ask(spec: ToolSpec) -> tuple[LocatedFinding, ...]:
        try:
            response = send(spec)
            if response.status_code == HTTPStatus.TOO_MANY_REQUESTS:
                time.sleep(min(MAX_WAIT_S, int(response.headers.get("Retry-After", "1"))))
                response = send(spec)
            response.raise_for_status()
            return _failing_calls(response.json(), spec)
        except httpx2.HTTPStatusError as error:
            detail = error.response.text[:500]
            raise CommandError(f"{error} {detail}", returncode=2) from error
        except (httpx2.HTTPError, ValueError, KeyError, TypeError) as error:
            message = f"{url} did not answer as a Toolshelf does: {error}"
            raise CommandError(message, returncode=2) from error

    return ask


def _failing_calls(report: Mapping[str, Any], spec: ToolSpec) -> tuple[LocatedFinding, ...]:
    """A finding for the calls that the spec would refuse, and one for the responses that would not match it."""
    kinds = [
        ("call", "calls-refused", "/definition/parameters", "would be refused"),
        ("response", "responses-mismatched", "/definition/returnType", "would not match"),
    ]
    findings = []
    for noun, rule, pointer, fate in kinds:
        checked = report[f"{noun}s"]
        if not checked or not checked["failing"]:
            continue
        message = (
            f"{checked['failing']:,} of {checked['checked']:,} {plural(noun, checked['checked'])} "
            f"of the last {report['days']} days {fate}."
        )
        if checked["first"]:
            first = checked["first"][0]
            reason = f"{first['pointer']} {first['message']}".strip()
            message += f" Run {first['run']}: {reason}"
        line, column = locate(spec.source, [pointer])[pointer]
        problem = Problem(pointer, message, rule, line=line, column=column)
        findings.append(LocatedFinding(problem, "error"))
    return tuple(findings)


def _with_advice(checked: Checked, severity: str) -> Checked:
    """The result with the advice that is shown: of this severity or a higher one, and on failing calls."""
    advice = (*checked.failing_calls, *_from(severity, checked.advice))
    return replace(checked, advice=advice)


def _check(
    piece: Piece,
    waivers: Sequence[tuple[str, WaivedFinding]],
    ask: Callable[[ToolSpec], tuple[LocatedFinding, ...]],
) -> Checked:
    if piece.refusal:
        return Checked(piece.source, piece.line, (piece.refusal,))
    if piece.is_yaml:
        message = "A spec must be JSON here; load_specs also accepts YAML, and stores it as JSON."
        return Checked(
            piece.source,
            piece.line,
            (Problem("", message, "json.syntax", line=piece.line, column=1),),
        )
    try:
        spec = read_spec(piece.text, max_bytes=settings.MAX_SPEC_BYTES)
    except SpecError as error:
        return Checked(piece.source, piece.line, tuple(map(piece.in_source, error.problems)))
    waived = [one for tool, one in waivers if tool in {"", spec.tool_id}]
    advice = tuple(
        replace(one, problem=piece.in_source(one.problem))
        for one in lint_with_positions(spec)
        if not any(waiver.covers(one.rule, one.problem.pointer) for waiver in waived)
    )
    failing = tuple(replace(one, problem=piece.in_source(one.problem)) for one in ask(spec))
    return Checked(
        piece.source, piece.line, advice=advice, score=score(advice), failing_calls=failing
    )


def _from(severity: str, advice: Sequence[LocatedFinding]) -> tuple[LocatedFinding, ...]:
    """The advice of this severity or a higher one."""
    return tuple(one for one in advice if one.severity in SHOWN[severity])
