"""Names that a provider allows: the tool's own if it is legal, else an alias that never changes.

An alias is the legal characters of the name and the start of the name's SHA-256, so that no two names share one.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from typing import Final

HASH_DIGITS: Final = 8


@dataclass(frozen=True, slots=True)
class NameRule:
    """A legal name: a first character of `first`, then characters of `chars` (as in `[…]`), at most `length`.

    `in_words` describes it in messages, after "names may have".
    """

    chars: str
    length: int
    in_words: str
    first: str = ""

    def allows(self, name: str) -> bool:
        return re.fullmatch(f"[{self.first or self.chars}][{self.chars}]{{0,{self.length - 1}}}", name) is not None


def alias(name: str, rule: NameRule) -> str:
    """`name` if `rule` allows it, else its alias: always the same for the same name."""
    if rule.allows(name):
        return name
    ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    words = re.sub(f"[^{rule.chars}]+", "_", ascii_only).strip("_")
    if words and not re.match(f"[{rule.first or rule.chars}]", words):
        words = f"_{words}"
    digits = hashlib.sha256(name.encode()).hexdigest()[:HASH_DIGITS]
    return f"{words[: rule.length - HASH_DIGITS - 1] or 'tool'}_{digits}"
