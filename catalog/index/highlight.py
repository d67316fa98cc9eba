"""Mark the searched words in a text, and cut an excerpt that shows them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from catalog.index.tokenizer import runs_with_offsets, spans_of_run

MAX_TEXT_CHARS: Final = 20_000  # the rest of a text is ignored


@dataclass(frozen=True, slots=True)
class Mark:
    """A matching span of a text: `text[start:end]`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SearchedWords:
    """The words to mark: with one of these tokens, or with one of these beginnings."""

    tokens: frozenset[str] = frozenset()
    beginnings: tuple[str, ...] = ()

    def __or__(self, other: SearchedWords) -> SearchedWords:
        return SearchedWords(self.tokens | other.tokens, self.beginnings + other.beginnings)

    def find_marks(self, text: str) -> Iterator[Mark]:
        """The matching words of `text`, in order; a run of letters comes before the words in it."""
        if not self.tokens and not self.beginnings:
            return
        for at, run in runs_with_offsets(text):
            for span in spans_of_run(run):
                if span.token in self.tokens or span.folded.startswith(self.beginnings):
                    yield Mark(at + span.start, at + span.end)

    def is_in(self, text: str) -> bool:
        return any(True for _ in self.find_marks(text))


def mark_words(text: str, words: SearchedWords) -> tuple[Mark, ...]:
    """The spans of `text` to mark, in order; adjacent ones are joined."""
    marks: list[Mark] = []
    for mark in words.find_marks(text):
        last = marks[-1] if marks else None
        if last and mark.start <= last.end:  # in the last one, or directly after it
            marks[-1] = Mark(last.start, max(last.end, mark.end))
        else:
            marks.append(mark)
    return tuple(marks)


def cut_excerpt(text: str, words: SearchedWords, length: int) -> str:
    """One line of at most `length` characters: the beginning of `text`, or its first match."""
    line = " ".join(text[:MAX_TEXT_CHARS].split())
    if len(line) <= length:
        return line
    hit = next(words.find_marks(line), None)
    if hit is None or hit.end <= length - 1:
        return line[: length - 1].rstrip() + "…"
    start = max(line.rfind(" ", 0, hit.start - length // 3) + 1, hit.start - length // 2)
    end = start + length - 2
    excerpt = "…" + line[start:end].rstrip()
    if end < len(line):
        excerpt += "…"
    return excerpt
