"""The completions of the JSON editor."""

import pytest

from tests.factories import make_tool, properties

pytestmark = pytest.mark.django_db


@pytest.fixture
def tool():
    letter = {
        "type": "object",
        "properties": {"to": {"type": "string", "description": "Who gets it."}},
    }
    return make_tool(
        "post",
        parameters=properties(letters={"type": "array", "items": letter}, rush={"type": "boolean"}),
    )


def ask(client, **query):
    return client.get("/tools/post/try/completions/", query)


def test_members_and_values_at_a_place(client, tool):
    whole = ask(client, control="parameters:e:").json()
    letter = ask(client, control="parameters:e:", path="/.letters/@4").json()
    within = ask(client, control="parameters:e:/.letters", path="/@0").json()
    row = ask(client, control="parameters:e:/.letters/@17").json()
    rush = ask(client, control="parameters:e:", path="/.rush").json()

    assert [one["text"] for one in whole["members"]] == ["letters", "rush"]
    expected = {
        "text": "to",
        "detail": "string",
        "description": "Who gets it.",
        "is_required": False,
    }
    assert letter["members"] == within["members"] == row["members"] == [expected]
    assert [one["text"] for one in rush["values"]] == ["true", "false"]


@pytest.mark.parametrize(
    "query",
    [
        {"control": "configuration:e:"},
        {"control": "other:e:"},
        {},
        {"control": "parameters:e:", "path": "/.no/.such"},
    ],
)
def test_a_place_without_a_schema_has_no_completions(client, tool, query):
    assert ask(client, **query).json() == {"members": [], "values": []}


@pytest.mark.parametrize("path", ["letters", "/letters", "/@x", "/." * 300])
def test_what_is_no_path_is_not_found(client, tool, path):
    assert ask(client, control="parameters:e:", path=path).status_code == 404
