"""Responses that are files, have files in them, or are too long: how they are stored, shown and served."""

import base64
import hashlib
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client, override_settings
from django.utils import timezone

from playground.examples.checks import begin_check, wait_for
from playground.examples.results import results_of
from playground.factories.registry import registry
from playground.runs import running
from playground.runs.models import Run, RunFile
from playground.runs.retention import prune_runs
from tests.factories import make_token, make_tool, make_user
from tests.playground.history.test_pages import tree_of
from tests.playground.mcp.agent import LegacyAgent, ModernAgent
from tests.playground.tools.responding_tools import PIXEL

TOOLS = "tests.playground.tools.responding_tools"
BASE64 = {"type": "string", "contentEncoding": "base64"}
DESCRIPTION = {"type": "object", "required": ["name", "mediaType", "size", "sha256"]}
OF_PIXEL = {
    "name": "response.png",
    "mediaType": "image/png",
    "size": len(PIXEL),
    "sha256": hashlib.sha256(PIXEL).hexdigest(),
}


@pytest.fixture(scope="module")
def factories():
    """The tools that respond with files are installed."""
    with override_settings(TOOL_FACTORIES=[f"{TOOLS}:Factory", f"{TOOLS}:StepsFactory"]):
        registry.cache_clear()
        yield
    registry.cache_clear()


@pytest.fixture
def site(runs, factories):
    """The pages of a site with these tools."""


@pytest.fixture
def ada(site):
    return make_user("ada")


def run(what, *, by=None, tool_id="responding", wait_s=60, tool=None, **more):
    tool = tool or make_tool(tool_id, **more)
    parameters = what if isinstance(what, dict) else {"what": what}
    started = running.start(tool, tool.current, parameters, by=by)
    return Run.objects.get(pk=running.wait(started, wait_s).pk)


# -- the response and its verdict -------------------------------------------------------------------------------------


def test_bytes_are_stored_as_a_file_and_the_response_describes_them(site):
    done = run("pixel", returnType=DESCRIPTION)

    [file] = done.files.all()
    assert (done.outcome, done.verdict, done.response) == ("returned", "conforms", OF_PIXEL)
    assert (bytes(file.content), file.media_type, file.sha256) == (
        PIXEL,
        "image/png",
        OF_PIXEL["sha256"],
    )


@pytest.mark.parametrize(
    "return_type",
    [
        BASE64,
        {"$ref": "#/$defs/image", "$defs": {"image": BASE64}},
        {"anyOf": [{"type": "null"}, BASE64]},
        {"type": "string", "format": "binary"},
    ],
)
def test_where_the_spec_declares_base64_the_response_is_the_content(site, return_type):
    done = run("pixel", returnType=return_type)

    assert (done.verdict, done.response) == ("conforms", base64.b64encode(PIXEL).decode())
    assert done.files.get().media_type == "image/png"


def test_a_file_where_the_spec_declares_something_else_violates_it(site):
    done = run("pixel", returnType={"type": "integer"})

    assert done.verdict == "violates"
    assert done.file_count == 1


def test_files_may_be_anywhere_in_a_response(site):
    charts = {"type": "array", "prefixItems": [BASE64], "items": DESCRIPTION}
    done = run("report", returnType={"type": "object", "properties": {"charts": charts}})

    first, second = done.response["charts"]
    assert (done.verdict, first) == ("conforms", base64.b64encode(PIXEL).decode())
    assert (second["name"], second["mediaType"], second["size"]) == ("b.csv", "text/csv", 8)
    assert [(file.number, file.pointer) for file in done.files.all()] == [
        (1, "/charts/0"),
        (2, "/charts/1"),
    ]


def test_the_media_type_of_the_spec_is_that_of_a_file_of_unknown_type(site):
    tool = make_tool("responding", returnType={"items": {"contentMediaType": "font/woff2"}})
    done = run({"what": "secret", "key": "k"}, tool=tool)

    assert [file.media_type for file in done.files.all()] == ["text/plain", "font/woff2"]


def test_a_long_response_keeps_its_beginning_and_is_a_file(site):
    done = run("long", returnType={"type": "object"})

    [file] = done.files.all()
    whole = bytes(file.content).decode()
    assert (done.outcome, done.verdict, done.response_cut) == ("returned", "unchecked", True)
    assert done.verdict_reason == (
        "The response takes more than 1,048,576 bytes as JSON, so only its beginning is stored. "
        "The whole response is a file of the run."
    )
    assert whole.startswith(done.response)
    assert len(done.response) == 1_048_576 < len(whole)
    assert (file.is_whole_response, file.name) == (True, "response.json")


def test_a_response_beyond_the_limit_of_files_keeps_its_beginning_alone(site):
    done = run("longer")

    assert (done.response_cut, done.file_count, done.verdict) == (True, 0, "unchecked")
    assert done.response == '"' + "x" * 1_048_575
    assert "whole" not in done.verdict_reason


