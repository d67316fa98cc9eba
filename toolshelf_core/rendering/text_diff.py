"""Compare two texts by lines, and changed lines by words.

Specs are often on a single line; both are then pretty-printed first, so that
a comparison by lines is useful.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, zip_longest
from typing import Final, Literal

from toolspec.text.pretty import is_one_line, pretty_print

CONTEXT_LINES: Final = 3
MAX_EDITS: Final = 600  # lines added and removed; beyond it, all lines between first and last difference are changed
LEAST_FOLDED: Final = 4  # fewer unchanged lines are not folded
MOST_FOLDED: Final = 1_000  # unchanged lines in a fold; of more, only the number is shown
MAX_ROWS: Final = 4_000  # that are shown outside folds
MAX_SHOWN: Final = 200_000  # characters of these rows
MAX_LINE: Final = 10_000  # characters of a line that are shown
MAX_ALIGNED: Final = 2_500  # pairs of a removed and an added line that are compared, to match them
MAX_WORDS: Final = 400  # in longer lines, changed words are not marked
MAX_WORD_EDITS: Final = 80
LEAST_ALIKE: Final = (
    0.4  # with at least this share of common words, two lines count as one changed line
)

_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")

Mark = Literal["same", "add", "del"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line: its number in the old and in the new text (None if it is not in that text), and its mark.

    `words` are the changed spans within it, as (start, end); () if all of it changed, or nothing.
    """

    old: int | None
    new: int | None
    mark: Mark
    text: str
    words: tuple[tuple[int, int], ...] = ()

    @property
    def pieces(self) -> Iterator[tuple[str, bool]]:
        """The text in pieces, each with whether it changed; of a long line, the beginning."""
        if len(self.text) > MAX_LINE:
            yield f"{self.text[:MAX_LINE]}…", False
            return
        at = 0
        for start, end in self.words:
            yield self.text[at:start], False
            yield self.text[start:end], True
            at = end
        yield self.text[at:], False


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive lines.

    Attributes:
        pairs: the old line and the new line, side by side; None if there is none.
        folded: whether there is no change here or nearby.
        lines: the number of lines; if they are too many to be shown, `pairs` is empty.
    """

    pairs: tuple[tuple[Row | None, Row | None], ...]
    folded: bool
    lines: int

    @property
    def rows(self) -> Iterator[Row]:
        """The lines in one column: in each run of changes the removed lines come first, then the added ones."""
        for changed, run in groupby(self.pairs, key=lambda pair: pair[0] is not pair[1]):
            pairs = list(run)
            yield from (old for old, _ in pairs if old)
            if changed:
                yield from (new for _, new in pairs if new)


@dataclass(frozen=True)
class Difference:
    """All lines of both texts in order. `laid_out`: the texts were pretty-printed first."""

    rows: tuple[Row, ...]
    laid_out: bool

    @cached_property
    def hunks(self) -> tuple[tuple[Row, ...], ...]:
        """The changes, with some unchanged lines around them."""
        return tuple(_hunks(self.rows))

    @cached_property
    def shown_hunks(self) -> tuple[tuple[Row, ...], ...]:
        """The first hunks, up to the limits."""
        hunks = []
        room = _Room(MAX_ROWS)
        for hunk in self.hunks:
            rows = room.take(hunk)
            if rows:
                hunks.append(tuple(rows))
        return tuple(hunks)

    @cached_property
    def left_out_of_hunks(self) -> int:
        """The number of lines that are in none of the shown hunks."""
        return sum(map(len, self.hunks)) - sum(map(len, self.shown_hunks))

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """All lines, folded if far from any change; up to the limit (see `left_out`)."""
        return tuple(_stretches(self.rows))

    @cached_property
    def left_out(self) -> int:
        """The number of lines that are in none of the stretches."""
        return len(self.rows) - sum(stretch.lines for stretch in self.stretches)

    @property
    def added(self) -> int:
        return self._count("add")

    @property
    def removed(self) -> int:
        return self._count("del")

    def _count(self, mark: Mark) -> int:
        return sum(row.mark == mark for row in self.rows)


def compare(old: str, new: str) -> Difference:
    """The difference between two texts of specs."""
    laid_out = is_one_line(old) or is_one_line(new)
    if laid_out:
        old, new = pretty_print(old), pretty_print(new)
    return compare_lines(old, new, laid_out=laid_out)


def compare_lines(old: str, new: str, *, laid_out: bool = False) -> Difference:
    """The difference between two texts, line by line."""
    return Difference(tuple(_rows(old.splitlines(), new.splitlines())), laid_out)


def dedented(rows: Sequence[Row]) -> list[Row]:
    """Some lines without the spaces that all of them begin with; lines with marked words are not for it."""
    indents = [len(row.text) - len(row.text.lstrip(" ")) for row in rows if row.text.strip()]
    indent = min(indents, default=0)
    return [replace(row, text=row.text[indent:]) for row in rows]


def unified(old: str, new: str, *, old_name: str, new_name: str) -> str:
    """The difference in the unified format; "" if there is none."""
    return as_unified(compare(old, new), old_name=old_name, new_name=new_name)


def as_unified(difference: Difference, *, old_name: str, new_name: str) -> str:
    """`difference` in the unified format; "" if there is none."""
    if not difference.hunks:
        return ""
    lines = [f"--- {old_name}", f"+++ {new_name}"]
    for hunk in difference.hunks:
        lines.append(f"@@ -{_range(hunk, 'old')} +{_range(hunk, 'new')} @@")
        lines += [{"same": " ", "add": "+", "del": "-"}[row.mark] + row.text for row in hunk]
    return "\n".join(lines) + "\n"


def _range(hunk: Sequence[Row], side: Literal["old", "new"]) -> str:
    numbers = [number for row in hunk if (number := getattr(row, side)) is not None]
    return f"{numbers[0]},{len(numbers)}" if numbers else "0,0"


def _rows(old: Sequence[str], new: Sequence[str]) -> Iterator[Row]:
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    old_end, new_end = len(old) - end, len(new) - end
    for index in range(start):
        yield Row(index + 1, index + 1, "same", old[index])
    for mark, old_from, old_to, new_from, new_to in _changes(
        old[start:old_end], new[start:new_end]
    ):
        if mark == "same":
            for offset in range(old_to - old_from):
                at = start + old_from + offset
                yield Row(at + 1, start + new_from + offset + 1, "same", old[at])
            continue
        for at in range(start + old_from, start + old_to):
            yield Row(at + 1, None, "del", old[at])
        for at in range(start + new_from, start + new_to):
            yield Row(None, at + 1, "add", new[at])
    for index in range(end):
        yield Row(old_end + index + 1, new_end + index + 1, "same", old[old_end + index])


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """The number of equal lines at the beginning of both."""
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


def _changes(
    old: Sequence[str], new: Sequence[str]
) -> Iterator[tuple[Mark | Literal["changed"], int, int, int, int]]:
    """(mark, from and to in `old`, from and to in `new`) of each stretch, in order."""
    x = y = 0
    for match in [*_matches(old, new), (len(old), len(new), 0)]:
        if x < match[0] or y < match[1]:
            yield "changed", x, match[0], y, match[1]
        x, y = match[0] + match[2], match[1] + match[2]
        if match[2]:
            yield "same", match[0], x, match[1], y


def _matches(
    old: Sequence[str], new: Sequence[str], max_edits: int = MAX_EDITS
) -> list[tuple[int, int, int]]:
    """(start in `old`, start in `new`, length) of equal runs, with the fewest edits; [] if there are too many edits.

    Source: E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", section 4. Unlike difflib's, its cost is
    limited by the number of edits, whatever the lines are.
    """
    furthest = {
        1: 0
    }  # by diagonal (x - y): the furthest position in `old` that the edits so far reach
    trail: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), max_edits) + 1):
        trail.append(dict(furthest))
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (
                diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1]
            )
            x = furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _walked_back(trail, len(old), len(new))
    return []


def _walked_back(trail: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int, int]]:
    """The matches on the path to (x, y) that `trail` recorded."""
    matches: list[tuple[int, int, int]] = []
    for edits in range(len(trail) - 1, -1, -1):
        furthest, diagonal = trail[edits], x - y
        down = diagonal == -edits or (
            diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1]
        )
        before = diagonal + 1 if down else diagonal - 1
        from_x = furthest[before] if edits else 0
        start_x = (from_x if down else from_x + 1) if edits else 0
        if x > start_x:
            matches.append((start_x, start_x - diagonal, x - start_x))
        x, y = from_x, from_x - before
    return matches[::-1]


def _hunks(rows: Sequence[Row]) -> Iterator[tuple[Row, ...]]:
    changed = [index for index, row in enumerate(rows) if row.mark != "same"]
    start = 0
    for position, index in enumerate(changed):
        last = position + 1 == len(changed)
        if last or changed[position + 1] - index > 2 * CONTEXT_LINES:
            first = max(0, changed[start] - CONTEXT_LINES)
            yield tuple(rows[first : index + CONTEXT_LINES + 1])
            start = position + 1


# -- side by side -----------------------------------------------------------------------------------------------------


def _stretches(rows: Sequence[Row]) -> Iterator[Stretch]:
    """The rows in stretches, alternately folded and not; at most `MAX_ROWS` rows of each kind."""
    left, left_folded = _Room(MAX_ROWS), _Room(MAX_ROWS)
    for folded, run in groupby(
        zip(rows, _far_from_changes(rows), strict=True), key=lambda one: one[1]
    ):
        lines = [row for row, _ in run]
        if folded:
            shown = (
                left_folded.take(lines) if len(lines) <= min(MOST_FOLDED, left_folded.rows) else []
            )
            if len(shown) < len(lines):
                shown = []
            yield Stretch(tuple((row, row) for row in shown), folded=True, lines=len(lines))
            continue
        shown = left.take(lines)
        yield Stretch(tuple(_pairs(shown)), folded=False, lines=len(shown))
        if len(shown) < len(lines) or not left.rows:
            return


@dataclass(slots=True)
class _Room:
    """The rows that a page still has room for, and the characters of their text."""

    rows: int
    characters: int = MAX_SHOWN

    def take(self, rows: Sequence[Row]) -> list[Row]:
        """The first of `rows` that there is room for."""
        fitting = []
        for row in rows:
            if self.rows <= 0 or self.characters <= 0:
                break
            self.rows -= 1
            self.characters -= min(len(row.text), MAX_LINE)
            fitting.append(row)
        return fitting


def _far_from_changes(rows: Sequence[Row]) -> list[bool]:
    """For each row, whether to fold it."""
    folded = [True] * len(rows)
    for index, row in enumerate(rows):
        if row.mark != "same":
            start, end = max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1
            folded[start:end] = [False] * len(folded[start:end])
    at = 0
    for is_folded, run in groupby(folded[:]):
        length = len(list(run))
        if is_folded and length < LEAST_FOLDED:
            folded[at : at + length] = [False] * length
        at += length
    return folded


def _pairs(rows: Iterable[Row]) -> Iterator[tuple[Row | None, Row | None]]:
    for unchanged, run in groupby(rows, key=lambda row: row.mark == "same"):
        if unchanged:
            yield from ((row, row) for row in run)
            continue
        changed = list(run)
        removed, added = ([row for row in changed if row.mark == mark] for mark in ("del", "add"))
        yield from _aligned(removed, added)


def _aligned(
    removed: Sequence[Row], added: Sequence[Row]
) -> Iterator[tuple[Row | None, Row | None]]:
    """Each removed line beside its changed version; the other removed and added lines are paired in order."""
    x = y = 0
    for old, new in [*_alike(removed, added), (len(removed), len(added))]:
        yield from zip_longest(removed[x:old], added[y:new])
        if old < len(removed):
            yield _with_words(removed[old], added[new])
        x, y = old + 1, new + 1


def _alike(removed: Sequence[Row], added: Sequence[Row]) -> list[tuple[int, int]]:
    """The indices of lines and their changed versions, in order, with the greatest total similarity."""
    if not removed or not added or len(removed) * len(added) > MAX_ALIGNED:
        return []
    old, new = ([_word_counts(row.text) for row in rows] for rows in (removed, added))
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    shares = [[_share(one, other) for other in new] for one in old]
    for x in reversed(range(len(old))):
        for y in reversed(range(len(new))):
            best[x][y] = max(best[x + 1][y], best[x][y + 1], best[x + 1][y + 1] + shares[x][y])
    found: list[tuple[int, int]] = []
    x = y = 0
    while x < len(old) and y < len(new):
        if shares[x][y] and best[x][y] == best[x + 1][y + 1] + shares[x][y]:
            found.append((x, y))
            x, y = x + 1, y + 1
        elif best[x][y] == best[x + 1][y]:
            x += 1
        else:
            y += 1
    return found


def _word_counts(text: str) -> Counter[str]:
    """The words of a line, the first of them twice because it is mostly a member's name; without words, its signs."""
    words = re.findall(r"\w+", text)
    return Counter([*words, words[0]] if words else text.split())


