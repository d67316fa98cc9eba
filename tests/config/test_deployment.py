"""The files for containers and services start a site: their own steps and commands are run."""

from __future__ import annotations

import contextlib
import fnmatch
import json
import os
import re
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import yaml

from tests.postgres import PostgreSQL
from tests.site import ROOT, free_port

SERVICES = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
SITES = ("site", "worker", "scheduler")
UNITS = sorted((ROOT / "config/systemd").glob("*.service"))
CONTAINERFILE = [
    line.split(maxsplit=1)
    for line in (ROOT / "Containerfile").read_text().splitlines()
    if line and not line.startswith("#")
]


def ignored(path: str) -> bool:
    patterns = (ROOT / ".dockerignore").read_text().split()
    parts = Path(path).parts
    return any(
        fnmatch.fnmatch(part, pattern.removeprefix("**/")) for part in parts for pattern in patterns
    )


def test_the_services_have_settings_that_exist():
    known = (ROOT / "docs/settings.md").read_text()

    for name in SITES:
        assert [key for key in SERVICES[name]["environment"] if f"| `{key}` |" not in known] == []


def test_the_image_has_no_secrets_and_no_data_of_the_checkout():
    assert [
        path
        for path in ("var/secret_key", ".env", ".git/config", ".venv/bin/python", "tests/run")
        if not ignored(path)
    ] == []
    assert not ignored("catalog/urls.py")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_starts_what_a_container_starts(unit):
    words = shlex.split(
        re.search(r"^ExecStart=/srv/toolshelf/(.+)$", unit.read_text(), re.MULTILINE)[1]
    )
    image = json.loads(dict(CONTAINERFILE)["CMD"])
    service = SERVICES.get(unit.stem.removeprefix("toolshelf-"), {})
    wanted = service.get("command", image[: len(words)])

    assert words == wanted
    assert "KillMode=mixed" in unit.read_text()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed here")
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_systemd_accepts_a_unit(unit, tmp_path):
    for name in ("python", "celery"):
        program = tmp_path / ".venv/bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    copy = tmp_path / unit.name
    copy.write_text(unit.read_text().replace("/srv/toolshelf", str(tmp_path)))

    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", copy], capture_output=True, text=True, check=False
    )

    assert unit.name not in done.stderr
    assert done.returncode == 0


@pytest.fixture(scope="module")
def image():
    """The files of the image: what the checkout's commit would copy, and the steps of the Containerfile."""
    with tempfile.TemporaryDirectory(prefix="toolshelf-image-") as temporary:
        Path(temporary).chmod(0o755)  # tools run as users of their own, which read it
        yield make_image(Path(temporary) / "toolshelf")


