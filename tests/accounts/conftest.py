import pytest

from accounts.models import User
from tests.accounts.browsers import PASSWORD
from tests.factories import make_user


@pytest.fixture
def ada(db) -> User:
    """A person with a password."""
    return make_user("ada", password=PASSWORD)
