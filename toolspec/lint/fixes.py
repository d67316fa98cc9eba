"""Apply fixes of findings to the text of a spec: one, or several together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Final

from toolspec.lint.findings import Fix
from toolspec.text.patch import PatchError, apply_patch
from toolspec.text.pointers import split_pointer
from toolspec.text.reader import parse
from toolspec.text.text_patch import patch_text

MAX_WORK_CHARACTERS: Final = 4_000_000  # per call: each operation reads the whole text


@dataclass(frozen=True, slots=True)
class FixResult:
    """A text with fixes applied to it.

    Attributes:
        left: fixes that no longer apply after the others, or exceed `MAX_WORK_CHARACTERS`.
    """

    text: str
    applied: tuple[Fix, ...]
    left: tuple[Fix, ...] = ()


def apply_fix(text: str, fix: Fix) -> str:
    """`text`, a spec's, with `fix` applied; all other text stays byte for byte the same.

    Raises:
        PatchError: a value that the fix changes does not exist.
        JSONTextError: `text` is not JSON.
    """
    return patch_text(text, fix.operations)


def apply_safe_fixes(text: str, fixes: Iterable[Fix]) -> FixResult:
    """`text`, a spec's, with `fixes`, all made for this text, applied.

    All other text stays byte for byte the same.

    Raises:
        JSONTextError: `text` is not JSON.
    """
    value = parse(text)
    max_operations = max(1, MAX_WORK_CHARACTERS // max(len(text), 1))
    applied: list[Fix] = []
    left: list[Fix] = []
    used = 0
    distinct = {fix.key: fix for fix in fixes}
    for fix in sorted(distinct.values(), key=_position, reverse=True):
        if applied and used + len(fix.operations) > max_operations:
            left.append(fix)
            continue
        try:
            value = apply_patch(value, fix.operations)
        except PatchError:
            left.append(fix)
            continue
        applied.append(fix)
        used += len(fix.operations)
    if applied:
        text = patch_text(text, chain.from_iterable(fix.operations for fix in applied))
    return FixResult(text, tuple(applied), tuple(left))


_Path = tuple[tuple[bool, int, str], ...]


def _position(fix: Fix) -> tuple[bool, _Path]:
    """The key to sort fixes in reverse: the last goes first, so that it shifts no other target.

    Fixes that move a part, with everything inside it, go last.
    """
    moves = any(operation.op == "move" for operation in fix.operations)
    first = min((_path(operation.path) for operation in fix.operations), default=())
    return not moves, first


def _path(pointer: str) -> _Path:
    """The tokens of `pointer`, comparable; indexes in the order of numbers."""
    tokens = []
    for token in split_pointer(pointer):
        is_index = token.isdecimal()
        index = int(token) if is_index and len(token) < 10 else 0
        tokens.append((not is_index, index, token))
    return tuple(tokens)
