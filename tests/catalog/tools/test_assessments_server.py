"""A whole site assesses bulk uploads by itself, even if it is killed meanwhile."""

import fcntl
import json
import sqlite3
import time
import urllib.request
from contextlib import closing, contextmanager

import pytest

from tests.factories import real_specs

pytestmark = pytest.mark.deep

SPECS = 300  # some seconds of work


def specs():
    """Real specs, each several times under ids of its own."""
    texts = real_specs()
    for number in range(SPECS):
        spec = json.loads(texts[number % len(texts)])
        spec["definition"]["id"] += f".{number}"
        yield json.dumps(spec)


@contextmanager
def another_process_assesses(site):
    with (site.data_dir / "assessment.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def unjudged(site):
    with closing(sqlite3.connect(site.data_dir / "toolshelf.sqlite3", timeout=20)) as database:
        return database.execute("SELECT count(*) FROM catalog_tool WHERE score IS NULL").fetchone()[
            0
        ]


def wait_until(condition, timeout_s=180):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def asked(site, query):
    with urllib.request.urlopen(f"{site.url}/api/v1/tools?limit=1&{query}") as answer:
        return json.load(answer)["count"]


@pytest.mark.slow
def test_a_site_assesses_a_bulk_upload_and_continues_after_a_crash(site, tmp_path):
    wait_until(lambda: unjudged(site) == 0)
    site.stop()
    (tmp_path / "specs.ndjson").write_text("\n".join(specs()))

    with another_process_assesses(
        site
    ):  # so the command leaves it to the server, however fast the machine is
        site.manage("load_specs", "--quiet", str(tmp_path / "specs.ndjson"))
    assert unjudged(site) > SPECS / 2
    site.start()
    total = asked(site, "")
    wait_until(lambda: unjudged(site) < SPECS - 40)
    site.kill()
    left = unjudged(site)
    site.start()
    wait_until(lambda: unjudged(site) == 0)

    assert left > 0
    assert asked(site, "") == asked(site, "score=0") == total
    assert sum(asked(site, f"grade={grade}") for grade in (90, 70, 0)) == total
    assert "Traceback" not in site.log()
