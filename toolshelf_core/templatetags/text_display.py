"""Display untrusted text, times, counts and sizes on a page."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from django import template
from django.utils import timezone
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString

from toolshelf_core.rendering.join import escape_content
from toolshelf_core.rendering.markdown import as_html, as_line, as_text_with_code

register = template.Library()


@register.simple_tag
def markdown(text: str | None, *, breaks: bool = True) -> SafeString:
    """`text`, which may be Markdown, as sanitised HTML in a `.prose`; nothing if there is no text.

    `breaks`: preserve line breaks; otherwise the lines of a paragraph are joined.
    """
    if not text or not text.strip():
        return SafeString("")
    return format_html('<div class="prose">{}</div>', as_html(text, breaks=breaks))


@register.simple_tag
def markdown_line(text: str | None) -> str:
    """The first paragraph of `text` on one line, without Markdown syntax."""
    return as_line(text)


@register.filter
def sentence_with_code(text: str) -> SafeString:
    """A short `text` on one line without Markdown syntax, with its code spans as `<code>`."""
    return as_text_with_code(text)


register.filter("content", escape_content)


@register.filter
def breakable(name: str) -> SafeString:
    """A name that may break after `_`, `.`, `/` and `:`, and before a capital inside a word."""
    return SafeString("<wbr>".join(map(escape, _BREAKS.split(name))))


_BREAKS: Final = re.compile(r"(?<=[_./:])(?=.)|(?<=[a-z0-9])(?=[A-Z])")


@register.filter
def relative_time(at: datetime | None) -> SafeString:
    """A moment as "2 hours ago", with its date and time in UTC on hover; a script updates it."""
    if at is None:
        return SafeString("")
    exact = at.astimezone(UTC)
    return format_html(
        '<time class="relative" datetime="{}" title="{} UTC">{}</time>',
        exact.isoformat(timespec="seconds"),
        f"{exact:%Y-%m-%d %H:%M}",
        _describe_age(timezone.now() - at),
    )


_SECONDS: Final = (
    ("year", 31_536_000),
    ("month", 2_592_000),
    ("day", 86_400),
    ("hour", 3_600),
    ("minute", 60),
)


def _describe_age(age: timedelta) -> str:
    """The age in words.

    A future time is rounded up if a tenth of the unit is missing: 89.9 days are 3 months.
    """
    seconds = age.total_seconds()
    is_future = seconds < 0
    for unit, size in _SECONDS:
        number = int(abs(seconds) / size + 0.1 * is_future)
        if number:
            words = count(number, unit)
            return f"in {words}" if is_future else f"{words} ago"
    return "just now"


@register.filter
def count(number: int, noun: str) -> str:
    """`1394|count:"tool"` is "1,394 tools"; an irregular plural is written `"entry,entries"`."""
    singular, _, plural = noun.partition(",")
    if number != 1:
        return f"{number:,} {plural or singular + 's'}"
    return f"{number:,} {singular}"


@register.filter("grouped")
def group_thousands(number: int) -> str:
    """A number with its thousands grouped: "1,394"."""
    return f"{number:,}"


@register.filter
def duration(milliseconds: float | None) -> str:
    """Milliseconds as "< 0.1 ms", "0.4 ms", "12 ms", "1.4 s" or "2 min 5 s"; "—" for None."""
    if milliseconds is None:
        return "—"
    if milliseconds < 0.05:
        return "< 0.1 ms" if milliseconds else "0 ms"
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
    """A size as "312 B", "256 KiB" or "3.4 MiB"; "—" for None."""
    if size is None:
        return "—"
    if size < 1024:
        return f"{size} B"
    if size < 1024 * 1024:
        return f"{size / 1024:.1f} KiB".replace(".0 ", " ")
    return f"{size / (1024 * 1024):.1f} MiB".replace(".0 ", " ")
