"""A whole Toolshelf of its own: real server processes, an own data directory, a free port of the loopback interface."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

import httpx

ROOT = Path(__file__).resolve().parent.parent


def sign_in(browser: httpx.Client, link: str) -> httpx.Response:
    """The answer to the button on the page of a sign-in link."""
    token = re.search(r'name="csrfmiddlewaretoken"\s+value="([^"]+)"', browser.get(link).text)
    assert token is not None
    return browser.post(link, data={"csrfmiddlewaretoken": token[1]})


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def copy_started_site(data_dir: Path) -> None:
    """Fill `data_dir` as a first start does: tables, samples, owner, static files, descriptions of factories.

    A first start takes many times the CPU time of the next ones, so the first caller of a test session starts a
    site once, and all copy its data. `tests/conftest.py` names the folder.
    """
    prepared = Path(os.environ["TOOLSHELF_PREPARED_SITE"])
    with (prepared.parent / f"{prepared.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not prepared.exists():
            first = prepared.with_suffix(".new")
            shutil.rmtree(first, ignore_errors=True)
            first.mkdir()
            site = Site(first, prepared=False, settings={"PRELOAD_TOOLS": True})
            site.wait_for_descriptions()
            site.stop()
            first.rename(prepared)
    shutil.copytree(
        prepared, data_dir, dirs_exist_ok=True, ignore=shutil.ignore_patterns("server.log")
    )


class Site:
    """Serves until `stop()`; `restart()` and `kill()` act on its own processes alone.

    Args:
        data_dir: if it has no database yet, it is filled as a first start does; `prepared=False` leaves that to the
            server.
        host: the interface that it listens on.
        python: the interpreter of the environment that serves it.
        settings: Django settings that no variable sets, such as small limits.
        environment: variables.

    Attributes:
        default_settings: Django settings that each site has unless it sets them itself.
        url: where it is reached, without a trailing slash.
        sign_in_link: the one-time link that the last start printed: a set-up link on another host without accounts.
    """

    default_settings: ClassVar[dict[str, object]] = {}

    def __init__(
        self,
        data_dir: Path,
        *,
        prepared: bool = True,
        host: str = "127.0.0.1",
        python: str = sys.executable,
        settings: dict[str, object] | None = None,
        **environment: str,
    ) -> None:
        self.data_dir = data_dir
        self.host = host
        self.python = python
        self._tokens: dict[tuple[str, ...], str] = {}
        if (
            prepared
            and "DATABASE_URL" not in environment
            and not (data_dir / "toolshelf.sqlite3").exists()
        ):
            copy_started_site(data_dir)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = {
            **os.environ,
            "TOOLSHELF_DATA_DIR": str(data_dir),
            "DJANGO_SETTINGS_MODULE": "tests.site_settings",
            "SITE_SETTINGS": json.dumps({**self.default_settings, **(settings or {})}),
            **environment,
        }
        self.start()

    def start(self, *, timeout_s: float = 120) -> None:
        self.errors = (self.data_dir / "server.log").open("ab")
        self.process = subprocess.Popen(
            [self.python, "manage.py", "serve", "--host", self.host, "--port", str(self.port)],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        self.sign_in_link = self.process.stdout.readline().decode().strip()
        deadline = time.monotonic() + timeout_s
        while not self.is_up():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise AssertionError(self.log())
            time.sleep(0.05)

    def is_up(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=10) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def wait_for_descriptions(self, *, timeout_s: float = 120) -> None:
        """Wait until the descriptions of all factories are stored: without them, each start makes them again."""
        deadline = time.monotonic() + timeout_s
        while not (self.data_dir / "factories.json").exists():
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.05)

    def manage(
        self, *words: str, check: bool = True, **options: object
    ) -> subprocess.CompletedProcess[str]:
        """One `manage.py` command over the same data directory."""
        return subprocess.run(
            [self.python, "manage.py", *words],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=check,
            timeout=300,
            **options,  # type: ignore[call-overload]
        )

    def token(self, user: str = "tester", *scopes: str) -> str:
        """A token of `user`, made by a command when it is first asked for."""
        if (user, *scopes) not in self._tokens:
            words = [word for scope in scopes for word in ("--scope", scope)]
            self._tokens[user, *scopes] = self.manage(
                "create_token", user, "--create", *words
            ).stdout.strip()
        return self._tokens[user, *scopes]

    def log(self) -> str:
        return (self.data_dir / "server.log").read_text()

    def kill(self) -> None:
        """As a power cut would: every process of the server at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)
        self.close()

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)
        self.close()

    def close(self) -> None:
        if self.process.stdout is not None:
            self.process.stdout.close()
        self.errors.close()
