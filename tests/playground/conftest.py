from pathlib import Path

import pytest

from catalog.publishing import publish
from catalog.specs.spec import read_spec

SPECS = Path(__file__).resolve().parents[2] / "playground" / "builtin" / "specs"


class LastingRunner:
    """A real runner that outlives the supervisor of one test: what it keeps warm need not be made for each."""

    def __init__(self, runner):
        self.runner = runner
        self.handles = []

    def submit(self, job):
        self.handles.append(self.runner.submit(job))
        return self.handles[-1]

    def close(self):
        for handle in self.handles:
            handle.cancel()
        for handle in self.handles:
            handle.wait(10)
        self.handles.clear()


@pytest.fixture(scope="session")
def lasting_runners():
    runners = {}
    yield runners
    for lasting in runners.values():
        lasting.runner.close()


@pytest.fixture
def runs(transactional_db, lasting_runners, monkeypatch):
    """Runs can be made: by real processes, which are ended with the test."""
    from playground import supervisor

    make_runner = supervisor.make_runner

    def lasting_runner(slots, queue_max):
        if (slots, queue_max) not in lasting_runners:
            lasting_runners[slots, queue_max] = LastingRunner(make_runner(slots, queue_max))
        return lasting_runners[slots, queue_max]

    monkeypatch.setattr(supervisor, "make_runner", lasting_runner)
    yield
    supervisor.close_supervisor()


@pytest.fixture
def builtin(db):
    """Publishes a built-in tool by its id: `builtin("count_slowly")`."""

    def publish_builtin(name):
        return publish(read_spec((SPECS / f"{name}.json").read_bytes()), by=None).tool

    return publish_builtin
