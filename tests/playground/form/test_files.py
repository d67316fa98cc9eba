"""Files in forms: chosen files become text, and existing text stays."""

import pytest

from playground.form.files import encode_file, measure_bytes
from tests.playground.form.use import FormInUse

LOGO = {
    "type": "object",
    "properties": {
        "logo": {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"}
    },
}


def test_the_text_stays_if_no_file_is_chosen():
    form = FormInUse(LOGO, {"logo": "iVBORw=="})

    assert form.node("/.logo").size == 4
    assert form.send().value == {"logo": "iVBORw=="}


def test_a_file_replaces_the_text():
    form = FormInUse(LOGO, {"logo": "iVBORw=="})

    assert form.choose_file("/.logo", "a.png", b"\x00\xff").send().value == {"logo": "AP8="}


def test_the_text_may_be_written_and_need_not_be_base64():
    form = FormInUse(LOGO, {})

    assert form.type("t", "/.logo", "not base64!").send().value == {"logo": "not base64!"}
    assert form.node("/.logo").size is None


def test_the_chooser_knows_the_media_type():
    assert FormInUse(LOGO, {}).page.by_id("parameters:/.logo").attributes["accept"] == "image/png"


def test_a_binary_file_is_refused_for_a_text():
    form = FormInUse({"type": "object", "properties": {"a": {"type": "string"}}}, {"a": "x"})

    form.choose_file("/.a", "b.bin", b"\xff").send()

    assert form.value == {"a": "x"}
    assert form.node("/.a").head.errors == ("The file b.bin is not UTF-8 text; choose a text file",)


@pytest.mark.parametrize(
    "encoding", ["base64", "base64url", "base32", "base16", "quoted-printable", "BASE64"]
)
def test_bytes_are_written_in_the_encoding_that_is_named(encoding):
    assert measure_bytes(encode_file(b"\x00\xff\nab", encoding), encoding) == 5
