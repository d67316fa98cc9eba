import time
from types import SimpleNamespace

import pytest
from allauth.mfa.totp.internal import auth as totp

from accounts.models import User
from tests.accounts.browsers import PASSWORD
from tests.factories import make_user


@pytest.fixture
def ada(db) -> User:
    """A person with a password."""
    return make_user("ada", password=PASSWORD)


@pytest.fixture(autouse=True)
def _one_period_of_codes(monkeypatch):
    """The clock of codes stands still, so that no period ends between a code and its check."""
    now = time.time()
    monkeypatch.setattr(totp, "time", SimpleNamespace(time=lambda: now))
