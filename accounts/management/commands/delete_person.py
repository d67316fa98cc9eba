from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.deletion import delete_person, list_consequences
from accounts.models import User
from accounts.users import list_accounts
from toolshelf_core.commands import BaseCommand
from toolshelf_core.errors import AccountError


class Command(BaseCommand):
    help = (
        "Delete a person with their sessions, tokens, saved configurations, uploads and runs; "
        "revisions, waivers and tools stay without the name. "
        "Prints what will happen, and asks before it does so."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("--yes", action="store_true", help="Do not ask for confirmation.")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        user = User.objects.filter(username=options["name"]).first()
        if user is None:
            raise CommandError(f"There is no account named {options['name']!r}. {list_accounts()}")
        for sentence in [f"Deleted: the account {user.username}.", *list_consequences(user)]:
            self.stdout.write(sentence)
        if not options["yes"]:
            ask_for_confirmation(user.username)
        try:
            delete_person(user)
        except AccountError as error:
            raise CommandError(f"Nothing was deleted: {error}") from error
        self.stdout.write(f"{options['name']} is deleted.")


def ask_for_confirmation(username: str) -> None:
    """Let the person at the terminal type the name.

    Raises:
        CommandError: they typed something else, or there is no input.
    """
    try:
        answer = input(f"Type {username} to delete this person: ")
    except EOFError:
        message = "Nothing was deleted, because there is no input to confirm it. Add --yes."
        raise CommandError(message) from None
    if answer != username:
        raise CommandError("Nothing was deleted.")
