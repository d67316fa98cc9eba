"""Names of Java packages, types, record components and enum constants, made from arbitrary text.

    type_name("get weather")       "GetWeather"     ASCII, because files are named after types
    component_name("user-id")      "userId"         letters of any script
    constant_name("not found")     "NOT_FOUND"
    package_segment("Get weather") "getweather"

Every name is a legal identifier of Java 17 and has at most `MAX_NAME` characters. `Names` makes
them make_unique.

Source: Java Language Specification 17, sections 3.8, 3.9 and 8.10.1.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

MAX_NAME: Final = 60  # file names are made of at most two names, and have at most 255 bytes

KEYWORDS: Final = frozenset({
    "_", "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class",
    "const", "continue", "default", "do", "double", "else", "enum", "extends", "false", "final",
    "finally", "float", "for", "goto", "if", "implements", "import", "instanceof", "int",
    "interface", "long", "native", "new", "null", "package", "private", "protected", "public",
    "return", "short", "static", "strictfp", "super", "switch", "synchronized", "this", "throw",
    "throws", "transient", "true", "try", "void", "volatile", "while",
})  # fmt: skip
_NOT_A_COMPONENT: Final = frozenset(
    {"clone", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait"}
)
# Windows has no files of these names, whatever the extension.
_DEVICES: Final = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9]", re.ASCII | re.IGNORECASE)

_LETTERS: Final = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo"})
_MARKS: Final = frozenset({"Mn", "Mc"})
# Letters and marks that show nothing.
_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0]"
)
# userId, HTTPServer
_BETWEEN_WORDS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MAX_READ: Final = 400  # characters of a text that a name is made of


class Names:
    """Names in one scope: each is given out once, with a number if it is wanted again.

    Args:
        reserved: names that are never given out.
        ignore_case: whether two names may not differ only in case, because files are named after
            them.
    """

    def __init__(self, reserved: Iterable[str] = (), *, ignore_case: bool = False) -> None:
        self._ignore_case = ignore_case
        self._used = {self._key(name) for name in reserved}
        self._next: dict[str, int] = {}

    def make_unique(self, base: str) -> str:
        """`base`, or `base2`, `base3`, … if it is in use."""
        key = self._key(base)
        number = self._next.get(key, 2)
        stem = f"{base}_" if base[-1].isdigit() else base
        name = base
        while self._key(name) in self._used:
            name = f"{stem}{number}"
            number += 1
        self._next[key] = number
        self._used.add(self._key(name))
        return name

    def _key(self, name: str) -> str:
        if self._ignore_case:
            return name.lower()
        return name


def type_name(text: str, *, otherwise: str = "Type") -> str:
    """An ASCII name in upper camel case, after `otherwise` if it would not begin with a letter."""
    words = map(_capitalize, _split_words(_reduce_to_ascii(text)))
    name = "".join(_fit_words(words))
    if name[:1].isalpha():
        return name
    return f"{otherwise}{name}"


def component_name(text: str) -> str:
    """A name in lower camel case, of letters of any script."""
    first, *others = _split_words(text) or ["value"]
    first = first.lower() if first.isupper() else first[:1].lower() + first[1:]
    words = [first, *map(_capitalize, others)]
    name = _start_with_letter("".join(_fit_words(words)), "_")
    is_reserved = name in KEYWORDS or name in _NOT_A_COMPONENT
    return f"{name}_" if is_reserved else name


def constant_name(text: str) -> str:
    """A name in upper case, its words separated by underscores."""
    sign = "MINUS " if re.match(r"-[0-9]", text) else ""
    words = _split_words(sign + text)
    if not words:
        words = _split_words(_name_symbols(text)) or ["value"]
    upper_words = [_clear_other_characters(word.upper()) for word in words]
    return _start_with_letter("_".join(_fit_words(upper_words)), "VALUE_")


def package_segment(text: str) -> str:
    """A part of a package's name: small ASCII letters and digits."""
    name = re.sub(r"[^a-z0-9]", "", _reduce_to_ascii(text).lower())[:MAX_NAME]
    if not name:
        return f"tool{short_hash(text)}"
    if name[0].isdigit() or name in KEYWORDS or is_device(name):
        return f"tool{name}"
    return name


def artifact_id(text: str) -> str:
    """The name of a Maven artifact: small ASCII words with hyphens between them."""
    words = _fit_words(_split_words(_reduce_to_ascii(text)))
    name = "-".join(words).lower()[:MAX_NAME].strip("-")
    return name or f"tool-{short_hash(text)}"


def short_hash(text: str) -> str:
    """Eight hex digits that differ for different texts."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def is_device(name: str) -> bool:
    return _DEVICES.fullmatch(name) is not None


def _capitalize(word: str) -> str:
    return word[:1].upper() + word[1:]


def _split_words(text: str) -> list[str]:
    """The words of `text`, between characters that a name cannot contain and before capitals."""
    return _BETWEEN_WORDS.sub(" ", _clear_other_characters(text)).split()


def _reduce_to_ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text[:_MAX_READ]).encode("ascii", "ignore").decode()


def _clear_other_characters(text: str) -> str:
    """`text` with a space for each character that a name cannot have.

    Python knows newer letters than Java 17 does, so only those of Unicode 3.2 are used.
    """
    characters: list[str] = []
    previous = " "
    for character in unicodedata.normalize("NFKC", text[:_MAX_READ]):
        category = unicodedata.ucd_3_2_0.category(character)
        is_allowed = category in _LETTERS or category == "Nd"
        if category in _MARKS:
            is_allowed = previous != " "
        if character > "\uffff" or _INVISIBLE.match(character):
            is_allowed = False
        previous = character if is_allowed else " "
        characters.append(previous)
    return "".join(characters).strip()


def _name_symbols(text: str) -> str:
    """The Unicode names of the first characters of a text without letters: "LESS-THAN SIGN"."""
    names = [unicodedata.name(character, "") for character in text[:3]]
    return " ".join(names).replace("-", " ")


def _fit_words(words: Iterable[str]) -> list[str]:
    """The first words that fit into a name, with a separator between them."""
    fitting: list[str] = []
    remaining = MAX_NAME
    for word in words:
        if len(word) > remaining:
            return fitting or [word[:MAX_NAME]]
        fitting.append(word)
        remaining -= len(word) + 1
    return fitting


def _start_with_letter(name: str, prefix: str) -> str:
    """`name`, after `prefix` if it does not start with a letter."""
    is_letter = unicodedata.ucd_3_2_0.category(name[:1] or "0") in _LETTERS
    if is_letter:
        return name
    return f"{prefix}{name}"
