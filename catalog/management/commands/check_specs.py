"""Check specs without storing them, for people at a terminal and for other people's CI."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from catalog.errors import SpecError
from catalog.gathering import files_at, pieces_at
from catalog.problems import Problem
from catalog.spec import read_spec
from catalog.strict_json import JSON, dumps
from catalog.unpacking import Piece


@dataclass(frozen=True, slots=True)
class Checked:
    """One spec and what is wrong with it, lines and columns as in its file."""

    source: str
    line: int
    problems: tuple[Problem, ...]


class Command(BaseCommand):
    help = "Check specs without storing them. Exits with 1 where something is wrong, with 2 where nothing can be read."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--format", choices=sorted(FORMATS), default="text")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        try:
            files = list(files_at(options["paths"]))
        except OSError as error:
            raise CommandError(str(error), returncode=2) from error
        checked = [_check(piece) for piece in pieces_at(files, max_bytes=settings.MAX_SPEC_BYTES)]
        if text := FORMATS[options["format"]](checked):
            self.stdout.write(text)
        wrong = sum(bool(one.problems) for one in checked)
        self.stderr.write(f"{len(checked):,} spec{'s' * (len(checked) != 1)} checked, {wrong:,} with problems")
        if wrong:
            sys.exit(1)


def _check(piece: Piece) -> Checked:
    if piece.refusal:
        return Checked(piece.source, piece.line, (piece.refusal,))
    try:
        read_spec(piece.text, max_bytes=settings.MAX_SPEC_BYTES)
    except SpecError as error:
        return Checked(piece.source, piece.line, tuple(map(piece.place, error.problems)))
    return Checked(piece.source, piece.line, ())


def as_text(checked: Sequence[Checked]) -> str:
    """One line per problem, as compilers write them: "file:line:column: message (rule, pointer)"."""
    return "\n".join(
        f"{one.source}:{problem.line or one.line}:{problem.column or 1}: "
        f"{problem.message} ({problem.rule} at {problem.pointer or 'the top'})"
        for one in checked
        for problem in one.problems
    )


def as_json(checked: Sequence[Checked]) -> str:
    """[{"source", "line", "valid", "problems"}], one for each spec."""
    told: JSON = [
        {
            "source": one.source,
            "line": one.line,
            "valid": not one.problems,
            "problems": [dict(problem.as_json()) for problem in one.problems],
        }
        for one in checked
    ]
    return dumps(told, indent=2)


def as_sarif(checked: Sequence[Checked]) -> str:
    """A SARIF 2.1.0 log, for code hosts that show problems beside the lines.

    Source: OASIS, "Static Analysis Results Interchange Format 2.1.0", sections 3.13 to 3.28.
    """
    found = [(one, problem) for one in checked for problem in one.problems]
    rules: JSON = [{"id": rule} for rule in sorted({problem.rule for _, problem in found})]
    driver: JSON = {
        "name": "Toolshelf",
        "informationUri": "https://github.com/JavaAIDev/easy-llm-tools",
        "rules": rules,
    }
    log: JSON = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [_sarif_result(one, problem) for one, problem in found],
            }
        ],
    }
    return dumps(log, indent=2)


def _sarif_result(one: Checked, problem: Problem) -> JSON:
    place: dict[str, JSON] = {
        "physicalLocation": {
            "artifactLocation": {"uri": Path(one.source).as_posix()},
            "region": {"startLine": problem.line or one.line, "startColumn": problem.column or 1},
        }
    }
    if problem.pointer:
        place["logicalLocations"] = [{"fullyQualifiedName": problem.pointer}]
    return {
        "ruleId": problem.rule,
        "level": "error",
        "message": {"text": problem.message},
        "locations": [place],
    }


FORMATS: Mapping[str, Callable[[Sequence[Checked]], str]] = {"text": as_text, "json": as_json, "sarif": as_sarif}
