"""The operations on tools are documented, with examples."""

import pytest

pytestmark = pytest.mark.django_db


def test_the_examples_of_the_documentation_call_this_very_site(stranger):
    page = stranger.get("/api/v1/docs", headers={"Host": "localhost"}).content.decode()

    assert " http://localhost/api/v1/uploads" in page
    assert "127.0.0.1" not in page


def test_each_operation_has_a_summary_and_its_answers_an_example(stranger):
    document = stranger.ask("/openapi.json").json()

    tools = [
        (path, method, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if operation["tags"] == ["tools"]
    ]
    assert len(tools) >= 19
    for path, method, operation in tools:
        assert operation["summary"], path
        assert operation["description"], path
        content = [
            answer.get("content")
            for status, answer in operation["responses"].items()
            if status == "200"
        ]
        if method == "get" or path.endswith(("/uploads", "/check")):
            [[(_, described)]] = [list(one.items()) for one in content]
            if described["schema"].get("format") == "binary":
                continue
            name = described["schema"].get("$ref", "").rpartition("/")[2]
            assert "example" in described or "example" in document["components"]["schemas"][name], (
                path
            )
