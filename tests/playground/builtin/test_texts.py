import difflib
import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.builtin.sign_text import Configuration
from tests.playground.builtin.calls import call_tool

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "longer line"]), max_size=12).map("\n".join)


def compare(before, after, **more):
    return call_tool("compare_texts", {"before": before, "after": after, **more})


@given(LINES, LINES, st.sampled_from(["line", "word", "character"]))
def test_the_operations_turn_the_first_text_into_the_second(before, after, unit):
    operations = compare(before, after, unit=unit)["operations"]

    assert "".join(each["before"]["text"] for each in operations) == before
    assert "".join(each["after"]["text"] for each in operations) == after
    assert all(
        (each["operation"] == "keep") == (each["before"]["text"] == each["after"]["text"])
        for each in operations
    )


@given(LINES, LINES, st.integers(0, 4))
def test_the_unified_diff_is_the_one_of_difflib(before, after, context):
    before, after = f"{before}\n", f"{after}\n"
    expected = difflib.unified_diff(
        before.splitlines(keepends=True),
        after.splitlines(keepends=True),
        "before",
        "after",
        n=context,
    )

    assert compare(before, after, context_lines=context)["unified"] == "".join(expected)


def test_a_missing_newline_at_the_end_is_shown_as_git_shows_it():
    unified = compare("a\n", "a")["unified"]

    assert unified == "--- before\n+++ after\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"


def test_ignored_differences_leave_the_lines_as_they_are():
    answer = compare("One\nTwo\nThree\n", "one\ntwo\nTHREE!\n", ignore=["case"])

    assert (
        answer["unified"] == "--- before\n+++ after\n@@ -1,3 +1,3 @@\n One\n Two\n-Three\n+THREE!\n"
    )


def test_white_space_between_characters_can_be_ignored():
    assert compare("a b\tc", "ab c", unit="character", ignore=["white_space"])["equal"] is True


def test_equal_texts_are_entirely_similar_and_others_are_not():
    assert compare("", "") == {"equal": True, "similarity": 1, "unified": "", "operations": []}
    assert compare("x" * 4000, "x" * 3999 + "y", unit="character")["similarity"] < 1


def test_too_many_units_are_refused():
    with pytest.raises(
        ValueError, match="A text has 5001 characters; at most 5000 can be compared"
    ):
        compare("x" * 5001, "", unit="character")


def match(pattern, text, **more):
    return call_tool("match_regular_expression", {"pattern": pattern, "text": text, **more})


def test_matches_have_their_line_and_column():
    found = match("b", "ab\nb\n\nxxb")["matches"]

    assert [(each["line"], each["column"]) for each in found] == [(1, 2), (2, 1), (4, 3)]


def test_empty_matches_are_matches():
    assert [each["start"] for each in match("x*", "ab")["matches"]] == [0, 1, 2]


def test_flags_change_what_matches():
    assert (
        len(match("^a.b$", "A\nb", flags=["ignore_case", "dot_all", "multi_line"])["matches"]) == 1
    )
    assert match("^a.b$", "A\nb")["matches"] == []


def test_matches_and_replacements_end_at_the_limit():
    answer = match("a", "aaaa", replacement="b", match_limit=2)

    assert (len(answer["matches"]), answer["truncated"], answer["replaced"]) == (2, True, "bbaa")


def test_an_empty_replacement_removes():
    assert match("[aeiou]", "education", replacement="")["replaced"] == "dctn"


def test_a_catastrophic_pattern_is_stopped():
    with pytest.raises(TimeoutError, match="takes longer than 2 s"):
        match("^(a|a|aa)+$", "a" * 60 + "!")


@pytest.mark.parametrize("pattern", ["(", "*", "[a", "(?P<1>a)", "\\"])
def test_a_wrong_pattern_is_refused_with_its_position(pattern):
    with pytest.raises(
        ValueError, match=r"The pattern or its replacement is wrong: .* at position"
    ):
        match(pattern, "text")


@pytest.mark.parametrize("replacement", ["\\9", "\\g<nobody>", "\\"])
def test_a_replacement_that_does_not_match_the_pattern_is_refused(replacement):
    with pytest.raises(ValueError, match="replacement"):
        match("(a)", "a", replacement=replacement)


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b"])
def test_hashes_are_those_of_hashlib(algorithm):
    answer = call_tool("hash_text", {"text": "grüß", "algorithm": algorithm})

    assert answer["hash"] == hashlib.new(algorithm, "grüß".encode()).hexdigest()
    assert answer["bits"] == len(answer["hash"]) * 4
    assert answer["bytes_hashed"] == 6


