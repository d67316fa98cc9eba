"""Concurrent changes: no update is lost, none is half done, and no error says that the database is locked."""

from __future__ import annotations

import json
import random
import secrets
import threading
import time
from collections import Counter

import pytest

from tests.attacks.cases import cases
from tests.attacks.conftest import Program
from tests.attacks.integrity import faults_of, index_of
from tests.attacks.watching import processes_of
from tests.site import Site
from tests.site_accounts import token

WRITERS = 16


def spec(tool_id, description="d"):
    return json.dumps(
        {"definition": {"id": tool_id, "name": tool_id, "description": description}}
    ).encode()


def at_once(count, act):
    """The results of `act(number)` in `count` threads that begin together, in the order of their ends."""
    begin, results = threading.Barrier(count), []

    def work(number):
        begin.wait()
        results.append(act(number))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == count
    return results


@pytest.fixture
def programs(site):
    """One program for each writer, with a connection of its own."""
    secret = token(site, "tester")
    programs = [Program(site, secret) for _ in range(WRITERS)]
    yield programs
    for program in programs:
        program.close()


@pytest.fixture(autouse=True)
def _whole(site):
    logged = len(site.log())
    yield
    assert faults_of(site) == []
    assert "database is locked" not in site.log()[logged:]


def upload_delete(site, programs):
    """Half of them publish, half archive, 200 rounds in all."""
    tool_id = f"racing-{secrets.token_hex(4)}"
    assert programs[0].publish(spec(tool_id)).status_code == 201

    def act(number):
        statuses = set()
        for count in range(200 // WRITERS + 1):
            if number % 2:
                statuses.add(
                    programs[number].publish(spec(tool_id, f"{number} {count}")).status_code
                )
            else:
                statuses.add(programs[number].delete(f"/tools/{tool_id}").status_code)
        return statuses

    statuses = set().union(*at_once(WRITERS, act))

    assert statuses <= {201, 204, 409}
    tool = programs[0].get(f"/tools/{tool_id}").json()
    assert tool["archived"]
    assert tool["revision"] >= 100 - 10


def invoke_delete(site, programs):
    """A run goes on when its tool is archived, and its history stays."""
    tool_id = "count_slowly"
    body = {"parameters": {"steps": 3, "seconds": 1}, "wait_s": 0}
    run = programs[0].post(f"/tools/{tool_id}/runs", json=body).json()["id"]
    assert programs[1].delete(f"/tools/{tool_id}").status_code == 204
    try:
        ended = until_ended(programs[0], [run])
        assert ended == {run: "returned"}
        assert programs[0].get(f"/runs/{run}").json()["tool"]["id"] == tool_id
    finally:
        assert programs[1].post(f"/tools/{tool_id}/restore").status_code == 204


def until_ended(program, runs, *, within_s=180):
    """How each of `runs` ended."""
    ended = {}
    deadline = time.monotonic() + within_s
    while len(ended) < len(runs):
        assert time.monotonic() < deadline, f"{len(runs) - len(ended)} runs go on"
        for run in set(runs) - ended.keys():
            outcome = program.get(f"/runs/{run}").json()["outcome"]
            if outcome not in {"queued", "running"}:
                ended[run] = outcome
        time.sleep(0.05)
    return ended


def two_servers_sqlite(site, programs):
    """Another server over the same file: each revision of each writer is there."""
    other = Site(site.data_dir)
    tool_id = f"two-{secrets.token_hex(4)}"
    secret = programs[0].headers["authorization"].split()[1]
    try:
        elsewhere = [Program(other, secret) for _ in range(WRITERS // 2)]
        writers = [*programs[: WRITERS // 2], *elsewhere]

        def act(number):
            return [
                publish_patiently(writers[number], spec(tool_id, f"{number} {count}"))
                for count in range(6)
            ]

        numbers = sorted(number for numbers in at_once(WRITERS, act) for number in numbers)
        for program in elsewhere:
            program.close()
    finally:
        other.stop()

    assert numbers == list(range(1, WRITERS * 6 + 1))


def publish_patiently(program, body):
    """The number of the revision that is made, sooner or later; a conflict says that nothing was stored."""
    for _ in range(30):
        answer = program.publish(body)
        if answer.status_code == 201:
            return answer.json()["tool"]["revision"]
        assert answer.status_code == 409
    raise AssertionError("others were always first")


def idempotency(site, programs):
    """Named otherwise: no key is needed. The same text published twice is stored once; and a run that is asked for
    twice is two runs, as a tool may be called twice on purpose."""
    tool_id = f"same-{secrets.token_hex(4)}"
    headers = {"Idempotency-Key": "one", "Content-Type": "application/json"}

    answers = at_once(
        WRITERS,
        lambda number: (
            programs[number].post("/tools", content=spec(tool_id), headers=headers).status_code
        ),
    )

    assert Counter(answers) == {201: 1, 200: WRITERS - 1}
    assert len(programs[0].get(f"/tools/{tool_id}/revisions").json()["items"]) == 1


def cancel_run(site, programs):
    short = {"parameters": {"steps": 1, "seconds": 1}, "wait_s": 30}
    at_once(
        WRITERS,
        lambda number: programs[number].post("/tools/count_slowly/runs", json=short).status_code,
    )
    before = processes_of(site.process.pid)  # with what runs leave warm for the next ones
    randomness = random.Random(7)

    def act(number):
        runs = {}
        for _ in range(100 // WRITERS + 1):
            body = {"parameters": {"steps": 4, "seconds": 20}, "wait_s": 0, "timeout_s": 60}
            run = programs[number].post("/tools/count_slowly/runs", json=body).json()["id"]
            time.sleep(randomness.random() * 0.3)
            runs[run] = programs[number].post(f"/runs/{run}/cancel").status_code
        return runs

    runs = {run: status for runs in at_once(WRITERS, act) for run, status in runs.items()}

    assert set(runs.values()) == {200}
    assert set(until_ended(programs[0], runs).values()) <= {"cancelled", "returned"}
    deadline = time.monotonic() + 60
    while (
        len(processes_of(site.process.pid)) > len(before) + 20
    ):  # processes that are ready for the next runs
        assert time.monotonic() < deadline, "processes of cancelled runs go on"
        time.sleep(0.2)


def thundering_import(site, programs):
    """The index is rebuilt while others publish; afterwards it equals one that was rebuilt without them."""
    rebuilt = []
    rebuilding = threading.Thread(
        target=lambda: rebuilt.append(site.manage("rebuild_index", check=False).returncode)
    )
    rebuilding.start()
    group = secrets.token_hex(4)

    def act(number):
        count = 0
        while rebuilding.is_alive() or count < 5:
            assert (
                programs[number]
                .publish(spec(f"{group}-{number}-{count % 7}", f"at {count}"))
                .status_code
                < 300
            )
            count += 1
        return count

    at_once(4, act)
    rebuilding.join()
    found = index_of(site)
    site.manage("rebuild_index")

    assert rebuilt == [0]
    assert found == index_of(site)


PROCEDURES = {
    procedure.__name__.replace("_", "-"): procedure
    for procedure in (
        upload_delete,
        invoke_delete,
        two_servers_sqlite,
        idempotency,
        cancel_run,
        thundering_import,
    )
}


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_many_at_once(procedure, site, programs):
    PROCEDURES[procedure](site, programs)


def test_every_case_has_its_procedure():
    assert {case.procedure for case in cases("race")} <= PROCEDURES.keys()


# -- variants of our own ----------------------------------------------------------------------------------------------


def test_sixteen_writers_of_one_tool_lose_no_revision(site, programs):
    tool_id = f"one-{secrets.token_hex(4)}"

    def act(number):
        return [
            publish_patiently(programs[number], spec(tool_id, f"{number} {count}"))
            for count in range(10)
        ]

    numbers = sorted(number for numbers in at_once(WRITERS, act) for number in numbers)

    assert numbers == list(range(1, WRITERS * 10 + 1))


def test_all_of_sixteen_writers_of_many_tools_succeed(site, programs):
    group = secrets.token_hex(4)

    def act(number):
        return [
            programs[number].publish(spec(f"{group}-{number}-{count}")).status_code
            for count in range(10)
        ]

    assert {status for statuses in at_once(WRITERS, act) for status in statuses} == {201}
    assert programs[0].get("/tools", params={"q": group}).json()["count"] == WRITERS * 10


def test_one_of_many_concurrent_puts_to_the_same_revision_succeeds(site, programs):
    tool_id = f"put-{secrets.token_hex(4)}"
    programs[0].publish(spec(tool_id))
    etag = programs[0].get(f"/tools/{tool_id}").headers["etag"]
    headers = {"If-Match": etag, "Content-Type": "application/json"}

    answers = at_once(
        WRITERS,
        lambda number: (
            programs[number]
            .put(f"/tools/{tool_id}", content=spec(tool_id, f"{number}"), headers=headers)
            .status_code
        ),
    )

    assert Counter(answers) == {200: 1, 412: WRITERS - 1}


def test_a_configuration_saved_by_many_at_once_is_one(site, programs):
    name = f"c-{secrets.token_hex(4)}"
    body = {"name": name, "configuration": {"key": "k" * 32}}

    statuses = at_once(
        WRITERS,
        lambda number: (
            programs[number].post("/tools/sign_text/configurations", json=body).status_code
        ),
    )

    assert set(statuses) == {201}
    saved = programs[0].get("/tools/sign_text/configurations").json()["items"]
    assert [one["name"] for one in saved].count(name) == 1
    assert (
        at_once(
            WRITERS,
            lambda number: (
                programs[number].delete(f"/tools/sign_text/configurations/{name}").status_code
            ),
        ).count(204)
        == 1
    )
