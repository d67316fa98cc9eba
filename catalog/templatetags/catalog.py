"""Messages, search results and problems of uploads on a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from catalog.index.explain import Marked
from catalog.index.filters import FILTERS
from catalog.tools.models import Revision
from catalog.tools.origins import origin_text
from catalog.uploads.entries import Fault
from toolshelf_core.rendering.join import tag_pieces, with_code
from toolshelf_core.rendering.json_highlighting import Note
from toolspec.conversion_report import Loss, is_within
from toolspec.errors import Problem
from toolspec.exports import LocatedLoss
from toolspec.exports.conversion import PARAMETERS
from toolspec.quick_fixes import QuickFix, quick_fix
from toolspec.text.pointers import pointer_join, split_pointer

register = template.Library()
register.filter(with_code)

SHOWN_PER_RULE: Final = 3  # problems of one spec of an upload

_MARK: Final = (SafeString("<mark>"), SafeString("</mark>"))

_BREAK: Final = SafeString("<br>")


@register.simple_tag
def marked(text: Marked) -> SafeString:
    """A text with the words that were searched in `<mark>`."""
    return tag_pieces(text.pieces, *_MARK)


@register.simple_tag
def search_filters() -> str:
    """The names of the filters that a query takes, for the script that suggests them."""
    return " ".join(FILTERS)


@register.filter
def by_reason(losses: Iterable[Loss]) -> list[tuple[Loss, list[Loss]]]:
    """The losses of each reason with the first of them, in their order."""
    groups: dict[tuple[str, str], list[Loss]] = {}
    for loss in losses:
        groups.setdefault((loss.what, loss.reason), []).append(loss)
    return [(group[0], group) for group in groups.values()]


@register.filter
def short_pointer(loss: Loss) -> str:
    """The names of the parameter and of those around it, such as "/until".

    The reason names the keyword.
    """
    if not is_within(loss.pointer, PARAMETERS):
        return loss.pointer.removeprefix("/definition")
    tokens = split_pointer(loss.pointer.removeprefix(PARAMETERS))
    names = []
    while tokens:
        token = tokens.pop(0)
        if token == "properties" and tokens:  # noqa: S105 - a keyword
            names.append(tokens.pop(0))
        elif tokens:
            names.append(token)
    return pointer_join("", *names) or "/"


@register.filter
def as_notes(losses: Iterable[LocatedLoss]) -> list[Note]:
    """The changes of an export, as annotations of its lines.

    A line has one for rewritten and one for dropped parts.
    """
    groups: dict[tuple[int, str], list[LocatedLoss]] = {}
    for loss in losses:
        groups.setdefault((loss.line, loss.what), []).append(loss)
    notes = []
    for (line, what), group in groups.items():
        if what == "rewritten":
            sentences = list(map(with_code, _join_reasons(loss.reason for loss in group)))
        else:
            sentences = list(map(_describe_loss, group))
        text = format_html_join(_BREAK, "{}", zip(sentences, strict=True))
        notes.append(Note(text, kind=what, line=line))
    return notes


def _join_reasons(reasons: Iterable[str]) -> Iterator[str]:
    """The reasons; those that differ only in one code span become one.

    For example "… does not support `a`, `b` and `c` here".
    """
    spans: dict[tuple[str, str], list[str]] = {}
    for reason in reasons:
        before, _, rest = reason.partition("`")
        span, _, after = rest.partition("`")
        if before and span:
            spans.setdefault((before, after), []).append(f"`{span}`")
        else:
            # Without words before it, the code span is the subject of the sentence, whose verb
            # would need a plural.
            spans[reason, ""] = [""]
    for (before, after), words in spans.items():
        *others, last = words
        if others:
            last = f"{', '.join(others)} and {last}"
        yield f"{before}{last}{after}"


def _describe_loss(loss: LocatedLoss) -> SafeString:
    if not loss.missing:
        return format_html("<b>Dropped:</b> {}", with_code(loss.reason))
    return format_html(
        "<b>Dropped here:</b> <code>{}</code>. {}", loss.missing, with_code(loss.reason)
    )


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    """The problems of one rule: the first, and the rest, which a page folds."""

    rule: str
    first: Sequence[Fault | Problem]
    rest: Sequence[Fault | Problem]


@register.filter
def by_rule(problems: Iterable[Fault | Problem]) -> list[ProblemGroup]:
    """Problems of an upload grouped by rule, in the order of the first of each."""
    groups: dict[str, list[Fault | Problem]] = {}
    for problem in problems:
        rule = problem.problem.rule if isinstance(problem, Fault) else problem.rule
        groups.setdefault(rule, []).append(problem)
    return [
        ProblemGroup(rule, group[:SHOWN_PER_RULE], group[SHOWN_PER_RULE:])
        for rule, group in groups.items()
    ]


@register.filter
def origin_of(revision: Revision) -> str:
    """The origin of a revision; a dash if it is not known."""
    if not revision.origin_kind:
        return "—"
    return origin_text(revision.origin_kind, revision.origin_name or "")


@register.simple_tag
def quick_fix_of(problem: Problem, text: str) -> QuickFix | None:
    """The edit of the pasted `text` that fixes `problem`, if there is one."""
    return quick_fix(text, problem) if text else None


@register.simple_tag
def offending_line(fault: Fault) -> SafeString:
    """The part of a line with a problem, and a caret below it.

    Narrow pages mark the character instead.
    """
    number = str(fault.problem.line)
    return format_html(
        '<pre class="excerpt" tabindex="0"><code>'
        '<span class="excerpt-number">{}</span>{}<mark class="excerpt-at">{}</mark>{}'
        '<span class="excerpt-caret">\n'
        '<span class="excerpt-number">{}</span><span class="caret">{}^</span></span></code></pre>',
        number,
        fault.excerpt[: fault.caret],
        fault.excerpt[fault.caret : fault.caret + 1],
        fault.excerpt[fault.caret + 1 :],
        " " * len(number),
        " " * fault.caret,
    )


@register.simple_tag
def bounded(number: int, counted: bool, noun: str = "") -> str:
    """A count with a limit: "1,394 tools", or "10,000+ tools" if not all were counted."""
    text = f"{number:,}" if counted else f"{number:,}+"
    if not noun:
        return text
    return f"{text} {noun}" if number == 1 else f"{text} {noun}s"
