"""HTML joined from trusted markup and untrusted text."""

from django.utils.safestring import SafeString

from toolshelf_core.rendering.join import join_html, tag_pieces

BOLD = SafeString("<b>"), SafeString("</b>")


def test_text_is_escaped_and_markup_is_not():
    joined = join_html([BOLD[0], "<i>\"'&amp;", BOLD[1]])

    assert joined == "<b>&lt;i&gt;&quot;&#x27;&amp;amp;</b>"
    assert join_html([joined]) == joined


def test_markup_that_was_joined_with_plain_text_is_escaped():
    assert join_html([BOLD[0] + "<i>"]) == "&lt;b&gt;&lt;i&gt;"


def test_pieces_are_tagged_and_escaped():
    assert tag_pieces([("<", False), (">", True), ("", False)], *BOLD) == "&lt;<b>&gt;</b>"