def test_a_file_in_base64_above_the_limit_is_checked_and_cut(site, settings):
    settings.RUN_RESPONSE_BYTES = 1024
    done = run("picture", returnType=BASE64 | {"minLength": 1500})

    assert (done.verdict, done.response_cut) == ("conforms", True)
    assert len(done.response) == 1024
    assert done.files.get().name == "gradient.png"


def test_secrets_are_removed_from_files(site):
    schema = {
        "type": "object",
        "properties": {"key": {"type": "string", "writeOnly": True}, "what": {}},
    }
    tool = make_tool("responding", parameters=schema)

    files = list(run({"what": "secret", "key": "hunter22-7c"}, tool=tool).files.all())
    whole = run({"what": "long", "key": "hunter22-7c"}, tool=tool)

    assert [bytes(file.content) for file in files] == [b"key=[secret]\n", b"\xff[secret]"]
    assert b"hunter22" not in bytes(whole.files.get().content)
    assert "hunter22" not in whole.response_json


def test_a_response_describes_the_file_without_secrets(site):
    schema = {
        "type": "object",
        "properties": {"key": {"type": "string", "writeOnly": True}, "what": {}},
    }
    tool = make_tool("responding", parameters=schema)

    done = run({"what": "secret", "key": "1234"}, tool=tool)

    described = done.response[0]
    content = bytes(done.files.get(number=1).content)
    assert content == b"key=[secret]\n"
    assert (described["size"], described["sha256"]) == (
        len(content),
        hashlib.sha256(content).hexdigest(),
    )


def test_a_media_type_with_a_secret_is_stored_as_unknown(site):
    schema = {
        "type": "object",
        "properties": {"key": {"type": "string", "writeOnly": True}, "what": {}},
    }
    tool = make_tool("responding", parameters=schema)

    done = run({"what": "typed", "key": "Hunter22-7c"}, tool=tool)

    assert done.response["mediaType"] == done.files.get().media_type == "application/octet-stream"
    assert "hunter22" not in done.response_json.lower()


def test_an_example_with_a_file_is_compared_by_its_description(site):
    tool = make_tool(
        "responding",
        examples=[
            {"parameters": {"what": "pixel"}, "returnValue": OF_PIXEL},
            {"parameters": {"what": "pixel"}, "returnValue": OF_PIXEL | {"size": 1}},
            {"parameters": {"what": "long"}},
        ],
    )

    results = results_of(wait_for(begin_check(tool, tool.current, by=None), 60))

    assert [result.passed for result in results] == [True, False, False]
    assert results[2].message == "The response is too long to be compared."


def test_files_go_with_their_run(site, ada):
    done = run("pixel", by=ada)
    Run.objects.filter(pk=done.pk).update(finished_at=timezone.now() - timedelta(days=10))

    assert prune_runs(5) == 1
    assert not RunFile.objects.exists()


# -- coroutines and generators ----------------------------------------------------------------------------------------


def test_an_async_generator_reports_progress_and_its_last_value_is_the_response(site):
    done = run({"count": 3}, tool_id="steps")

    assert (done.outcome, done.response, done.error) == ("returned", {"steps": 3}, "")
    assert (done.progress_done, done.progress_total, done.progress_message) == (3, 3, "step 3")
    assert done.stdout == "did step 1\ndid step 2\ndid step 3\n"


def test_an_async_tool_is_cancelled(site):
    tool = make_tool("steps")
    started = running.start(tool, tool.current, {"count": 100, "seconds": 60}, by=None)

    running.cancel(started)

    assert running.wait(started, 30).outcome == "cancelled"


# -- pages ------------------------------------------------------------------------------------------------------------


def page_of(browser, run):
    return tree_of(browser.get(run.get_absolute_url(), follow=True))


def test_an_image_is_shown_and_sent_without_rights(browser, ada):
    done = run("picture", by=ada)

    page = page_of(browser, done)
    assert page.css_first(".tabs-list li").text() == "Image"
    image = page.css_first(".tab-panel .files img")
    answer = browser.get(image.attributes["src"])

    assert image.attributes["alt"] == "gradient.png"
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    assert answer["Content-Disposition"] == 'inline; filename="gradient.png"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert "private" in answer["Cache-Control"] or "no-store" in answer["Cache-Control"]


