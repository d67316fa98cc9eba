"""Measure how clients that do not read affect others: `.venv/bin/python -m bench.unread [--clients 60] [--hold 15]`.

Each client requests one large response over a connection with a small buffer, and reads nothing (or, with --trickle, a
few bytes four times a second). Meanwhile /healthz is requested ten times a second. The table shows how often it did not
answer within 5 s, its p50, p99 and longest time in ms, the peak memory of a server process, and the CPU seconds of all
server processes.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import socket
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

from tests.attacks.watching import Health, forget_peaks, peak_mib, servers_of
from tests.site import Site

PATHS = ("/api/v1/catalog", "/api/v1/tools?limit=100", "/api/v1/tools/large.t1", "/tools/large.t1/")
DESCRIPTION = ("A long description with many words. " * 3_300)[:118_000]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=60)
    parser.add_argument("--hold", type=float, default=15, metavar="SECONDS")
    parser.add_argument("--trickle", action="store_true")
    options = parser.parse_args()
    print(f"{'':26}{'asked':>6}{'lost':>6}{'p50':>8}{'p99':>8}{'max':>8}{'MiB':>6}{'CPU s':>7}  answers")
    with tempfile.TemporaryDirectory() as folder:
        site = Site(Path(folder))
        try:
            fill(site, Path(folder) / "large.ndjson")
            for path in PATHS:
                attack(site, path, options.clients, options.hold, trickle=options.trickle)
        finally:
            site.stop()


def fill(site: Site, file: Path) -> None:
    """Load 100 tools with long descriptions, and wait until the server has nothing to do."""
    names = [f"large.t{number}" for number in range(100)]
    specs = ({"definition": {"id": name, "name": name, "description": DESCRIPTION}} for name in names)
    file.write_text("\n".join(map(json.dumps, specs)))
    site.manage("load_specs", str(file))
    settle(site)


def cpu_s(pids: list[int]) -> float:
    """The CPU seconds that `pids` have used so far, in total, in user and kernel mode."""
    ticks = 0
    for pid in pids:
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def settle(site: Site) -> None:
    before = -1.0
    while (now := cpu_s(servers_of(site.process.pid))) > before + 0.05:
        before = now
        time.sleep(2)


def attack(site: Site, path: str, count: int, hold_s: float, *, trickle: bool) -> None:
    with urllib.request.urlopen(site.url + path, timeout=60) as answer:
        size_mib = len(answer.read()) / 1024 / 1024
    settle(site)
    servers = servers_of(site.process.pid)
    forget_peaks(servers)
    before_s = cpu_s(servers)
    with Health(site.url) as health:
        clients = [hanging_client(site.port, path) for _ in range(count)]
        until = time.monotonic() + hold_s
        while time.monotonic() < until:
            time.sleep(0.25)
            for client in clients if trickle else []:
                with suppress(OSError):
                    client.recv(50)
    answers: collections.Counter[str] = collections.Counter()
    for client in clients:
        try:
            answers[client.recv(12)[9:].decode() or "none"] += 1
        except OSError as error:
            answers[type(error).__name__] += 1
        client.close()
    lost = sum(one == float("inf") for one in health.times)
    middle = sorted(health.times)[len(health.times) // 2]
    times = "".join(f"{1000 * one:>8.0f}" for one in (middle, health.p99, max(health.times)))
    used = f"{peak_mib(servers):>6.0f}{cpu_s(servers) - before_s:>7.1f}"
    print(f"{path:20}{size_mib:>6.1f}{len(health.times):>6}{lost:>6}{times}{used}  {dict(answers)}", flush=True)


def hanging_client(port: int, path: str) -> socket.socket:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    client.settimeout(20)
    client.connect(("127.0.0.1", port))
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    client.setblocking(False)
    return client


if __name__ == "__main__":
    main()
