"""Put the traffic of a team on one site, and twice its limit.

    .venv/bin/python -m bench.load [--tools 100000] [--postgresql]

90 % of the requests are pages of the catalog (searches, lists, tools), 9 % are requests of
programs, and 1 % are runs. `--postgresql` serves the same catalog from PostgreSQL, with runs in a
worker of Celery over Redis. Four measurements:

    holds       16 clients, each sends its next request when it has a response: requests/s is what
                the site holds
    usual load  requests at 70 % of that rate, whether or not earlier ones have been answered
    twice       requests at 200 % of that rate
    afterwards  the usual load once more, to see whether the site recovers

Times count from the moment at which a request was due, so they include waiting for a connection.
Rate limits are on, but so high that these clients, which share one address, are not limited by
them. Memory is that of all processes of the site, shared pages divided by the processes that share
them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from bench.first_runs import measure_memory
from bench.load_specs import HIGH_RATES
from bench.scale import COMMON, prepare, select_words
from tests.site import Site

# Since when each is idle, and its two ends.
Connections = asyncio.LifoQueue[tuple[float, asyncio.StreamReader, asyncio.StreamWriter]]

CONNECTIONS = 256  # that twice the load may open
TIMEOUT_S = 30.0
MAX_IDLE_S = 5.0  # the server closes a connection that was idle for 10 s
MEASURED_S = 20.0


@dataclass
class Results:
    """Seconds from due to answered, and responses by status (0: no response in `TIMEOUT_S`)."""

    seconds: float = 0.0
    took_s: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    def write_line(self) -> str:
        successes = 0
        errors = []
        for status, count in self.statuses.items():
            if 200 <= status < 400:
                successes += count
            else:
                errors.append(f"{count} x {status or 'no response'}")
        quantiles = statistics.quantiles(self.took_s, n=100)
        line = f"{successes / self.seconds:8.0f}/s"
        for index in (49, 94, 98):
            line += f" {quantiles[index] * 1000:8.1f}"
        return f"{line}   {', '.join(errors) or 'none'}"


class Load:
    """Sends requests, which `next_request` makes, over connections that stay open."""

    def __init__(self, port: int, next_request: Callable[[], bytes]) -> None:
        self.port = port
        self.next_request = next_request

    async def run_clients(self, clients: int, seconds: float) -> Results:
        """Each client waits for its response before it sends the next request."""
        results, began = Results(), time.perf_counter()

        async def client() -> None:
            while (now := time.perf_counter()) - began < seconds:
                await self._send(results, now, connections)

        connections: Connections = asyncio.LifoQueue()
        await asyncio.gather(*(client() for _ in range(clients)))
        return await self._end(results, began, connections)

    async def run_at_rate(self, per_second: float, seconds: float) -> Results:
        """Requests become due at a rate. Requests without a free connection wait."""
        results, began = Results(), time.perf_counter()
        connections: Connections = asyncio.LifoQueue()
        free, tasks = asyncio.Semaphore(CONNECTIONS), []

        async def request(due: float) -> None:
            async with free:
                await self._send(results, due, connections)

        for number in range(int(per_second * seconds)):
            due = began + number / per_second
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            tasks.append(asyncio.create_task(request(due)))
        await asyncio.gather(*tasks)
        return await self._end(results, began, connections)

    async def _send(self, results: Results, due: float, connections: Connections) -> None:
        try:
            async with asyncio.timeout(TIMEOUT_S):
                reader, writer = await self._connect(connections)
                writer.write(self.next_request())
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                _, _, rest = head.partition(b"content-length:")
                await reader.readexactly(int(rest.split(b"\r\n", 1)[0]))
        except (OSError, EOFError, TimeoutError):
            results.statuses[0] += 1
            return
        results.took_s.append(time.perf_counter() - due)
        results.statuses[int(head[9:12])] += 1
        if b"connection: close" in head:
            writer.close()
        else:
            connections.put_nowait((time.perf_counter(), reader, writer))

    async def _connect(
        self, connections: Connections
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """The connection that was used last, or a new one where that was too long ago."""
        while not connections.empty():
            since, reader, writer = connections.get_nowait()
            if time.perf_counter() - since < MAX_IDLE_S:
                return reader, writer
            writer.close()
        return await asyncio.open_connection("127.0.0.1", self.port)

    @staticmethod
    async def _end(results: Results, began: float, connections: Connections) -> Results:
        results.seconds = time.perf_counter() - began
        while not connections.empty():
            connections.get_nowait()[2].close()
        return results


def plan_traffic(port: int, token: str, words: list[str], slugs: list[str]) -> Callable[[], bytes]:
    """A function that makes the next request, in the shares that the module's docstring says."""
    chance = random.Random(1)
    host = f"Host: 127.0.0.1:{port}\r\n"
    program = f"{host}Authorization: Bearer {token}\r\n"
    run = json.dumps({"parameters": {"text": "a"}}).encode()

    def get(path: str, head: str) -> bytes:
        return f"GET {path} HTTP/1.1\r\n{head}Accept-Encoding: gzip\r\n\r\n".encode()

    def write_query() -> str:
        first = f"{chance.choice(COMMON)}+" if chance.random() < 0.7 else ""
        return f"?q={first}{chance.choice(words)}"

    def ask_page() -> bytes:
        kind = chance.random()
        if kind < 0.5:
            return get(f"/tools/{write_query()}", host)
        if kind < 0.6:
            return get("/tools/", host)
        return get(f"/tools/{quote(chance.choice(slugs))}/", host)

    def call() -> bytes:
        if chance.random() < 0.6:
            return get(f"/api/v1/tools{write_query()}", program)
        return get(f"/api/v1/tools/{quote(chance.choice(slugs))}", program)

    def make_request() -> bytes:
        kind = chance.random()
        if kind < 0.90:
            return ask_page()
        if kind < 0.99:
            return call()
        head = (
            "POST /api/v1/tools/hash_text/runs HTTP/1.1\r\n"
            f"{program}Content-Type: application/json\r\n"
        )
        return f"{head}Content-Length: {len(run)}\r\n\r\n".encode() + run

    return make_request


