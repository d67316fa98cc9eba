"""Find the files that a command line names: files themselves, and the JSON and YAML files in folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from catalog.uploads.file_types import ENDINGS
from catalog.uploads.pieces import Piece
from catalog.uploads.readers import pieces_of


def files_at(paths: Iterable[Path], endings: tuple[str, ...] = ENDINGS) -> Iterator[Path]:
    """Each file that `paths` name, in order; for a folder, its files with these endings at any depth, sorted.

    Raises:
        FileNotFoundError: a path does not exist.
    """
    for path in paths:
        if path.is_dir():
            yield from sorted(
                file
                for file in path.rglob("*")
                if file.name.lower().endswith(endings) and file.is_file()
            )
        elif path.exists():
            yield path
        else:
            raise FileNotFoundError(f"{path} does not exist.")


def pieces_at(files: Iterable[Path], *, max_bytes: int, max_document_bytes: int) -> Iterator[Piece]:
    """The texts of specs in `files`, which may be exports; each file is opened only when it is reached."""
    for file in files:
        with file.open("rb") as opened:
            yield from pieces_of(
                str(file),
                opened,
                max_bytes=max_bytes,
                max_document_bytes=max_document_bytes,
                reads_exports=True,
            )