def make_image(folder: Path) -> Path:
    if (ROOT / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split("\n")
    else:  # a copy of a commit
        listed = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file()]
    for path in filter(None, listed):
        if not ignored(path):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, folder / path)
    for step, words in CONTAINERFILE:
        if step == "RUN":
            subprocess.run(words, shell=True, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture
def redis(tmp_path):
    port = free_port()
    words = [word.replace("$$", "$") for word in SERVICES["redis"]["command"]]
    words += ["--bind", "127.0.0.1", "--port", str(port), "--dir", str(tmp_path)]
    server = subprocess.Popen(
        words,
        env={**os.environ, "REDIS_PASSWORD": "hush"},
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    yield f"redis://:hush@127.0.0.1:{port}"
    os.killpg(server.pid, signal.SIGTERM)
    server.wait(10)


def redis_says(url: str, command: bytes) -> bytes:
    """What the Redis at `url` answers to somebody without its password."""
    with socket.create_connection(("127.0.0.1", urlsplit(url).port), timeout=10) as connection:
        connection.sendall(command + b"\r\n")
        return connection.recv(200)


def test_redis_asks_for_a_password_that_no_list_of_processes_shows(redis):
    deadline = time.monotonic() + 60
    while True:
        with contextlib.suppress(OSError):
            answer = redis_says(redis, b"GET a")
            break
        assert time.monotonic() < deadline
        time.sleep(0.1)

    shown = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert answer.startswith(b"-NOAUTH")
    assert not [line for line in shown.splitlines() if "redis-server" in line and "hush" in line]


def test_the_role_of_the_site_is_no_superuser():
    with PostgreSQL() as database:
        where = {"PGHOST": str(database.folder), "TOOLSHELF_PASSWORD": "hush'"}
        mounted = [
            volume.split(":")[0]
            for volume in SERVICES["database"]["volumes"]
            if volume.startswith("./")
        ]
        subprocess.run(
            [ROOT / mounted[0]], env={**os.environ, **where}, check=True, stdout=subprocess.DEVNULL
        )
        asked = "SELECT usesuper, current_database(), has_database_privilege('toolshelf', 'CREATE') FROM pg_user"
        words = ["psql", "-At", "-U", "toolshelf", "-c", f"{asked} WHERE usename = 'toolshelf'"]
        done = subprocess.run(
            words, env={**os.environ, **where}, capture_output=True, text=True, check=True
        )

    assert done.stdout.strip() == "f|toolshelf|t"


def test_tools_of_the_services_do_not_reach_the_database_or_redis():
    assert all(
        SERVICES[name]["environment"]["TOOL_NETWORK"] == "${TOOL_NETWORK:-outward}"
        for name in SITES
    )


@pytest.mark.slow
@pytest.mark.deep
def test_the_steps_of_the_image_and_the_services_commands_make_a_site_that_runs_tools(
    image, redis, tmp_path
):
    def start(words: list[str], log: str) -> subprocess.Popen[bytes]:
        with (tmp_path / log).open("wb") as output:
            return subprocess.Popen(words, cwd=image, env=environment, stdout=output, stderr=output)

    def ask(path: str, body: object = None, **headers: str) -> str:
        data = None if body is None else json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
        with urllib.request.urlopen(
            urllib.request.Request(f"{url}{path}", data, headers), timeout=60
        ) as answer:
            return answer.read().decode()

    def is_ready() -> bool:
        try:
            return "workers: 1" in ask("/readyz")
        except OSError:
            return False

    def manage(*words: str) -> str:
        done = subprocess.run(
            [".venv/bin/python", "manage.py", *words],
            cwd=image,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with PostgreSQL() as database:
        (tmp_path / "data").mkdir()
        environment = {
            "PATH": os.environ["PATH"],
            **{key: str(value) for key, value in SERVICES["site"]["environment"].items()},
            "DATABASE_URL": database.url,
            "TOOLSHELF_REDIS": redis,
            "SECRET_KEY": secrets.token_urlsafe(48),
            "TOOLSHELF_CONFIGURATION_KEYS": secrets.token_urlsafe(48),
            "ALLOWED_HOSTS": "127.0.0.1",
            "TOOLSHELF_HTTPS": "0",
            "TRUST_PROXY": "0",
            "TOOL_NETWORK": "outward",
            "TOOLSHELF_DATA_DIR": str(tmp_path / "data"),
            "DJANGO_SUPERUSER_PASSWORD": secrets.token_urlsafe(16),
        }
        manage("migrate", "--verbosity", "0")
        manage("createsuperuser", "--noinput", "--username", "root", "--email", "")
        processes = [
            start([*json.loads(dict(CONTAINERFILE)["CMD"]), "--port", str(port)], "site.log")
        ]
        try:
            processes.append(start(SERVICES["worker"]["command"], "worker.log"))
            schedule = tmp_path / "data" / "schedule"
            words = [
                word.replace("/var/lib/toolshelf", str(schedule.parent))
                for word in SERVICES["scheduler"]["command"]
            ]
            processes.append(scheduler := start(words, "scheduler.log"))
            deadline = time.monotonic() + 180
            while not is_ready():
                assert time.monotonic() < deadline, (tmp_path / "site.log").read_text()
                time.sleep(0.2)
            token = manage("create_token", "root", "--create", "--scope", "run", "--scope", "read")
            call = {"parameters": {"value": 1, "from_unit": "km", "to_unit": "m"}, "wait_s": 30}
            run = json.loads(
                ask("/api/v1/tools/convert_units/runs", call, Authorization=f"Bearer {token}")
            )
            while not [*schedule.parent.glob("schedule*")]:
                assert time.monotonic() < deadline, (tmp_path / "scheduler.log").read_text()
                time.sleep(0.2)
            assert scheduler.poll() is None, (tmp_path / "scheduler.log").read_text()
        finally:
            for process in processes:
                process.send_signal(signal.SIGTERM)
            for process in processes:
                process.wait(40)
    assert (run["outcome"], run["verdict"]) == ("returned", "conforms"), run
    assert run["response"]["value"] == 1000


@pytest.mark.deep
def test_postgresql_is_backed_up_and_restored_by_the_commands_of_the_documentation(tmp_path):
    document = (ROOT / "docs/operations.md").read_text()
    dump, restore = re.findall(r"`(pg_(?:dump|restore) [^`]+)`", document)

    with PostgreSQL() as database:
        environment = {
            **os.environ,
            "DATABASE_URL": database.url,
            "TOOLSHELF_DATA_DIR": str(tmp_path),
        }

        def run(command: str) -> None:
            filled = command.replace("FILE", str(tmp_path / "dump")).replace(
                "URL", f"'{database.url}'"
            )
            subprocess.run(f"{database.programs}/{filled}", shell=True, check=True, cwd=tmp_path)

        subprocess.run(
            [ROOT / ".venv/bin/python", "manage.py", "migrate", "-v", "0"],
            cwd=ROOT,
            env=environment,
            check=True,
        )
        before = groups_in(database)
        run(dump)
        with psycopg.connect(database.url) as connection:
            connection.execute("TRUNCATE auth_group CASCADE")
        run(restore)
        after = groups_in(database)

    assert len(before) == 4
    assert after == before


def groups_in(database: PostgreSQL) -> list[tuple[object, ...]]:
    with psycopg.connect(database.url) as connection:
        return connection.execute("SELECT name FROM auth_group ORDER BY name").fetchall()
