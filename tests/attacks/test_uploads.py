"""Every hostile upload against a whole site, through every interface that then shows, runs or returns the stored
data."""

from __future__ import annotations

import json
import re
from itertools import product
from urllib.parse import quote

import pytest

from tests.attacks.cases import cases, filled_in
from tests.attacks.pages import form_entries, outline, tags, unsafe_parts
from toolspec.text import reader

SECRET = "the content of this file is secret"
MARK = "mark7e1"
EXPORTS = ("mcp", "openai", "openai-strict", "anthropic", "gemini", "langchain", "openapi")
KNOWN_HEADERS = {
    "allow",
    "cache-control",
    "connection",
    "content-disposition",
    "content-encoding",
    "content-length",
    "content-security-policy",
    "content-type",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "date",
    "etag",
    "ratelimit",
    "ratelimit-policy",
    "x-request-id",
    "location",
    "permissions-policy",
    "referrer-policy",
    "server",
    "set-cookie",
    "transfer-encoding",
    "vary",
    "x-content-type-options",
    "x-frame-options",
}

# Answers that `expect` does not name, and rightly so: id -> (status, reason).
OTHERWISE: dict[str, tuple[int, str]] = {}

# A run is one thing of the API, whatever its outcome: it is created (201), and says "returned" where `expect` says 200
# and "refused" where it says 422.
STATUS_OF_OUTCOME = {"returned": 200, "refused": 422}

UPLOADS = cases(target="upload")
HARMLESS = str.maketrans('<>[]"', "()()'")  # no markup, and no more of an identifier than before
MAX_ADDRESS = 8000


@pytest.fixture(scope="module")
def fill(canary, tmp_path_factory):
    """Makes the texts of a case those of this run."""
    file = tmp_path_factory.mktemp("canary") / "secret.json"
    file.write_text(json.dumps({"enum": [SECRET]}))
    return lambda text: filled_in(text, CANARY_PORT=canary.port, CANARY_FILE=file, MARK=MARK)


PAGES = ("", "try/", "changes/", "tests/", "formats/spec/", "formats/", "formats/mcp/", "lint/")


@pytest.fixture(scope="module")
def usual_tags(browser, program):
    """The elements that the pages of a few harmless tools are made of, one with a history among them."""
    for description in ("Tell the time.", "Tell the time of a city."):
        spec = {"definition": {"name": "revised", "description": description}}
        assert program.publish(json.dumps(spec).encode()).status_code == 201
    slugs = (
        "revised",
        "get-weather-498ebfb0",
        "convert_table",
        "drifting_thermometer",
        "playwright-mcp.browser_fill_form",
    )
    pages = product(slugs, (*PAGES, "try/?mode=mock"))
    addresses = [f"/tools/{slug}/{page}" for slug, page in pages]
    addresses += ["/", "/tools/", "/tools/?q=weather", "/add/", "/runs/"]
    return {"datalist"}.union(*(tags(browser.get(address).text) for address in addresses))


def checked(ask, *words, **more):
    """The response of `ask`: no fault, no secret, and the headers of every answer."""
    answer = ask(*words, **more)
    assert answer.status_code < 500, (words, answer.status_code, answer.text[:500])
    assert SECRET not in answer.text
    assert "root:x:0" not in answer.text
    assert set(answer.headers) <= KNOWN_HEADERS, set(answer.headers) - KNOWN_HEADERS
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    return answer


@pytest.mark.parametrize("case", UPLOADS, ids=str)
def test_a_hostile_upload_does_no_harm(case, program, browser, canary, fill, usual_tags):
    body, instance = fill(case.body), fill(case.instance)

    answer = checked(program.publish, body, case.content_type)

    assert answer.status_code in {*case.expect["upload_status"], *OTHERWISE.get(case.id, ())[:1]}
    if answer.status_code < 300:
        tool = answer.json()["tool"]
        check_what_is_stored(program, tool, body)
        check_pages(browser, tool, usual_tags)
        check_runs(program, browser, case, tool, instance)
    else:
        check_refusal(case, answer)
    assert canary.received == []


def check_refusal(case, answer):
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert len(answer.content) < 100_000
    if case.asks_for("error_has_pointer"):
        assert problem["errors"][0]["pointer"]
    assert problem["detail"]
    assert all(error["message"] and error["rule"] for error in problem.get("errors", ()))


