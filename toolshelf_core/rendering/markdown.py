"""Markdown as HTML or as plain text: descriptions, and the site's own documents.

A line of plain text is the text that a reader of the HTML would see: `**` and backticks of Markdown
are left out, those inside a code span (`kWh/m**2`) are not. CommonMark with tables and
strike-through; no HTML, no images.

CPU time per description with markup, of 2,200 real tools, 29 % of which have any: mean 0.16 ms,
95th percentile 0.6 ms.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import nh3
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

from toolshelf_core.rendering.join import tag_pieces

MAX_MARKDOWN_CHARACTERS: Final = 20_000  # longer text is shown as plain text
# For a line: a list shows many, and a hostile text takes 17 ms.
MAX_PARSED_CHARACTERS: Final = 5_000
MAX_LINE_CHARACTERS: Final = 400

# A description without any of these is plain text, as most are.
_MARKUP: Final = re.compile(
    r"[`*_\[\]<>#|~\\&]|^\s*(?:[-+]|\d+[.)])\s|^\s*(?:-{2,}|={2,})\s*$|https?:", re.MULTILINE
)
_TEXT_TAGS: Final = {"a", "blockquote", "br", "code", "em", "hr", "p", "pre", "s", "strong"}
_LIST_TAGS: Final = {"li", "ol", "ul"}
_TABLE_TAGS: Final = {"table", "tbody", "td", "th", "thead", "tr"}
_ALIGNMENTS: Final = {"text-align:right": "align-right", "text-align:center": "align-center"}
_SCHEMES: Final = {"http", "https", "mailto"}


def _make_parser(*, breaks: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": breaks})
    parser.enable(["table", "strikethrough"])
    parser.disable(["image", "code", "html_block", "html_inline"])
    parser.validateLink = _is_absolute  # type: ignore[method-assign]
    parser.core.ruler.push("headings_are_paragraphs", _replace_headings)
    parser.core.ruler.push("alignment_by_class", _replace_alignment)
    return parser


def _is_absolute(url: str) -> bool:
    """Whether a link is absolute: links in untrusted text must not point to pages of this site."""
    scheme, colon, _ = url.partition(":")
    return bool(colon) and scheme.lower() in _SCHEMES


def _replace_alignment(state: object) -> None:
    """Give aligned cells a class: the policy of the pages refuses the parser's `style`."""
    tokens: list[Token] = state.tokens  # type: ignore[attr-defined]
    for token in tokens:
        if token.type in {"th_open", "td_open"} and (style := token.attrs.pop("style", "")):
            token.attrs["class"] = _ALIGNMENTS.get(str(style), "")


def _replace_headings(state: object) -> None:
    """Turn headings of a description into bold lines: the page's own headings stay in order."""
    tokens: list[Token] = state.tokens  # type: ignore[attr-defined]
    for position, token in enumerate(tokens):
        if token.type == "heading_open":
            token.tag = tokens[position + 2].tag = "p"
            inline = tokens[position + 1]
            inline.children = [
                Token("strong_open", "strong", 1),
                *(inline.children or []),
                Token("strong_close", "strong", -1),
            ]


_PARSER: Final = _make_parser(breaks=True)
_JOINING_PARSER: Final = _make_parser(breaks=False)


@lru_cache(maxsize=1024)
def as_html(text: str, *, breaks: bool = True) -> SafeString:
    """`text` as sanitised HTML; plain text if it is longer than `MAX_MARKDOWN_CHARACTERS`.

    With `breaks`, line breaks are preserved, as descriptions of tools need it: many are docstrings
    with one argument per line. Otherwise the lines of a paragraph are joined, as CommonMark says.
    """
    if "\n" not in text and not _MARKUP.search(text):
        return format_html("<p>{}</p>", text)
    if len(text) > MAX_MARKDOWN_CHARACTERS:
        return format_html('<p class="plain">{}</p>', text)
    parser = _PARSER if breaks else _JOINING_PARSER
    html = nh3.clean(
        parser.render(text),
        tags=_TEXT_TAGS | _LIST_TAGS | _TABLE_TAGS,
        attributes={"a": {"href", "title"}, "th": {"class"}, "td": {"class"}},
        url_schemes=_SCHEMES,
        link_rel="nofollow noopener noreferrer",
    )
    return mark_safe(html)  # noqa: S308 - nh3 leaves only the tags above


@lru_cache(maxsize=4096)
def as_text(text: str) -> str:
    """`text` on one line without Markdown syntax.

    The syntax is left out in the first `MAX_PARSED_CHARACTERS` only.
    """
    start, rest = text[:MAX_PARSED_CHARACTERS], text[MAX_PARSED_CHARACTERS:]
    if _MARKUP.search(start):
        end = " " if start[-1:].isspace() else ""
        start = _read_text(_PARSER.parse(start)).rstrip() + end
    return " ".join(f"{start}{rest}".split())


