"""The tests of what a database is asked in its own way, and attacks whose text reaches it, in a PostgreSQL."""

from pathlib import Path

import pytest

from tests.postgres import run_in_postgresql

HERE = Path(__file__).parent
SAME_TESTS = (
    "catalog/search/test_search.py",
    "catalog/test_publishing.py",
    "catalog/test_audit.py",
    "catalog/listing/test_suggestions.py",
    "catalog/webhooks/test_delivery.py",
    "catalog/accounts/test_rate_limits.py",
    "playground/run_pages/test_overview.py",
    "playground/views/test_runs.py",
    "rights/test_leaks.py",
    "attacks/test_uploads.py",
    "attacks/test_requests.py",
)
# What the audit log records is the same for any database; how it is protected is not. Of the attacks, those with
# escapes and numbers that are stored, and those by queries and parameters.
ATTACKS = "esc- or num- or test_a_hostile_query or test_no_value_of_a_parameter"
ONLY = f"not recorded and (not attacks or {ATTACKS})"


@pytest.mark.slow
@pytest.mark.deep
def test_postgresql_passes_the_tests_that_ask_it_in_its_own_way():
    run_in_postgresql((HERE / name for name in SAME_TESTS), only=ONLY)
