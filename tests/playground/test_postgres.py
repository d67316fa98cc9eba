"""The tests of runs, their pages and limits once more, in a real PostgreSQL."""

from pathlib import Path

import pytest

from tests.postgres import run_in_postgresql

HERE = Path(__file__).parent
SAME_TESTS = (
    "views/test_runs.py",
    "run_pages/test_overview.py",
    "../catalog/accounts/test_rate_limits.py",
)

# Lists, counts and positions are queries; the other pages of runs ask for rows by their keys.
ONLY = "test_overview or test_rate_limits or list or chart or chosen or filter or suggested or position"


@pytest.mark.slow
@pytest.mark.deep
def test_postgresql_passes_the_tests_of_runs_and_limits():
    run_in_postgresql((HERE / name for name in SAME_TESTS), only=ONLY)
