import errno
import io
import json
import threading
import time
from datetime import timedelta

import pytest
from django.db import DataError, IntegrityError, OperationalError
from django.utils import timezone
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from catalog import audit
from catalog.errors import Busy
from catalog.fairness import FairLock
from catalog.models import Revision, Tool, Upload
from catalog.publishing import publish
from catalog.specs.spec import read_spec
from catalog.uploads import jobs as uploading
from catalog.uploads import results
from catalog.uploads.choices import Choices, ImportOptions
from tests.factories import make_tool, make_user, spec_text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_data_dir")]


def stored_upload(*texts, by, **more) -> Upload:
    files = [(f"{number}.ndjson", io.BytesIO(text.encode())) for number, text in enumerate(texts)]
    return uploading.create(files, by=by, **more)


def carried_out(*texts, by, **more) -> Upload:
    upload = stored_upload(*texts, by=by, **more)
    uploading.carry_out(upload)
    upload.refresh_from_db()
    return upload


def lines(*names) -> str:
    return "\n".join(line(name) for name in names)


def line(name) -> str:
    return json.dumps(json.loads(spec_text(name)))


def test_the_report_of_a_large_upload_lists_its_specs_in_order(ada):
    publish(read_spec(line("same")), by=ada)

    upload = carried_out(lines("new", "same"), "{}\n" + line("last"), by=ada)

    rows = [
        (row.position, row.source, row.line, row.outcome)
        for row in upload.specs.order_by("position")
    ]
    assert rows == [
        (1, "0.ndjson", 1, "created"),
        (2, "0.ndjson", 2, "unchanged"),
        (3, "1.ndjson", 1, "rejected"),
        (4, "1.ndjson", 2, "created"),
    ]
    assert upload.counts == {"created": 2, "revised": 0, "unchanged": 1, "rejected": 1}
    assert (upload.read, upload.total, upload.is_active) == (4, 4, False)
    assert Tool.objects.get(tool_id="new").current.created_by == ada


def test_reported_specs_are_stored_and_a_resumed_upload_reads_the_rest(ada, monkeypatch):
    monkeypatch.setattr(uploading, "SHORT_BATCH", 2)
    upload = stored_upload(lines(*"abcde"), by=ada)
    stop_after(upload, 2, monkeypatch)
    stopped = Upload.objects.get()

    assert (stopped.read, stopped.total, stopped.created) == (2, 5, 2)
    assert [row.tool_id for row in stopped.specs.order_by("position")] == ["a", "b"]
    assert set(Tool.objects.values_list("tool_id", flat=True)) == {"a", "b"}

    monkeypatch.undo()
    uploading.carry_out(stopped)

    assert [row.tool_id for row in stopped.specs.order_by("position")] == list("abcde")
    assert Upload.objects.get().counts["created"] == 5


@pytest.mark.parametrize("is_list", [True, False], ids=["one document", "a document per tool"])
def test_a_resumed_upload_has_the_same_choices(ada, monkeypatch, is_list):
    monkeypatch.setattr(uploading, "SHORT_BATCH", 1)
    tools = [
        {"name": name, "description": "x", "inputSchema": {"type": "object"}} for name in "abcd"
    ]
    documents = [{"tools": tools}] if is_list else tools
    a, b, _, d = (
        f"0.ndjson#{1 if is_list else number}#{name}" for number, name in enumerate("abcd", 1)
    )
    choices = Choices(frozenset({b}), {a: "first", d: "last"})
    upload = stored_upload(
        "\n".join(map(json.dumps, documents)), by=ada, options=ImportOptions("", choices=choices)
    )
    stop_after(upload, 1, monkeypatch)
    stopped = Upload.objects.get()
    assert list(Tool.objects.values_list("tool_id", flat=True)) == ["first"]

    monkeypatch.undo()
    uploading.carry_out(stopped)

    assert set(Tool.objects.values_list("tool_id", flat=True)) == {"first", "c", "last"}
    assert (Upload.objects.get().created, Upload.objects.get().rejected) == (3, 0)


