"""Measure the first runs of the built-in tools after the start of a site.

    .venv/bin/python -m bench.first_runs [--rounds 5]

Sites that import the built-in tools before their first run, and that do not, start in turns. One
tool is run as soon as `/readyz` responds, every other one `PAUSE_S` later; its time is that of the
HTTP request. The memory is that of all processes of the site before and after these runs, shared
pages divided by the processes that share them.
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
from pathlib import Path

from bench.timing import time_ms
from tests.attacks.watching import processes_of
from tests.site import ROOT, Site

PAUSE_S = 4
FIRST_TOOL = "convert_time_zone"
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
        body = {"parameters": parameters, **more}
        status, text = self.ask("POST", f"/api/v1/tools/{tool}/runs", body)
        if status not in {201, 202}:
            raise RuntimeError(text)
        return json.loads(text)


def read_examples() -> dict[str, object]:
    """The parameters of the first example of each built-in tool that needs no configuration."""
    examples = {}
    for path in sorted(SPECS.glob("*.json")):
        document = json.loads(path.read_text())
        definition = document["definition"]
        is_slow = "count" in path.stem or "weather" in path.stem
        if "configuration" not in document and not is_slow:
            tool_id = definition.get("id", definition["name"])
            examples[tool_id] = definition["examples"][0]["parameters"]
    return examples


def measure_memory(pid: int, figure: str = "Pss:") -> float:
    """The MiB of a process and its descendants.

    By default, shared pages are divided among the processes that share them.
    """
    kib = 0
    for process in processes_of(pid):
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except OSError:  # it has ended meanwhile
            continue
        kib += sum(int(line.split()[1]) for line in lines if line.startswith(figure))
    return kib / 1024


def start(site: Site) -> float:
    """Start the site; return the seconds until `/readyz` responds."""
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
        tools = read_examples()
        other_tools = [tool for tool in tools if tool != FIRST_TOOL]
        for _ in range(rounds):
            for preloads in (False, True):
                site.environment["SITE_SETTINGS"] = json.dumps({"PRELOAD_TOOLS": preloads})
                row = figures[preloads]
                row["ready, s"].append(start(site))
                first_run_ms = time_ms(Client(site, token).run, FIRST_TOOL, tools[FIRST_TOOL])
                row["first run immediately, ms"].append(first_run_ms)
                time.sleep(PAUSE_S)
                pid = site.process.pid
                row["memory before the other runs, MiB"].append(measure_memory(pid))
                runs = [time_ms(Client(site, token).run, tool, tools[tool]) for tool in other_tools]
                row["first run of a tool, median, ms"].append(statistics.median(runs))
                row["first run of a tool, slowest, ms"].append(max(runs))
                row["memory after all runs, MiB"].append(measure_memory(pid))
                site.stop()
    print(f"{os.cpu_count()} processors, {rounds} rounds; medians (greatest)")
    print(f"{'':42} {'not imported':>20} {'imported':>20}")
    for name in figures[False]:
        line = f"{name:42}"
        for row in figures.values():
            cell = f"{statistics.median(row[name]):.4g} ({max(row[name]):.4g})"
            line += f" {cell:>20}"
        print(line)


if __name__ == "__main__":
    main()
