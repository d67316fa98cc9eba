"""Names of Java packages, types, record components and enum constants, made from arbitrary text.

    type_name("get weather")       "GetWeather"     ASCII, because files are named after types
    component_name("user-id")      "userId"         letters of any script
    constant_name("not found")     "NOT_FOUND"
    package_segment("Get weather") "getweather"

Every name is a legal identifier of Java 17 and has at most `MAX_NAME` characters. `Names` makes them unique.

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
    "_", "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue",
    "default", "do", "double", "else", "enum", "extends", "false", "final", "finally", "float", "for", "goto", "if",
    "implements", "import", "instanceof", "int", "interface", "long", "native", "new", "null", "package", "private",
    "protected", "public", "return", "short", "static", "strictfp", "super", "switch", "synchronized", "this", "throw",
    "throws", "transient", "true", "try", "void", "volatile", "while",
})  # fmt: skip
_NOT_A_COMPONENT: Final = frozenset(
    {"clone", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait"}
)
_DEVICES: Final = frozenset({  # Windows has no files of these names, whatever the extension
    "con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
})  # fmt: skip

_LETTERS: Final = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo"})
_MARKS: Final = frozenset({"Mn", "Mc"})
_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0]"
)  # letters and marks that show nothing
_BETWEEN_WORDS: Final = re.compile(
    r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
)  # userId, HTTPServer
_MAX_READ: Final = 400  # characters of a text that a name is made of


class Names:
    """Names in one scope: each is given out once, with a number if it is wanted again.

    Args:
        reserved: names that are never given out.
        ignore_case: whether two names may not differ only in case, because files are named after them.
    """

    def __init__(self, reserved: Iterable[str] = (), *, ignore_case: bool = False) -> None:
        self._ignore_case = ignore_case
        self._used = {self._key(name) for name in reserved}
        self._next: dict[str, int] = {}

    def unique(self, wanted: str) -> str:
        """`wanted`, or `wanted2`, `wanted3`, … if it is in use."""
        name, number = wanted, self._next.get(self._key(wanted), 2)
        while self._key(name) in self._used:
            name = f"{wanted}{'_' if wanted[-1].isdigit() else ''}{number}"
            number += 1
        self._next[self._key(wanted)] = number
        self._used.add(self._key(name))
        return name

    def _key(self, name: str) -> str:
        return name.lower() if self._ignore_case else name


def type_name(text: str, *, otherwise: str = "Type") -> str:
    """An ASCII name in upper camel case; `otherwise` if `text` has no such letter or digit, and before a digit."""
    name = "".join(_fitting([word[:1].upper() + word[1:] for word in _words(_ascii(text))]))
    return name if name[:1].isalpha() else f"{otherwise}{name}"


def component_name(text: str) -> str:
    """A name in lower camel case, of letters of any script."""
    words = _words(text) or ["value"]
    words = [words[0].lower() if words[0].isupper() else words[0][:1].lower() + words[0][1:]] + [
        word[:1].upper() + word[1:] for word in words[1:]
    ]
    name = _started("".join(_fitting(words)), "_")
    return f"{name}_" if name in KEYWORDS or name in _NOT_A_COMPONENT else name


def constant_name(text: str) -> str:
    """A name in upper case, its words separated by underscores."""
    sign = "MINUS " if re.match(r"-[0-9]", text) else ""
    words = _words(sign + text) or _words(_names_of_symbols(text)) or ["value"]
    upper = [_identifier_characters(word.upper()) for word in words]
    return _started("_".join(_fitting(upper)), "VALUE_")


def package_segment(text: str) -> str:
    """A part of a package's name: small ASCII letters and digits."""
    name = re.sub(r"[^a-z0-9]", "", _ascii(text).lower())[:MAX_NAME]
    if not name:
        return f"tool{short_hash(text)}"
    return f"tool{name}" if name[0].isdigit() or name in KEYWORDS or is_device(name) else name


def artifact_id(text: str) -> str:
    """The name of a Maven artifact: small ASCII words with hyphens between them."""
    words = _fitting([word.lower() for word in _words(_ascii(text))])
    return "-".join(words)[:MAX_NAME].strip("-") or f"tool-{short_hash(text)}"


def short_hash(text: str) -> str:
    """Eight hex digits that differ for different texts."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def is_device(name: str) -> bool:
    return name.lower() in _DEVICES


def _words(text: str) -> list[str]:
    """The words of `text`, split at characters that a name cannot contain and before capital letters."""
    return _BETWEEN_WORDS.sub(" ", _identifier_characters(text)).split()


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text[:_MAX_READ]).encode("ascii", "ignore").decode()


def _identifier_characters(text: str) -> str:
    """`text` with a space for each character that a name cannot have.

    Python knows newer letters than Java 17 does, so only those of Unicode 3.2 are used.
    """
    out: list[str] = []
    for character in unicodedata.normalize("NFKC", text[:_MAX_READ]):
        category = unicodedata.ucd_3_2_0.category(character)
        if character > "\uffff" or _INVISIBLE.match(character):
            out.append(" ")
        elif category in _LETTERS or category == "Nd":
            out.append(character)
        else:
            follows = category in _MARKS and out and out[-1] != " "
            out.append(character if follows else " ")
    return "".join(out).strip()


def _names_of_symbols(text: str) -> str:
    """The Unicode names of the first characters of a text without letters: "LESS-THAN SIGN"."""
    return " ".join(unicodedata.name(character, "") for character in text[:3]).replace("-", " ")


def _fitting(words: list[str]) -> list[str]:
    """The first words that fit into a name, with a separator between them."""
    fitting: list[str] = []
    remaining = MAX_NAME
    for word in words:
        if len(word) > remaining:
            break
        fitting.append(word)
        remaining -= len(word) + 1
    return fitting or [word[:MAX_NAME] for word in words[:1]]


def _started(name: str, prefix: str) -> str:
    """`name`, after `prefix` if it does not start with a letter."""
    is_letter = unicodedata.ucd_3_2_0.category(name[:1] or "0") in _LETTERS
    return name if is_letter else f"{prefix}{name}"
