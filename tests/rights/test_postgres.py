"""The tests of leaks once more, in a real PostgreSQL."""

from pathlib import Path

import pytest

from tests.postgres import run_in_postgresql

HERE = Path(__file__).parent
ONLY = "nobody_else_finds or the_search_itself or counts or misspelt or similar"  # the searches


@pytest.mark.slow
@pytest.mark.deep
def test_postgresql_passes_the_tests_of_leaks():
    run_in_postgresql([HERE / "test_leaks.py"], only=ONLY)
