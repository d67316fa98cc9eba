from __future__ import annotations

import gc
import io
import multiprocessing
import os
import resource
import shlex
import socket
import sys
from importlib import import_module
from itertools import chain
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from granian import cli

from accounts.models import SignInLink
from accounts.sign_in_links import create_sign_in_link, new_link
from accounts.users import LOCAL_OWNER, create_account, find_administrator, is_set_up
from catalog.index import search_index
from catalog.tools.models import Tool
from config.cli import FOREIGN, is_foreign
from config.migration_lock import lock_migrations
from config.removed_variables import describe_removed_variables
from config.request_counters import request_counters
from config.server.draining import DrainingServer
from config.static_files import collect_static
from playground.factories.registry import registry
from playground.runs.orphans import recover_runs
from toolshelf_core.commands import BaseCommand
from toolshelf_core.errors import AccountError
from toolshelf_core.secret_paths import link_path
from toolshelf_core.site_url import (
    DEFAULT_HOST,
    DEFAULT_PORT,
    is_loopback,
    url_of_server,
    write_site_url,
)

SERVER_LOGS = {"text": "logs_text.json", "json": "logs_json.json"}  # for granian
SAMPLES = [
    settings.BASE_DIR / "playground" / "builtin" / "specs",
    settings.BASE_DIR / "playground" / "samples",
]


class Command(BaseCommand):
    help = "Migrate the database, load the samples at the first start, and serve the site."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default=DEFAULT_HOST)
        parser.add_argument("--port", type=int, default=DEFAULT_PORT)

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        host, port = options["host"], options["port"]
        for notice in describe_removed_variables(os.environ):
            self.stderr.write(notice)
        self.warn_about_proxy()
        self.check_address(host, port)
        self.check_factory_settings()
        with lock_migrations():
            self.migrate()
            collect_static()
            if not is_loopback(host):
                forbid_loopback()
            self.load_samples()
            recover_runs()
            request_counters().reset()
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
                    f"Cannot listen on {host}:{port}: {error.strerror}. Choose another with --host "
                    "and --port."
                ) from error

    def warn_about_proxy(self) -> None:
        """Name the headers of a trusted proxy that clients can imitate if it does not drop them."""
        if not settings.TRUST_PROXY:
            return
        names = [name for name in (settings.ADDRESS_HEADER, "X-Forwarded-Proto") if "-" in name]
        headers = " or ".join(names)
        self.stderr.write(
            f"TRUST_PROXY is set: the proxy must drop {headers.replace('-', '_')} from clients, or "
            f"they can imitate {headers}. docs/operations.md shows how."
        )

    def check_factory_settings(self) -> None:
        """Report networks that cannot be enforced; the tools with such a network do not run.

        Raises:
            CommandError: a setting for one factory fits several.
        """
        if faults := registry().setting_faults():
            raise CommandError(" ".join(faults))
        for network, reason in sorted(registry().unenforceable_networks().items()):
            self.stderr.write(
                f'The network "{network}" of TOOL_NETWORK cannot be enforced on this machine: '
                f"{reason}. Tools with this network will not run."
            )

    def migrate(self) -> None:
        if is_foreign():
            raise CommandError(FOREIGN)
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            call_command("migrate", interactive=False, verbosity=0)
        executor.check_replacements()
        executor.loader.check_consistent_history(connection)
        # A migration may have emptied the index, or a rebuild was interrupted.
        if search_index().size() < Tool.objects.count():
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
        elif not is_set_up():
            self.print_set_up_link(site)
        self.stdout.flush()

    def print_sign_in_link(self, site: str) -> None:
        """Print a sign-in link for the administrator, whom a site creates at its first start."""
        try:
            user = find_administrator() or create_account(LOCAL_OWNER, is_superuser=True)
        except AccountError as error:
            self.stderr.write(
                f"No sign-in link: {error} {sign_in_command()} NAME --create --superuser"
            )
            return
        self.stderr.write(
            f"Sign in as {user.username} with this link (it works once, within "
            f"{SignInLink.MINUTES} minutes):\n"
        )
        self.stdout.write(f"  {site}{link_path(create_sign_in_link(user.username))}")
        self.stderr.write(f"\nAnother one: {sign_in_command()}")

    def print_set_up_link(self, site: str) -> None:
        """Print the link that creates the first administrator of a site that others can reach."""
        self.stderr.write(
            "This site has no administrator yet. Create one with this link "
            f"(it works once, within {SignInLink.MINUTES} minutes):\n"
        )
        self.stdout.write(f"  {site}{link_path(new_link(None))}")
        self.stderr.write(
            "\n"
            f"To get a new link, run: {sign_in_command()} --set-up\n"
            "If the URL is wrong, set the site's host names in ALLOWED_HOSTS, or use --site with "
            "this command."
        )


def sign_in_command() -> str:
    """The command that prints another link, as typed in the Toolshelf directory."""
    python = sys.executable.removeprefix(f"{settings.BASE_DIR}/")
    directory = os.environ.get("TOOLSHELF_DATA_DIR")
    setting = f"TOOLSHELF_DATA_DIR={shlex.quote(directory)} " if directory else ""
    return f"{setting}{shlex.quote(python)} manage.py sign_in_link"


def forbid_loopback() -> None:
    """Let sources no longer reach this machine, since others can reach the site."""
    settings.LOOPBACK_ONLY = False
    # For the server's processes, where they do not inherit settings.
    os.environ["TOOLSHELF_SERVES_OTHER_MACHINES"] = "1"


def serve(host: str, port: int) -> None:
    """Become the production server, with enough threads for waiting runs and pages.

    Where processes can be forked, the server's processes inherit the modules that are loaded here,
    so the start imports them once instead of once per process.
    """
    if sys.platform == "linux":
        multiprocessing.set_start_method("fork", force=True)
        import_module(settings.ROOT_URLCONF)  # and with it everything that pages need
        gc.freeze()
    sys.stdout.flush()
    sys.stderr.flush()
    logs = settings.BASE_DIR / "config" / "server"
    arguments = {
        "--interface": "wsgi",
        "--host": host,
        "--port": str(port),
        "--http": "1",
        "--workers": str(settings.WEB_PROCESSES),
        "--blocking-threads": str(settings.WEB_THREADS),
        "--http1-header-read-timeout": "10000",
        "--log-level": "warning",
        "--log-config": str(logs / SERVER_LOGS[settings.LOG_FORMAT]),
        "--respawn-interval": "1",
        "--workers-kill-timeout": "5",
        "--working-dir": str(settings.BASE_DIR),
    }
    flags = ["--no-ws", "--respawn-failed-workers"]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the server's memory contains secrets
    # The command has no option that would replace its handling of signals.
    vars(cli)["Server"] = DrainingServer
    words = [*flags, *chain.from_iterable(arguments.items()), "config.wsgi:application"]
    cli.cli.main(words, auto_envvar_prefix="GRANIAN")
