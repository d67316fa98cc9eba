"""The reader of JSON: what it accepts, what it refuses and where, and that numbers stay exact."""

import copy
import json
import pickle
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.work import at_most
from toolspec.errors import JSONTextError
from toolspec.text.pointers import pointer_join
from toolspec.text.positions import locate
from toolspec.text.reader import Number, dumps, loads, plain


def refusal(data, **limits):
    """The one problem that `data` is refused with."""
    with pytest.raises(JSONTextError) as caught:
        loads(data, **limits)
    (problem,) = caught.value.problems
    return problem


def problems_of(data):
    try:
        loads(data)
    except JSONTextError as error:
        return error.problems
    return ()


def place(data):
    problem = refusal(data)
    return problem.rule, problem.line, problem.column


def test_reads_every_type_of_value():
    value = loads(b' {"a": [null, true, false, 0, -12, "\\u00e9\\n", {}, []]}\r\n')

    assert value == {"a": [None, True, False, 0, -12, "é\n", {}, []]}


def test_a_canonical_integer_becomes_an_int():
    assert type(loads("9223372036854775809")) is int


@pytest.mark.parametrize("lexeme", ["1.0", "1E+5", "-0", "1e-400", "0e99999999", "-0.0e-9"])
def test_any_other_number_keeps_its_text(lexeme):
    number = loads(lexeme)

    assert isinstance(number, Number)
    assert number.lexeme == lexeme
    assert dumps(number) == lexeme


def test_a_number_is_exact():
    assert loads("[1.0, 1e2, 19.90]") == [1, 100, Decimal("19.9")]
    assert loads("19.99") % Decimal("0.01") == 0
    assert int(loads("0e99999999999999999999")) == 0


def test_a_number_survives_copying_and_pickling():
    number = loads("1.50")

    assert copy.deepcopy({"a": number})["a"].lexeme == "1.50"
    assert pickle.loads(pickle.dumps(number)).lexeme == "1.50"


def test_plain_gives_decimals_and_leaves_the_rest_alone():
    value = loads('{"a": [1.50, "x"], "b": 2}')

    assert plain(value) == {"a": [Decimal("1.50"), "x"], "b": 2}
    assert type(plain(value)["a"][0]) is Decimal
    unchanged = loads('{"a": [1, {"b": null}]}')
    assert plain(unchanged) is unchanged


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 1, "The text is empty"),
        ("{", 2, "'}' is missing for the object that starts on line 1"),
        ('{"a": [1', 9, "']' is missing for the array that starts on line 1"),
        ("[1,]", 3, "remove it before ']'"),
        ('{"a":1,}', 7, "remove it before '}'"),
        ('{"a" 1}', 6, 'A colon is expected here, after the name "a"'),
        ("{'a':1}", 2, "straight double quotes"),
        ("[“a”]", 2, "straight double quotes"),
        ("{a:1}", 2, 'The name "a" must be in double quotes'),
        ('{"a":1 "b":2}', 8, "A comma or '}' is expected here"),
        ("[1 2]", 4, "A comma or ']' is expected here"),
        ("[1}", 3, "']' is expected here, not '}'"),
        ("[1,,2]", 4, "A value is expected before this ','"),
        ("{,}", 2, "A property is expected before this comma"),
        ("{}{}", 3, "There is more text after the end of the document"),
        ("// x\n{}", 1, "JSON has no comments"),
        ("[1, # x\n2]", 5, "JSON has no comments"),
        ("[True]", 2, "JSON writes `true` in lowercase"),
        ("[None]", 2, "JSON writes `null`"),
        ("[abc]", 2, "strings must be in double quotes"),
        ("cb({})", 1, "strings must be in double quotes"),
        ("[01]", 2, "leave out the leading zeros"),
        ("[.5]", 2, "write a 0 before the point"),
        ("[+1]", 2, "leave out the plus sign"),
        ("[1.]", 2, "write a digit after the point"),
        ("[1e]", 2, "write the digits of the exponent"),
        ("[0x10]", 2, "write it in decimal digits"),
        ('["a\nb"]', 4, "A line break inside a string must be written \\n"),
        ('["\t"]', 3, "written \\t"),
        ('["\\x"]', 3, "\\x is not an escape in JSON"),
        ('["\\u12"]', 3, "\\u12 is not an escape in JSON"),
        ('["abc', 2, "no closing double quote"),
        ('["abc\\', 2, "no closing double quote"),
    ],
)
def test_bad_syntax_is_refused_at_its_column_with_a_sentence(text, column, words):
    problem = refusal(text)

    assert (problem.rule, problem.line, problem.column) == ("json.syntax", 1, column)
    assert words in problem.message


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("NaN", "json.number"),
        ("-Infinity", "json.number"),
        ("1e400", "json.number-range"),
        ("-1e400", "json.number-range"),
        ("1.8e308", "json.number-range"),
        ("1e-1001", "json.number-range"),
        ("1e99999999999999999999", "json.number-range"),
        ("9" * 301, "json.number-digits"),
        ("9" * 5000, "json.number-digits"),
        ("0." + "1" * 1000, "json.number-digits"),
    ],
    ids=lambda text: text[:20],
)
def test_an_invalid_or_too_large_number_is_refused(text, rule):
    assert place(f"[{text}]") == (rule, 1, 2)


