"""The tests of what the catalog asks a database in its own way once more, in a real PostgreSQL."""

from pathlib import Path

import pytest

from tests.postgres import run_in_postgresql

HERE = Path(__file__).parent
SAME_TESTS = (
    "search/test_search.py",
    "test_publishing.py",
    "test_audit.py",
    "test_assessments.py",
    "listing/test_assessed_facets.py",
    "listing/test_suggestions.py",
    "sources/test_sync.py",
    "webhooks/test_delivery.py",
)


@pytest.mark.slow
@pytest.mark.deep
def test_postgresql_passes_the_tests_of_the_catalog():
    run_in_postgresql(HERE / name for name in SAME_TESTS)
