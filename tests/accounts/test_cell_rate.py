"""Rates: what is allowed, how long to wait, and what other clients notice."""

from __future__ import annotations

import pytest

from accounts import cell_rate
from accounts.cell_rate import MAX_CLIENTS, MemoryRates, Rate

pytestmark = pytest.mark.unit


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(cell_rate, "monotonic", clock)
    return clock


@pytest.fixture
def rates(clock):
    return MemoryRates()


def allowed(rates, client, rate, times):
    return sum(rates.take(client, rate).wait_s == 0 for _ in range(times))


@pytest.mark.parametrize(
    ("text", "rate", "shown"),
    [
        ("6000/min", Rate(6000, 60), "6,000 per minute"),
        ("6000/10min", Rate(6000, 600), "6,000 in 10 minutes"),
        (" 1/s ", Rate(1, 1), "1 per second"),
        ("5/90min", Rate(5, 5400), "5 in 90 minutes"),
        ("24/24h", Rate(24, 86_400), "24 per day"),
    ],
)
def test_a_rate_is_read_and_shown(text, rate, shown):
    assert Rate.from_text(text) == rate
    assert str(rate) == shown


@pytest.mark.parametrize(
    "text",
    ["", "6000", "0/min", "6000/0min", "-1/min", "1.5/s", "6000/week", "6000 per min", "٣/s"],
)
def test_what_is_no_rate_is_refused(text):
    with pytest.raises(ValueError, match="not a rate"):
        Rate.from_text(text)


def test_all_requests_of_a_period_may_come_at_once_and_no_more(rates):
    assert allowed(rates, "ada", Rate(10, 60), 25) == 10


def test_a_first_request_is_allowed_at_every_time(rates, clock):
    """The sum of the time and the period loses a fraction where it passes a power of two."""
    for number in range(200):
        clock.now = 8192 - 300 + number * 1.0001
        assert allowed(rates, f"client {number}", Rate(1, 600), 2) == 1


def test_a_refusal_says_when_the_next_request_is_allowed(rates, clock):
    rate = Rate(10, 60)
    allowed(rates, "ada", rate, 10)

    wait_s = rates.take("ada", rate).wait_s
    clock.now += wait_s - 0.001
    early_s = rates.take("ada", rate).wait_s
    clock.now += 0.001
    on_time_s = rates.take("ada", rate).wait_s

    assert wait_s == pytest.approx(6)
    assert early_s > 0
    assert on_time_s == 0


def test_refused_requests_do_not_prolong_the_wait(rates, clock):
    rate = Rate(10, 60)
    allowed(rates, "ada", rate, 1000)

    clock.now += 60

    assert allowed(rates, "ada", rate, 20) == 10


def test_requests_at_the_allowed_rate_continue_for_ever(rates, clock):
    rate = Rate(10, 60)
    allowed(rates, "ada", rate, 10)

    for _ in range(100):
        clock.now += 6.000001
        assert rates.take("ada", rate).wait_s == 0


def test_of_more_clients_than_fit_those_that_came_last_are_counted(rates):
    rate = Rate(1, 60)
    for number in range(MAX_CLIENTS + 1):
        rates.take(f"client {number}", rate)

    assert rates.take(f"client {MAX_CLIENTS}", rate).wait_s > 0
    assert rates.take("client 1", rate).wait_s > 0
    assert rates.take("client 0", rate).wait_s == 0