@lru_cache(maxsize=4096)
def as_text_with_code(text: str) -> SafeString:
    """A short `text` on one line as `as_text` has it, in HTML with its code spans as `<code>`."""
    pieces = _list_pieces(_PARSER.parse(text)) if _MARKUP.search(text) else [(text, False)]
    return tag_pieces(pieces, SafeString("<code>"), SafeString("</code>"))


def as_line(text: str | None) -> str:
    """The first paragraph of `text` as `as_text` has it, of at most `MAX_LINE_CHARACTERS`."""
    paragraph = re.split(r"\n\s*\n", (text or "").strip(), maxsplit=1)[0][: 4 * MAX_LINE_CHARACTERS]
    line = as_text(paragraph)
    if len(line) > MAX_LINE_CHARACTERS:
        line = line[: MAX_LINE_CHARACTERS - 1].rstrip() + "…"
    return line


def _read_text(tokens: Sequence[Token]) -> str:
    return "".join(text for text, _ in _list_pieces(tokens))


def _list_pieces(tokens: Sequence[Token]) -> Iterator[tuple[str, bool]]:
    """The pieces of the text, each with whether it is code."""
    for token in tokens:
        if token.children is not None:
            yield from _list_pieces(token.children)
        elif token.type in {"text", "text_special"}:
            yield token.content, False
        elif token.type in {"code_inline", "fence", "code_block"}:
            yield token.content, True
        elif token.type in {"softbreak", "hardbreak"}:
            yield " ", False
        if token.block:
            yield " ", False


# Documents of the site itself: trusted, with headings and links


@dataclass(frozen=True)
class Heading:
    """The heading of a section: its text, and the id that links to it."""

    text: str
    id: str


@dataclass(frozen=True)
class Document:
    """A document as HTML.

    Attributes:
        title: its heading of level 1, which `html` does not repeat; "" if it has none.
        summary: its first paragraph, on one line.
        headings: those of level 2.
    """

    title: str
    summary: str
    headings: tuple[Heading, ...]
    html: str


def read_document(
    text: str,
    *,
    link: Callable[[str], str | None],
    code: Callable[[int, str, str], str] | None = None,
    image: Callable[[str], Mapping[str, str] | None] = lambda _target: None,
) -> Document:
    """A trusted Markdown document: CommonMark with tables; its HTML is shown as text.

    Args:
        text: the document.
        link: the address for the target of a link; None makes it plain text.
        code: the HTML of a code block, from its number in the document, its info string and its
            text.
        image: the attributes of an image, such as `src`, for its target; None leaves the image out.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    title, summary, headings, tokens = "", "", list[Heading](), list[Token]()
    all_tokens, ids = parser.parse(text), Counter[str]()
    for position, token in enumerate(all_tokens):
        if token.type == "inline":
            children = _resolve_links(token.children or [], link)
            token.children = [child for child in children if _is_shown(child, image)]
        following = " ".join(_read_text(all_tokens[position + 1 : position + 2]).split())
        if token.type == "heading_open":
            slug = slugify(following)
            token.attrs["id"] = f"{slug}-{ids[slug]}" if ids[slug] else slug
            ids[slug] += 1
            if token.tag == "h2":
                headings.append(Heading(following, str(token.attrs["id"])))
            elif token.tag == "h1":
                title = title or following
        elif token.type == "paragraph_open":
            summary = summary or following
        elif token.type == "table_open":
            token.attrs["tabindex"] = "0"  # it scrolls where it is wider than the page
        elif token.type == "fence" and code:
            content = code(position, token.info, token.content)
            token = Token("html_block", "", 0, content=content, block=True)  # noqa: PLW2901
        tokens.append(token)
    if title:
        start = next(position for position, token in enumerate(tokens) if token.tag == "h1")
        del tokens[start : start + 3]
    html = parser.renderer.render(tokens, parser.options, {})
    return Document(title, summary, tuple(headings), html)


def _is_shown(token: Token, image: Callable[[str], Mapping[str, str] | None]) -> bool:
    """Whether a token is shown. An image gets its attributes here."""
    if token.type != "image":
        return True
    attributes = image(str(token.attrs.get("src", "")))
    token.attrs |= attributes or {}
    return attributes is not None


def _resolve_links(tokens: list[Token], link: Callable[[str], str | None]) -> Iterator[Token]:
    """`tokens` of one paragraph, with the addresses of links.

    Links without one are left out, but not their text.
    """
    is_open = False
    for token in tokens:
        if token.type == "link_open":
            address = link(str(token.attrs.get("href", "")))
            is_open = address is not None
            if address is None:
                continue
            token.attrs["href"] = address
            if ":" in address:
                token.attrs["rel"] = "noopener noreferrer"
        elif token.type == "link_close" and not is_open:
            continue
        yield token
