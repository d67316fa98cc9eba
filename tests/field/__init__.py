"""Small inputs behind public bug reports, in tests/data/field/, each with its right value.

Each is `{subject, kind, how, input, expected}`; one file is an input itself (a JSON text with a byte order mark).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "data" / "field"


def field_input(subject: str) -> Any:
    """The input of the case named `subject` ("path-with-query")."""
    return json.loads((FOLDER / f"{subject}.json").read_text(encoding="utf-8"))["input"]
