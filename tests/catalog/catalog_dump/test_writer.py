"""The export over HTTP: written once for each state of the catalog, by few requests at a time."""

from __future__ import annotations

import threading

import pytest
from django.db import connection

from catalog.catalog_dump import writer
from catalog.catalog_dump.writer import CatalogFile, CatalogFiles, catalog_files, whole_catalog
from catalog.lifecycle import archive, deprecate
from catalog.linting.waivers import waive, withdraw
from catalog.metadata import Organisation, organise
from catalog.publishing import publish
from catalog.search.visibility import ALL_TOOLS
from tests.factories import make_spec, make_tool, make_user

pytestmark = pytest.mark.django_db


def exported(answer):
    return b"".join(answer.streaming_content)


def export_of_now():
    return "".join(whole_catalog()).encode()


@pytest.fixture
def writings(monkeypatch):
    """A list that grows by one with each export that is written."""
    written = []

    class Noted(CatalogFile):
        def __init__(self, lines):
            written.append(True)
            super().__init__(lines)

    monkeypatch.setattr(writer, "CatalogFile", Noted)
    return written


def test_an_export_is_written_once_for_each_state_of_the_catalog(stranger, writings):
    make_tool("greet")
    answers = [exported(stranger.ask("/catalog")) for _ in range(3)]
    make_tool("wave")
    answers.append(exported(stranger.ask("/catalog")))

    assert len(writings) == 2
    assert answers[0] == answers[1] == answers[2]
    assert answers[3] == export_of_now() != answers[0]


def test_each_change_of_exported_data_makes_another_export(stranger, ada):
    tool = make_tool("greet")
    make_tool("wave")
    waivers = []
    changes = [
        lambda: publish(make_spec("greet", description="Another text."), by=ada),
        lambda: organise(
            tool, Organisation(toolkit="Manners", add_tags=["polite"], owner="ada"), by=ada
        ),
        lambda: deprecate(tool, note="Rude.", superseded_by="wave"),
        lambda: waivers.append(
            waive(tool, rule="return-type-missing", reason="It says nothing.", by=ada)
        ),
        lambda: waive(tool, rule="return-type-missing", reason="It really says nothing.", by=ada),
        lambda: withdraw(waivers[0]),
        lambda: type(ada).objects.filter(pk=ada.pk).update(username="lovelace"),
        lambda: archive(tool),
    ]
    seen = [exported(stranger.ask("/catalog"))]

    for change in changes:
        change()
        seen.append(exported(stranger.ask("/catalog")))
        assert seen[-1] == export_of_now()

    assert len(set(seen)) == 9 - 1  # taking the waiver back leads to what there was before


def test_an_export_has_a_length_and_an_etag_that_saves_a_download(stranger):
    make_tool("greet")
    answer = stranger.ask("/catalog")
    again = stranger.send("GET", "/catalog", **{"If-None-Match": answer["ETag"]})
    make_user("nobody-in-it")
    changed = make_tool("wave")
    after = stranger.send("GET", "/catalog", **{"If-None-Match": answer["ETag"]})

    assert int(answer["Content-Length"]) == len(exported(answer))
    assert (again.status_code, again.content) == (304, b"")
    assert (after.status_code, changed.tool_id.encode() in exported(after)) == (200, True)


def test_a_catalog_of_many_parts_is_sent_as_it_is(stranger):
    make_tool("long", description="ä" * 30_000)
    make_tool("longer", description="ö" * 30_000)

    data = exported(stranger.ask("/catalog"))

    assert data == export_of_now()
    assert len(data) > 3 * writer.PART_BYTES


@pytest.mark.django_db(transaction=True)
def test_few_wait_for_an_export_and_others_are_refused_at_once(stranger, monkeypatch):
    make_tool("greet")
    files = CatalogFiles(waiting=1)
    monkeypatch.setattr("catalog.api.bulk.catalog_files", files)
    writing, go_on = threading.Event(), threading.Event()

    class Slow(CatalogFile):
        def __init__(self, lines):
            writing.set()
            go_on.wait(30)
            super().__init__(lines)

    monkeypatch.setattr(writer, "CatalogFile", Slow)
    first = []
    thread = threading.Thread(target=lambda: first.append(exporting_in_a_thread(files)))
    thread.start()
    assert writing.wait(30)

    refused = stranger.ask("/catalog")
    go_on.set()
    thread.join(30)

    assert (refused.status_code, refused["Retry-After"]) == (429, "5")
    assert refused["Content-Type"] == "application/problem+json"
    assert (
        refused.json()["detail"]
        == "Other exports of the catalog are in progress. Try again in a few seconds."
    )
    assert first == [export_of_now()]
    assert exported(stranger.ask("/catalog")) == export_of_now()


def exporting_in_a_thread(files):
    try:
        return b"".join(files.now(ALL_TOOLS, with_names=True))
    finally:
        connection.close()


def test_an_export_that_fails_leaves_room_for_the_next(stranger, monkeypatch):
    make_tool("greet")
    with monkeypatch.context() as broken:
        broken.setattr(writer, "whole_catalog", lambda _visibility, **_: iter(["\ud800"]))
        for _ in range(30):
            with pytest.raises(UnicodeEncodeError):
                catalog_files.now(ALL_TOOLS, with_names=True)

    assert exported(stranger.ask("/catalog")) == export_of_now()