def test_a_resumed_upload_refuses_ids_that_it_gave_before_it_stopped(ada, monkeypatch):
    monkeypatch.setattr(uploading, "SHORT_BATCH", 1)
    tools = [
        {"name": name, "description": name, "inputSchema": {"type": "object"}} for name in "abc"
    ]
    choices = Choices(new_ids={"0.ndjson#1#a": "c"})
    upload = stored_upload(
        "\n".join(map(json.dumps, tools)), by=ada, options=ImportOptions("", choices=choices)
    )
    stop_after(upload, 2, monkeypatch)
    stopped = Upload.objects.get()

    monkeypatch.undo()
    uploading.carry_out(stopped)

    assert stopped.specs.order_by("position").last().outcome == "rejected"
    assert Tool.objects.get(tool_id="c").current.number == 1


def stop_after(upload, count, monkeypatch):
    """As if the process ended while the batch after `count` specs is stored."""

    class PowerCut(BaseException):
        pass

    write = results.ResultWriter.write

    def cut(self, entries, read):
        write(self, entries, read)
        if self.position > count:
            raise PowerCut

    monkeypatch.setattr(results.ResultWriter, "write", cut)
    with pytest.raises(PowerCut):
        uploading.carry_out(upload)


def test_an_upload_whose_process_ended_can_go_on_once_it_is_silent(ada):
    upload = stored_upload(lines("a"), by=ada)

    assert not uploading.can_resume(upload)

    upload.seen_at = timezone.now() - timedelta(minutes=2)

    assert (upload.is_silent, upload.is_active) == (True, False)
    assert uploading.can_resume(upload)


def test_the_files_are_gone_when_it_has_ended(ada):
    upload = carried_out(lines("a"), by=ada)

    assert not uploading.folder_of(upload).exists()
    assert not uploading.can_resume(upload)


def test_a_large_dry_run_stores_nothing_and_reports_each_outcome(ada):
    make_tool("old", description="Before.")

    upload = carried_out(lines("new", "old"), by=ada, dry_run=True)

    assert [row.outcome for row in upload.specs.order_by("position")] == ["created", "revised"]
    assert [tool.tool_id for tool in Tool.objects.all()] == ["old"]
    assert Tool.objects.get().revisions.count() == 1


def test_reports_of_old_uploads_are_deleted_and_their_tools_stay(ada):
    upload = carried_out(lines("a"), by=ada)
    Upload.objects.filter(pk=upload.pk).update(created_at=timezone.now() - timedelta(days=31))

    uploading.delete_old()

    assert not Upload.objects.exists()
    assert Tool.objects.exists()


def test_a_name_is_stored_without_characters_that_a_database_cannot_store(ada):
    upload = uploading.create([("a\0\n" + "b" * 500, io.BytesIO(b"{}"))], by=ada)

    upload.refresh_from_db()

    assert "\0" not in upload.names
    assert len(upload.names) <= 200


def fail_once(upload, error, monkeypatch):
    """As its thread does, where `error` comes up on the way."""

    def broken(*_):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(results.ResultWriter, "write", broken)
        patch.setattr(uploading.connection, "close", lambda: None)  # the test goes on with it
        uploading._store_in_turn(upload, audit.origin())


def test_a_spec_that_the_database_never_takes_is_rejected_and_the_others_are_stored(ada):
    damage("broken")

    upload = carried_out(lines("a", "broken", "b", "c", "d"), by=ada)

    outcomes = [(row.line, row.outcome) for row in upload.specs.order_by("position")]
    assert outcomes == [
        (1, "created"),
        (2, "rejected"),
        (3, "created"),
        (4, "created"),
        (5, "created"),
    ]
    [fault] = results.entry_of(upload.specs.get(outcome="rejected")).faults
    assert fault.problem.rule == "publish.not-stored"
    assert "the stored data of 'broken' may be damaged" in fault.problem.message
    assert (upload.failed, upload.is_active, upload.read) == (False, False, 5)
    assert Tool.objects.count() == 5


def damage(tool_id):
    """A tool that calls an old revision its current one, so that the number of the next is taken."""
    publish(read_spec(line(tool_id)), by=None)
    publish(read_spec(spec_text(tool_id, description="Newer.")), by=None)
    tool = Tool.objects.get(tool_id=tool_id)
    Tool.objects.filter(pk=tool.pk).update(current=tool.revisions.get(number=1))
    Revision.objects.filter(tool=tool, number=1).update(sha256="0" * 64)


