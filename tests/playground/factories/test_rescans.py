"""Reloading installed packages: how the processes of a machine follow a request."""

import pytest

from playground.factories import rescans as factory_rescans
from playground.factories.info import FactoryInfo
from playground.factories.rescans import ask_for_reload, check, describe_found, request_rescan

pytestmark = pytest.mark.usefixtures("db")


@pytest.fixture
def another_process(monkeypatch, later_factory):
    """As if this process had started before, and another process notes the requests."""
    monkeypatch.setattr(factory_rescans._Followed, "latest", None)
    check()
    return later_factory


def registered():
    return {each.reference for each in factory_rescans.registry().all()}


def test_a_request_of_another_process_is_followed_once(another_process, monkeypatch):
    assert registered() == set()
    another_process.install()
    check()
    assert registered() == set()

    ask_for_reload()
    check()

    assert registered() == {"later_tools:F"}
    refreshed = []
    monkeypatch.setattr(factory_rescans.registry(), "refresh", lambda: refreshed.append(1))
    check()
    assert refreshed == []


def test_a_process_that_starts_follows_no_earlier_request(another_process, monkeypatch):
    ask_for_reload()
    monkeypatch.setattr(factory_rescans._Followed, "latest", None)
    refreshed = []
    monkeypatch.setattr(factory_rescans.registry(), "refresh", lambda: refreshed.append(1))

    check()

    assert refreshed == []


def test_until_it_is_imported_again_a_known_factory_stays_as_it_was(another_process):
    another_process.install()
    request_rescan()
    another_process.change("import time\ntime.sleep(2)")
    ask_for_reload()

    check()

    assert factory_rescans.registry().for_tool("later").state == "ok"


def test_changed_code_is_described_anew(another_process):
    another_process.install()
    request_rescan()
    another_process.change("raise RuntimeError('broken now')")

    request_rescan()

    (info,) = factory_rescans.registry().all()
    assert (info.state, info.error.splitlines()[0]) == ("broken", "RuntimeError: broken now")


def test_a_message_names_a_few_of_many_factories():
    new = [
        FactoryInfo(
            f"key{number}", f"m:F{number}", "setting", None, None, "ok", tool_id=f"tool{number}"
        )
        for number in range(12)
    ]

    assert describe_found(new).startswith("12 new factories were found: tool0 (m:F0), tool1 (m:F1)")
    assert describe_found(new).endswith("tool9 (m:F9) and 2 more.")
