import json

import pytest

from catalog.sources import reader, reading


@pytest.fixture
def _read_in_this_process(monkeypatch):
    """Read sources without the limits on memory. Starting a process with the MCP client takes 2.4 s of CPU time."""
    monkeypatch.setattr(reading, "_run", lambda job: json.loads(reader.read(json.loads(job))))