@pytest.mark.parametrize(
    "error", [OperationalError("out of reach"), OSError(errno.EIO, "no answer")]
)
def test_a_temporary_error_leaves_a_resumable_upload(ada, monkeypatch, error):
    upload = stored_upload(lines("a"), by=ada)

    fail_once(upload, error, monkeypatch)

    stopped = Upload.objects.get()
    assert (stopped.ended_at, stopped.failed) == (None, False)
    uploading.carry_out(stopped)
    assert Upload.objects.get().counts["created"] == 1


@pytest.mark.parametrize(
    "error", [ValueError("never"), IntegrityError("no such row"), DataError("too long")]
)
def test_an_error_that_stays_ends_the_upload_and_removes_its_files(ada, monkeypatch, error):
    upload = stored_upload(lines("a"), by=ada)

    fail_once(upload, error, monkeypatch)

    assert Upload.objects.get().failed
    assert not uploading.folder_of(upload).exists()


def test_the_files_stay_where_it_cannot_be_noted_that_the_upload_failed(ada, monkeypatch):
    upload = stored_upload(lines("a"), by=ada)
    Upload.objects.update(lease_id="another")

    uploading._stopped(upload, ValueError("never"))

    assert not Upload.objects.get().failed
    assert uploading.folder_of(upload).is_dir()


def test_a_slow_thread_stores_nothing_after_another_one_resumes(ada, monkeypatch):
    begun = []
    monkeypatch.setattr(uploading, "_begin", begun.append)
    slow = stored_upload(lines("a", "b"), by=ada)
    Upload.objects.update(seen_at=timezone.now() - timedelta(minutes=2), total=2)
    slow.total = 2
    assert uploading.resume(Upload.objects.get())

    with pytest.raises(results.LeaseLostError):
        uploading.carry_out(slow)

    assert not Tool.objects.exists()
    assert uploading.folder_of(slow).is_dir()
    uploading.carry_out(begun[0])
    assert Upload.objects.get().counts["created"] == 2
    assert Upload.objects.get().specs.count() == 2


def test_only_one_of_two_threads_resumes_an_upload(ada, monkeypatch):
    begun = []
    monkeypatch.setattr(uploading, "_begin", begun.append)
    stored_upload(lines("a"), by=ada)
    Upload.objects.update(seen_at=timezone.now() - timedelta(minutes=2))
    first, second = Upload.objects.get(), Upload.objects.get()

    assert [uploading.resume(first), uploading.resume(second)] == [True, False]
    assert begun == [first]


def test_there_are_signs_of_life_while_the_texts_are_counted(ada, monkeypatch):
    monkeypatch.setattr(uploading, "SIGN_OF_LIFE_S", 0)
    upload = stored_upload(lines("a", "b"), by=ada)
    Upload.objects.update(seen_at=timezone.now() - timedelta(minutes=2))

    next(uploading._pieces(upload))

    assert not Upload.objects.get().is_silent


# -- its page ---------------------------------------------------------------------------------------------------------


def page(browser, address):
    answer = browser.get(address)
    assert answer.status_code == 200, answer.content
    return HTMLParser(answer.content)


def test_the_page_of_a_large_upload_lists_the_results(browser, ada):
    upload = carried_out(lines("a", "b") + "\n{}\n", by=ada)

    tree = page(browser, upload.get_absolute_url())

    assert " ".join(tree.css_first(".notice-title").text().split()) == "2 new, 1 rejected"
    assert [badge.text(strip=True) for badge in tree.css(".entry .badge")] == [
        "rejected",
        "new",
        "new",
    ]
    assert tree.css_first(".entry-name").attributes["href"] == "/tools/a/"
    assert tree.css_first(".entry-rejected .problem-message")
    assert tree.css_first(".entry-rejected textarea").text() == "{}"


def test_the_report_can_be_narrowed_to_an_outcome(browser, ada):
    upload = carried_out(lines("a") + "\n{}\n", by=ada)

    tree = page(browser, f"{upload.get_absolute_url()}?outcome=rejected")

    assert len(tree.css(".entry")) == 1
    assert tree.css_first('.tabs-links [aria-current="page"]').text(strip=True) == "Rejected1"


