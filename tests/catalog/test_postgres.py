"""The tests of what the catalog asks a database in its own way once more, in a real PostgreSQL."""

from pathlib import Path

import pytest

from tests.postgres import run_in_postgresql

HERE = Path(__file__).parent
SAME_TESTS = (
    "search/test_search.py",
    "test_publishing.py",
    "test_audit.py",
    "listing/test_suggestions.py",
    "webhooks/test_delivery.py",
)
ONLY = "not recorded"  # what the audit log records is the same for any database; how it is protected is not


@pytest.mark.slow
@pytest.mark.deep
def test_postgresql_passes_the_tests_of_the_catalog():
    run_in_postgresql((HERE / name for name in SAME_TESTS), only=ONLY)
