"""The attacks whose text reaches the database once more, on a site over a real PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.postgres import PostgreSQL

pytestmark = pytest.mark.alone

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SAME_TESTS = ("test_uploads.py", "test_requests.py")


def test_postgresql_survives_the_same_attacks():
    with PostgreSQL() as database:
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(HERE / name for name in SAME_TESTS)],
            env={**os.environ, "DATABASE_URL": database.url},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )

    assert run.returncode == 0, run.stdout[-8_000:]
