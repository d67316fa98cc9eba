"""The numbers of an upload, and what its conversions lose, for page, API and command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from typing import Final

from catalog.uploads.entries import Entry
from catalog.uploads.models import OUTCOMES, RANKS, Upload
from toolspec.conversion_report import Loss
from toolspec.schema.describe import join_words

WIDTH: Final = 1000  # of the bar, in its own units
NARROWEST: Final = 12
LABELS: Final = {
    "rejected": "rejected",
    "held": "needs approval",
    "breaking": "breaking",
    "revised": "changed",
    "created": "new",
    "unchanged": "unchanged",
    "warnings": "with warnings",
}


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the bar, in its units."""

    outcome: str
    x: int
    width: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The numbers of specs by outcome. `breaking` are among the `revised`, `warned` among all."""

    created: int = 0
    revised: int = 0
    unchanged: int = 0
    held: int = 0
    rejected: int = 0
    breaking: int = 0
    warned: int = 0

    @property
    def total(self) -> int:
        return self.created + self.revised + self.unchanged + self.held + self.rejected

    @property
    def numbers(self) -> dict[str, int]:
        """All numbers by name, as the columns of `Upload`."""
        return asdict(self)

    @property
    def counts(self) -> dict[str, int]:
        """The number of specs with each outcome; `held` only if there are any."""
        numbers = self.numbers
        return {name: numbers[name] for name in OUTCOMES if numbers[name] or name != "held"}

    @property
    def to_publish(self) -> int:
        """The number of specs that publishing stores, or proposes to the tools' maintainers."""
        return self.created + self.revised + self.held

    @property
    def text(self) -> str:
        """As words, without zeros: "3 new, 2 changed (1 breaking), 4 unchanged, 1 rejected"."""
        breaking = f" ({self.breaking:,} breaking)" if self.breaking else ""
        parts = {
            "new": self.created,
            f"changed{breaking}": self.revised,
            "unchanged": self.unchanged,
            "in review": self.held,
            "rejected": self.rejected,
        }
        return (
            ", ".join(f"{number:,} {label}" for label, number in parts.items() if number)
            or "no specs"
        )

    @property
    def filters(self) -> list[tuple[str, str, int]]:
        """The outcomes to filter by that occur: name, label and number; the worst first."""
        numbers = self.numbers | {"warnings": self.warned}
        return [(name, label, numbers[name]) for name, label in LABELS.items() if numbers[name]]

    @property
    def segments(self) -> list[Segment]:
        """The bar from errors to unchanged specs; each part can be seen, however small its number."""
        numbers = self.numbers | {"revised": self.revised - self.breaking}
        shown = {name: numbers[name] for name in RANKS if numbers[name]}
        if not shown:
            return []
        spare = WIDTH - NARROWEST * len(shown)
        segments: list[Segment] = []
        x = 0
        rest = self.total
        for name, number in shown.items():
            width = NARROWEST + spare * number // rest
            segments.append(Segment(name, x, width))
            x += width
            spare -= width - NARROWEST
            rest -= number
        return segments


@dataclass(frozen=True, slots=True)
class LostKind:
    """One kind of conversion note, and the number of tools that have it."""

    what: str
    reason: str
    tools: int


def summary_of_counts(upload: Upload) -> Summary:
    """The numbers of a stored upload, so far."""
    return Summary(**{number.name: getattr(upload, number.name) for number in fields(Summary)})


def summary_of(entries: Iterable[Entry], skip: Collection[str] = ()) -> Summary:
    """The numbers of these results, without the tools whose keys are in `skip`."""
    chosen = [entry for entry in entries if entry.key not in skip]
    outcomes: Counter[str] = Counter(entry.outcome for entry in chosen)
    breaking = sum(entry.is_breaking for entry in chosen)
    warned = sum(bool(entry.warnings) for entry in chosen)
    return Summary(**outcomes, breaking=breaking, warned=warned)


def lost_kinds(losses_of_tools: Iterable[Iterable[Loss]]) -> list[LostKind]:
    """The parts that the conversions of tools change or leave out, each kind once, the most frequent first."""
    numbers: Counter[tuple[str, str]] = Counter()
    for losses in losses_of_tools:
        numbers.update({(loss.what, loss.reason) for loss in losses})
    return [LostKind(what, reason, tools) for (what, reason), tools in numbers.most_common()]


def losses_of(entries: Iterable[Entry]) -> Iterator[tuple[Loss, ...]]:
    """The losses of each imported tool."""
    for entry in entries:
        if entry.origin and entry.is_import:
            yield entry.origin.losses


def formats_of(entries: Iterable[Entry]) -> str:
    """The formats that tools were imported from, in words; "" if there are none."""
    return join_words(
        list(dict.fromkeys(one.origin.format for one in entries if one.origin and one.is_import)),
        "and",
    )
