"""A PostgreSQL of the tests' own: Debian's, in a directory of its own, reached by a socket there alone.

    with PostgreSQL() as database:
        database.url        for DATABASE_URL

    run_in_postgresql(paths)    these tests once more

PostgreSQL refuses to run as root; where the tests do, it runs as the user `postgres`, whom Debian's package makes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Self
from urllib.parse import quote


class PostgreSQL:
    def __init__(self) -> None:
        self.programs = max(
            Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name)
        )

    def __enter__(self) -> Self:
        # Not in pytest's directory, which it keeps to its own user.
        self.temporary = tempfile.TemporaryDirectory(prefix="toolshelf-postgres-")
        self.folder = Path(self.temporary.name)
        self.data = self.folder / "data"
        self.url = f"postgresql://postgres@/postgres?host={quote(str(self.folder), safe='')}"
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres")
        self._run(
            "initdb",
            "--pgdata",
            self.data,
            "--username=postgres",
            "--auth=trust",
            "--no-sync",
            "--encoding=UTF8",
        )
        settings = f"-c listen_addresses='' -c unix_socket_directories='{self.folder}' -c fsync=off"
        self._run(
            "pg_ctl",
            "--pgdata",
            self.data,
            "--wait",
            "--log",
            self.folder / "log",
            "-o",
            settings,
            "start",
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._run("pg_ctl", "--pgdata", self.data, "--wait", "--mode=immediate", "stop")
        self.temporary.cleanup()

    def _run(self, program: str, *words: object) -> None:
        command = [str(self.programs / program), *map(str, words)]
        if os.getuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder)


def run_in_postgresql(paths: Iterable[Path], *, only: str = "") -> None:
    """Run the tests in these files, in a process and a PostgreSQL of their own, on the selection of tool data.

    `only` chooses some of them, as the option `-k` of pytest does.

    Raises:
        AssertionError: some of them failed; with the end of what pytest printed.
    """
    environment = {name: os.environ[name] for name in os.environ if name != "TOOLSHELF_CORPORA"}
    with PostgreSQL() as database:
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-k", only, *paths],
            env=environment | {"DATABASE_URL": database.url},
            cwd=Path(__file__).parent.parent,
            capture_output=True,
            text=True,
            check=False,
        )
    assert run.returncode == 0, run.stdout[-8_000:]