def start_team(folder: Path, stack: ExitStack) -> dict[str, str]:
    """Move the rows of the SQLite site to PostgreSQL, start Redis, and return the environment."""
    from tests.postgres import PostgreSQL
    from tests.site import ROOT, free_port

    database = stack.enter_context(PostgreSQL())
    began = time.perf_counter()
    rows = str(folder / "site.jsonl")
    others = ["-e", "contenttypes", "-e", "auth.permission", "-e", "accounts.session"]
    move = [
        ["dumpdata", "--format", "jsonl", "--natural-foreign", *others, "--output", rows],
        ["migrate"],
        ["loaddata", rows],
        ["rebuild_index"],
    ]
    for words in move:
        target = {} if words[0] == "dumpdata" else {"DATABASE_URL": database.url}
        subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env={**os.environ, "TOOLSHELF_DATA_DIR": str(folder), **target},
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    print(f"moved to PostgreSQL in {time.perf_counter() - began:.0f} s", flush=True)
    port = free_port()
    command = ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", ""]
    redis = subprocess.Popen([*command, "--dir", str(folder)], stdout=subprocess.DEVNULL)
    stack.callback(redis.wait)
    stack.callback(redis.terminate)
    broker = f"redis://127.0.0.1:{port}"
    return {"DATABASE_URL": database.url, "TOOLSHELF_RUNNER": "celery", "TOOLSHELF_REDIS": broker}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tools", type=int, default=100_000)
    parser.add_argument(
        "--folder", type=Path, help="for the loaded catalog, which stays there for the next time"
    )
    parser.add_argument("--seconds", type=float, default=MEASURED_S, help="of each measurement")
    parser.add_argument(
        "--postgresql", action="store_true", help="PostgreSQL, Redis and a worker of Celery"
    )
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = options.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        prepare(folder, options.tools)
        data = folder / "site"
        database = data / "toolshelf.sqlite3"
        words = select_words(
            database, max(2, options.tools // 10_000), max(40, options.tools // 100)
        )
        environment = start_team(data, stack) if options.postgresql else {}
        site = Site(data, prepared=False, **HIGH_RATES, **environment)
        stack.callback(site.stop)
        processes = [site.process.pid]
        if options.postgresql:
            worker = subprocess.Popen(
                [sys.executable, "-m", "celery", "-A", "config.celery", "worker"],
                env=site.environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            stack.callback(worker.wait)
            stack.callback(worker.terminate)
            processes.append(worker.pid)
            time.sleep(15)  # a worker needs some seconds until it takes runs
        # A catalog has no samples.
        site.manage("load_specs", "--quiet", "playground/builtin/specs/hash_text.json")
        make_request = plan_traffic(site.port, site.token("bench"), words, select_slugs(site))
        load = Load(site.port, make_request)
        asyncio.run(load.run_clients(4, 5))  # templates and modules are loaded, caches filled

        def show(name: str, results: Results) -> Results:
            memory = sum(map(measure_memory, processes))
            print(f"{name:26} {results.write_line()}   {memory:6.0f} MiB", flush=True)
            return results

        print(f"{options.tools:,} tools, {os.cpu_count()} processors that the clients use too")
        print(f"{'':26} {'answered':>10} {'p50':>8} {'p95':>8} {'p99':>8}   errors")
        limit = show("holds, 16 clients", asyncio.run(load.run_clients(16, options.seconds)))
        shares = {"usual load, 70 %": 0.7, "twice, 200 %": 2.0, "afterwards, 70 %": 0.7}
        for name, share in shares.items():
            rate = share * len(limit.took_s) / limit.seconds
            results = asyncio.run(load.run_at_rate(rate, options.seconds))
            show(f"{name} ({rate:.0f}/s)", results)


def select_slugs(site: Site, count: int = 2_000) -> list[str]:
    """Some slugs of the catalog, from all over it."""
    code = (
        "import random; from catalog.models import Tool; keys = "
        "list(Tool.objects.values_list('slug', flat=True)); random.Random(1).shuffle(keys); "
        f"print('\\n'.join(keys[:{count}]))"
    )
    return site.manage("shell", "-v", "0", "-c", code).stdout.split()


if __name__ == "__main__":
    main()
