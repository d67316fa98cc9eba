"""Programs read the revisions of a tool, compare them and export them."""

import hashlib

import pytest

from catalog.tools.publishing import publish
from tests.catalog.answers import assert_problem
from tests.factories import GET_WEATHER, make_spec, make_tool, spec_text
from toolspec.spec import read_spec

pytestmark = pytest.mark.django_db


def test_the_text_of_a_spec_comes_back_byte_for_byte(stranger):
    text = GET_WEATHER.read_bytes()
    slug = publish(read_spec(text), by=None).tool.slug

    answer = stranger.ask(f"/tools/{slug}/spec")

    assert answer.content == text
    assert answer["Content-Type"] == "application/json"
    assert answer["ETag"] == f'"{hashlib.sha256(text).hexdigest()}"'
    known = stranger.get(f"/api/v1/tools/{slug}/spec", headers={"If-None-Match": answer["ETag"]})
    assert (known.status_code, known.content) == (304, b"")


def test_a_downloaded_spec_is_named_by_its_slug(stranger):
    tool = make_tool('a"; filename="evil.exe')

    answer = stranger.ask(f"/tools/{tool.slug}/spec", download=1)

    assert answer["Content-Disposition"] == f'attachment; filename="{tool.slug}.json"'


def test_revisions_are_listed_from_the_newest_on(stranger, ada):
    for number in range(3):
        publish(make_spec("greet", description=str(number)), by=ada)

    first = stranger.ask("/tools/greet/revisions", limit=2).json()
    rest = stranger.ask("/tools/greet/revisions", limit=2, cursor=first["next"]).json()

    assert [item["number"] for item in first["items"] + rest["items"]] == [3, 2, 1]
    assert {item["by"] for item in first["items"]} == {"ada"}
    assert rest["next"] is None


def test_two_revisions_keep_their_texts_and_are_compared(stranger):
    for description in ("one", "two"):
        make_tool("greet", description=description)

    first = stranger.ask("/tools/greet/revisions/1/spec")
    answer = stranger.ask("/tools/greet/diff", **{"from": 1, "to": 2})

    assert first.content == spec_text("greet", description="one").encode()
    assert answer.json() == {
        "from": 1,
        "to": 2,
        "text": '--- revision 1\n+++ revision 2\n@@ -2,6 +2,6 @@\n   "definition": {\n     "id": "greet",\n'
        '     "name": "greet",\n-    "description": "one"\n+    "description": "two"\n   }\n }\n',
        "added": 1,
        "removed": 1,
        "laid_out": False,
        "verdict": "wording",
        "changes": [
            {
                "part": "definition",
                "place": "",
                "kind": "description-changed",
                "message": "The description changed.",
                "verdict": "wording",
                "before": "/definition/description",
                "after": "/definition/description",
                "note": "",
                "is_by_convention": False,
                "proof": None,
            }
        ],
    }


def test_a_new_optional_parameter_is_compatible_and_strictly_unknown(stranger):
    for members in ({}, {"unit": {"type": "string"}}):
        make_tool("greet", parameters={"type": "object", "properties": members})

    usual = stranger.ask("/tools/greet/diff", **{"from": 1, "to": 2}).json()
    strict = stranger.ask("/tools/greet/diff", **{"from": 1, "to": 2, "strict": "true"}).json()

    [change] = usual["changes"]
    assert (usual["verdict"], strict["verdict"]) == ("compatible", "unknown")
    assert strict["changes"] == [{**change, "verdict": "unknown", "is_by_convention": False}]
    assert change["is_by_convention"]
    assert "callers that send other values as `unit` are now rejected" in change["note"]
    assert not isinstance(change["proof"]["value"]["unit"], str)


def test_a_long_difference_is_cut_at_a_line_and_says_so(stranger):
    for letter in "ab":
        members = {f"{letter}{number}": {"description": letter * 900} for number in range(800)}
        make_tool("greet", parameters={"type": "object", "properties": members})

    answer = stranger.ask("/tools/greet/diff", **{"from": 1, "to": 2})

    *lines, last = answer.json()["text"].splitlines()
    assert len(answer.content) < 2_000_000
    assert last.startswith("\\ The rest is left out: the whole difference has 1,5")
    assert {line[0] for line in lines} <= set("-+@ ")
    assert answer.json()["removed"] > 800


def test_a_breaking_change_comes_with_its_proof(stranger):
    for kind in ("number", "integer"):
        make_tool("greet", parameters={"type": "object", "properties": {"count": {"type": kind}}})

    answer = stranger.ask("/tools/greet/diff", **{"from": 1, "to": 2}).json()

    [change] = answer["changes"]
    assert answer["verdict"] == change["verdict"] == "breaking"
    assert change["place"] == "count"
    assert change["proof"]["pointer"] == "/count"


@pytest.mark.parametrize(
    "query", ["", "from=1", "from=0&to=1", "from=x&to=1", "from=1&to=" + "9" * 30]
)
def test_a_comparison_needs_two_revisions(stranger, query):
    make_tool("greet")

    assert_problem(stranger.get(f"/api/v1/tools/greet/diff?{query}"), 422)


def test_a_tool_is_exported_with_what_was_lost(stranger):
    slug = publish(read_spec(GET_WEATHER.read_bytes()), by=None).tool.slug

    answer = stranger.ask(f"/tools/{slug}/export/mcp").json()

    assert set(answer["document"]) == {
        "name",
        "title",
        "description",
        "inputSchema",
        "outputSchema",
    }
    assert {"/definition/name", "/definition/examples", "/configuration"} <= {
        loss["pointer"] for loss in answer["losses"]
    }
