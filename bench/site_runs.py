"""Measure runs with a separate site: `python -m bench.site_runs [--quick]`.

First, a trivial live run in turns with the same request as a mock, which differs only in the
process; the baseline of both is one commit to this disk. Then, runs per second with 16 clients that
use little CPU (`bench/light_client.py`). Last, 500 runs of one second with 16 slots, while pages
are requested.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from functools import partial
from pathlib import Path

from bench.first_runs import Client
from bench.light_client import hammer, write_post
from bench.load_specs import HIGH_RATES
from bench.timing import get_p95, time_ms
from tests.site import Site

TOOL = "hash_text"
PARAMETERS = {"text": "a"}


def print_row(what: str, figure: str, target: str = "") -> None:
    print(f"{what:58} {figure:>24} {target:>14}", flush=True)


def time_commit(folder: Path, rounds: int = 100) -> float:
    """The median ms to write a page and wait for the disk."""
    file = os.open(folder / "commit", os.O_CREAT | os.O_WRONLY)

    def commit() -> None:
        os.write(file, b"x" * 4096)
        os.fdatasync(file)

    times = [time_ms(commit) for _ in range(rounds)]
    os.close(file)
    return statistics.median(times)


def compare_with_mock(client: Client, rounds: int = 300) -> None:
    for _ in range(30):
        client.run(TOOL, PARAMETERS)
        client.run(TOOL, PARAMETERS, mode="mock")
    live, mock, differences = [], [], []
    phases = {"start_ms": [], "call_ms": [], "check_ms": []}
    for _ in range(rounds):
        mock.append(time_ms(client.run, TOOL, PARAMETERS, mode="mock"))
        began = time.perf_counter()
        run = client.run(TOOL, PARAMETERS)
        live.append((time.perf_counter() - began) * 1000)
        differences.append(live[-1] - mock[-1])
        for phase, times in phases.items():
            times.append(run["timing"][phase])
    print_row("one client: the request as a mock, median", f"{statistics.median(mock):.1f} ms")
    print_row("one client: as a live run, median", f"{statistics.median(live):.1f} ms")
    cost = statistics.median(differences)
    print_row("  the process costs, median of pairs", f"{cost:.1f} ms", "<= 5 ms")
    for phase, times in phases.items():
        print_row(
            f"  of it, {phase[:-3]}, as the run reports", f"{statistics.median(times):.1f} ms"
        )


def measure_throughput(site: Site, token: str, clients: int = 16, seconds: float = 10) -> None:
    for mode, target in (("mock", ""), ("live", ">= 200/s")):
        body = json.dumps({"parameters": PARAMETERS, "mode": mode}).encode()
        request = write_post(site.port, f"/api/v1/tools/{TOOL}/runs", token, body)
        hammer(site.port, request, clients=clients, seconds=2)
        text = b'"outcome": "returned"'
        results = hammer(site.port, request, clients=clients, seconds=seconds, text=text)
        print_row(f"{clients} clients: {mode} runs", f"{results.per_second:.0f}/s", target)
        print_row("  median", f"{statistics.median(results.took_s) * 1000:.0f} ms")
        errors = {status: count for status, count in results.statuses.items() if status != 201}
        if errors or results.lacking:
            print_row("  other responses", f"{errors}, {results.lacking} without the outcome")


def measure_slow_runs(site: Site, token: str, count: int = 500, users: int = 8) -> None:
    # One user does not get all slots.
    tokens = [site.token(f"bench-{number}") for number in range(users)]
    one_second = {"steps": 1, "seconds": 1}
    began = time.monotonic()
    runs = []
    for number in range(count):
        owner = tokens[number % users]
        # Over its own connection, like 500 users: a connection stays with one of the processes.
        run = Client(site, owner).run("count_slowly", one_second, wait_s=0)
        runs.append((owner, run["id"]))
    pages: list[float] = []
    end = threading.Event()

    def browse() -> None:
        visitor = Client(site, token)
        while not end.is_set():
            pages.append(time_ms(visitor.ask, "GET", "/tools/"))
            time.sleep(0.02)

    browser = threading.Thread(target=browse)
    browser.start()
    while any(map(partial(has_active_runs, site), tokens)):
        time.sleep(0.5)
    took_s = time.monotonic() - began
    end.set()
    browser.join()
    outcomes: Counter[str] = Counter()
    readers = {owner: Client(site, owner) for owner in tokens}
    for owner, run_id in runs:
        _, text = readers[owner].ask("GET", f"/api/v1/runs/{run_id}")
        outcomes[json.loads(text)["outcome"]] += 1
    print_row(f"{count} runs of 1 s, 16 slots", f"{took_s:.0f} s", "at least 32 s")
    for outcome, number in outcomes.items():
        print_row(f"  {outcome}", str(number))
    median = statistics.median(pages)
    print_row(f"  catalog pages meanwhile, median of {len(pages)}", f"{median:.1f} ms", "< 100 ms")
    print_row("  catalog pages meanwhile, 95th percentile", f"{get_p95(pages):.1f} ms")


def has_active_runs(site: Site, token: str) -> bool:
    for outcome in ("queued", "running"):
        _, text = Client(site, token).ask("GET", f"/api/v1/runs?limit=1&outcome={outcome}")
        if json.loads(text)["items"]:
            return True
    return False


def main() -> None:
    # On the disk that a site would be on.
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as folder:
        print_row("one commit: 4 KiB to this disk, median", f"{time_commit(Path(folder)):.1f} ms")
        site = Site(Path(folder), prepared=False, **HIGH_RATES)
        try:
            token = site.token("bench")
            compare_with_mock(Client(site, token))
            measure_throughput(site, token)
            if "--quick" not in sys.argv:
                measure_slow_runs(site, token)
        finally:
            site.stop()


if __name__ == "__main__":
    main()
