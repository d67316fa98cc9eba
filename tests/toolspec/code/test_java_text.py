import re

import pytest

from toolspec.code.java_text import (
    MAX_CONSTANT_BYTES,
    comment_text,
    doc_comment,
    literal,
    markdown_block,
    markdown_code,
    text_block,
    xml_text,
)


@pytest.mark.parametrize(
    ("text", "java"),
    [
        ("plain", '"plain"'),
        ('a "quote"', r'"a \"quote\""'),
        ("\\", r'"\\"'),
        ("\\u0022;", r'"\\u0022;"'),
        ("line\nbreak\r\t", r'"line\nbreak\r\t"'),
        ("\0\x1a", r'"\000\032"'),
        ("é 城 😀", '"é 城 😀"'),
        ("\u202e", r'"\u202e"'),
        ("\u2028", r'"\u2028"'),
        ("\U000e0041", r'"\udb40\udc41"'),
    ],
)
def test_a_literal_escapes_what_ends_it_and_what_does_not_show(text, java):
    assert literal(text) == java


def test_a_text_above_the_limit_of_a_constant_is_divided():
    text = "é" * MAX_CONSTANT_BYTES

    java = literal(text)

    assert java.startswith('String.join("", "é')
    assert all(len(part.encode()) <= MAX_CONSTANT_BYTES for part in re.findall('"([^"]*)"', java))
    assert java.count("é") == MAX_CONSTANT_BYTES


def test_a_long_text_is_a_text_block():
    java = text_block("a sentence, " * 10, "    ")

    assert java.startswith('"""\n    a sentence, ')
    assert java.endswith('a sentence,\\s"""')
    assert "\\\n    " in java


@pytest.mark.parametrize(
    "text", ['"' * 200, "\\" * 200, " " * 200, '\\"' * 100, "\n" * 100 + '"', "x" * 100 + '"""']
)
def test_a_text_block_ends_only_at_its_end(text):
    java = text_block(text, "  ")

    inner = java.removeprefix('"""\n').removesuffix('"""')
    assert '"""' not in re.sub(r"\\.", "x", inner, flags=re.DOTALL)
    assert not re.search(r'(?<!\\)(?:\\\\)*"$', inner)


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        ("a */ b", "a *&#47; b"),
        ("\\u002a/ b", "&#92;u002a/ b"),
        ("<script> & {@link X}", "&lt;script&gt; &amp; {&#64;link X}"),
        ("two\n\nlines\u2028\u202e", "two lines"),
    ],
)
def test_nothing_of_a_text_ends_a_comment_or_has_a_meaning_in_it(text, comment):
    assert comment_text(text) == comment


def test_a_comment_is_shortened_and_wrapped():
    assert len(comment_text("word " * 10_000)) == 400
    lines = doc_comment(["word " * 40, "more"], [("@param x", "its meaning")], "  ")

    assert lines[0] == "  /**"
    assert lines[-5:] == ["   *", "   * <p>more", "   *", "   * @param x its meaning", "   */"]
    assert max(map(len, lines)) <= 100


def test_a_pom_has_no_markup_and_no_expressions_of_a_text():
    assert xml_text("<a> & ${env.PATH}\x00\ufffe") == "&lt;a&gt; &amp; $ {env.PATH}"


@pytest.mark.parametrize(
    ("text", "code"),
    [("a", "`a`"), ("a `b` c", "`` a `b` c ``"), ("`", "`` ` ``"), ("a\nb", "`a b`")],
)
def test_markdown_code_cannot_be_ended_by_its_text(text, code):
    assert markdown_code(text) == code


def test_a_markdown_block_cannot_be_ended_by_its_text():
    assert markdown_block("a\n````\n# b") == "`````text\na\n````\n# b\n`````"
