from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.models import SignInLink
from accounts.sign_in_links import create_sign_in_link, new_link
from accounts.users import (
    LOCAL_OWNER,
    create_account,
    find_administrator,
    get_account,
    is_set_up,
    list_accounts,
)
from toolshelf_core.commands import BaseCommand
from toolshelf_core.errors import AccountError
from toolshelf_core.secret_paths import link_path
from toolshelf_core.site_url import DEFAULT_HOST, DEFAULT_PORT, read_site_url, url_of_server

LINK_MINUTES = SignInLink.MINUTES


class Command(BaseCommand):
    help = (
        "Print a link that signs a user in once, within 15 minutes, without a password. "
        "Run this on the machine that serves the site."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "user",
            nargs="?",
            metavar="USER",
            help="Default: the owner, or the first administrator.",
        )
        parser.add_argument("--create", action="store_true", help="Create the account USER first.")
        parser.add_argument(
            "--superuser", action="store_true", help="With --create: create an administrator."
        )
        parser.add_argument(
            "--set-up",
            action="store_true",
            help="Print a link to create the administrator of a new site.",
        )
        parser.add_argument(
            "--site",
            metavar="URL",
            help="The URL of the site. Default: where it was last served.",
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        if options["superuser"] and not options["create"]:
            raise CommandError(
                "--superuser works only with --create; it does not change an existing account."
            )
        if options["set_up"]:
            self.print_set_up_link(options)
            return
        try:
            username = self.create(options) if options["create"] else self.find(options["user"])
        except AccountError as error:
            raise CommandError(str(error)) from error
        self.stderr.write(f"This link signs {username} in once, within {LINK_MINUTES} minutes:")
        self.print_link(create_sign_in_link(username), options)

    def print_set_up_link(self, options: dict[str, Any]) -> None:
        if options["user"] or options["create"]:
            raise CommandError(
                "--set-up takes no user: "
                "the administrator's name is chosen on the page of the link."
            )
        if is_set_up():
            raise CommandError(f"This site already has an administrator. {list_accounts()}")
        self.stderr.write(
            "Create the administrator with this link "
            f"(it works once, within {LINK_MINUTES} minutes):"
        )
        self.print_link(new_link(None), options)

    def print_link(self, secret: str, options: dict[str, Any]) -> None:
        site = options["site"] or read_site_url() or url_of_server(DEFAULT_HOST, DEFAULT_PORT)
        self.stdout.write(site.rstrip("/") + link_path(secret))

    def create(self, options: dict[str, Any]) -> str:
        """The name of a new account."""
        user = create_account(options["user"] or LOCAL_OWNER, is_superuser=options["superuser"])
        kind = "administrator" if user.is_superuser else "account"
        self.stderr.write(f"Created the {kind} {user.username}.")
        return user.username

    def find(self, name: str | None) -> str:
        """The name of an account that can sign in.

        Raises:
            AccountError: the account cannot sign in, or there is none.
        """
        if name is None:
            user = find_administrator()
            if user is None:
                raise AccountError(
                    f"There is no administrator to create a link for. {list_accounts()} "
                    f"To create one: manage.py sign_in_link {LOCAL_OWNER} --create --superuser"
                )
            return user.username
        return get_account(name).username
