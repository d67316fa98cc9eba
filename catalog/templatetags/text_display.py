"""Display untrusted text, times, counts and sizes on a page."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from html import escape
from typing import Final

import nh3
from django import template
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

register = template.Library()

MAX_MARKDOWN_CHARACTERS: Final = 20_000  # longer text is shown as plain text
MAX_LINE_CHARACTERS: Final = 400

# A description without any of these is plain text, as most are.
_MARKUP: Final = re.compile(r"[\n`*_\[\]<>#|~\\&]|^\s*(?:[-+]|\d+[.)])\s|https?:")
_TAGS: Final = set(
    "a blockquote br code em hr li ol p pre s strong table tbody td th thead tr ul".split()  # noqa: SIM905 - reads well
)
_SCHEMES: Final = {"http", "https", "mailto"}


def _markdown() -> MarkdownIt:
    """CommonMark with tables and strike-through; no HTML, no images; line breaks are preserved, as in docstrings."""
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    parser.disable(["image", "code", "html_block", "html_inline"])
    parser.validateLink = _is_absolute  # type: ignore[method-assign]
    parser.core.ruler.push("headings_are_paragraphs", _headings_as_paragraphs)
    return parser


def _is_absolute(url: str) -> bool:
    """Whether a link is absolute: links in untrusted text must not point to pages of this site."""
    scheme, colon, _ = url.partition(":")
    return bool(colon) and scheme.lower() in _SCHEMES


def _headings_as_paragraphs(state: object) -> None:
    """Turn headings of a description into bold lines, so that the page's own headings stay in order."""
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


_PARSER: Final = _markdown()


@register.simple_tag
def markdown(text: str | None) -> SafeString:
    """`text`, which may be Markdown, as sanitised HTML in a `.prose`; nothing if there is no text."""
    if not text or not text.strip():
        return SafeString("")
    return mark_safe(f'<div class="prose">{_prose(text)}</div>')  # noqa: S308 - _prose escapes or sanitises


@lru_cache(maxsize=1024)
def _prose(text: str) -> str:
    if not _MARKUP.search(text):
        return f"<p>{escape(text)}</p>"
    if len(text) > MAX_MARKDOWN_CHARACTERS:
        return f'<p class="plain">{escape(text)}</p>'
    return nh3.clean(
        _PARSER.render(text),
        tags=_TAGS,
        attributes={"a": {"href", "title"}},
        url_schemes=_SCHEMES,
        link_rel="nofollow noopener noreferrer",
    )


@register.simple_tag
def markdown_line(text: str | None) -> str:
    """The first paragraph of `text` on one line, without Markdown syntax."""
    paragraph = re.split(r"\n\s*\n", (text or "").strip(), maxsplit=1)[0][: 4 * MAX_LINE_CHARACTERS]
    paragraph = re.sub(r"!?\[([^\]\n]*)\]\([^)\s]*\)", r"\1", paragraph)
    paragraph = re.sub(r"^\s*(?:#{1,6}|>|[-*+])\s+", "", paragraph, flags=re.MULTILINE)
    paragraph = " ".join(re.sub(r"(\*\*|__|`+)", "", paragraph).split())
    return paragraph if len(paragraph) <= MAX_LINE_CHARACTERS else paragraph[: MAX_LINE_CHARACTERS - 1].rstrip() + "…"


@register.filter
def relative_time(at: datetime | None) -> SafeString:
    """A moment as "2 hours ago", with its date and time in UTC on hover; a script updates it."""
    if at is None:
        return SafeString("")
    exact = at.astimezone(UTC)
    return mark_safe(  # noqa: S308 - made of a datetime alone
        f'<time class="relative" datetime="{exact.isoformat(timespec="seconds")}" title="{exact:%Y-%m-%d %H:%M} UTC">'
        f"{_ago(timezone.now() - at)}</time>"
    )


_SECONDS: Final = (("year", 31_536_000), ("month", 2_592_000), ("day", 86_400), ("hour", 3_600), ("minute", 60))


def _ago(age: object) -> str:
    seconds = age.total_seconds()  # type: ignore[attr-defined]
    for unit, size in _SECONDS:
        number = int(abs(seconds) // size)
        if number:
            words = f"{number} {unit}{'s' * (number != 1)}"
            return f"{words} ago" if seconds > 0 else f"in {words}"
    return "just now"


@register.filter
def count(number: int, noun: str) -> str:
    """`1394|count:"tool"` is "1,394 tools"; an irregular plural is written `"entry,entries"`."""
    singular, _, plural = noun.partition(",")
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


@register.filter
def duration(milliseconds: float | None) -> str:
    """Milliseconds as "0.4 ms", "12 ms", "1.4 s" or "2 min 5 s"; "—" where there are none."""
    if milliseconds is None:
        return "—"
    if milliseconds < 10:
        return f"{milliseconds:.1f} ms"
    if milliseconds < 1_000:
        return f"{milliseconds:.0f} ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1_000:.1f} s"
    minutes, seconds = divmod(round(milliseconds / 1_000), 60)
    return f"{minutes} min {seconds} s"


@register.filter
def bytes_text(size: int | None) -> str:
    """A size as "312 B", "1.2 KiB" or "3.4 MiB"; "—" where there is none."""
    if size is None:
        return "—"
    if size < 1024:
        return f"{size} B"
    if size < 1024 * 1024:
        return f"{size / 1024:.1f} KiB"
    return f"{size / (1024 * 1024):.1f} MiB"
