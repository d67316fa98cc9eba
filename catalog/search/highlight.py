"""Mark the searched words in a text, and cut an excerpt that shows them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from catalog.search.tokenizer import (
    fold,
    has_accents,
    parts_of_run,
    prefix_of,
    run_around,
    runs_with_offsets,
    token_of,
    tokens_of_run,
)

MAX_TEXT_CHARS: Final = 20_000  # the rest of a text is ignored


@dataclass(frozen=True, slots=True)
class Mark:
    """A matching span of a text: `text[start:end]`."""

    start: int
    end: int


class Text:
    """A text to search for words.

    Most texts do not match: a substring search finds that out without splitting the text into words.
    """

    __slots__ = ("lower", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.lower = None if has_accents(text) else text.lower()

    def runs_near(self, part: str) -> Iterator[tuple[int, str]]:
        """The runs of letters that contain `part`, as (offset, run); all runs if the text has accents."""
        if self.lower is None:
            yield from runs_with_offsets(self.text)
            return
        end = 0
        while (at := self.lower.find(part, end)) >= 0:
            start, run = run_around(self.text, at, end)
            yield start, run
            end = start + len(run)

    def runs_with(self, token: str) -> Iterator[tuple[int, str]]:
        """The runs of letters that contain a word with this token, as (offset, run)."""
        prefix = prefix_of(token)
        if self.lower is None or prefix in self.lower:
            yield from (
                found for found in self.runs_near(prefix) if token in tokens_of_run(found[1])
            )

    def has(self, token: str) -> bool:
        """Whether one of its words has this token."""
        return any(True for _ in self.runs_with(token))


@dataclass(frozen=True, slots=True)
class SearchedWords:
    """The words to mark: with one of these tokens, or with one of these beginnings."""

    tokens: frozenset[str] = frozenset()
    beginnings: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tokens or self.beginnings)

    def __or__(self, other: SearchedWords) -> SearchedWords:
        return SearchedWords(self.tokens | other.tokens, self.beginnings + other.beginnings)

    def runs_in(self, text: Text) -> Iterator[tuple[int, str]]:
        """The runs of letters that contain one of the words, as (offset, run); unordered, with duplicates."""
        for token in self.tokens:
            yield from text.runs_with(token)
        for typed in self.beginnings:
            yield from (found for found in text.runs_near(typed) if _begins(found[1], typed))

    def is_in(self, text: Text) -> bool:
        return any(True for _ in self.runs_in(text))

    def is_word(self, word: str) -> bool:
        """Whether a run of letters, or a part of one, is to be marked as a whole."""
        return token_of(word) in self.tokens or (
            bool(self.beginnings) and fold(word).startswith(self.beginnings)
        )


def _begins(run: str, typed: str) -> bool:
    """Whether a run, or a word in it, begins with `typed`."""
    return fold(run).startswith(typed) or any(
        fold(part).startswith(typed) for part in parts_of_run(run)
    )


def marks(text: Text, words: SearchedWords) -> tuple[Mark, ...]:
    """The spans of `text` to mark, in order; adjacent ones are joined."""
    found: list[Mark] = []
    for start, end in _spans(text, words):
        if found and found[-1].end == start:
            found[-1] = Mark(found[-1].start, end)
        else:
            found.append(Mark(start, end))
    return tuple(found)


def _spans(text: Text, words: SearchedWords) -> Iterator[tuple[int, int]]:
    for start, run in sorted(set(words.runs_in(text))):
        if words.is_word(run):
            yield start, start + len(run)
        elif len(tokens_of_run(run)) != 1:
            at = start
            for part in parts_of_run(run):
                if words.is_word(part):
                    yield at, at + len(part)
                at += len(part)


def excerpt(text: str, words: SearchedWords, length: int) -> str:
    """One line of at most `length` characters of `text`: its beginning, or the text around the first match."""
    line = " ".join(text[:MAX_TEXT_CHARS].split())
    if len(line) <= length:
        return line
    hit = next(_spans(Text(line), words), None) if words else None
    if hit is None or hit[1] <= length - 1:
        return line[: length - 1].rstrip() + "…"
    start = max(line.rfind(" ", 0, hit[0] - length // 3) + 1, hit[0] - length // 2)
    end = start + length - 2
    return "…" + line[start:end].rstrip() + ("…" if end < len(line) else "")
