"""Every hostile upload of the shared attack cases: `read_spec` gives the expected result with bounded work."""

import base64
import gzip
import json
from collections import Counter

import pytest

from tests.corpora import ATTACKS
from tests.work import at_most
from toolspec.errors import SpecError
from toolspec.spec import read_spec

ACCEPTED = 201
REFUSED = 422

# Cases whose expected result is wrong: id -> reason. There is none.
OTHERWISE: dict[str, str] = {}

# Cases that allow both results: the one that Toolshelf gives, grouped by reason.
OUR_CHOICE = {
    # an `$id` must not have a fragment; a subschema is read in the draft that it names
    "id-fragment": REFUSED,
    "dialect-sub-draft4": ACCEPTED,
    "dialect-2019": ACCEPTED,
    "dialect-2020-frag": ACCEPTED,
    "vocabulary-required-unknown": ACCEPTED,
    # more than 10,000 evaluations of one value; more than 5,000 subschemas; nested more than 64 deep
    "amp-errors": REFUSED,
    "wide-oneOf-5k": REFUSED,
    "exp-allOf-14": REFUSED,
    "exp-uneval-12": REFUSED,
    "exp-uneval-16": REFUSED,
    "deep-items-50": ACCEPTED,
    "deep-allOf-50": REFUSED,
    "deep-properties-50": REFUSED,
    # large, but cheap to check
    "wide-enum-x-array": ACCEPTED,
    # patterns are matched in bounded time, and must be valid in ECMA-262
    "redos-nested-plus": ACCEPTED,
    "ecma-u-brace": ACCEPTED,
    "pyre-inline-flag": REFUSED,
    "pyre-py-A": REFUSED,
    # 401 digits
    "kw-hugeint-minimum": REFUSED,
    # a tool may return any JSON value; lint says that other implementations expect an object
    "doc-examples-scalar-return": ACCEPTED,
    # ids and names are any text on one visible line
    "id-empty": REFUSED,
    "id-newline": REFUSED,
    "id-rtl": REFUSED,
    "id-len-256": REFUSED,
    "id-emoji": ACCEPTED,
    "id-dotdot2": ACCEPTED,
    "xss-script": ACCEPTED,
    "xss-ansi": REFUSED,
    "dl-crlf": REFUSED,
    "dl-path": ACCEPTED,
}


def uploads():
    cases = (json.loads(line) for line in ATTACKS.read_text(encoding="utf-8").splitlines())
    return [case for case in cases if case["target"] == "upload"]


def body_of(case):
    return gzip.decompress(base64.b64decode(case["body_gz_b64"]))


def answer(body):
    """The status that the API would respond with, and the problems."""
    try:
        read_spec(body)
    except SpecError as error:
        return REFUSED, error.problems
    return ACCEPTED, ()


UPLOADS = uploads()


@pytest.mark.parametrize("case", UPLOADS, ids=lambda case: case["id"])
def test_a_hostile_upload_is_answered_as_expected(case):
    body = body_of(case)

    with at_most(300_000):
        status, problems = answer(body)

    assert status in case["expect"]["upload_status"] or case["id"] in OTHERWISE
    assert status == OUR_CHOICE.get(case["id"], status)
    assert all(
        problem.line and problem.column and problem.rule and problem.message for problem in problems
    )
    if status == REFUSED and "error_has_pointer" in case["expect"]["oracles"]:
        assert problems[0].pointer


def test_refusals_of_hostile_uploads_take_little_work_in_95_of_100_cases():
    lines = []
    for case in UPLOADS:
        body = body_of(case)
        with at_most(300_000) as work:
            status, _ = answer(body)
        if status == REFUSED:
            lines.append(work.lines)

    assert sorted(lines)[int(len(lines) * 0.95)] < 40_000


def test_no_message_repeats_much_of_the_upload():
    for case in UPLOADS:
        _, problems = answer(body_of(case))
        assert all(len(problem.message) < 300 for problem in problems), case["id"]


def test_every_listed_id_is_a_case():
    ids = Counter(case["id"] for case in UPLOADS)

    assert set(OUR_CHOICE) | set(OTHERWISE) <= set(ids)
    assert len(UPLOADS) == 254
