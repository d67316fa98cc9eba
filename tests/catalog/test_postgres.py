"""The tests of publishing and searching once more, in a real PostgreSQL."""

from pathlib import Path

import pytest

from tests.postgres import run_in_postgresql

HERE = Path(__file__).parent
MAIN_TESTS = (
    "search/test_search.py",
    "test_publishing.py",
)
OTHER_TESTS = (
    "test_audit.py",
    "uploads/test_uploads.py",
    "views/test_audit.py",
    "webhooks/test_delivery.py",
    "management/test_commands.py",
    "test_assessments.py",
    "listing/test_assessed_facets.py",
    "views/test_lint.py",
    "views/test_lint_overview.py",
    "listing/test_starred.py",
    "listing/test_suggestions.py",
    "listing/test_toolkits.py",
    "test_caching.py",
    "db/test_compiled_query.py",
    "uploads/test_jobs.py",
    "uploads/test_exports.py",
    "sources/test_sync.py",
)


@pytest.mark.slow
def test_postgresql_passes_the_tests_of_publishing_and_searching():
    run_in_postgresql(HERE / name for name in MAIN_TESTS)


@pytest.mark.slow
@pytest.mark.deep
def test_postgresql_passes_the_other_tests_of_the_catalog():
    run_in_postgresql(HERE / name for name in OTHER_TESTS)
