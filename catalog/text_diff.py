"""How two texts differ, line by line.

Nothing here knows Django. Specs often come on one line; then both are laid out first, so that lines mean something.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from catalog.laying_out import is_one_line, lay_out

CONTEXT_LINES = 3
MAX_EDITS = 600  # lines added and removed; beyond, all between the first and the last difference counts as changed

Mark = Literal["same", "add", "del"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line: its number in the old and in the new text (None where it is not there), and what became of it."""

    old: int | None
    new: int | None
    mark: Mark
    text: str


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed, in hunks of rows with some unchanged ones around. `laid_out`: not the texts as they are stored."""

    hunks: tuple[tuple[Row, ...], ...]
    laid_out: bool

    @property
    def added(self) -> int:
        return self._count("add")

    @property
    def removed(self) -> int:
        return self._count("del")

    def _count(self, mark: Mark) -> int:
        return sum(row.mark == mark for hunk in self.hunks for row in hunk)


def compare(old: str, new: str) -> Difference:
    """The difference between two texts of specs."""
    laid_out = is_one_line(old) or is_one_line(new)
    if laid_out:
        old, new = lay_out(old), lay_out(new)
    rows = list(_rows(old.splitlines(), new.splitlines()))
    return Difference(tuple(_hunks(rows)), laid_out)


def unified(old: str, new: str, *, old_name: str, new_name: str) -> str:
    """The difference in the unified format; "" where there is none."""
    difference = compare(old, new)
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
    for mark, old_from, old_to, new_from, new_to in _changes(old[start:old_end], new[start:new_end]):
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
    """How many lines both begin with."""
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[Mark | Literal["changed"], int, int, int, int]]:
    """(mark, from and to in `old`, from and to in `new`) of each stretch, in order."""
    x = y = 0
    for match in [*_matches(old, new), (len(old), len(new), 0)]:
        if x < match[0] or y < match[1]:
            yield "changed", x, match[0], y, match[1]
        x, y = match[0] + match[2], match[1] + match[2]
        if match[2]:
            yield "same", match[0], x, match[1], y


def _matches(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int]]:
    """(place in `old`, place in `new`, length) of what both have, by the fewest edits; [] where these are too many.

    Source: E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", section 4. Unlike difflib's, its cost is
    bounded by the number of edits, whatever the lines are.
    """
    furthest = {1: 0}  # by diagonal (x - y): how far in `old` the edits so far lead
    trail: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), MAX_EDITS) + 1):
        trail.append(dict(furthest))
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1])
            x = furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _walked_back(trail, len(old), len(new))
    return []


def _walked_back(trail: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int, int]]:
    """The matches on the way that `trail` has found to (x, y)."""
    matches: list[tuple[int, int, int]] = []
    for edits in range(len(trail) - 1, -1, -1):
        furthest, diagonal = trail[edits], x - y
        down = diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1])
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