def test_an_integer_of_300_digits_is_read():
    assert loads("-" + "9" * 300) == -int("9" * 300)


def test_a_duplicate_member_is_refused_at_the_second():
    problem = refusal('{\n  "a": {"b": 1,\n        "b": 2}\n}')

    assert (problem.rule, problem.line, problem.column) == ("json.duplicate", 3, 9)
    assert problem.pointer == "/a/b"


def test_a_duplicate_member_is_found_whatever_its_escapes():
    assert refusal('{"a": 1, "\\u0061": 2}').rule == "json.duplicate"


@pytest.mark.parametrize(
    "text", ['["x\\udfffy"]', '["\\ud800\\ud800"]', '{"\\ud800": 1}', '["\ud800"]']
)
def test_half_a_surrogate_pair_is_refused(text):
    assert refusal(text).rule == "json.surrogate"


def test_a_whole_surrogate_pair_is_one_character():
    assert loads('"\\ud83d\\ude00"') == "😀"


@pytest.mark.parametrize("text", ['["\\u0000"]', '["a\0"]', '{"\\u0000": 1}', "\0{}"])
def test_nul_is_refused(text):
    assert refusal(text).rule == "json.nul"


def test_a_backslash_followed_by_u0000_is_just_text():
    assert loads('"\\\\u0000 \\\\ud800"') == "\\u0000 \\ud800"


def test_a_byte_order_mark_before_the_text_is_ignored():
    assert loads(b"\xef\xbb\xbf{}") == {}
    assert loads("\ufeff{}") == {}


def test_a_byte_order_mark_inside_the_text_is_refused():
    assert refusal("\ufeff\ufeff{}").rule == "json.bom"
    assert refusal("{\ufeff}").rule == "json.bom"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_utf_16_and_32_are_refused_and_not_guessed(encoding):
    problem = refusal('{"a": 1}'.encode(encoding))

    assert problem.rule == "json.encoding"
    assert "UTF-8" in problem.message


@pytest.mark.parametrize(
    "data", [b'{"a":"\xc0\xaf"}', b'{"a":"\xed\xa0\x80"}', b'{"a":"\x80"}', b'{"a":"caf\xe9"}']
)
def test_malformed_utf_8_is_refused_at_its_position(data):
    problem = refusal(data)

    assert problem.rule == "json.encoding"
    assert problem.column == data.decode(errors="replace").index("\ufffd") + 1


def test_size_is_counted_in_bytes_and_checked_first():
    assert loads('"é"', max_bytes=4) == "é"
    assert refusal('"é"', max_bytes=3).rule == "json.too-large"
    assert refusal("[" * 100, max_bytes=99).rule == "json.too-large"


def test_64_levels_are_read_and_the_65th_is_refused_where_it_opens():
    assert loads("[" * 64 + "]" * 64) is not None
    assert place("[" * 65 + "]" * 65) == ("json.depth", 1, 65)


def test_brackets_in_strings_do_not_count_as_depth():
    assert loads(json.dumps(["[{" * 200, '"' + "[" * 200])) == ["[{" * 200, '"' + "[" * 200]


def test_the_first_problem_is_the_one_reported():
    assert refusal('{"a": NaN, "a": 1e400').rule == "json.number"