def test_a_long_report_comes_in_pages(browser, ada):
    upload = carried_out(lines(*(f"tool{number}" for number in range(130))), by=ada)

    first = page(browser, upload.get_absolute_url())
    second = page(
        browser, upload.get_absolute_url() + first.css_first('a[rel="next"]').attributes["href"]
    )

    assert (len(first.css(".entry")), len(second.css(".entry"))) == (100, 30)
    assert not second.css('a[rel="next"]')


def test_while_it_is_under_way_the_page_asks_again_by_itself(browser, ada):
    upload = stored_upload(lines("a"), by=ada)
    Upload.objects.update(total=10, read=4)

    tree = page(browser, upload.get_absolute_url())

    assert tree.css_first("progress").attributes["value"] == "4"
    assert (
        tree.css_first('noscript meta[http-equiv="refresh"]')
        or "http-equiv" in tree.css_first("noscript").html
    )
    polls = [
        page(browser, upload.get_absolute_url()).css_first('[hx-trigger="load delay:700ms"]')
        for _ in range(2)
    ]
    assert polls[0].id != polls[1].id  # else a page that is changed in place would ask but once


def test_polling_gets_only_the_changing_part(browser, ada):
    upload = stored_upload(lines("a"), by=ada)

    answer = browser.get(upload.get_absolute_url(), headers={"HX-Request": "true"})

    assert b"<html" not in answer.content
    assert b"<progress" in answer.content


def test_a_stopped_upload_can_be_continued_on_its_page(browser, ada):
    upload = stored_upload(lines("a"), by=ada)
    Upload.objects.update(total=10, read=4, seen_at=timezone.now() - timedelta(minutes=2))

    tree = page(browser, upload.get_absolute_url())

    assert "The server was stopped after 4 of 10 specs" in " ".join(
        tree.css_first(".notice-title").text().split()
    )
    assert tree.css_first(f'form[action="{upload.get_absolute_url()}resume/"]')


def test_a_tool_that_a_dry_run_would_create_is_not_a_link(browser, ada):
    make_tool("old", description="Before.")
    upload = carried_out(lines("new", "old"), by=ada, dry_run=True)

    names = page(browser, upload.get_absolute_url()).css(".entry-name")

    assert [(name.tag, name.text()) for name in names] == [("a", "old"), ("span", "new")]


def test_a_page_marks_the_position_of_a_problem_in_its_line(browser, ada):
    upload = carried_out('{"definition": 7}', by=ada)

    excerpt = page(browser, upload.get_absolute_url()).css_first(".excerpt")

    assert excerpt.css_first("mark").text() == "7"
    shown, caret = excerpt.text().split("\n")
    assert shown[caret.index("^")] == "7"


def test_a_dry_run_shows_the_changes_of_a_revision(browser, ada):
    make_tool("old", description="Before.")
    upload = carried_out(lines("old"), by=ada, dry_run=True)

    link = (
        page(browser, upload.get_absolute_url())
        .css_first(".entry a[href*='/uploads/']")
        .attributes["href"]
    )
    tree = page(browser, link)

    assert "Before." in tree.css_first(".diff-del").text()


def test_a_preview_shows_the_changes_of_a_revision(browser):
    make_tool("old", description="Before.")

    answer = browser.post("/upload/preview/", {"text": spec_text("old")})

    tree = HTMLParser(answer.content)
    assert "Before." in tree.css_first(".entry .diff-del").text()
    assert "/definition/description" in tree.css_first(".change").text() or tree.css_first(
        ".change-text"
    )


def test_a_stored_revision_links_to_its_changes(browser):
    make_tool("old", description="Before.")

    answer = browser.post("/upload/", {"text": spec_text("old")}, follow=True)

    assert HTMLParser(answer.content).css_first('.entry a[href="/tools/old/revisions/1..2/"]')


def test_an_upload_is_its_senders_alone(browser):
    other = carried_out(lines("a"), by=make_user("eve"))

    assert browser.get(other.get_absolute_url()).status_code == 404
    assert browser.post(f"{other.get_absolute_url()}resume/").status_code == 404
    assert browser.get(f"{other.get_absolute_url()}1/").status_code == 404


def test_the_page_of_an_upload_needs_a_person(client, ada):
    upload = carried_out(lines("a"), by=ada)

    assert client.get(upload.get_absolute_url()).status_code == 302


