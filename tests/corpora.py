"""Where the tests find real tool data: the selection in `tests/data/corpora/`, or the full corpora.

The selection is part of the repository (see its README.md), so that the tests need nothing else. Where the environment
variable `TOOLSHELF_CORPORA` names a folder with the full corpora, the tests marked `corpora` read them there instead:

    make test-corpora CORPORA=<folder>

The attack cases and the example of the format are in the selection as a whole, and always read from there.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

SELECTION = Path(__file__).resolve().parent / "data" / "corpora"
ATTACKS = SELECTION / "attacks" / "attacks.jsonl"
GET_WEATHER = SELECTION / "get-weather.json"

IS_FULL = bool(os.environ.get("TOOLSHELF_CORPORA"))


def _folder() -> Path:
    folder = Path(os.environ["TOOLSHELF_CORPORA"]).resolve() if IS_FULL else SELECTION
    if not (folder / "specs_mcp.jsonl").is_file():
        raise SystemExit(
            f"{folder} does not hold the corpora (no specs_mcp.jsonl). Set TOOLSHELF_CORPORA to their folder."
        )
    return folder


DATA = _folder()

T = TypeVar("T")

SHARE = int(os.environ.get("TOOLSHELF_SHARE", "1"))


def lines(name: str) -> list[str]:
    """The lines of `name`.jsonl: one JSON text each."""
    return (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()


def share(cases: Sequence[T]) -> Sequence[T]:
    """Every case, or where the variable `TOOLSHELF_SHARE` is n, every nth: tests of long lists read a part of them in
    the deep tier, and all in `make test-corpora`.
    """
    return cases[::SHARE]


def expected(*, selection: T, full: T) -> T:
    """The expectations of a test for the corpora in use: a count that is not the same for both."""
    return full if IS_FULL else selection
