import base64
import html
import json
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolshelf_core.redaction import Redactor
from toolspec.text import reader

pytestmark = pytest.mark.unit

SECRET = 'pa$$/w"ord+ü & more\\'


@pytest.mark.parametrize(
    "spelling",
    [
        SECRET,
        quote(SECRET),
        quote(SECRET, safe=""),
        quote_plus(SECRET),
        quote(SECRET, safe="").lower(),
        quote(quote(SECRET, safe=""), safe=""),
        urlencode({"key": SECRET}),
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode(),
        base64.b64encode(f"user:{SECRET}".encode()).decode(),
        base64.b64encode(f"me:{SECRET}, and more".encode()).decode(),
        base64.b64encode(f"she:{SECRET}".encode()).decode(),
        SECRET.encode().hex(),
        SECRET.encode().hex().upper(),
        json.dumps(SECRET),
        json.dumps(SECRET, ensure_ascii=False),
        json.dumps(json.dumps({"key": SECRET})),
        repr(SECRET),
        repr(SECRET.encode()),
        html.escape(SECRET),
    ],
)
def test_a_secret_is_removed_in_every_spelling_that_programs_write(spelling):
    clean = Redactor([SECRET]).text(f"before {spelling} after")

    assert "[secret]" in clean
    assert SECRET not in clean
    assert spelling not in clean
    assert clean.startswith("before ")
    assert clean.endswith(" after")


def test_the_rest_of_a_text_stays_as_it_was():
    clean = Redactor(["hunter22"]).text("GET /?key=hunter22&page=2\nok")

    assert clean == "GET /?key=[secret]&page=2\nok"


def test_the_longer_of_two_secrets_is_removed_completely():
    clean = Redactor(["hunter22", "hunter22-and-more"]).text("key hunter22-and-more")

    assert clean == "key [secret]"


def test_secrets_leave_strings_names_and_numbers_of_a_value():
    value = reader.loads('{"a": ["x hunter22", 90125, 1.0, true, null], "hunter22": 90125.50}')

    clean = Redactor(["hunter22", "90125"]).value(value)

    assert (
        reader.dumps(clean)
        == '{"a": ["x [secret]", "[secret]", 1.0, true, null], "[secret]": 90125.50}'
    )


def test_every_long_line_of_a_key_file_is_a_secret():
    key = "-----BEGIN KEY-----\nAAAAB3NzaC1yc2EAAAADAQABAAABAQ\nCq9f8e7d6c5b4a3928170605\n-----END KEY-----\n"

    clean = Redactor([key]).text("read line: Cq9f8e7d6c5b4a3928170605")

    assert clean == "read line: [secret]"


def test_a_secret_of_less_than_four_characters_is_not_removed():
    assert Redactor(["abc"]).text("abc") == "abc"


def test_the_beginning_of_a_secret_at_a_cut_is_removed():
    redactor = Redactor(["hunter22"])

    assert redactor.cut_text("the key is hunte") == "the key is "
    assert redactor.cut_text("the key is hunter22") == "the key is [secret]"
    assert redactor.cut_text("nothing here") == "nothing here"


def test_without_secrets_a_value_is_given_back_itself():
    value = {"a": [1, 2]}

    assert Redactor([]).value(value) is value
    assert not Redactor([])


def test_a_redactor_does_not_show_its_secrets():
    assert "hunter22" not in repr(Redactor(["hunter22"]))


@given(
    secret=st.text(
        alphabet=st.characters(codec="utf-8", exclude_characters="\0"), min_size=4, max_size=40
    ),
    before=st.binary(max_size=5),
    after=st.binary(max_size=5),
)
def test_the_rest_of_base64_does_not_reveal_the_secret(secret, before, after):
    encoded = base64.b64encode(before + secret.encode() + after).decode()

    clean = Redactor([secret]).text(encoded)

    assert clean != encoded


def test_the_beginning_of_a_secret_in_a_message_is_removed():
    redactor = Redactor(["sk-0123456789abcdefghijklmnopqrstuvwxyz-the-end"])

    clean = redactor.message("'Bearer sk-0123456789abcdefghijklmno…' is not one of ['a', 'b']")

    assert clean == "'Bearer …' is not one of ['a', 'b']"


def key_file(lines=2_400):
    return "\n".join(f"{number:026d}" for number in range(lines))


def test_any_line_of_a_large_key_file_is_removed_in_any_spelling():
    redactor = Redactor([key_file()])

    for line in ("0" * 22 + "1234", "0" * 22 + "0000"):
        for spelling in (
            line,
            line.encode().hex(),
            base64.b64encode(f"a {line}".encode()).decode(),
        ):
            clean = redactor.text(f"before {spelling} after")

            assert "[secret]" in clean
            assert spelling not in clean
            assert clean.startswith("before ")
            assert clean.endswith(" after")


def test_a_large_key_file_is_removed_from_a_text_with_all_its_lines():
    shuffled = "\n".join(sorted(key_file().splitlines(), key=lambda line: line[::-1]))

    clean = Redactor([key_file()]).text(shuffled)

    assert clean == "\n".join(["[secret]"] * 2_400)


def test_overlapping_secrets_are_removed_completely():
    assert Redactor(["hunter22-abc", "22-abc-tail"]).text("<hunter22-abc-tail>") == "<[secret]>"


def test_a_text_with_too_many_near_matches_is_withheld():
    nearly = ["a" * length + "b" for length in range(1_000, 1_100)]

    clean = Redactor(nearly).text("a" * 200_000)

    assert clean == "[withheld: it could not be searched for secrets]"


@pytest.mark.parametrize(
    "secrets", [["k" * 196_609], [f"secret-{n}" for n in range(601)]], ids=["long", "many"]
)
def test_with_more_secrets_than_a_run_may_have_everything_is_withheld(secrets):
    redactor = Redactor(secrets)

    assert redactor
    assert (
        redactor.text("anything")
        == redactor.value({"a": 1})
        == "[withheld: it could not be searched for secrets]"
    )
    assert (
        redactor.cut_text("anything")
        == redactor.message("any…thing".replace("…", ""))
        == redactor.text("")
    )


def test_the_longest_beginning_of_a_secret_at_the_end_of_a_text_is_removed():
    redactor = Redactor(["hunter22-and-more-to-come", key_file()])

    assert redactor.cut_text("x hunter22-and") == "x "
    assert redactor.cut_text("x h") == "x "
    assert redactor.cut_text("x " + "0" * 20) == "x "
    assert redactor.cut_text("x y") == "x y"


@given(
    st.lists(st.text("ab/", min_size=4, max_size=20), min_size=1, max_size=6),
    st.lists(st.text("ab/ ", max_size=30), max_size=6),
    st.randoms(use_true_random=False),
)
def test_no_secret_is_left_whatever_the_text_around_it(secrets, others, random):
    pieces = [*secrets, *others]
    random.shuffle(pieces)

    clean = Redactor(secrets).text("|".join(pieces))

    assert not any(secret in clean.replace("[secret]", "\0") for secret in secrets)
