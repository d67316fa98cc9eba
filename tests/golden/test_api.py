"""The API: the answers to a fixed row of requests over a small catalog, and its OpenAPI document.

Nothing but the API itself makes the catalog. Values that change from run to run (times, ids of runs, cursors,
durations, fingerprints) are replaced by a word for each, and entity tags by their number.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from tests.factories import make_token, make_user
from tests.golden.expected import Case, check, computed_once, short
from tests.golden.inputs import rows

pytestmark = pytest.mark.django_db

HEADERS = (
    "Content-Type",
    "Content-Disposition",
    "ETag",
    "Location",
    "Deprecation",
    "Link",
    "Allow",
    "WWW-Authenticate",
)
PROSE = frozenset({"message", "detail", "reason", "verdict_reason"})
MADE_UP = {
    "next": "<cursor>",
    "fingerprint": "<fingerprint>",
    "id": None,
    "timing": "<timing>",
    "duration_ms": "<ms>",
}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")
SECONDS = re.compile(r"@\d{10}\b")
RUN = re.compile(r"\b[0-9a-f]{32}\b")
TOOLS = ("specs_mcp", "specs_taubench")

THERMOMETER = {
    "definition": {
        "id": "thermometer",
        "name": "thermometer",
        "description": "Reads a temperature.",
        "parameters": {
            "type": "object",
            "properties": {"place": {"type": "string"}, "unit": {"enum": ["C", "F"]}},
            "required": ["place"],
        },
        "returnType": {
            "type": "object",
            "properties": {"value": {"type": "number"}},
            "required": ["value"],
        },
        "examples": [
            {
                "description": "Garden",
                "parameters": {"place": "garden"},
                "returnValue": {"value": 12.5},
            }
        ],
        "tags": ["sensors"],
    },
    "configuration": {
        "type": "object",
        "properties": {"apiKey": {"type": "string"}, "host": {"type": "string"}},
        "required": ["apiKey"],
    },
}


def changed(**members: Any) -> dict[str, Any]:
    return THERMOMETER | {"definition": THERMOMETER["definition"] | members}


NARROWER = changed(
    parameters={
        "type": "object",
        "properties": {"place": {"enum": ["garden"]}},
        "required": ["place", "unit"],
    }
)
CARELESS = changed(
    id="Careless Tool",
    description="",
    parameters={"type": "object", "required": ["x"]},
    examples=[],
)
BROKEN = changed(
    parameters={"type": "objekt", "properties": {"a": {"$ref": "https://example.com/a.json"}}}
)
OPENAI = {
    "type": "function",
    "function": {"name": "add", "description": "Adds.", "parameters": {"type": "object"}},
}
READS = (
    "", "/spec", "/spec?download=1", "/revisions", "/revisions?limit=1", "/revisions/1/spec", "/revisions/99/spec",
    "/lint", "/lint?revision=1", "/lint/waivers", "/similar", "/similar?limit=2", "/diff?from=1&to=2",
    "/diff?from=2&to=1", "/diff?from=1&to=1", "/diff?from=1&to=99", "/diff",
)  # fmt: skip
FORMATS = (
    "mcp",
    "mcp-2026-07-28",
    "openai",
    "openai-strict",
    "anthropic",
    "gemini",
    "langchain",
    "openapi",
    "nothing",
)
LISTS = (
    "/tools", "/tools?limit=3", "/tools?q=pull%20request", "/tools?q=cancel%20reservation&limit=5",
    "/tools?id=thermometer", "/tools?id=nobody", "/tools?configurable=1", "/tools?examples=1", "/tools?deprecated=1",
    "/tools?usable=openai-strict", "/tools?score=95", "/tools?grade=90", "/tools?toolkit=home", "/tools?tag=sensors",
    "/tools?owner=ada", "/tools?runnable=0", "/tools?include=archived", "/tools?returns=1&limit=2",
    "/tools?examples_hold=1", "/tools?cursor=abc", "/tools?limit=0", "/tools?tag=!", "/tools?unknown=1", "/toolkits",
    "/toolkits?order=name&limit=2", "/tags", "/tags?q=s", "/factories", "/runs", "/runs?tool=thermometer",
    "/runs?mode=live", "/runs?outcome=refused", "/runs?limit=1", "/runs?verdict=violates", "/runs?outcome=nothing",
    "/runs/none", "/runs/0193f0a1c2d37e8f9a0b1c2d3e4f5061", "/nowhere", "/tools/nobody", "/tools/nobody/lint",
    "/tools/nobody/export/mcp", "/tools/nobody/similar",
)  # fmt: skip


class Recorder:
    """Sends requests as a person with a token, and records each answer as a case."""

    def __init__(self) -> None:
        self.cases: list[Case] = []
        self.token = make_token(user=make_user("ada"))
        self.reader = make_token("read", user=make_user("eve"))
        self.etags: dict[str, str] = {}
        self.asked: list[tuple[str, str]] = []

    def delete_numbered(self, path: str, number: int) -> None:
        """Delete what a number of the database names; the number is not recorded."""
        self.send("DELETE", path, number=number)

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = None,
        number: int | None = None,
        **headers: str,
    ) -> Any:
        """Send a request as Ada, or with this token, or with none ("")."""
        headers |= (
            {"Authorization": f"Bearer {self.token if token is None else token}"}
            if token != ""
            else {}
        )
        text = body if isinstance(body, str | bytes) or body is None else json.dumps(body)
        answer = Client(headers=headers).generic(
            method,
            f"/api/v1{path}{number or ''}",
            text or "",
            content_type="application/json" if text else "",
        )
        content = answer.getvalue().decode()
        self.asked.append((method.lower(), f"/api/v1{path}{number or ''}".partition("?")[0]))
        name = RUN.sub("<run>", f"{len(self.cases):03} {method} {path}")
        sent = {name: normal(answer[name]) for name in HEADERS if name in answer}
        if "ETag" in answer:
            sent["ETag"] = self.etags.setdefault(answer["ETag"], f"<etag {len(self.etags)}>")
        facts, prose = body_of(content, answer.get("Content-Type", ""))
        self.cases.append(Case(name, {"status": answer.status_code, **sent, "body": facts}, prose))
        return json.loads(content) if is_json(content, answer.get("Content-Type", "")) else None


def is_json(content: str, content_type: str) -> bool:
    return bool(content) and "json" in content_type and "ndjson" not in content_type


def normal(text: str) -> str:
    return RUN.sub("<run>", TIME.sub("<time>", SECONDS.sub("<time>", text)))


def body_of(content: str, content_type: str) -> tuple[Any, list[str]]:
    """(facts, prose) of a body."""
    if not is_json(content, content_type):
        return [short(normal(line), 100) for line in content.splitlines()][:3], []
    prose: list[str] = []
    body = split(json.loads(normal(content)), prose)
    if isinstance(body, dict) and len(json.dumps(body)) > 900:
        body = {name: short(member, 150) for name, member in body.items()}
    return body, prose


def split(value: Any, prose: list[str], *, problem: bool = False) -> Any:
    """`value` without its prose, which is appended to `prose`, and without values that are made up."""
    if isinstance(value, list):
        return [split(item, prose) for item in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for name, member in value.items():
        is_title = name == "title" and ("patch" in value or "status" in value)
        if isinstance(member, str) and (name in PROSE or is_title):
            prose.append(member)
        elif (
            name in MADE_UP
            and member is not None
            and not (name == "id" and isinstance(member, str))
        ):
            found[name] = MADE_UP[name] or "<id>"
        else:
            found[name] = split(member, prose)
    return found


@computed_once
def answers():
    api = Recorder()
    publish(api)
    reads(api)
    run(api)
    for path in LISTS:
        api.send("GET", path)
    retire(api)
    more(api)
    choose_for_mcp(api)
    yield from api.cases
    document = api.send("GET", "/openapi.json")
    document["components"]["securitySchemes"]["Session"]["name"] = "toolshelf_session"
    operations = [(method, path) for path, item in document["paths"].items() for method in item]
    yield Case("operations", sorted(f"{method} {path}" for method, path in operations))
    unasked = [one for one in operations if not any(is_call_of(one, asked) for asked in api.asked)]
    yield Case("operations that no request of this test reaches", sorted(map(list, unasked)))
    yield from document_cases(document)


def is_call_of(operation: tuple[str, str], asked: tuple[str, str]) -> bool:
    pattern = re.sub(r"\\{\w+\\}", "[^/]+", re.escape(operation[1]))
    return operation[0] == asked[0] and re.fullmatch(pattern, asked[1]) is not None


def publish(api: Recorder) -> None:
    some = [row for name in TOOLS for row in rows(name)[::12]]
    api.send("POST", "/uploads", f"[{','.join(some)}]")
    api.send("POST", "/uploads?dry_run=1", [THERMOMETER, BROKEN, "text", OPENAI])
    api.send("POST", "/uploads", [OPENAI])
    api.send(
        "POST",
        "/uploads?prefix=me",
        {"tools": [{"name": "greet", "inputSchema": {"type": "object"}}]},
    )
    api.send("POST", "/uploads", "{")
    for spec in (
        THERMOMETER,
        CARELESS,
        BROKEN,
        {"definition": {}},
        [],
        "not JSON",
        '{"definition": 1, "definition": 2}',
    ):
        api.send("POST", "/specs/check", spec)
        api.send("POST", "/tools", spec)
    api.send("POST", "/tools?dry_run=1", NARROWER)
    api.send("POST", "/tools", NARROWER, token="")
    api.send("POST", "/tools", NARROWER, token="wrong")
    api.send("POST", "/tools", NARROWER, token=api.reader)
    api.send("PUT", "/tools/thermometer", NARROWER)
    api.send("PUT", "/tools/thermometer", NARROWER, **{"If-Match": '"other"'})
    api.send("PUT", "/tools/thermometer", NARROWER, **{"If-Match": "*"})
    api.send("PUT", "/tools/other", NARROWER, **{"If-Match": "*"})
    api.send("GET", "/tools/thermometer", **{"If-None-Match": "*"})
    api.send(
        "PATCH", "/tools/thermometer", {"toolkit": "Home", "add_tags": ["outdoors"], "owner": "ada"}
    )
    api.send("PATCH", "/tools/thermometer", {"owner": "nobody"})
    api.send("PATCH", "/tools/thermometer", {"remove_tags": ["sensors"], "surprise": 1})
    api.send("PATCH", "/tools/thermometer", {"add_tags": ["!"]})


def reads(api: Recorder) -> None:
    careless = "careless-tool-" + slug_ending("Careless Tool")
    for slug in ("thermometer", careless):
        for path in READS:
            api.send("GET", f"/tools/{slug}{path}")
        for key in FORMATS:
            api.send("GET", f"/tools/{slug}/export/{key}")
    rule = {"rule": "examples-missing", "pointer": "", "reason": "There is none."}
    made = api.send("POST", f"/tools/{careless}/lint/waivers", rule)
    api.send("POST", f"/tools/{careless}/lint/waivers", rule | {"rule": "nothing"})
    api.send("GET", f"/tools/{careless}/lint/waivers")
    api.send("GET", f"/tools/{careless}/lint")
    if made and "id" in made:
        api.delete_numbered(f"/tools/{careless}/lint/waivers/", made["id"])
    for body in (
        {"revision": 1, "dry_run": True},
        {"revision": 9},
        {"revision": 1, "fixes": ["0"]},
        {"revision": 1},
    ):
        api.send("POST", f"/tools/{careless}/lint/fixes", body)
    api.send("GET", f"/tools/{careless}/diff?from=1&to=2")
    api.send("POST", "/tools/thermometer/revisions/1/restore")
    api.send("POST", "/tools/thermometer/revisions/9/restore")
    api.send("GET", "/tools/thermometer/revisions")


def slug_ending(tool_id: str) -> str:
    answer = Client().get("/api/v1/tools", query_params={"id": tool_id})
    return answer.json()["items"][0]["slug"].rpartition("-")[2]


def run(api: Recorder) -> None:
    runs, saved = "/tools/thermometer/runs", "/tools/thermometer/configurations"
    secret = {"apiKey": "s3cret", "host": "example.com"}
    api.send("POST", saved, {"name": "work", "configuration": secret})
    api.send("POST", saved, {"name": "bad", "configuration": {"host": 5}})
    api.send("POST", saved, {"name": "work", "configuration": {"host": "example.org"}})
    api.send("GET", saved)
    api.send("GET", saved, token=api.reader)
    made = None
    garden = {"mode": "mock", "parameters": {"place": "garden"}, "revision": 1}
    for body in (
        garden,
        garden | {"parameters": {"place": "cellar", "unit": "C"}},
        garden | {"saved_configuration": "work"},
        garden | {"configuration": {"apiKey": "other"}},
        garden | {"configuration": {"host": 5}},
        garden | {"saved_configuration": "none"},
        garden | {"saved_configuration": "work", "configuration": {}},
        garden | {"parameters": {"place": 5}},
        {"mode": "mock", "parameters": {"place": "garden"}},
        garden | {"revision": 9},
        garden | {"mode": "live"},
        {"mode": "other"},
        {"surprise": 1},
        "{",
    ):
        answer = api.send("POST", runs, body)
        made = made or (answer or {}).get("id")
    careless = "/tools/careless-tool-" + slug_ending("Careless Tool")
    api.send("POST", f"{careless}/runs", {"mode": "mock", "parameters": {"x": 1}})
    api.send("POST", "/tools/add/runs", {"mode": "mock", "parameters": {"a": [1.0, "é"]}})
    api.send("POST", runs, {"mode": "mock"}, token="")
    api.send("POST", runs, {"mode": "mock"}, token=api.reader)
    api.send("GET", f"/runs/{made}")
    api.send("GET", f"/runs/{made}", token="")
    api.send("POST", f"/runs/{made}/cancel")
    api.send("DELETE", f"{saved}/work")
    api.send("DELETE", f"{saved}/work")


def retire(api: Recorder) -> None:
    tool = "/tools/thermometer"
    api.send("PUT", f"{tool}/deprecation", {"note": "It drifts.", "superseded_by": "Careless Tool"})
    api.send("PUT", f"{tool}/deprecation", {"superseded_by": "nobody"})
    for path in ("", "/spec", "/lint", "/revisions"):
        api.send("GET", f"{tool}{path}")
    api.send("GET", "/tools?deprecated=1")
    api.send("DELETE", f"{tool}/deprecation")
    api.send("DELETE", tool)
    api.send("GET", tool)
    api.send("GET", "/tools?q=thermometer")
    api.send("GET", "/tools?q=thermometer&include=archived")
    api.send("POST", f"{tool}/restore")


def choose_for_mcp(api: Recorder) -> None:
    api.send(
        "POST",
        "/tools/thermometer/configurations",
        {"name": "work", "configuration": {"apiKey": "s3cret"}},
    )
    path = "/tools/thermometer/mcp-configuration"
    for name in ("work", "none", None):
        api.send("PUT", path, {"saved_configuration": name})
    api.send("GET", path)
    api.send("GET", path, token=api.reader)


def more(api: Recorder) -> None:
    """Operations whose answers the tests of the API look at; here, that they are there, and what they refuse."""
    tool, unknown = "/tools/thermometer", "/runs/0193f0a1c2d37e8f9a0b1c2d3e4f5061"
    for path in (
        "/lint/rules",
        "/lint/rules/description-empty",
        "/lint/rules/nothing",
        f"{tool}/run-statistics",
        f"{tool}/example-checks",
        f"{tool}/example-checks/999999",
    ):
        api.send("GET", path)
    api.send("POST", f"{tool}/example-checks", {"ignored": ["name"]})
    api.send("POST", f"{tool}/example-checks", {}, token=api.reader)
    api.send("POST", f"{unknown}/again", {"revision": "first"})
    api.send("POST", f"{unknown}/again")
    api.send("POST", f"{unknown}/example", {})
    api.send("POST", f"{unknown}/example", {}, token=api.reader)


# -- the OpenAPI document ---------------------------------------------------------------------------------------------

WORDS = frozenset({"description", "summary", "title", "operationId"})


def document_cases(document: dict[str, Any]) -> Any:
    schemas = document["components"]["schemas"]
    for path, item in document["paths"].items():
        for method, operation in item.items():
            shape = without_words(resolved(operation, schemas))
            facts = {name: short(member, 120) for name, member in shape.items()}
            yield Case(f"openapi {method} {path}", facts, words_of(operation))
    ids = [
        operation.get("operationId")
        for item in document["paths"].values()
        for operation in item.values()
    ]
    yield Case("openapi operation ids", sorted(map(str, ids)))
    yield Case(
        "openapi names of schemas",
        sorted(schemas),
        [words_of(schemas[name]) for name in sorted(schemas)],
    )
    rest = {
        name: member for name, member in document.items() if name not in {"paths", "components"}
    }
    rest["components"] = {
        name: member for name, member in document["components"].items() if name != "schemas"
    }
    yield Case(
        "openapi rest",
        {name: short(without_words(member)) for name, member in rest.items()},
        words_of(rest),
    )


def resolved(value: Any, schemas: dict[str, Any], open_names: tuple[str, ...] = ()) -> Any:
    """`value` with the schemas that it refers to in place, so that their names do not matter."""
    if isinstance(value, list):
        return [resolved(item, schemas, open_names) for item in value]
    if not isinstance(value, dict):
        return value
    name = str(value.get("$ref", "")).rpartition("/")[2]
    if name in schemas:
        return (
            "again" if name in open_names else resolved(schemas[name], schemas, (*open_names, name))
        )
    return {key: resolved(member, schemas, open_names) for key, member in value.items()}


def without_words(value: Any) -> Any:
    if isinstance(value, list):
        return [without_words(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: without_words(member)
        for name, member in value.items()
        if not (name in WORDS and isinstance(member, str))
    }


def words_of(value: Any) -> list[str]:
    if isinstance(value, list):
        return [word for item in value for word in words_of(item)]
    if not isinstance(value, dict):
        return []
    own = [
        value[name] for name in sorted(WORDS - {"operationId"}) if isinstance(value.get(name), str)
    ]
    return own + [word for name in sorted(value) for word in words_of(value[name])]


@pytest.mark.parametrize("field", ["facts", "prose"])
def test_the_answers_of_the_api_are_as_before(field):
    check("api", field, answers())
