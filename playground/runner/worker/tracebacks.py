"""Describe a tool's exception as text of limited length that is safe to store."""

from __future__ import annotations

import importlib
import os
import traceback
from pathlib import Path
from typing import Final

import toolshelf_tools

_OURS: Final = (str(Path(__file__).parent), str(Path(toolshelf_tools.__file__).parent))
_IMPORTLIB: Final = importlib.__file__
_ASYNCIO: Final = str(Path(os.__file__).parent / "asyncio")
_MAX_MESSAGE: Final = 2000
_MAX_FRAMES: Final = 12
_MAX_CAUSES: Final = 4


def describe(error: BaseException, *, max_characters: int) -> str:
    """The type, message, traceback and first causes of `error`, without Toolshelf's own frames.

    This never fails, whatever methods the error overrides.
    """
    parts = [_sentence(error), "", *_traceback(error)]
    cause = _cause(error)
    for _ in range(_MAX_CAUSES):
        if cause is None:
            break
        parts += ["", f"Caused by {_sentence(cause)}", *_traceback(cause)]
        cause = _cause(cause)
    if cause is not None:
        parts += ["", "Further causes are left out."]
    return clean("\n".join(parts).rstrip(), max_characters=max_characters)


def clean(text: str, *, max_characters: int) -> str:
    """`text`, shortened, without NUL and unpaired surrogates, as every database stores it."""
    if len(text) > max_characters:
        text = text[: max_characters - 1] + "…"
    return (
        text.encode("utf-8", "backslashreplace").decode().replace("\0", "\ufffd")[:max_characters]
    )


def _sentence(error: BaseException) -> str:
    name = type(error).__name__
    if isinstance(error, SystemExit):
        return f"The tool called sys.exit({_text_of(error)})"
    message = _text_of(error)
    if isinstance(error, BaseExceptionGroup):
        firsts = [
            f"{type(each).__name__}: {_text_of(each)}" for each in error.exceptions[:_MAX_CAUSES]
        ]
        message = "; ".join([message, *firsts])
    return f"{name}: {message}" if message else name


def _text_of(error: BaseException) -> str:
    try:
        text = str.__str__(str(error))
    except BaseException as second:  # noqa: BLE001  whatever a tool's own __str__ raises
        return f"(its message is not available: {type(second).__name__})"
    return (
        text if len(text) <= _MAX_MESSAGE else f"{text[:_MAX_MESSAGE]}… ({len(text):,} characters)"
    )


def _traceback(error: BaseException) -> list[str]:
    """The last frames outside Toolshelf."""
    summary = traceback.StackSummary.extract(
        traceback.walk_tb(error.__traceback__), lookup_lines=False
    )
    frames = [frame for frame in summary if not frame.filename.startswith(_OURS)]
    while frames and (
        frames[0].filename.startswith(("<frozen ", _ASYNCIO)) or frames[0].filename == _IMPORTLIB
    ):  # before the tool's own code
        del frames[0]
    if not frames:
        return []
    lines = ["Traceback (most recent call last):"]
    if len(frames) > _MAX_FRAMES:
        lines.append(f"  … {len(frames) - _MAX_FRAMES} frames are left out")
    for frame in frames[-_MAX_FRAMES:]:
        lines.append(f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}')
        if frame.line:
            lines.append(f"    {frame.line}")
    return lines


def _cause(error: BaseException) -> BaseException | None:
    if error.__cause__ is not None:
        return error.__cause__
    return None if error.__suppress_context__ else error.__context__
