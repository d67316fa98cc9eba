"""Measure runs with a separate site: `python -m bench.site_runs [--quick]`.

First, a trivial live run in turns with the same request as a mock, which differs only in the process; the baseline of
both is one commit to this disk. Then, runs per second with 16 clients that use little CPU (`bench/light_client.py`).
Last, 500 runs of one second with 16 slots, while pages are requested.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench.first_runs import Client, timed
from bench.light_client import hammer, post
from bench.load_specs import HIGH_RATES
from tests.site import Site

TOOL = "hash_text"
PARAMETERS = {"text": "a"}


def row(what: str, found: str, wanted: str = "") -> None:
    print(f"{what:58} {found:>24} {wanted:>14}", flush=True)


def commit_ms(folder: Path, rounds: int = 100) -> float:
    """The median time to write a page and wait for the disk."""
    file = os.open(folder / "commit", os.O_CREAT | os.O_WRONLY)
    found = [
        timed(lambda: (os.write(file, b"x" * 4096), os.fdatasync(file))) for _ in range(rounds)
    ]
    os.close(file)
    return statistics.median(found)


def beside_a_mock(client: Client, rounds: int = 300) -> None:
    for _ in range(30):
        client.run(TOOL, PARAMETERS)
        client.run(TOOL, PARAMETERS, mode="mock")
    live, mock, timing = [], [], {"start_ms": [], "call_ms": [], "check_ms": []}
    for _ in range(rounds):
        mock.append(timed(client.run, TOOL, PARAMETERS, mode="mock"))
        began = time.perf_counter()
        run = client.run(TOOL, PARAMETERS)
        live.append((time.perf_counter() - began) * 1000)
        for phase, found in timing.items():
            found.append(run["timing"][phase])
    more = statistics.median(one - other for one, other in zip(live, mock, strict=True))
    row("one client: the request as a mock, median", f"{statistics.median(mock):.1f} ms")
    row("one client: as a live run, median", f"{statistics.median(live):.1f} ms")
    row("  the process costs, median of pairs", f"{more:.1f} ms", "<= 5 ms")
    phases = ", ".join(
        f"{phase[:-3]} {statistics.median(found):.1f}" for phase, found in timing.items()
    )
    row("  of it, as the run reports", phases)


def throughput(site: Site, token: str, clients: int = 16, seconds: float = 10) -> None:
    for mode, wanted in (("mock", ""), ("live", ">= 200/s")):
        body = json.dumps({"parameters": PARAMETERS, "mode": mode}).encode()
        request = post(site.port, f"/api/v1/tools/{TOOL}/runs", token, body)
        hammer(site.port, request, clients=clients, seconds=2)
        found = hammer(
            site.port, request, clients=clients, seconds=seconds, wanted=b'"outcome": "returned"'
        )
        middle = statistics.median(found.took_s) * 1000
        row(f"{clients} clients: {mode} runs", f"{found.per_second:.0f}/s", wanted)
        others = {status: count for status, count in found.statuses.items() if status != 201}
        row("  median", f"{middle:.0f} ms" + (f" {others}" if others or found.lacking else ""))


def many_slow_runs(site: Site, token: str, count: int = 500, users: int = 8) -> None:
    tokens = [
        site.token(f"bench-{number}") for number in range(users)
    ]  # one user does not get all slots
    began = time.monotonic()
    one_second = {"steps": 1, "seconds": 1}
    # each over its own connection, like 500 users: a connection stays with one of the server's processes
    runs = [
        (
            each := tokens[number % users],
            Client(site, each).run("count_slowly", one_second, wait_s=0)["id"],
        )
        for number in range(count)
    ]
    pages: list[float] = []
    done = threading.Event()

    def browse() -> None:
        visitor = Client(site, token)
        while not done.is_set():
            pages.append(timed(visitor.ask, "GET", "/tools/"))
            time.sleep(0.02)

    browser = threading.Thread(target=browse)
    browser.start()
    while any(
        json.loads(Client(site, each).ask("GET", f"/api/v1/runs?limit=1&outcome={outcome}")[1])[
            "items"
        ]
        for outcome in ("queued", "running")
        for each in tokens
    ):
        time.sleep(0.5)
    took = time.monotonic() - began
    done.set()
    browser.join()
    outcomes: dict[str, int] = {}
    readers = {each: Client(site, each) for each in tokens}
    for each, run in runs:
        outcome = json.loads(readers[each].ask("GET", f"/api/v1/runs/{run}")[1])["outcome"]
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    middle, slow = statistics.median(pages), statistics.quantiles(pages, n=20)[-1]
    row(f"{count} runs of 1 s, 16 slots", f"{took:.0f} s", "at least 32 s")
    row(
        "  outcomes",
        ", ".join(f"{many} {outcome}" for outcome, many in outcomes.items()),
        f"{count} returned",
    )
    row(f"  catalog pages meanwhile, median of {len(pages)}", f"{middle:.1f} ms", "< 100 ms")
    row("  catalog pages meanwhile, 95th percentile", f"{slow:.1f} ms")


def main() -> None:
    with tempfile.TemporaryDirectory(
        dir=Path(__file__).parent
    ) as folder:  # on the disk that a site would be on
        row("one commit: 4 KiB to this disk, median", f"{commit_ms(Path(folder)):.1f} ms")
        site = Site(Path(folder), prepared=False, **HIGH_RATES)
        try:
            token = site.token("bench")
            beside_a_mock(Client(site, token))
            throughput(site, token)
            if "--quick" not in sys.argv:
                many_slow_runs(site, token)
        finally:
            site.stop()


if __name__ == "__main__":
    main()
