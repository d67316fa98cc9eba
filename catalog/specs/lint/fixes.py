"""Fixes of findings, applied to the text of a spec: one, or several together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from catalog.jsontext.patch import PatchError, apply_patch
from catalog.jsontext.pointers import split_pointer
from catalog.jsontext.reader import parse
from catalog.jsontext.text_patch import patch_text
from catalog.specs.lint.findings import Fix

# What fixing costs goes with the length of the text, for each operation: so many bytes are gone through at once.
MAX_WORK_CHARACTERS: Final = 4_000_000


@dataclass(frozen=True, slots=True)
class FixResult:
    """A text with fixes applied to it.

    Attributes:
        left: those that do not fit any more after the others, or are too many for once.
    """

    text: str
    applied: tuple[Fix, ...]
    left: tuple[Fix, ...] = ()


def apply_fix(text: str, fix: Fix) -> str:
    """`text`, a spec's, with `fix` applied to it; everything else stays as it is written.

    Raises:
        PatchError: a value that the fix changes does not exist.
        JSONTextError: `text` is not JSON.
    """
    return patch_text(text, fix.operations)


def apply_safe_fixes(text: str, fixes: Iterable[Fix]) -> FixResult:
    """`text`, a spec's, with `fixes`, all made for it, applied to it; what they are not about stays as it is written.

    Raises:
        JSONTextError: `text` is not JSON.
    """
    value = parse(text)
    most = max(1, MAX_WORK_CHARACTERS // max(len(text), 1))
    applied: list[Fix] = []
    left: list[Fix] = []
    used = 0
    for fix in sorted({fix.key: fix for fix in fixes}.values(), key=_place, reverse=True):
        if applied and used + len(fix.operations) > most:
            left.append(fix)
            continue
        try:
            value = apply_patch(value, fix.operations)
        except PatchError:
            left.append(fix)
            continue
        applied.append(fix)
        used += len(fix.operations)
    operations = [operation for fix in applied for operation in fix.operations]
    return FixResult(patch_text(text, operations) if applied else text, tuple(applied), tuple(left))


Place = tuple[bool, tuple[tuple[bool, int, str], ...]]


def _place(fix: Fix) -> Place:
    """Fixes are applied from the last place to the first, so that none moves what another is about.

    Those that move a part, and with it all that stands inside, come after all others.
    """
    moves = any(operation.op == "move" for operation in fix.operations)
    first = min((_natural(operation.path) for operation in fix.operations), default=())
    return not moves, first


def _natural(pointer: str) -> tuple[tuple[bool, int, str], ...]:
    """The way that a pointer goes, with indexes in the order of numbers."""
    return tuple(
        (not token.isdecimal(), int(token) if token.isdecimal() and len(token) < 10 else 0, token)
        for token in split_pointer(pointer)
    )
