from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.models import SCOPES, User
from accounts.tokens import DEFAULT_DAYS, MAX_DAYS, create_token
from accounts.users import create_account, list_accounts
from toolshelf_core.commands import BaseCommand
from toolshelf_core.errors import AccountError


class Command(BaseCommand):
    help = "Create an API token for a user. Prints only the token on stdout; it is not shown again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", metavar="USER")
        parser.add_argument(
            "--create", action="store_true", help="Create the account USER if there is none."
        )
        parser.add_argument(
            "--scope",
            action="append",
            choices=SCOPES,
            help="A scope; may be repeated. Default: all scopes.",
        )
        parser.add_argument(
            "--days",
            type=int,
            default=DEFAULT_DAYS,
            help=f"Days until it ends; 0: never. Default: {DEFAULT_DAYS}.",
        )
        parser.add_argument(
            "--name", default="made by create_token", help="A name to recognise the token."
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        if not 0 <= options["days"] <= MAX_DAYS:
            raise CommandError(f"--days must be 1 to {MAX_DAYS}, or 0 for a token that never ends.")
        scopes = options["scope"] or SCOPES
        user = self.find_user(options["user"], may_create=options["create"])
        if not user.is_active:
            raise CommandError(
                f"The account {user.username!r} is disabled, so a token for it would not work."
            )
        token, secret = create_token(
            user, scopes=scopes, days=options["days"], name=options["name"]
        )
        ends = f"until {token.expires_at:%Y-%m-%d}" if token.expires_at else "until it is revoked"
        self.stderr.write(f"A token of {user.username} for {', '.join(token.scopes)}, {ends}:")
        self.stdout.write(secret)

    def find_user(self, name: str, *, may_create: bool) -> User:
        user = User.objects.filter(username=name).first()
        if user is not None:
            return user
        if not may_create:
            message = (
                f"There is no account named {name!r}. {list_accounts()} To create it, add --create."
            )
            raise CommandError(message)
        try:
            user = create_account(name)
        except AccountError as error:
            raise CommandError(str(error)) from error
        self.stderr.write(f"Created the account {name}.")
        return user