def test_a_sound_has_a_player_which_the_policy_allows(browser, ada):
    done = run("sound", by=ada)

    answer = browser.get(done.get_absolute_url(), follow=True)

    player = tree_of(answer).css_first(".files audio")
    assert browser.get(player.attributes["src"])["Content-Type"] == "audio/wav"
    assert "media-src 'self'" in answer["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("what", "media_type", "disposition"),
    [
        ("drawing", "image/svg+xml", 'attachment; filename="drawing.svg"'),
        ("page", "text/html", 'attachment; filename="a\\"b_c.html"'),
        ("archive", "application/zip", 'attachment; filename="all files.zip"'),
    ],
)
def test_other_files_are_only_offered_for_download(browser, ada, what, media_type, disposition):
    done = run(what, by=ada)

    html = page_of(browser, done)
    answer = browser.get(done.files.get().get_absolute_url())

    assert html.css_first(".files img, .files audio") is None
    assert (answer["Content-Type"], answer["Content-Disposition"]) == (media_type, disposition)
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"


def test_an_image_can_be_downloaded_too(browser, ada):
    done = run("pixel", by=ada)

    link = page_of(browser, done).css_first(".files .button").attributes["href"]

    assert browser.get(link)["Content-Disposition"] == 'attachment; filename="response.png"'


def test_the_page_of_a_cut_response_shows_its_beginning_and_offers_all_of_it(browser, ada):
    done = run("long", by=ada)

    html = page_of(browser, done)

    assert html.css_first("#beginning").text().startswith('{"items":[" item 0"')
    assert browser.get(f"/runs/{done.pk}/response.json").json()["items"][-1] == " item 99999"
    assert "Save as an example" not in html.text()
    assert browser.post(f"/runs/{done.pk}/example/", {"do": "publish"}).status_code == 422


# -- the API ----------------------------------------------------------------------------------------------------------


def api(user, path, **more):
    return Client().get(
        f"/api/v1{path}", headers={"Authorization": f"Bearer {make_token(user=user)}"}, **more
    )


def test_the_api_lists_files_and_sends_them(ada):
    done = run("report", by=ada)

    body = api(ada, f"/runs/{done.pk}").json()
    answers = [api(ada, file["url"].removeprefix("/api/v1")) for file in body["files"]]

    assert [answer.content for answer in answers] == [PIXEL, b"a,b\n1,2\n"]
    assert answers[0]["Content-Disposition"] == 'attachment; filename="a.png"'
    assert body["response_file"] == f"/api/v1/runs/{done.pk}/file"
    assert [file["pointer"] for file in body["files"]] == ["/charts/0", "/charts/1"]
    assert body["response_cut"] is False
    assert api(ada, f"/runs/{done.pk}/file?number=3").status_code == 404


def test_a_run_without_files_says_so(ada):
    body = api(ada, f"/runs/{run({'what': 'nothing'}, by=ada).pk}").json()

    assert (body["files"], body["response_file"], body["response_cut"]) == ([], None, False)


# -- MCP --------------------------------------------------------------------------------------------------------------


def called(ada, what, agent=ModernAgent, **more):
    make_tool("responding", **more)
    client = agent(Client(), make_token("read", "run", user=ada))
    if agent is LegacyAgent:
        client.initialize()
    return client.call("call_tool", {"tool": "responding", "arguments": {"what": what}})


@pytest.mark.parametrize("agent", [ModernAgent, LegacyAgent])
def test_an_image_is_an_image_block(ada, agent):
    result = called(ada, "pixel", agent)

    assert result["content"][1:] == [
        {"type": "image", "data": base64.b64encode(PIXEL).decode(), "mimeType": "image/png"}
    ]
    assert result["structuredContent"] == OF_PIXEL


def test_content_in_base64_is_not_repeated_as_text(ada):
    result = called(ada, "pixel", returnType=BASE64)

    assert [block["type"] for block in result["content"]] == ["image"]
    assert result["structuredContent"] == base64.b64encode(PIXEL).decode()


def test_sounds_and_other_files_are_blocks_too(ada):
    assert called(ada, "sound")["content"][1]["type"] == "audio"
    blocks = called(ada, "report")["content"]
    assert blocks[2]["resource"]["text"] == "a,b\n1,2\n"
    assert called(ada, "archive")["content"][1]["resource"]["blob"] == "UEsDBA=="


@pytest.mark.parametrize("return_type", [{}, {"returnType": {"type": "object"}}])
def test_a_cut_response_says_so_and_links_to_all_of_it(ada, return_type):
    result = called(ada, "long", **return_type)

    assert result["isError"] is bool(return_type)
    assert "structuredContent" not in result
    assert result["content"][0]["text"].startswith(
        "The tool responded, but its response is too long."
    )
    assert f"/api/v1/runs/{Run.objects.get().pk}/file" in result["content"][1]["text"]


# -- commands ---------------------------------------------------------------------------------------------------------


def test_runs_of_the_command_list_their_files(site, capsys):
    make_tool("responding")

    call_command("run_tool", "responding", "--parameters", '{"what": "pixel"}')

    assert '"media_type": "image/png"' in capsys.readouterr().out