def rewrite(text, *steps):
    return call_tool("encode_text", {"text": text, "steps": list(steps)})["text"]


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40))
@pytest.mark.parametrize(
    "scheme", ["base64", "base64url", "hexadecimal", "url", "url_form", "json", "rot13"]
)
def test_decoding_undoes_encoding(scheme, text):
    assert (
        rewrite(text, {"step": "encode", "scheme": scheme}, {"step": "decode", "scheme": scheme})
        == text
    )


def test_encodings_are_the_usual_ones():
    assert rewrite("a b&c/ü", {"step": "encode", "scheme": "url"}) == "a%20b%26c%2F%C3%BC"
    assert (
        rewrite('<a href="x">', {"step": "encode", "scheme": "html"})
        == "&lt;a href=&quot;x&quot;&gt;"
    )
    assert rewrite("??>", {"step": "encode", "scheme": "base64url"}) == "Pz8-"
    assert rewrite('say "hi"\n', {"step": "encode", "scheme": "json"}) == '"say \\"hi\\"\\n"'


@pytest.mark.parametrize(
    ("scheme", "text"),
    [
        ("base64", "a"),
        ("base64", "!!!!"),
        ("base64", "/w=="),
        ("hexadecimal", "0g"),
        ("url", "%FF"),
        ("json", "12"),
    ],
)
def test_a_text_in_another_encoding_is_refused_with_its_step(scheme, text):
    with pytest.raises(
        ValueError, match=rf"Step 2 \(decode\): The text is not UTF-8 text encoded as {scheme}"
    ):
        rewrite(text, {"step": "normalize"}, {"step": "decode", "scheme": scheme})


@pytest.mark.parametrize("text", ['"\\ud800"', '"\\u0000"'])
def test_decoding_never_gives_what_is_no_text(text):
    with pytest.raises(ValueError, match="contains a NUL character or an unpaired surrogate"):
        rewrite(text, {"step": "decode", "scheme": "json"})


def test_a_chain_of_encodings_cannot_grow_without_end():
    with pytest.raises(ValueError, match="The result has more than 500000 characters"):
        rewrite("x" * 1000, *[{"step": "encode", "scheme": "hexadecimal"}] * 20)


def sign(parameters, **configuration):
    return call_tool("sign_text", parameters, configuration=configuration)


def test_a_signature_is_the_hmac_of_the_text():
    answer = sign({"text": "hello"}, key="a secret key", algorithm="sha512")

    assert answer["signature"] == hmac.new(b"a secret key", b"hello", "sha512").hexdigest()


def test_a_correct_signature_is_valid_in_either_case_and_only_with_its_key():
    signature = sign({"text": "hello"}, key="a secret key")["signature"].upper()
    question = {"text": "hello", "expected_signature": signature}

    assert sign(question, key="a secret key")["valid"] is True
    assert sign(question, key="another key")["valid"] is False


def test_the_key_is_not_shown_with_the_configuration():
    assert "a secret key" not in repr(Configuration(key="a secret key"))


def outline(markdown, **more):
    return call_tool("outline_markdown", {"markdown": markdown, **more})


def titles(sections):
    return [(each["title"], titles(each["sections"])) for each in sections]


def test_headings_make_a_tree_even_where_levels_are_skipped():
    sections = outline("## A\n#### B\n### C\n# D")["sections"]

    assert titles(sections) == [("A", [("B", []), ("C", [])]), ("D", [])]


def test_headings_in_fenced_code_do_not_count():
    sections = outline("# A\n````\n# not this\n```\n# nor this\n````\n# B\n~~~\n# never closed")[
        "sections"
    ]

    assert titles(sections) == [("A", []), ("B", [])]


def test_marks_at_the_end_of_a_heading_are_not_part_of_it():
    assert titles(outline("# A ##\n# B#\n#\n#C")["sections"]) == [("A", []), ("B#", []), ("", [])]


def test_deeper_headings_belong_to_the_text():
    section = outline("# A\none\n## two three", deepest_level=1)["sections"][0]

    assert (section["words"], section["sections"]) == (3, [])


def test_the_empty_text_has_an_outline():
    assert outline("") == {"words": 0, "sentences": 0, "reading_time_s": 0, "sections": []}
