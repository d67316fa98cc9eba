"""Names that a provider allows: the tool's own if it is legal, else an alias that never changes.

An alias is the legal characters of the name and the start of the name's SHA-256. If two names of
one document share one, the second gets a number.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from toolspec.text.reader import JSON

HASH_DIGITS: Final = 8

_KEYED_BY_NAME: Final = frozenset({"properties", "dependentSchemas", "dependentRequired"})


@dataclass(frozen=True, slots=True)
class NameRule:
    """A legal name: a character of `first`, then characters of `chars`, at most `length` together.

    Both are written as in `[…]`. `in_words` describes it in messages, after "names may have".
    """

    chars: str
    length: int
    in_words: str
    first: str = ""

    def allows(self, name: str) -> bool:
        first = self.first or self.chars
        pattern = f"[{first}][{self.chars}]{{0,{self.length - 1}}}"
        return re.fullmatch(pattern, name) is not None


def alias(name: str, rule: NameRule) -> str:
    """`name` if `rule` allows it, else its alias: always the same for the same name."""
    if rule.allows(name):
        return name
    ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    words = re.sub(f"[^{rule.chars}]+", "_", ascii_only).strip("_")
    if words and not re.match(f"[{rule.first or rule.chars}]", words):
        words = f"_{words}"
    digits = hashlib.sha256(name.encode()).hexdigest()[:HASH_DIGITS]
    words = words[: rule.length - HASH_DIGITS - 1] or "tool"
    return f"{words}_{digits}"


def free_alias(name: str, rule: NameRule, used: Collection[str]) -> str:
    """`alias(name, rule)`, with a number if `used` contains it."""
    preferred = candidate = alias(name, rule)
    number = 2
    while candidate in used:
        suffix = f"_{number}"
        candidate = preferred[: rule.length - len(suffix)] + suffix
        number += 1
    return candidate


def aliases_of(names: Iterable[str], rule: NameRule) -> dict[str, str]:
    """The aliases of those of `names` that `rule` forbids, by name.

    No alias is equal to another, or to a legal name.

    The same names have the same aliases in any order.
    """
    distinct = set(names)
    used = {name for name in distinct if rule.allows(name)}
    aliases: dict[str, str] = {}
    for name in sorted(distinct - used):
        aliases[name] = free_alias(name, rule, used)
        used.add(aliases[name])
    return aliases


def with_keys(value: JSON, names: Mapping[str, str]) -> JSON:
    """`value` with its keys replaced at every depth as `names` says.

    A key stays if the object already has a member of the new name, so that no member is lost.
    """
    if not names:
        return value
    if isinstance(value, list):
        return [with_keys(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    renamed: dict[str, JSON] = {}
    for name, member in value.items():
        new = names.get(name, name)
        renamed[name if new in value else new] = with_keys(member, names)
    return renamed


def rename_in_keyword(keyword: str, value: JSON, aliases: Mapping[str, str]) -> JSON:
    """The value of a keyword that names properties, with their aliases.

    That of any other keyword stays.
    """
    if keyword == "required":
        return _rename_names(value, aliases)
    if keyword not in _KEYED_BY_NAME or not isinstance(value, dict):
        return value
    renamed: dict[str, JSON] = {}
    for name, member in value.items():
        if keyword == "dependentRequired":
            member = _rename_names(member, aliases)  # noqa: PLW2901 - its names, too
        renamed[aliases.get(name, name)] = member
    return renamed


def _rename_names(names: JSON, aliases: Mapping[str, str]) -> JSON:
    if not isinstance(names, list):
        return names
    return [aliases.get(name, name) if isinstance(name, str) else name for name in names]
