"""The attacks whose text reaches the database once more, on a site over a real PostgreSQL."""

from pathlib import Path

import pytest

from tests.postgres import run_in_postgresql

HERE = Path(__file__).parent
SAME_TESTS = ("test_uploads.py", "test_requests.py")
# What databases treat in their own ways: escapes and numbers that are stored, queries and parameters.
STORED = ("esc-", "num-")
SEARCHED = ("test_a_hostile_query", "test_no_value_of_a_parameter")


@pytest.mark.slow
def test_postgresql_survives_the_same_attacks():
    run_in_postgresql([HERE / name for name in SAME_TESTS], only=" or ".join((*STORED, *SEARCHED)))
