"""Hostile specs through the API: a clear refusal, or a tool whose pages are harmless and quick."""

import base64
import gzip
import json
import re

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.corpora import ATTACKS as ATTACK_FILE
from tests.work import at_most

pytestmark = [pytest.mark.django_db, pytest.mark.deep]

ATTACKS = [
    attack
    for line in ATTACK_FILE.read_text(encoding="utf-8").splitlines()
    if (attack := json.loads(line))["target"] == "upload"
]
PARTS = ("", "revisions/", "spec/", "compatibility/", "exports/mcp/", "lint/")
PAGES = ("/", "/tools/", "/tools/?q=attack", *(f"/tools/{{slug}}/{part}" for part in PARTS))
ANSWERS = (
    "/tools?q=attack",
    "/tools/{slug}",
    "/tools/{slug}/spec?download=1",
    "/tools/{slug}/revisions",
)


def body_of(attack) -> bytes:
    return gzip.decompress(base64.b64decode(attack["body_gz_b64"]))


def assert_harmless(answer):
    tree = LexborHTMLParser(answer.content)
    assert not tree.css("iframe, object, embed, img")
    assert not [node for node in tree.css("script") if node.text() or "src" not in node.attributes]
    for node in tree.css("*"):
        for name, value in node.attributes.items():
            assert not name.startswith("on")
            assert name != "style"
            assert not (
                name in ("href", "src", "action")
                and (value or "").strip().lower().startswith(("javascript:", "data:"))
            )


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack["id"])
def test_a_hostile_spec_is_refused_or_shown_without_harm(attack, program, client):
    with at_most(5_000_000):
        answer = program.send("POST", "/tools", body_of(attack))

    assert answer.status_code in attack["expect"].get(
        "upload_status", (200, 201, 400, 409, 413, 415, 422)
    )
    if answer.status_code >= 400:
        assert answer["Content-Type"] == "application/problem+json"
        assert answer.json()["detail"]
        return
    slug = answer.json()["tool"]["slug"]
    for path in PAGES:
        page = client.get(path.format(slug=slug))
        assert page.status_code == 200
        assert_harmless(page)
    for path in ANSWERS:
        found = client.get("/api/v1" + path.format(slug=slug))
        assert found.status_code == 200
        assert all(value.isprintable() for value in found.headers.values())
    spec = client.get(f"/api/v1/tools/{slug}/spec?download=1")
    assert spec.content == body_of(attack)
    name = re.fullmatch(
        r'attachment; filename="([A-Za-z0-9][A-Za-z0-9._-]*)[.]json"', spec["Content-Disposition"]
    )
    assert name is not None, spec["Content-Disposition"]
    assert name[1].removeprefix("tool-") == slug.lstrip("-")
