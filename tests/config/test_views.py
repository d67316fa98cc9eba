"""The health checks of the site."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.django_db, pytest.mark.unit]


def test_operators_can_ask_how_it_is(client):
    assert client.get("/healthz").content == b"ok\n"
    assert client.get("/readyz").content == b"ready\n"
