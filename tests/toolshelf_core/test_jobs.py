"""The jobs that a process does again and again."""

import threading

from toolshelf_core import jobs
from toolshelf_core.jobs import start_job

SOON_S = 60


def test_a_job_is_done_again_although_it_failed(caplog, monkeypatch):
    monkeypatch.setattr(jobs, "AFTER_FAULT_S", 0.02)
    rounds = []
    done = threading.Event()

    def work():
        rounds.append(1)
        if len(rounds) == 1:
            raise ZeroDivisionError
        done.set()
        threading.Event().wait()  # so that there is no further round

    start_job("division", work, every_s=0.01)

    assert done.wait(SOON_S)
    assert "The job division failed; the next attempt is in 0.02 s." in caplog.text


def test_a_job_is_woken_before_its_pause_is_over():
    rounds = threading.Semaphore(0)
    wake = threading.Event()
    start_job("woken", rounds.release, every_s=3600, woken_by=wake)
    assert rounds.acquire(timeout=SOON_S)

    wake.set()

    assert rounds.acquire(timeout=SOON_S)
