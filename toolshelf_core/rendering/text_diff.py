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
from itertools import groupby, repeat, zip_longest
from operator import itemgetter
from typing import Final, Literal

from toolspec.text.pretty import is_one_line, pretty_print

CONTEXT_LINES: Final = 3
# Lines added and removed; beyond it, all lines between first and last difference are changed.
MAX_EDITS: Final = 600
LEAST_FOLDED: Final = 4  # fewer unchanged lines are not folded
MOST_FOLDED: Final = 1_000  # unchanged lines in a fold; of more, only the number is shown
MAX_ROWS: Final = 4_000  # that are shown outside folds
MAX_SHOWN: Final = 200_000  # characters of these rows
MAX_LINE: Final = 10_000  # characters of a line that are shown
MAX_ALIGNED: Final = 2_500  # pairs of a removed and an added line that are compared, to match them
MAX_WORDS: Final = 400  # in longer lines, changed words are not marked
MAX_WORD_EDITS: Final = 80
# With at least this share of common words, two lines count as one changed line.
LEAST_ALIKE: Final = 0.4

_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")

Mark = Literal["same", "add", "del"]
_SIGNS: Final[dict[Mark, str]] = {"same": " ", "add": "+", "del": "-"}


@dataclass(frozen=True, slots=True)
class Row:
    """One line: its number in the old and in the new text, and its mark.

    A number is None if the line is not in that text.

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
        """The lines in one column.

        In each run of changes the removed lines come first, then the added ones.
        """
        for is_change, run in groupby(self.pairs, key=lambda pair: pair[0] is not pair[1]):
            old, new = zip(*run, strict=True)
            yield from filter(None, old)
            if is_change:
                yield from filter(None, new)


@dataclass(frozen=True)
class Difference:
    """All lines of both texts in order. `laid_out`: the texts were pretty-printed first."""

    rows: tuple[Row, ...]
    laid_out: bool

    @cached_property
    def hunks(self) -> tuple[tuple[Row, ...], ...]:
        """The changes, with some unchanged lines around them."""
        return tuple(_find_hunks(self.rows))

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
        return tuple(_split_stretches(self.rows))

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
    return Difference(tuple(_compare_rows(old.splitlines(), new.splitlines())), laid_out)


def remove_indent(rows: Sequence[Row]) -> list[Row]:
    """Some lines without the spaces that all of them begin with.

    Lines with marked words are not for it.
    """
    texts = [row.text for row in rows if row.text.strip()]
    spaces = min((len(text) - len(text.lstrip(" ")) for text in texts), default=0)
    return [replace(row, text=row.text[spaces:]) for row in rows]


def write_unified(old: str, new: str, *, old_name: str, new_name: str) -> str:
    """The difference in the unified format; "" if there is none."""
    return as_unified(compare(old, new), old_name=old_name, new_name=new_name)


def as_unified(difference: Difference, *, old_name: str, new_name: str) -> str:
    """`difference` in the unified format; "" if there is none."""
    if not difference.hunks:
        return ""
    lines = [f"--- {old_name}", f"+++ {new_name}"]
    for hunk in difference.hunks:
        old = _write_range([row.old for row in hunk])
        new = _write_range([row.new for row in hunk])
        lines.append(f"@@ -{old} +{new} @@")
        lines += [_SIGNS[row.mark] + row.text for row in hunk]
    return "\n".join(lines) + "\n"


def _write_range(line_numbers: Sequence[int | None]) -> str:
    numbers = [number for number in line_numbers if number is not None]
    return f"{numbers[0]},{len(numbers)}" if numbers else "0,0"


def _compare_rows(old: Sequence[str], new: Sequence[str]) -> Iterator[Row]:
    x = y = 0
    for old_start, new_start, length in _find_all_matches(old, new):
        for at in range(x, old_start):
            yield Row(at + 1, None, "del", old[at])
        for at in range(y, new_start):
            yield Row(None, at + 1, "add", new[at])
        x, y = old_start, new_start
        for line in old[x : x + length]:
            x, y = x + 1, y + 1
            yield Row(x, y, "same", line)


def _find_all_matches(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """As `_find_matches`, with the equal lines at both ends, which may be none."""
    start = _count_common(old, new)
    yield 0, 0, start
    end = _count_common(old[start:][::-1], new[start:][::-1])
    old_end, new_end = len(old) - end, len(new) - end
    for x, y, length in _find_matches(old[start:old_end], new[start:new_end]):
        yield start + x, start + y, length
    yield old_end, new_end, end


def _count_common(old: Sequence[str], new: Sequence[str]) -> int:
    """The number of equal lines at the beginning of both."""
    count = 0
    for line, other in zip(old, new, strict=False):
        if line != other:
            break
        count += 1
    return count


def _find_matches(
    old: Sequence[str], new: Sequence[str], max_edits: int = MAX_EDITS
) -> list[tuple[int, int, int]]:
    """(start in `old`, start in `new`, length) of equal runs, with the fewest edits.

    [] if there are too many edits.

    Source: E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", section 4. Unlike
    difflib's, its cost is limited by the number of edits, whatever the lines are.
    """
    # By diagonal (x - y): the furthest position in `old` that the edits so far reach.
    furthest = {1: 0}
    trail: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), max_edits) + 1):
        trail.append(dict(furthest))
        for diagonal in range(-edits, edits + 1, 2):
            is_addition = _is_addition(furthest, diagonal, edits)
            x = furthest[diagonal + 1] if is_addition else furthest[diagonal - 1] + 1
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _walk_back(trail, len(old), len(new))
    return []


def _is_addition(furthest: dict[int, int], diagonal: int, edits: int) -> bool:
    """Whether the last of `edits` on this diagonal is an added line, not a removed one."""
    if abs(diagonal) == edits:
        return diagonal < 1
    return furthest[diagonal - 1] < furthest[diagonal + 1]


def _walk_back(trail: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int, int]]:
    """The matches on the path to (x, y) that `trail` recorded."""
    matches: list[tuple[int, int, int]] = []
    for edits in range(len(trail) - 1, -1, -1):
        furthest, diagonal = trail[edits], x - y
        start_x = end_x = before = 0
        if edits:
            is_addition = _is_addition(furthest, diagonal, edits)
            before = diagonal + 1 if is_addition else diagonal - 1
            end_x = furthest[before]
            start_x = end_x if is_addition else end_x + 1
        if x > start_x:
            matches.append((start_x, start_x - diagonal, x - start_x))
        x, y = end_x, end_x - before
    return matches[::-1]


def _find_hunks(rows: Sequence[Row]) -> Iterator[tuple[Row, ...]]:
    start: int | None = None
    end = 0
    for index, row in enumerate(rows):
        if row.mark == "same":
            continue
        if start is not None and index - end > 2 * CONTEXT_LINES:
            yield tuple(rows[max(0, start - CONTEXT_LINES) : end + CONTEXT_LINES + 1])
            start = None
        if start is None:
            start = index
        end = index
    if start is not None:
        yield tuple(rows[max(0, start - CONTEXT_LINES) : end + CONTEXT_LINES + 1])


# -- side by side -------------------------------------------------------------------------------


def _split_stretches(rows: Sequence[Row]) -> Iterator[Stretch]:
    """The rows in stretches, alternately folded and not; at most `MAX_ROWS` rows of each kind."""
    room, room_in_folds = _Room(MAX_ROWS), _Room(MAX_ROWS)
    marked_rows = zip(rows, _find_folds(rows), strict=True)
    for is_fold, run in groupby(marked_rows, key=itemgetter(1)):
        lines = [row for row, _ in run]
        if is_fold:
            is_small = len(lines) <= min(MOST_FOLDED, room_in_folds.rows)
            fitting = room_in_folds.take(lines) if is_small else []
            if len(fitting) < len(lines):
                fitting = []
            pairs = tuple(zip(fitting, fitting, strict=True))
            yield Stretch(pairs, folded=True, lines=len(lines))
            continue
        fitting = room.take(lines)
        yield Stretch(tuple(_pair_rows(fitting)), folded=False, lines=len(fitting))
        if len(fitting) < len(lines) or not room.rows:
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


def _find_folds(rows: Sequence[Row]) -> list[bool]:
    """For each row, whether to fold it."""
    folds = [True] * len(rows)
    for index, row in enumerate(rows):
        if row.mark != "same":
            start, end = max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1
            folds[start:end] = [False] * len(folds[start:end])
    at = 0
    for is_fold, run in groupby(folds[:]):
        length = len(list(run))
        if is_fold and length < LEAST_FOLDED:
            folds[at : at + length] = [False] * length
        at += length
    return folds


def _pair_rows(rows: Iterable[Row]) -> Iterator[tuple[Row | None, Row | None]]:
    for is_same, run in groupby(rows, key=lambda row: row.mark == "same"):
        lines = list(run)
        if is_same:
            yield from zip(lines, lines, strict=True)
            continue
        deletions = [row for row in lines if row.mark == "del"]
        additions = [row for row in lines if row.mark == "add"]
        yield from _align_rows(deletions, additions)


def _align_rows(
    deletions: Sequence[Row], additions: Sequence[Row]
) -> Iterator[tuple[Row | None, Row | None]]:
    """Each removed line beside its changed version; the other lines are paired in order."""
    x = y = 0
    for old, new in [*_match_rows(deletions, additions), (len(deletions), len(additions))]:
        yield from zip_longest(deletions[x:old], additions[y:new])
        if old < len(deletions):
            yield _mark_words(deletions[old], additions[new])
        x, y = old + 1, new + 1


def _match_rows(deletions: Sequence[Row], additions: Sequence[Row]) -> list[tuple[int, int]]:
    """The indices of lines and their changed versions, in order, as similar as possible in all."""
    if not deletions or not additions or len(deletions) * len(additions) > MAX_ALIGNED:
        return []
    old = [_count_words(row.text) for row in deletions]
    new = [_count_words(row.text) for row in additions]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    shares = [list(map(_share, repeat(words), new)) for words in old]
    for x in reversed(range(len(old))):
        for y in reversed(range(len(new))):
            best[x][y] = max(best[x + 1][y], best[x][y + 1], best[x + 1][y + 1] + shares[x][y])
    matches: list[tuple[int, int]] = []
    x = y = 0
    while x < len(old) and y < len(new):
        if shares[x][y] and best[x][y] == best[x + 1][y + 1] + shares[x][y]:
            matches.append((x, y))
            x, y = x + 1, y + 1
        elif best[x][y] == best[x + 1][y]:
            x += 1
        else:
            y += 1
    return matches


def _count_words(text: str) -> Counter[str]:
    """The words of a line; without words, its signs.

    The first word counts twice, because it is mostly a member's name.
    """
    words = re.findall(r"\w+", text)
    return Counter(words + words[:1] or text.split())


def _share(words: Counter[str], others: Counter[str]) -> float:
    """The share of words that two lines have in common, from 0 to 1; 0 below `LEAST_ALIKE`."""
    total = words.total() + others.total()
    if not total:
        return 1.0
    share = 2 * (words & others).total() / total
    return share if share >= LEAST_ALIKE else 0.0


def _mark_words(old: Row, new: Row) -> tuple[Row, Row]:
    """The two rows with their changed words."""
    if max(len(old.text), len(new.text)) > MAX_LINE:
        return old, new
    before, after = _WORD.findall(old.text), _WORD.findall(new.text)
    if max(len(before), len(after)) > MAX_WORDS:
        return old, new
    matches = _find_matches(before, after, MAX_WORD_EDITS)
    if not matches:
        return old, new
    same_before: set[int] = set()
    same_after: set[int] = set()
    for x, y, length in matches:
        same_before.update(range(x, x + length))
        same_after.update(range(y, y + length))
    return (
        replace(old, words=_find_spans(before, same_before)),
        replace(new, words=_find_spans(after, same_after)),
    )


def _find_spans(words: Sequence[str], same: set[int]) -> tuple[tuple[int, int], ...]:
    """The spans of all words whose index is not in `same`.

    Spans with only spaces between them are joined.
    """
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
