"""Runs by Celery's workers as many machines have them: what happens stands in PostgreSQL, and Redis passes it on."""

import signal

import pytest

from tests.playground.celery.team import Team, until
from tests.postgres import PostgreSQL

pytestmark = pytest.mark.deep

CONVERTED = {"value": 1, "from_unit": "km", "to_unit": "m"}


def test_over_postgresql_runs_are_done_and_written_down_and_a_killed_workers_are_marked(tmp_path):
    with PostgreSQL() as database:
        team = Team(tmp_path, DATABASE_URL=database.url)
        try:
            waiting = team.start("convert_units", parameters=CONVERTED)
            team.stop_redis(signal.SIGKILL)  # the message is lost, and sent again
            team.start_redis()
            team.with_worker()
            until(lambda: team.page("/readyz") == "ready\nworkers: 1\n")
            until(lambda: team.outcome(waiting) == "returned")
            done = team.run("sign_text", {"text": "hello"}, configuration={"key": "mrk-7f3a-9c-e1"})
            long = team.start()
            until(lambda: team.outcome(long) == "running")
            team.kill_worker()
            until(lambda: team.outcome(long) == "crashed")
            numbers = team.numbers()
        finally:
            team.close()

    assert (done["outcome"], done["verdict"]) == ("returned", "conforms")
    assert numbers['toolshelf_run_seconds_count{outcome="returned",mode="live"}'] == 2
    assert numbers['toolshelf_run_seconds_count{outcome="crashed",mode="live"}'] == 1
    assert not list(tmp_path.glob("*.sqlite3"))
