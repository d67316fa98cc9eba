"""Every hostile upload of the shared attack cases through `read_spec`: answered as expected, quickly, and said well."""

import base64
import gzip
import json
from collections import Counter

import pytest

from catalog.errors import SpecError
from catalog.specs.spec import read_spec
from tests.corpora import ATTACKS
from tests.work import at_most

ACCEPTED = 201
REFUSED = 422

# Where our answer is rightly another one than expected: id -> reason. There is none.
OTHERWISE: dict[str, str] = {}

# Both answers are allowed; this is the one we give, by group and reason.
OUR_CHOICE = {
    # no name carries a fragment; another draft inside needs a name of its own
    "id-fragment": REFUSED,
    "dialect-sub-draft4": REFUSED,
    "dialect-2019": ACCEPTED,
    "dialect-2020-frag": ACCEPTED,
    "vocabulary-required-unknown": ACCEPTED,
    # more than 10,000 evaluations in one place; more than 2,000 subschemas or values; nested more than 64 deep
    "exp-allOf-14": REFUSED,
    "exp-uneval-12": REFUSED,
    "exp-uneval-16": REFUSED,
    "amp-errors": REFUSED,
    "wide-oneOf-5k": REFUSED,
    "wide-enum-x-array": REFUSED,
    "deep-items-50": ACCEPTED,
    "deep-allOf-50": REFUSED,
    "deep-properties-50": REFUSED,
    # patterns are matched in bounded time; what ECMA-262 does not know is no pattern
    "redos-nested-plus": ACCEPTED,
    "ecma-u-brace": ACCEPTED,
    "pyre-inline-flag": REFUSED,
    "pyre-py-A": REFUSED,
    # 401 digits
    "kw-hugeint-minimum": REFUSED,
    # the format's own words: a return value is an object
    "doc-examples-scalar-return": REFUSED,
    # ids and names are free text, but one line that can be seen
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
    """The status that a door would give, and the problems."""
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
    assert all(problem.line and problem.column and problem.rule and problem.message for problem in problems)
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


def test_no_message_repeats_what_was_uploaded_at_length():
    for case in UPLOADS:
        _, problems = answer(body_of(case))
        assert all(len(problem.message) < 300 for problem in problems), case["id"]


def test_every_choice_named_here_is_a_case():
    ids = Counter(case["id"] for case in UPLOADS)

    assert set(OUR_CHOICE) | set(OTHERWISE) <= set(ids)
    assert len(UPLOADS) == 254
