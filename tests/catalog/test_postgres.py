"""The tests of publishing and searching once more, in a real PostgreSQL."""

import os
import subprocess
import sys
from pathlib import Path

from tests.postgres import PostgreSQL

HERE = Path(__file__).parent
SAME_TESTS = (
    "search/test_search.py",
    "test_publishing.py",
    "test_audit.py",
    "views/test_audit.py",
    "webhooks/test_delivery.py",
    "management/test_commands.py",
    "test_assessments.py",
    "listing/test_assessed_facets.py",
    "views/test_lint.py",
    "test_caching.py",
    "db/test_compiled_query.py",
    "uploads/test_uploads.py",
    "uploads/test_jobs.py",
    "catalog_dump/test_metadata.py",
    "sources/test_sync.py",
)


def test_postgresql_passes_the_tests_of_publishing_and_searching():
    with PostgreSQL() as database:
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(HERE / name for name in SAME_TESTS)],
            env={**os.environ, "DATABASE_URL": database.url},
            cwd=HERE.parent.parent,
            capture_output=True,
            text=True,
            check=False,
        )

    assert run.returncode == 0, run.stdout[-5_000:]
