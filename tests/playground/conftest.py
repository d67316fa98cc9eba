from pathlib import Path

import pytest

from catalog.publishing import publish
from catalog.spec import read_spec

SPECS = Path(__file__).resolve().parents[2] / "playground" / "builtin" / "specs"


@pytest.fixture
def runs(transactional_db):
    """Runs can be made: by real processes, which are ended with the test."""
    yield
    from playground.supervising import close_supervisor

    close_supervisor()


@pytest.fixture
def builtin(db):
    """Publishes a built-in tool by its id: `builtin("count_slowly")`."""

    def publish_builtin(name):
        return publish(read_spec((SPECS / f"{name}.json").read_bytes()), by=None).tool

    return publish_builtin
