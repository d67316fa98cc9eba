import pytest

from tests.catalog.sources.conftest import _read_in_this_process  # noqa: F401 - a fixture
from tests.field.openapi_calls import recording_api
from tests.playground.conftest import lasting_runners, runs  # noqa: F401 - fixtures


@pytest.fixture(scope="module")
def served_api():
    with recording_api() as api:
        yield api


@pytest.fixture
def api(served_api):
    """An API that records requests and answers with `{}`."""
    served_api.received.clear()
    served_api.answers({})
    return served_api
