from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from playground.factories.info import FactoryInfo
from playground.factories.inspect import Description
from playground.factories.registry import IMPORT_LIMIT_S, MAX_SPEC_BYTES, registry
from toolshelf_core.commands import BaseCommand
from toolspec.errors import JSONTextError, SpecError
from toolspec.spec import read_spec
from toolspec.text.reader import dumps, loads

EXIT_CODES = """
exit code:
  0  the spec is on stdout
  1  there is no spec, or it is not valid: the reasons are on stderr; an invalid spec is on
     stdout as well
  2  there is no such factory, or several have this key

The factory is imported by a process of its own, isolated like a run.
"""


class Command(BaseCommand):
    help = "Write the spec of a factory to stdout: from its definition, else from its types."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog, parser.formatter_class = EXIT_CODES, RawDescriptionHelpFormatter
        parser.add_argument(
            "factory",
            metavar="FACTORY",
            help="my_package:factory, or the key of a registered factory.",
        )
        parser.add_argument(
            "--path",
            action="append",
            default=[],
            type=Path,
            metavar="DIR",
            help="Import my_package from this directory; it need not be installed.",
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        found = self.described(options["factory"], options["path"])
        if found.error:
            raise CommandError(f"{options['factory']} cannot be used: {found.error}")
        if found.spec is None:
            raise CommandError(
                f"{options['factory']} has no spec. "
                f"{found.spec_error or 'It did not arrive in time.'}"
            )
        try:
            text = dumps(loads(found.spec, max_bytes=MAX_SPEC_BYTES), indent=2)
        except (JSONTextError, ValueError) as error:
            raise CommandError(f"The spec of {options['factory']} is not JSON. {error}") from error
        self.stdout.write(text)
        try:
            read_spec(text, max_bytes=settings.MAX_SPEC_BYTES)
        except SpecError as error:
            for problem in error.problems:
                where = f"line {problem.line}, column {problem.column}: " if problem.line else ""
                self.stderr.write(
                    f"{where}{problem.message} ({problem.pointer or 'the top of the document'})"
                )
            raise CommandError(f"The spec of {options['factory']} is not valid.") from None

    def described(self, name: str, paths: list[Path]) -> Description | FactoryInfo:
        """The factory with its spec.

        Raises:
            CommandError: there is none, or several.
        """
        for path in paths:
            if not path.is_dir():
                raise CommandError(f"--path: {path} is not a directory.", returncode=2)
        registry().all()
        registry().wait(IMPORT_LIMIT_S)
        registered = registry().named(name) if not paths else []
        if len(registered) > 1:
            references = ", ".join(each.reference for each in registered)
            raise CommandError(
                f"Several factories have the key {name!r}. Name one of {references}.", returncode=2
            )
        if registered:
            return registered[0]
        if ":" not in name and "." not in name:
            keys = ", ".join(sorted(each.key for each in registry().all())) or "none"
            raise CommandError(
                f"No factory is registered as {name!r}. Registered: {keys}. Or name one as "
                "my_package:factory.",
                returncode=2,
            )
        try:
            return registry().inspect(name, search_path=[str(path.resolve()) for path in paths])
        except OSError as error:
            raise CommandError(f"No process could be started to import {name}: {error}") from error
