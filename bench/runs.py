"""Measure runs, one at a time and concurrent, compared with a new interpreter for each.

    .venv/bin/python bench/runs.py [--runs 1000] [--threads 16] [--slots 16] [--plain]

The targets: 200 runs per second with 16 threads on two cores; about 1.2 ms for a run forked from a
warm parent, of which the server itself takes 0.4 ms.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.timing import get_p95, time_ms  # noqa: E402
from playground.runner.engine import Job, LocalRunner  # noqa: E402
from playground.runner.engine.worker_process import ALL_MODES, WorkerProcess  # noqa: E402

FACTORY = """
class Trivial:
    def call(self, request):
        return {"answer": request["question"]}


class Factory:
    def tool_id(self):
        return "trivial"

    def create(self):
        return Trivial()
"""
FRESH = """
import json, sys
sys.path.insert(0, sys.argv[1])
import trivial
print(json.dumps(trivial.Factory().create().call({"question": 1})))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--slots", type=int, default=16)
    parser.add_argument("--plain", action="store_true", help="without namespaces and users")
    options = parser.parse_args()
    tools = ROOT / "var" / "bench-tools"
    tools.mkdir(parents=True, exist_ok=True)
    (tools / "trivial.py").write_text(FACTORY)
    modes = () if options.plain else ALL_MODES
    worker = WorkerProcess(environment={}, modes=modes)
    print(f"isolated by: {worker.read_isolation()}")
    worker.close()
    runner = LocalRunner(slots=options.slots, search_path=[str(tools)], modes=modes)

    def run_once(number: int) -> None:
        job = Job(run_id=str(number), reference="trivial:Factory", parameters={"question": number})
        end = runner.submit(job).wait(30)
        if end is None or end.response != {"answer": number}:
            raise SystemExit(f"a run failed: {end}")

    print(f"first run, including the start of all processes: {time_ms(run_once, 0):.0f} ms")
    for _ in range(20):
        run_once(1)
    measure_one_by_one("runs, one at a time", run_once, options.runs // 2)
    measure_concurrent("runs", run_once, options.runs, options.threads)
    measure_one_by_one("new interpreters, one at a time", lambda _: run_fresh(tools), 40)
    measure_concurrent("new interpreters", lambda _: run_fresh(tools), 80, options.threads)
    runner.close()
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"the server's peak memory: {peak_kib / 1024:.0f} MiB")


def measure_one_by_one(name: str, do: Callable[[int], None], count: int) -> None:
    cpu_s = time.process_time()
    times = [time_ms(do, number) for number in range(count)]
    cpu_ms = (time.process_time() - cpu_s) / count * 1000
    median = statistics.median(times)
    print(
        f"{name}: median {median:.2f} ms, p95 {get_p95(times):.2f} ms, server CPU {cpu_ms:.2f} ms"
    )


def measure_concurrent(name: str, do: Callable[[int], None], count: int, threads: int) -> None:
    began = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(do, range(count)))
    print(f"{name}, {threads} threads: {count / (time.perf_counter() - began):.0f} per second")


def run_fresh(tools: Path) -> None:
    subprocess.run([sys.executable, "-I", "-c", FRESH, str(tools)], check=True, capture_output=True)


if __name__ == "__main__":
    main()