def _share(one: Counter[str], other: Counter[str]) -> float:
    """The share of words that two lines have in common, from 0 to 1; 0 below `LEAST_ALIKE`."""
    total = one.total() + other.total()
    share = 2 * (one & other).total() / total if total else 1.0
    return share if share >= LEAST_ALIKE else 0.0


def _with_words(old: Row, new: Row) -> tuple[Row, Row]:
    """The two rows with their changed words."""
    if max(len(old.text), len(new.text)) > MAX_LINE:
        return old, new
    before, after = _WORD.findall(old.text), _WORD.findall(new.text)
    if max(len(before), len(after)) > MAX_WORDS:
        return old, new
    matches = _matches(before, after, MAX_WORD_EDITS)
    if not matches:
        return old, new
    same_before = {at for start, _, length in matches for at in range(start, start + length)}
    same_after = {at for _, start, length in matches for at in range(start, start + length)}
    return replace(old, words=_changed_spans(before, same_before)), replace(
        new, words=_changed_spans(after, same_after)
    )


def _changed_spans(words: Sequence[str], same: set[int]) -> tuple[tuple[int, int], ...]:
    """The spans of all words whose index is not in `same`; spans with only spaces between them are joined."""
    spans: list[tuple[int, int]] = []
    text = "".join(words)
    end = 0
    for index, word in enumerate(words):
        start, end = end, end + len(word)
        if index in same:
            continue
        if spans and not text[spans[-1][1] : start].strip():
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return tuple(spans)
