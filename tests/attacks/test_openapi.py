"""The promises of the API's own document, checked with thousands of good and bad requests made from it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.site import Site

CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
LEAST_CASES = 4_000


@pytest.fixture(scope="module")
def own_site(tmp_path_factory):
    """A site that may be filled with nonsense."""
    site = Site(
        tmp_path_factory.mktemp("nonsense"),
        TOOLSHELF_RUN_TIMEOUT_S="2",
        TOOLSHELF_RUN_TIMEOUT_MAX_S="5",
    )
    yield site
    site.stop()


@pytest.mark.slow
def test_the_api_keeps_what_its_document_promises(own_site: Site, tmp_path: Path):
    token = own_site.token("tester", "read", "publish", "run")

    done = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"),
            f"--config-file={CONFIGURATION}",
            "run",
            f"{own_site.url}/api/v1/openapi.json",
            f"--header=Authorization: Bearer {token}",
            "--phases=examples,coverage,fuzzing",
            "--max-examples=15",
            "--seed=20261120",
            "--continue-on-failure",
            "--no-color",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )

    assert done.returncode == 0, done.stdout
    assert int(re.search(r"([\d,]+) generated", done.stdout)[1].replace(",", "")) >= LEAST_CASES, (
        done.stdout
    )
    assert own_site.is_up()
    assert "Traceback" not in own_site.log()
