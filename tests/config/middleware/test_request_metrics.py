"""Recent requests, for which background work waits. `tests/config/test_metrics.py` reads the counted ones."""

import pytest

from config.middleware.request_metrics import RequestMetricsMiddleware, had_recent_request

pytestmark = pytest.mark.django_db


@pytest.mark.django_db
def test_a_request_for_a_page_counts_as_recent_activity(client, monkeypatch):
    monkeypatch.setattr(RequestMetricsMiddleware, "requested_at", -1e9)

    client.get("/healthz")
    assert not had_recent_request()

    client.get("/")
    assert had_recent_request()

    monkeypatch.setattr(
        RequestMetricsMiddleware, "requested_at", RequestMetricsMiddleware.requested_at - 3
    )
    assert not had_recent_request()
