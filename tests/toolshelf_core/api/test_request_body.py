"""The types and encodings of bodies that the API reads."""

import gzip

import pytest

from catalog.tools.models import Tool
from tests.catalog.answers import assert_problem
from tests.factories import spec_text

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/tools", "/uploads", "/specs/check"])
def test_a_spec_with_another_content_type_than_json_is_refused(program, path):
    for kind in ("text/xml", "image/png"):
        answer = program.send("POST", path, spec_text("greet"), kind)

        assert kind in assert_problem(answer, 415)["detail"]
    assert not Tool.objects.exists()


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/vnd.tool+json"])
def test_a_spec_may_be_any_kind_of_json(program, kind):
    assert program.send("POST", "/tools", spec_text("greet"), kind).status_code == 201


def test_a_packed_body_is_not_unpacked(program):
    answer = program.send(
        "POST", "/tools", gzip.compress(spec_text("a").encode()), **{"Content-Encoding": "gzip"}
    )

    assert 400 <= answer.status_code < 500
    assert not Tool.objects.exists()
