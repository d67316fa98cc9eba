import json
from types import SimpleNamespace

import pytest

from catalog.sources import reader, reading, schedule


@pytest.fixture
def _read_in_this_process(monkeypatch):
    """Read sources without the limits on memory. Starting a process with the MCP client takes 2.4 s of CPU time."""
    monkeypatch.setattr(reading, "_run", lambda job, _: json.loads(reader.read(json.loads(job))))


class ThreadAtOnce:
    """A thread that has ended when it was started."""

    def __init__(self, target, args, **_):
        self.run = lambda: target(*args)

    def start(self):
        self.run()

    def join(self, timeout=None):
        pass


@pytest.fixture
def synced_at_once(monkeypatch):
    """Syncs of pages run before the response: a thread would not see the transaction of a test."""
    monkeypatch.setattr(schedule, "threading", SimpleNamespace(Thread=ThreadAtOnce))
    monkeypatch.setattr(schedule, "connection", SimpleNamespace(close=lambda: None))
