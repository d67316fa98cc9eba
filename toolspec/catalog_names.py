"""What a spec says about its place in a catalog: its toolkit, its tags, and the keys of both."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from toolspec.spec import ToolSpec
from toolspec.text.containers import items_of, members_of

MAX_TAGS: Final = 50
MAX_GROUP_KEY_CHARS: Final = 100
MAX_TOOLKIT_CHARS: Final = 100
MAX_GROUP_NAME_CHARS: Final = 1_000  # the rest of a name is ignored

_SIGNS: Final = str.maketrans({"+": "plus", "#": "sharp", ".": "dot"})
_LETTERS: Final = re.compile(r"[^\W_]+")


def group_key(name: str) -> str:
    """A toolkit's or tag's name as it is compared: letters and digits, without case and accents."""
    return _group_key(name[:MAX_GROUP_NAME_CHARS])


@lru_cache(maxsize=65_536)
def _group_key(name: str) -> str:
    return folded_letters(name)[:MAX_GROUP_KEY_CHARS]


def toolkit_of(tool_id: str) -> str:
    """The toolkit in a tool's id: the part before the first dot; "" if there is no dot."""
    prefix, point, name = tool_id.partition(".")
    return " ".join(prefix.split())[:MAX_TOOLKIT_CHARS] if point and name else ""


def tags_of(spec: ToolSpec) -> list[str]:
    """The tags that a spec declares: {"tags": ["mail", …]}, which is not part of the format."""
    tags = items_of(members_of(spec.document["definition"]).get("tags"))
    return [tag for tag in tags if isinstance(tag, str)][:MAX_TAGS]


def is_deprecated(spec: ToolSpec) -> bool:
    """Whether a spec declares itself deprecated: {"deprecated": true}, as in OpenAPI."""
    definition = spec.document["definition"]
    return isinstance(definition, dict) and definition.get("deprecated") is True


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    """`word` without case, accents and signs, for comparisons."""
    if word.isascii():
        return word.lower().translate(_SIGNS)
    decomposed = unicodedata.normalize("NFD", word.casefold().translate(_SIGNS))
    return "".join(c for c in decomposed if c.isalnum())


def folded_letters(name: str) -> str:
    """A name's letters and digits, without case, accents and signs: "C++ Tools" -> "ctools"."""
    return "".join(map(fold, _LETTERS.findall(name)))
