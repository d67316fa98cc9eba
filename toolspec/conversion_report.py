"""Report which parts of a document were kept, rewritten or dropped in a conversion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

What = Literal["kept", "rewritten", "dropped"]

MAX_LOSSES: Final = 500  # of one document; no user reads more


@dataclass(frozen=True, slots=True)
class Loss:
    """The fate of the part of the document at `pointer`, and the reason as one sentence."""

    pointer: str
    what: What
    reason: str


class Report:
    """The losses of one document, in the order in which they were found, without duplicates."""

    def __init__(self) -> None:
        self._losses: dict[Loss, None] = {}

    def __iter__(self) -> Iterator[Loss]:
        return iter(self._losses)

    def preserved(self, pointer: str, reason: str) -> None:
        self._add(Loss(pointer, "kept", reason))

    def rewritten(self, pointer: str, reason: str) -> None:
        self._add(Loss(pointer, "rewritten", reason))

    def dropped(self, pointer: str, reason: str) -> None:
        self._add(Loss(pointer, "dropped", reason))

    def extend(self, losses: Iterable[Loss]) -> None:
        for loss in losses:
            self._add(loss)

    def _add(self, loss: Loss) -> None:
        if len(self._losses) < MAX_LOSSES:
            self._losses[loss] = None

    def changes(self, pointer: str) -> bool:
        """Whether anything at or below `pointer` was changed."""
        return any(
            loss.what != "kept" and is_within(loss.pointer, pointer) for loss in self._losses
        )

    def mentions(self, pointer: str) -> bool:
        """Whether there is an entry for `pointer` itself."""
        return any(loss.pointer == pointer for loss in self._losses)


def is_within(pointer: str, *around: str) -> bool:
    """Whether `pointer` is one of `around` or points below it."""
    return any(pointer == each or pointer.startswith(f"{each}/") for each in around)