def check_what_is_stored(program, tool, body):
    """Every stored tool is reachable at its own address, and given back as it came."""
    slug = tool["slug"]
    assert re.fullmatch(r"[A-Za-z0-9-][A-Za-z0-9._-]{0,119}", slug)
    assert checked(program.get, f"/tools/{slug}").json()["id"] == tool["id"]
    [found] = program.get("/tools", params={"id": tool["id"]}).json()["items"]
    assert found["slug"] == slug
    assert checked(program.get, f"/tools/{slug}/spec").content == body
    download = checked(program.get, f"/tools/{slug}/spec?download=1")
    assert download.content == body
    check_file_name(download)
    for name in EXPORTS:
        export = checked(program.get, f"/tools/{slug}/export/{name}")
        assert export.status_code == 200
        json.loads(export.text)


def check_file_name(answer):
    disposition = answer.headers["content-disposition"]
    assert re.fullmatch(r'attachment; filename="[A-Za-z0-9][A-Za-z0-9._-]*\.json"', disposition), (
        disposition
    )
    assert answer.headers["content-type"].startswith("application/json")


def check_pages(browser, tool, usual_tags):
    for page in PAGES:
        answer = checked(browser.get, f"/tools/{tool['slug']}/{page}")
        assert answer.status_code == 200
        check_page(answer, usual_tags)
    check_page(checked(browser.get, "/tools/", params={"q": tool["name"][:100]}), usual_tags)


def check_page(answer, usual_tags):
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert unsafe_parts(answer.text) == []
    assert tags(answer.text) <= usual_tags
    assert len(answer.content) < 3_000_000


def check_runs(program, browser, case, tool, instance):
    answer = checked(program.run, tool["slug"], instance)
    status = answer.status_code
    if status == 201:
        run = answer.json()
        status = STATUS_OF_OUTCOME[run["outcome"]]
        assert reader.dumps(reader.loads(answer.content)["parameters"]) == compact(instance)
        page = checked(browser.get, f"/runs/{run['id']}/")
        assert unsafe_parts(page.text) == []
        check_file_name(checked(browser.get, f"/runs/{run['id']}/run.json"))
    assert status in case.expect["invoke_status"]
    if len(quote(instance)) < MAX_ADDRESS:
        tried = checked(
            browser.get, f"/tools/{tool['slug']}/try/", params={"parameters": instance.decode()}
        )
        assert tried.status_code == 200
        assert unsafe_parts(tried.text) == []
        if case.asks_for("roundtrip_form"):
            check_round_trip(browser, tool, tried.text, instance)


def check_round_trip(browser, tool, page, instance):
    """Sending the form as it was drawn runs the tool with the very value that it was drawn for."""
    entries = [*form_entries(page), ("run", "1")]
    answer = browser.post(
        f"/tools/{tool['slug']}/try/", files=[(name, (None, value)) for name, value in entries]
    )
    assert answer.status_code == 302, answer.text[:3000]
    run = browser.get(f"{answer.headers['location']}run.json")
    assert reader.dumps(reader.loads(run.content)["parameters"]) == compact(instance)


def compact(text):
    return reader.dumps(reader.loads(text, max_bytes=2**21))


@pytest.mark.parametrize("case", cases("xss"), ids=str)
def test_a_page_is_built_the_same_around_a_hostile_text_and_a_harmless_one(
    case, program, browser, fill
):
    body = fill(case.body)
    hostile = program.publish(body)
    if hostile.status_code == 422:
        return  # nothing of it is ever shown
    payload = json.loads(body)["definition"]["name"]
    harmless = payload.translate(HARMLESS)

    pages = {}
    for text in (payload, harmless, payload, harmless):  # the second time both have a history
        twin = body.replace(json.dumps(payload)[1:-1].encode(), json.dumps(text)[1:-1].encode())
        slug = program.publish(twin).json()["tool"]["slug"]
        pages[text] = {
            page: outline(browser.get(f"/tools/{slug}/{page}").text) for page in ("", "try/")
        }

    assert pages[payload] == pages[harmless]


def test_everything_named_here_is_a_case():
    assert OTHERWISE.keys() <= {case.id for case in UPLOADS}
    assert len(UPLOADS) == 254
