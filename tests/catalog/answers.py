"""What the tests of the API look at in an answer."""


def ids(answer) -> list[str]:
    return [item["id"] for item in answer.json()["items"]]


def assert_problem(answer, status, rule=None):
    """It is an RFC 9457 answer; `rule` is that of its first error."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert body["detail"]
    if rule:
        assert body["errors"][0]["rule"] == rule
    return body
