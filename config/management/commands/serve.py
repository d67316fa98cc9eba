from __future__ import annotations

import io
import os
import resource
import shlex
import socket
import sys
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from catalog.accounts.models import SignInLink, User
from catalog.accounts.secret_paths import path_of_link
from catalog.accounts.sign_in_links import create_sign_in_link
from catalog.accounts.site_url import DEFAULT_HOST, DEFAULT_PORT, is_loopback, url_of_server, write_site_url
from catalog.accounts.users import LOCAL_OWNER, administrator, create_account
from catalog.errors import AccountError
from catalog.models import Tool
from catalog.search import search_index
from catalog.uploads.jobs import recover_uploads
from config.cli import FOREIGN, why_not_ready
from config.static_files import collect_static
from playground.orphans import recover_runs
from playground.run_writer import counters

SAMPLES = [settings.BASE_DIR / "playground" / "builtin" / "specs", settings.BASE_DIR / "playground" / "samples"]


class Command(BaseCommand):
    requires_system_checks = []  # they import every page; the server's processes do that anyway
    help = "Bring the database up to date, load the samples on the very first start, and serve the site."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default=DEFAULT_HOST)
        parser.add_argument("--port", type=int, default=DEFAULT_PORT)

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        host, port = options["host"], options["port"]
        self.check_address(host, port)
        self.migrate()
        collect_static()
        if not is_loopback(host):
            self.check_exposed(host)
        self.load_samples()
        recover_runs()
        counters().start_anew()
        if connection.vendor == "sqlite":  # no other server shares its data
            recover_uploads()
        self.greet(host, port)
        connection.close()
        serve(host, port)

    def check_address(self, host: str, port: int) -> None:
        """Raises: CommandError: the server cannot listen there."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as error:
                raise CommandError(
                    f"Cannot listen on {host}:{port}: {error.strerror}. Choose another with --host and --port."
                ) from error

    def check_exposed(self, host: str) -> None:
        """Raises: CommandError: other machines could reach the site, and no account has a password."""
        if not User.objects.filter(is_active=True).exclude(password__startswith=UNUSABLE_PASSWORD_PREFIX).exists():
            raise CommandError(
                f"{host} can be reached by other machines, and no account has a password. "
                "Make one first: manage.py createsuperuser. Name the site's hosts in ALLOWED_HOSTS."
            )

    def migrate(self) -> None:
        if why_not_ready() == FOREIGN:
            raise CommandError(FOREIGN)
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            call_command("migrate", interactive=False, verbosity=0)
        executor.loader.check_consistent_history(connection)
        if search_index().size() < Tool.objects.count():  # a migration emptied it, or a rebuild was interrupted
            call_command("rebuild_index", stderr=self.stderr)

    def load_samples(self) -> None:
        if Tool.objects.exists():
            return
        call_command("load_specs", *map(str, SAMPLES), stdout=io.StringIO(), stderr=self.stderr)

    def greet(self, host: str, port: int) -> None:
        site = url_of_server(host, port)
        write_site_url(site)
        self.stderr.write(f"\nToolshelf is at {site}/ (stop it with Ctrl+C).")
        if is_loopback(host):
            self.print_sign_in_link(site)
        self.stdout.flush()

    def print_sign_in_link(self, site: str) -> None:
        """Print a link for the administrator, which a site creates at its first start."""
        try:
            user = administrator() or create_account(LOCAL_OWNER, is_superuser=True)
        except AccountError as error:
            self.stderr.write(f"No sign-in link: {error} {sign_in_command()} NAME --create --superuser")
            return
        minutes = int(SignInLink.LIFETIME.total_seconds() // 60)
        self.stderr.write(f"Sign in as {user.username} with this link (it works once, within {minutes} minutes):\n")
        self.stdout.write(f"  {site}{path_of_link(create_sign_in_link(user.username))}")
        self.stderr.write(f"\nAnother one: {sign_in_command()}")


def sign_in_command() -> str:
    """The command that prints another link, as typed in the Toolshelf directory."""
    python = sys.executable.removeprefix(f"{settings.BASE_DIR}/")
    directory = os.environ.get("TOOLSHELF_DATA_DIR")
    setting = f"TOOLSHELF_DATA_DIR={shlex.quote(directory)} " if directory else ""
    return f"{setting}{shlex.quote(python)} manage.py sign_in_link"


def serve(host: str, port: int) -> None:
    """Replace this process by the production server, with enough threads for waiting runs and pages (see README)."""
    sys.stdout.flush()
    sys.stderr.flush()
    arguments = {
        "--interface": "wsgi",
        "--host": host,
        "--port": str(port),
        "--http": "1",
        "--workers": str(settings.WEB_PROCESSES),
        "--blocking-threads": str(settings.WEB_THREADS),
        "--http1-header-read-timeout": "10000",
        "--log-level": "warning",
        "--log-config": str(settings.BASE_DIR / "config" / "server_logs.json"),
        "--respawn-interval": "1",
        "--workers-kill-timeout": "5",
        "--working-dir": str(settings.BASE_DIR),
    }
    flags = ["--no-ws", "--respawn-failed-workers"]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the memory of the server holds secrets
    command = [sys.executable, "-m", "granian", *flags, *(word for pair in arguments.items() for word in pair)]
    os.execv(sys.executable, [*command, "config.wsgi:application"])  # noqa: S606 - no shell, fixed words