def test_lines_end_with_lf_cr_or_both():
    for end in ("\n", "\r", "\r\n"):
        assert place(f"[{end}1,{end}{end} x]") == ("json.syntax", 4, 2)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"a":' * 40_000,
        "[1," * 60_000,
        '"' + "\\" * 200_000,
        '["' * 100_000,
        "{" + ",".join(f'"{n}":1' for n in range(20_000)) + ',"0":1}',
        "9" * 200_000,
        "[" + "1e5," * 60_000 + "1e400]",
        " " * 200_000,
        '"' + "\\ud800" * 40_000 + '"',
    ],
    ids=lambda text: text[:12],
)
def test_hostile_text_is_refused_with_little_work(text):
    with at_most(15_000_000):
        refusal(text)


def test_10_megabytes_are_refused_immediately():
    body = b'{"a":"' + b"x" * 10_000_000 + b'"}'

    with at_most(1_000):
        assert refusal(body).rule == "json.too-large"


def test_writes_what_json_dumps_writes():
    value = {"b": [1, {"a": [], "é": {}}], "a": '\n\u2028\x1f"\\'}

    for layout in ({}, {"indent": 2}, {"sort_keys": True}, {"indent": 4, "sort_keys": True}):
        assert dumps(value, **layout) == json.dumps(value, ensure_ascii=False, **layout)
        with_numbers = json.dumps(value | {"b": [1.0]}, ensure_ascii=False, **layout)
        assert dumps(value | {"b": [loads("1.0")]}, **layout) == with_numbers


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), {1, 2}, b"x", Decimal("1.0"), "\ud800", [object()]]
)
def test_values_that_are_not_json_are_not_written(value):
    with pytest.raises(ValueError, match=r"."):
        dumps(value)


def test_locates_the_values_that_pointers_name():
    text = '{\n  "a": [10,\n    {"b/c": 2, "~": 3}]\n}\n'

    assert locate(text, ["", "/a", "/a/0", "/a/1/b~1c", "/a/1/~0"]) == {
        "": (1, 1),
        "/a": (2, 8),
        "/a/0": (2, 9),
        "/a/1/b~1c": (3, 13),
        "/a/1/~0": (3, 21),
    }


def test_a_missing_value_is_located_at_the_nearest_value_around_it():
    text = '{\n  "a": {"b": 1}\n}'

    assert locate(text, ["/a/c/d", "/x", "/a/b/c"]) == {
        "/a/c/d": (2, 8),
        "/x": (1, 1),
        "/a/b/c": (2, 14),
    }


def test_names_are_compared_unescaped_when_locating():
    assert locate('{"\\u0061": 1}', ["/a"]) == {"/a": (1, 12)}


def test_locating_does_not_recurse():
    assert locate("[" * 50_000 + "]" * 50_000, ["/0" * 49_999]) == {"/0" * 49_999: (1, 50_000)}


json_texts = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0")),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.text(st.characters(blacklist_categories=["Cs"], min_codepoint=1)), inner
        )
    ),
    max_leaves=20,
)


@given(json_texts, st.booleans())
def test_reads_what_python_writes_and_writes_it_again(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only)

    assert dumps(loads(text)) == json.dumps(value, ensure_ascii=False)


@given(st.text(alphabet='{}[]",:0123.eE+-\\utrfalsn /\n\x00é', max_size=30))
def test_accepts_no_text_that_python_refuses_and_always_reports_the_position(text):
    problems = problems_of(text)

    if not problems:
        json.loads(text)
    assert all(problem.line >= 1 and problem.column >= 1 for problem in problems)


def places_in(value, pointer=""):
    yield pointer, value
    entries = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for token, part in entries:
        yield from places_in(part, pointer_join(pointer, token))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text('ab,:"]}{[\\', max_size=5),
        lambda inner: (
            st.lists(inner, max_size=6)
            | st.dictionaries(st.text('ab/~"\\1', max_size=3), inner, max_size=6)
        ),
        max_leaves=40,
    ),
    st.sampled_from([None, 0, 2]),
    st.data(),
)
def test_the_position_of_each_value_is_correct(value, indent, data):
    text = json.dumps(value, indent=indent)
    stands = dict(places_in(value))
    pointers = data.draw(st.lists(st.sampled_from(sorted(stands)), min_size=1, max_size=5))

    for pointer, (line, column) in locate(text, [*pointers, "/none/9"]).items():
        start = sum(map(len, text.splitlines(keepends=True)[: line - 1])) + column - 1
        if pointer in stands:
            assert json.JSONDecoder().raw_decode(text, start)[0] == stands[pointer]
