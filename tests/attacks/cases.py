"""The shared attack cases, as data: what is sent, and what must hold.

    cases("http.query")        the cases of a group
    cases(target="upload")     the cases that are specs to be published

Some texts stand for what only a run of the tests knows: `@@CANARY_PORT@@` is the port of a listener that must never
receive anything, `@@CANARY_FILE@@` a file whose content must never appear, `@@MARK@@` a word that a page would run.
"""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import dataclass, field
from typing import Any

from tests.corpora import ATTACKS


@dataclass(frozen=True)
class Case:
    """One attack. `body` and `instance` are bytes as they are sent; `expect` is as in the file."""

    id: str
    group: str
    target: str
    why: str
    expect: dict[str, Any]
    content_type: str = "application/json"
    body: bytes = field(default=b"", repr=False)
    instance: bytes = field(default=b"{}", repr=False)
    path: str = ""
    query: str = ""
    procedure: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def asks_for(self, oracle: str) -> bool:
        return oracle in self.expect.get("oracles", ())

    def __str__(self) -> str:
        return self.id


def _case(row: dict[str, Any]) -> Case:
    known = {name: row[name] for name in Case.__dataclass_fields__ if name in row}
    for name in ("body", "instance"):
        if packed := row.get(f"{name}_gz_b64"):
            known[name] = gzip.decompress(base64.b64decode(packed))
    return Case(**known)


ALL = [_case(json.loads(line)) for line in ATTACKS.read_text(encoding="utf-8").splitlines()]


def cases(*groups: str, target: str = "") -> list[Case]:
    return [
        case for case in ALL if (case.group in groups or not groups) and target in {"", case.target}
    ]


def filled_in(text: bytes, **values: str | int) -> bytes:
    """`text` with each `@@NAME@@` replaced by its value."""
    for name, value in values.items():
        text = text.replace(f"@@{name}@@".encode(), str(value).encode())
    return text
