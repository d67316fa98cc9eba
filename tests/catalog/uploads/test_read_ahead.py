"""Values that another process makes ahead: in order, with what it raises, and nothing of it stays behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.conf import settings
from django.db import transaction

from catalog.models import Tool
from catalog.uploads.pieces import Piece
from catalog.uploads.read_ahead import can_work_ahead, made_ahead
from catalog.uploads.store import upload
from tests.factories import spec_text

pytestmark = pytest.mark.django_db(transaction=True)


def test_things_come_in_order_from_another_process():
    things = list(made_ahead((number, os.getpid()) for number in range(1000)))

    assert [number for number, _ in things] == list(range(1000))
    assert {pid for _, pid in things}.isdisjoint({os.getpid()})


def test_an_error_in_the_other_process_is_raised_after_the_earlier_items():
    def things():
        yield 1
        raise FileNotFoundError(2, "gone", "specs.ndjson")

    made = made_ahead(things())

    assert next(made) == 1
    with pytest.raises(FileNotFoundError, match="gone"):
        next(made)


def test_a_process_that_is_killed_is_an_error_and_not_an_end():
    def things():
        yield 1
        os.kill(os.getpid(), signal.SIGKILL)

    made = made_ahead(things())

    assert next(made) == 1
    with pytest.raises(ChildProcessError):
        next(made)


def test_no_more_than_a_little_is_made_ahead(tmp_path):
    def things():
        for number in range(1000):
            (tmp_path / str(number)).touch()
            yield b" " * 1_000_000

    made = made_ahead(things())
    next(made)
    time.sleep(0.5)

    assert len(list(tmp_path.iterdir())) <= 3
    made.close()


def test_the_other_process_ends_when_its_consumer_stops():
    made = made_ahead(os.getpid() for _ in range(1000))
    other = next(made)

    made.close()

    with pytest.raises(ProcessLookupError):
        os.kill(other, 0)


ENDLESS = """
import itertools, os, sys
sys.path.insert(0, os.getcwd())
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
from catalog.uploads.read_ahead import made_ahead
for pid in made_ahead(os.getpid() for _ in itertools.count()):
    print(pid, flush=True)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_other_process_ends_with_a_process_that_is_killed(how, tmp_path):
    environment = {**os.environ, "TOOLSHELF_DATA_DIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS],
        cwd=settings.BASE_DIR,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        other = int(process.stdout.readline())
        process.send_signal(how)
        process.stdout.close()
        process.wait(10)

    assert ends(other)


def ends(pid):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            if (
                Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
            ):  # nobody asked how it ended
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


def test_an_upload_that_is_read_ahead_ends_as_one_that_is_not():
    texts = [spec_text(f"tool-{number}", description=f"Number {number}.") for number in range(60)]
    texts[7] = '{"definition": {"name": "x"}}'
    texts[30] = json.dumps({"tools": [{"name": "listed", "inputSchema": {"type": "object"}}]})
    texts[50] = texts[3]
    pieces = [Piece("specs.ndjson", text.encode(), line) for line, text in enumerate(texts, 1)]
    dry = list(upload(pieces, by=None, dry_run=True, batch=9))

    ahead = list(upload(pieces, by=None, batch=9, ahead=True))

    assert [one.outcome for one in ahead if one.outcome != "created"] == ["rejected", "unchanged"]
    assert [(one.line, one.tool_id, one.faults) for one in ahead] == [
        (one.line, one.tool_id, one.faults) for one in dry
    ]
    assert Tool.objects.matching("59").get().tool_id == "tool-59"
    again = list(upload(pieces, by=None, batch=9, ahead=True))
    assert {one.outcome for one in again} == {"rejected", "unchanged"}


def test_nothing_is_read_ahead_inside_a_transaction():
    with transaction.atomic():
        assert not can_work_ahead()
