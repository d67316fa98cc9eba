"""A byte order mark before a text in UTF-8 is ignored wherever a text is read (RFC 8259, section 8.1)."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from catalog.tools.models import Tool
from tests.factories import make_token, make_user, spec_text
from tests.field import FOLDER
from tests.playground.mcp.agent import LegacyAgent

pytestmark = pytest.mark.django_db

BOM = b"\xef\xbb\xbf"


@pytest.fixture
def headers():
    return {"Authorization": f"Bearer {make_token(user=make_user('grace'))}"}


def posted(client, headers, body, *, path="/api/v1/uploads", content_type="application/json"):
    return client.post(path, body, content_type=content_type, headers=headers)


def test_the_mark_before_a_list_is_ignored(client, headers):
    answer = posted(client, headers, (FOLDER / "byte-order-mark.json").read_bytes())

    assert Tool.objects.count() == 1, answer.content


@pytest.mark.parametrize(
    ("text", "content_type"),
    [
        (spec_text("a"), "application/json"),
        (f"[{spec_text('a')}]", "application/json"),
        (json.dumps(json.loads(spec_text("a"))) + "\n", "application/x-ndjson"),
        ("definition:\n  id: a\n  name: a\n  description: d\n", "application/yaml"),
    ],
)
def test_the_mark_is_ignored_in_every_format(client, headers, text, content_type):
    answer = posted(client, headers, BOM + text.encode(), content_type=content_type)

    assert Tool.objects.count() == 1, answer.content
    assert (
        Tool.objects.get().current.source.isprintable()
        or "\ufeff" not in Tool.objects.get().current.source
    )


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.txt", "a.yaml"])
def test_the_mark_of_an_uploaded_file_is_ignored(client, name):
    client.force_login(make_user())
    text = (
        "definition:\n  id: a\n  name: a\n  description: d\n"
        if name.endswith("yaml")
        else spec_text("a")
    )
    text = json.dumps(json.loads(text)) if name.endswith("jsonl") else text

    client.post("/add/", {"files": SimpleUploadedFile(name, BOM + text.encode())})

    assert Tool.objects.get().tool_id == "a"


def test_the_mark_in_a_folder_is_ignored(tmp_path):
    (tmp_path / "b.json").write_bytes(BOM + spec_text("b").encode())

    call_command("load_specs", str(tmp_path))

    assert set(Tool.objects.values_list("tool_id", flat=True)) == {"b"}


def test_the_mark_is_ignored_when_one_spec_is_checked_or_published(
    client, headers, tmp_path, capsys
):
    text = BOM + spec_text("a").encode()
    (tmp_path / "a.json").write_bytes(text)

    checked = posted(client, headers, text, path="/api/v1/specs/check")
    published = posted(client, headers, text, path="/api/v1/tools")
    call_command("check_specs", str(tmp_path / "a.json"))

    assert (checked.status_code, published.status_code) == (200, 201)
    assert "byte order" not in "".join(capsys.readouterr())


def test_a_line_of_a_marked_text_has_its_own_number(client, headers):
    body = BOM + b'{"definition": {"name": "a",\n "description": 5}}'

    answer = posted(client, headers, body, path="/api/v1/tools").json()

    assert (answer["errors"][0]["line"], answer["errors"][0]["column"]) == (2, 17)


def test_the_mark_before_a_message_of_mcp_is_ignored():
    agent = LegacyAgent(Client(), make_token())

    response = agent.post(BOM + json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode())

    assert response.json()["result"] == {}