def test_large_uploads_are_listed_where_the_next_is_sent(browser, ada):
    upload = carried_out(lines("a"), by=ada)

    assert page(browser, "/upload/").css_first(f'a[href="{upload.get_absolute_url()}"]')


# -- several users ----------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_uploads_of_two_users_store_their_batches_alternately(ada, monkeypatch):
    monkeypatch.setattr(uploading, "_turns", FairLock())  # without the turns of earlier tests
    monkeypatch.setattr(uploading, "SHORT_BATCH", 2)
    order = []
    write = results.ResultWriter.write

    def note_and_write(self, entries, read):
        order.append(self.upload.by.username)
        write(self, entries, read)

    monkeypatch.setattr(results.ResultWriter, "write", note_and_write)
    uploads = [
        stored_upload(lines(*"abcdefgh"), by=ada),
        stored_upload(lines("x", "y", "z"), by=make_user("bob")),
    ]
    uploading._turns.acquire("another", meanwhile=pytest.fail, every_s=60)  # so that both wait

    for waiting, upload in enumerate(uploads, 1):
        uploading._begin(upload)
        while len(uploading._turns._waiters) < waiting:
            time.sleep(0.01)
    uploading._turns.release()
    for upload in uploads:
        uploading._threads[upload.pk][0].join(60)

    assert order == ["ada", "bob", "ada", "bob", "ada", "ada"]
    assert [upload.created for upload in Upload.objects.order_by("created_at")] == [8, 3]


def test_an_upload_that_lost_its_lease_while_it_waited_lets_the_next_one_store(ada, monkeypatch):
    monkeypatch.setattr(uploading, "SIGN_OF_LIFE_S", 0.01)
    upload = stored_upload(lines("a"), by=ada)
    uploading._turns.acquire("another", meanwhile=pytest.fail, every_s=60)
    Upload.objects.update(lease_id="another")

    with pytest.raises(results.LeaseLostError), uploading._StoringTurn(upload):
        pytest.fail("it has no turn")

    uploading._turns.release()
    uploading._turns.acquire("third", meanwhile=pytest.fail, every_s=60)
    uploading._turns.release()


def test_one_user_cannot_have_all_waiting_uploads(ada, monkeypatch):
    running = threading.Thread(target=threading.Event().wait, args=(30,), daemon=True)
    running.start()
    monkeypatch.setattr(uploading, "_begin", lambda upload: None)
    monkeypatch.setattr(
        uploading, "_threads", {str(number): (running, str(ada.pk)) for number in range(4)}
    )

    with pytest.raises(Busy, match="4 of your uploads are waiting"):
        uploading.start([("a.json", io.BytesIO(b"[]"))], by=ada)

    assert uploading.start([("b.json", io.BytesIO(b"[]"))], by=make_user("bob")).pk


# -- what is refused --------------------------------------------------------------------------------------------------

LARGE = "[" + " " * 1_100_000 + "]"


def test_an_upload_beyond_the_limit_is_refused_with_retry_after(browser, monkeypatch):
    monkeypatch.setattr(uploading, "MAX_WAITING", 0)

    answer = browser.post("/upload/", {"text": LARGE})

    assert answer.status_code == 429
    assert answer["Retry-After"] == "30"
    assert b"Too many uploads are waiting" in answer.content
    assert not Upload.objects.exists()


def test_an_upload_that_the_disk_has_no_room_for_is_answered_so(browser, monkeypatch, tmp_path):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(uploading.shutil, "copyfileobj", full)

    answer = browser.post("/upload/", {"text": LARGE})

    assert answer.status_code == 503
    assert b"cannot be stored at the moment" in answer.content
    assert not Upload.objects.exists()
    assert not list((tmp_path / "uploads").iterdir())


@pytest.mark.parametrize("prefix", ["a" * 300, "a\0b"])
@pytest.mark.parametrize("text", [LARGE, "{}"], ids=["large", "small"])
def test_a_prefix_that_cannot_be_stored_is_refused_at_its_field(browser, prefix, text):
    answer = browser.post("/upload/", {"text": text, "prefix": prefix})

    assert answer.status_code == 422
    assert HTMLParser(answer.content).css_first("#prefix-error")
    assert HTMLParser(answer.content).css_first('#prefix[aria-invalid="true"]')
    assert not Upload.objects.exists()
