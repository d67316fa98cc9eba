from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from catalog.accounts.models import SCOPES, User
from catalog.accounts.tokens import DEFAULT_DAYS, MAX_DAYS, create_token


class Command(BaseCommand):
    requires_system_checks = []  # they import every page, which takes a second
    help = (
        "Create an API token for a user (created if missing). Prints only the token on stdout; it is not shown again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", metavar="USER")
        parser.add_argument(
            "--scope", action="append", choices=SCOPES, help="A scope; may be repeated. Default: all scopes."
        )
        parser.add_argument(
            "--days", type=int, default=DEFAULT_DAYS, help=f"Days until it ends; 0: never. Default: {DEFAULT_DAYS}."
        )
        parser.add_argument("--name", default="made by create_token", help="A name to recognise the token.")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        if not 0 <= options["days"] <= MAX_DAYS:
            raise CommandError(f"--days must be 1 to {MAX_DAYS}, or 0 for a token that never ends.")
        scopes = options["scope"] or SCOPES
        user, is_new = User.objects.get_or_create(username=options["user"])
        if is_new:
            user.set_unusable_password()
            user.save(update_fields=["password"])
            self.stderr.write(f"Created the user {user.username}.")
        if not user.is_active:
            raise CommandError(f"The account {user.username!r} is disabled, so a token for it would not work.")
        token, secret = create_token(user, scopes=scopes, days=options["days"], name=options["name"])
        ends = f"until {token.expires_at:%Y-%m-%d}" if token.expires_at else "until it is revoked"
        self.stderr.write(f"A token of {user.username} for {', '.join(token.scopes)}, {ends}:")
        self.stdout.write(secret)
