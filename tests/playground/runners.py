"""Runners for tests: with the tools of `tools/`, and a way to see whether a process of theirs is left."""

import itertools
import os
import time
from pathlib import Path

from playground.runner.engine import Job, Limits, LocalRunner
from playground.runner.engine.worker_process import WorkerProcess, clean_environment

TOOLS = Path(__file__).parent / "tools"
APART = ("namespaces", "own users", "control groups", "networks")
MARK = "TOOLSHELF_TEST_MARK"

_numbers = itertools.count(1)


class MarkedRunner(LocalRunner):
    """A runner whose processes can be found: they carry a mark in their environment."""

    def __init__(self, *, modes=APART, search_path=(), **options):
        self.mark = f"{os.getpid()}-{next(_numbers)}"
        environment = clean_environment([MARK], {**os.environ, MARK: self.mark})
        super().__init__(
            modes=modes,
            environment=environment,
            search_path=[TOOLS, *search_path],
            **options,
        )

    def call(self, code, *, wait_s=30, **limits):
        """How a run of the body `code` ended."""
        return self.start(code, **limits).wait(wait_s)

    def start(self, code, **limits):
        return self.submit(make_job("attack_tool:Factory", {"code": code}, **limits))

    def run(self, reference, parameters=None, *, wait_s=30, **more):
        """How a run of a factory of `tools/` ended."""
        return self.submit(make_job(reference, parameters, **more)).wait(wait_s)

    def isolation(self):
        """How runs are isolated on this machine."""
        worker = WorkerProcess(**self._worker_arguments)
        try:
            return worker.read_isolation()
        finally:
            worker.close()

    def processes(self):
        """Every process of this runner: {its number: (its parent, its session)}."""
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    environment = (entry / "environ").read_bytes()
                    state, parent, _, session, *_ = (
                        (entry / "stat").read_text().rpartition(")")[2].split()
                    )
                except OSError:  # it has ended meanwhile
                    continue
                if f"{MARK}={self.mark}\0".encode() in environment and state not in "ZX":
                    found[int(entry.name)] = int(parent), int(session)
        return found

    def left_behind(self):
        """Processes of runs: they are in sessions of their own, unlike those that make and watch them."""
        processes = self.processes()
        workers = {pid for pid, (parent, _) in processes.items() if parent == os.getpid()}
        return {pid for pid, (_, session) in processes.items() if session not in workers}

    def nothing_is_left(self, *, within_s=30):
        """Whether no process of a run is left; on a busy machine ending many takes a moment."""
        return soon(lambda: not self.left_behind(), within_s=within_s)


def soon(is_so, *, within_s=30):
    """Whether `is_so()` becomes true before `within_s` is over."""
    until = time.monotonic() + within_s
    while not is_so():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def make_job(
    reference, parameters=None, *, configuration=None, forks_safely=True, version="", **limits
):
    return Job(
        run_id=f"run-{next(_numbers)}",
        reference=reference,
        parameters={} if parameters is None else parameters,
        configuration=configuration,
        forks_safely=forks_safely,
        version=version,
        limits=Limits(**limits),
    )
