from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.urls import reverse

from catalog.accounts.entering import LOCAL_OWNER, create_sign_in_link


class Command(BaseCommand):
    help = "Print a link that signs a user in once, within a day. For the machine's owner: it needs no password."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", nargs="?", default=LOCAL_OWNER, metavar="USER")
        parser.add_argument("--site", default="http://127.0.0.1:8000", help="Where the site is reached.")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        path = reverse("accounts:sign_in_by_link", args=[create_sign_in_link(options["user"])])
        self.stdout.write(options["site"].rstrip("/") + path)
