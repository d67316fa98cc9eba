"""The tests of rights and leaks once more, in a real PostgreSQL."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.postgres import PostgreSQL

HERE = Path(__file__).parent


@pytest.mark.deep
def test_postgresql_passes_the_tests_of_rights():
    names = ("test_matrix.py", "test_leaks.py")
    with PostgreSQL() as database:
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(HERE / name for name in names)],
            env={**os.environ, "DATABASE_URL": database.url},
            cwd=HERE.parent.parent,
            capture_output=True,
            text=True,
            check=False,
        )

    assert run.returncode == 0, run.stdout[-5_000:]
