"""Expected outputs: what the code answered when they were recorded, one JSON line per case in `data/<subject>.jsonl`.

    {"id": "…", "facts": …, "prose": "…"}

Facts are the parts that a program relies on: verdicts, pointers, rule ids, values. Prose is the wording of messages,
compared by a test of its own, so that a change of language leaves the tests of facts green. Long outputs are recorded
as the first 16 hexadecimal digits of their SHA-256.

    python -m tests.golden                      rewrites all expected outputs
    python -m tests.golden -k lint              rewrites those of one subject
    GOLDEN_TEXTS=<folder> pytest tests/golden   writes each text that is recorded as a digest to <folder>/<digest>; do
                                                this before and after a change and compare the two folders
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
DIGITS = 16
SHOWN = 5  # cases that differ
PROSE_MEMBERS = frozenset({"description", "title", "summary"})

_texts: dict[str, str] = {}


@dataclass(frozen=True)
class Case:
    """The output for one input: `facts` is any JSON value, `prose` the messages."""

    id: str
    facts: Any
    prose: Any = ""

    def row(self) -> dict[str, Any]:
        facts = json.loads(_text(self.facts))
        return {"id": self.id, "facts": facts, "prose": digest(self.prose) if self.prose else ""}


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def digest(value: Any) -> str:
    """A short fingerprint of text or of a JSON value; the order of members does not matter."""
    text = value if isinstance(value, str) else _text(value)
    found = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
    _texts[found] = text
    if folder := os.environ.get("GOLDEN_TEXTS"):
        (Path(folder) / found).write_text(text, encoding="utf-8", errors="surrogatepass")
    return found


def short(value: Any, limit: int = 200) -> Any:
    """`value` where its JSON text is short, else its digest, with the length of a list."""
    if len(_text(value)) <= limit:
        return value
    return f"{len(value)}: {digest(value)}" if isinstance(value, list | dict) else digest(value)


def without_prose(value: Any, source: Any) -> Any:
    """`value` without the descriptions that are not written so in `source`, from which it was made."""
    return _without_prose(value, frozenset(_strings(source)))


def _without_prose(value: Any, known: frozenset[str]) -> Any:
    if isinstance(value, list):
        return [_without_prose(item, known) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: "…"
        if name in PROSE_MEMBERS and isinstance(member, str) and member not in known
        else _without_prose(member, known)
        for name, member in value.items()
    }


def _strings(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, list | dict):
            waiting += part.values() if isinstance(part, dict) else part


def computed_once(cases: Callable[[], Iterable[Case]]) -> Callable[[], list[dict[str, Any]]]:
    """`cases` as rows of the file; the tests of facts and of prose share them."""
    rows: list[dict[str, Any]] = []

    @wraps(cases)
    def once() -> list[dict[str, Any]]:
        if not rows:
            rows.extend(case.row() for case in cases())
        return rows

    return once


def check(subject: str, field: str, rows: list[dict[str, Any]]) -> None:
    """Compare the `field` ("facts" or "prose") of each row with the expected one.

    Raises:
        AssertionError: they differ; it names the first cases that do, and what differs first in each.
    """
    path = DATA / f"{subject}.jsonl"
    if len({row["id"] for row in rows}) != len(rows):
        raise AssertionError(f"{subject}: two cases have the same id.")
    if os.environ.get("GOLDEN_REWRITE"):
        path.write_text("".join(f"{_text_of_row(row)}\n" for row in rows), encoding="utf-8")
        return
    expected = {
        row["id"]: row[field]
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    }
    found = {row["id"]: row[field] for row in rows}
    differing = [
        name for name in expected | found if expected.get(name, ...) != found.get(name, ...)
    ]
    if differing:
        lines = [f"{subject}: {field} of {len(differing)} of {len(expected)} cases differ."]
        lines += [f"  {name}\n{_difference(expected, found, name)}" for name in differing[:SHOWN]]
        lines.append(
            f"If that is intended: python -m tests.golden -k {subject}. See tests/golden/expected.py."
        )
        raise AssertionError("\n".join(lines))


def _text_of_row(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def _difference(expected: dict[str, Any], found: dict[str, Any], name: str) -> str:
    if name not in expected or name not in found:
        return "    is new" if name in found else "    is missing"
    where, old, new = _first_difference(expected[name], found[name])
    text = _texts.get(str(new).rpartition(" ")[2], "")
    more = f"\n    new text: {text[:1_500]}" if text else ""
    return f"    at {where or 'the top'}\n    expected: {_text(old)[:800]}\n    found:    {_text(new)[:800]}{more}"


def _first_difference(old: Any, new: Any, where: str = "") -> tuple[str, Any, Any]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in [*old, *(name for name in new if name not in old)]:
            if name not in old or name not in new:
                return f"{where}/{name}", old.get(name), new.get(name)
            if old[name] != new[name]:
                return _first_difference(old[name], new[name], f"{where}/{name}")
    if isinstance(old, list) and isinstance(new, list):
        for index, (one, other) in enumerate(zip(old, new, strict=False)):
            if one != other:
                return _first_difference(one, other, f"{where}/{index}")
    return where, old, new
