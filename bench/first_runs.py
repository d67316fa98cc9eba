"""Measure the first runs of the built-in tools after the start of a site: `python -m bench.first_runs [--rounds 5]`.

Sites that import the built-in tools before their first run, and that do not, start in turns. One tool is run as soon as
`/readyz` responds, every other one `PAUSE_S` later; its time is that of the HTTP request. The memory is that of all
processes of the site before and after these runs, shared pages divided by the processes that share them.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import statistics
import tempfile
import time
import urllib.request
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from tests.attacks.watching import processes_of
from tests.site import ROOT, Site

PAUSE_S = 4
AT_ONCE = "convert_time_zone"
SPECS = ROOT / "playground" / "builtin" / "specs"


class Client:
    """One keep-alive connection with a token."""

    def __init__(self, site: Site, token: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=120)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        data = None if body is None else json.dumps(body)
        self.connection.request(method, path, data, self.headers)
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def run(self, tool: str, parameters: object, **more: object) -> dict[str, object]:
        status, text = self.ask(
            "POST", f"/api/v1/tools/{tool}/runs", {"parameters": parameters, **more}
        )
        if status not in {201, 202}:
            raise RuntimeError(text)
        return json.loads(text)


def timed(call: Callable[..., object], *words: object, **more: object) -> float:
    began = time.perf_counter()
    call(*words, **more)
    return (time.perf_counter() - began) * 1000


def examples() -> dict[str, object]:
    """The parameters of the first example of each built-in tool that needs no configuration."""
    found = {}
    for path in sorted(SPECS.glob("*.json")):
        document = json.loads(path.read_text())
        definition = document["definition"]
        if (
            "configuration" not in document
            and "count" not in path.stem
            and "weather" not in path.stem
        ):
            found[definition.get("id", definition["name"])] = definition["examples"][0][
                "parameters"
            ]
    return found


def memory_mib(pid: int) -> float:
    total = 0
    for each in processes_of(pid):
        try:
            lines = Path(f"/proc/{each}/smaps_rollup").read_text().splitlines()
        except OSError:  # it has ended meanwhile
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def start(site: Site) -> float:
    """Start the site, and the seconds until `/readyz` responds."""
    began = time.monotonic()
    site.start()
    with urllib.request.urlopen(f"{site.url}/readyz") as response:
        response.read()
    return time.monotonic() - began


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    figures: dict[bool, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as folder:
        site = Site(Path(folder), prepared=False)
        token = site.token("bench")
        Client(site, token).ask("GET", "/api/v1/factories")
        time.sleep(PAUSE_S)  # until the descriptions of the factories are cached
        site.stop()
        tools = examples()
        for _ in range(rounds):
            for preloads in (False, True):
                site.environment["SITE_SETTINGS"] = json.dumps({"PRELOAD_TOOLS": preloads})
                found = figures[preloads]
                found["ready, s"].append(start(site))
                found["first run immediately, ms"].append(
                    timed(Client(site, token).run, AT_ONCE, tools[AT_ONCE])
                )
                time.sleep(PAUSE_S)
                found["memory before the other runs, MiB"].append(memory_mib(site.process.pid))
                runs = [
                    timed(Client(site, token).run, tool, tools[tool])
                    for tool in tools
                    if tool != AT_ONCE
                ]
                found["first run of a tool, median, ms"].append(statistics.median(runs))
                found["first run of a tool, slowest, ms"].append(max(runs))
                found["memory after all runs, MiB"].append(memory_mib(site.process.pid))
                site.stop()
    print(f"{os.cpu_count()} processors, {rounds} rounds; medians (greatest)")
    print(f"{'':42} {'not imported':>20} {'imported':>20}")
    for name in figures[False]:
        cells = (
            f"{statistics.median(found[name]):.4g} ({max(found[name]):.4g})"
            for found in figures.values()
        )
        print(f"{name:42}", *(f"{cell:>20}" for cell in cells))


if __name__ == "__main__":
    main()
