"""Runners of real processes."""

import pytest

from tests.playground.runners import MarkedRunner


@pytest.fixture(scope="module")
def runner():
    runner = MarkedRunner(slots=4)
    assert (
        runner.call("return 1").response == 1
    )  # imports the tool: no time limit of a test includes that
    yield runner
    runner.close()


@pytest.fixture
def own_runner():
    """Makes runners that are closed with the test."""
    made = []

    def make(**options):
        made.append(MarkedRunner(**options))
        return made[-1]

    yield make
    for runner in made:
        runner.close()


@pytest.fixture
def open_folder(tmp_path):
    """A directory that other users may read."""
    for directory in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        directory.chmod(0o755)
    return tmp_path


@pytest.fixture
def apart(runner):
    if runner.isolation()["mode"] != "namespaces":
        pytest.skip("this machine allows no namespaces")
    return runner
