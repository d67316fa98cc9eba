from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from catalog.tools.lookup import revision_of
from catalog.tools.models import Tool
from toolshelf_core.commands import BaseCommand
from toolspec.code import LANGUAGES, generate_project
from toolspec.errors import GenerationError


class Command(BaseCommand):
    help = (
        "Generate source code from the current spec of a tool: a package that implements it, or a client that calls "
        "it. Prints the path of each file."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tool", metavar="TOOL", help="The tool's id, or its slug.")
        languages = "; ".join(
            f"{language.key}: {language.summary}" for language in LANGUAGES.values()
        )
        parser.add_argument("--language", required=True, choices=tuple(LANGUAGES), help=languages)
        parser.add_argument(
            "--out", required=True, type=Path, metavar="DIR", help="The folder of the project."
        )
        parser.add_argument("--force", action="store_true", help="Replace files that exist in DIR.")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        name, out = options["tool"], options["out"]
        tools = Tool.objects.select_related("current")
        tool = tools.filter(tool_id=name).first() or tools.filter(slug=name).first()
        if tool is None or tool.current is None:
            raise CommandError(f"There is no tool with the id or slug {name!r}.", returncode=2)
        try:
            project = generate_project(revision_of(tool).spec, options["language"])
        except GenerationError as error:
            raise CommandError(str(error)) from error
        existing = [path for path in project if (out / path).exists()]
        if existing and not options["force"]:
            message = f"{out / existing[0]} exists already. Choose another folder, or replace the files with --force."
            raise CommandError(message, returncode=2)
        try:
            for path, text in project.items():
                file = out / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8", newline="\n")
                self.stdout.write(str(file))
        except OSError as error:
            raise CommandError(f"{error.filename} cannot be written: {error.strerror}") from error
