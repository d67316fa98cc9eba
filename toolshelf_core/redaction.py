"""Redaction: remove secrets from a tool's response and output before any of it is stored or shown.

A secret is found by its value, anywhere in the text, in all spellings that programs use:
unchanged, escaped in JSON, Python or HTML, percent-encoded, in hexadecimal, and inside base64.

The spellings are built when the first text is searched. A text is searched in one pass, however
many spellings there are, by looking up their first characters. One regular expression for all
spellings would try each of them at each character.
"""

from __future__ import annotations

import base64
import html
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from typing import Final, TypeVar
from urllib.parse import quote, quote_plus

from toolspec.text.numbers import NUMBER, NumberError, number_from
from toolspec.text.reader import JSON, Number

MARK = "[secret]"
WITHHELD = "[withheld: it could not be searched for secrets]"
# Strings and numbers in the parameters of a run; as many again in its configuration, and in its
# environment variables.
MAX_SECRETS: Final = 200
MAX_SECRET_BYTES: Final = 64 * 1024  # of these in total, as UTF-8
# Removing strings of one to three characters would damage ordinary words and reveal which letters
# the secret has.
MIN_SECRET_CHARACTERS = 4
# Each line of a key file is a secret too: a log may show a single line.
MIN_LINE_CHARACTERS = 16

_SOURCES: Final = 3  # parameters, configuration, environment variables
# Up to this many beginnings, a pattern finds them faster than a lookup at each character.
_FEW: Final = 200
# Characters: longer spellings are compared one by one, up to the first difference.
_LONG: Final = 256
_COMPARED_AT_ONCE: Final = 4096  # characters that count as one comparison
_MAX_COMPARISONS: Final = 1_000_000  # of spellings with one text or value


Searched = TypeVar("Searched", bound=JSON)


class Redactor:
    """Removes a set of secret strings from texts and JSON values.

    With more secrets than one run may have, it removes everything; such runs are refused earlier.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets: list[str] = []
        self._withholds_all = False
        size = 0
        for secret in secrets:
            if len(secret) < MIN_SECRET_CHARACTERS:
                continue
            size += len(secret.encode("utf-8", "surrogatepass"))
            if len(self._secrets) == _SOURCES * MAX_SECRETS or size > _SOURCES * MAX_SECRET_BYTES:
                self._withholds_all = True
                self._secrets.clear()
                break
            self._secrets.append(secret)

    def __bool__(self) -> bool:
        return self._withholds_all or bool(self._secrets)

    def __repr__(self) -> str:
        return "Redactor()"

    @cached_property
    def _spellings(self) -> _Spellings:
        return _Spellings(chain.from_iterable(map(_list_spellings, self._secrets)))

    @cached_property
    def _lower_case_spellings(self) -> _Spellings:
        return _Spellings(map(str.lower, self._spellings.all))

    def text(self, text: str) -> str:
        """`text` with every secret replaced by `MARK`."""
        return self._search_safely(text, lambda search: search.text(text))

    def cut_text(self, text: str) -> str:
        """As `text`, for a text that was cut or still grows: it may end within a secret.

        A possible beginning of a secret at the very end is removed, too.
        """
        return self._search_safely(text, lambda search: search.remove_begun(search.text(text)))

    def message(self, message: str) -> str:
        """As `text`, for a check's message.

        It quotes shortened values ("…"), which may end within a secret.
        """
        if not self:
            return message
        *cut, last = message.split("…")
        return "…".join([*map(self.cut_text, cut), self.text(last)])

    def value(self, value: JSON) -> JSON:
        """`value` with every secret in its strings, member names and numbers replaced."""
        return self._search_safely(value, lambda search: search.value(value))

    def content(self, content: bytes) -> bytes | None:
        """As `text`, for the content of a file; None if it cannot be searched.

        Secrets are found in UTF-8, and between bytes of other kinds, but not in compressed data.
        """
        if not self:
            return content
        text = self.text(content.decode("utf-8", "surrogateescape"))
        return None if text == WITHHELD else text.encode("utf-8", "surrogateescape")

    def lower_case(self, text: str) -> str | None:
        """`text`, which is in lower case; None if a secret in lower case is in it.

        None, too, if it cannot be searched.
        """
        result = self._search_safely(text, lambda _: _Search(self._lower_case_spellings).text(text))
        return text if result == text else None

    def _search_safely(
        self, value: Searched, search: Callable[[_Search], Searched]
    ) -> Searched | str:
        """The result of `search`; `WITHHELD` if the value cannot be searched."""
        if self._withholds_all:
            return WITHHELD
        if not self._secrets:
            return value
        try:
            return search(_Search(self._spellings))
        except _TooMuchWork:
            return WITHHELD


@lru_cache(maxsize=64)
def shared_redactor(secrets: tuple[str, ...]) -> Redactor:
    """The same redactor for the same secrets, so that their spellings are built once."""
    return Redactor(secrets)


class _TooMuchWork(Exception):
    """Too many parts of a text look like the beginning of a secret."""


class _Spellings:
    """The spellings of some secrets, ready for lookup."""

    def __init__(self, spellings: Iterable[str]) -> None:
        self.all = frozenset(spellings)
        self.ordered = sorted(self.all)
        self.longest = max(map(len, self.all), default=0)
        self.shortest = min(map(len, self.all), default=0)
        short = [spelling for spelling in self.all if len(spelling) < MIN_LINE_CHARACTERS]
        long = [spelling for spelling in self.all if len(spelling) >= MIN_LINE_CHARACTERS]
        self.tables = []
        if short:
            self.tables.append(_Table(short, MIN_SECRET_CHARACTERS))
        if long:
            self.tables.append(_Table(long, MIN_LINE_CHARACTERS))
        self.has_numbers = any(map(_is_number, self.all))
        self.starts = {spelling[:MIN_SECRET_CHARACTERS] for spelling in self.all}

    def has_beginning(self, text: str) -> bool:
        """Whether a spelling begins with `text`."""
        at = bisect_left(self.ordered, text)
        return at < len(self.ordered) and self.ordered[at].startswith(text)


@dataclass(slots=True)
class _Beginning:
    """The spellings with the same beginning, the longest first.

    Attributes:
        long: the long ones, by their first `_LONG` characters.
        lengths: the lengths of the others.
    """

    long: dict[str, list[str]] = field(default_factory=dict)
    lengths: list[int] = field(default_factory=list)


class _Table:
    """Spellings by their first `length` characters."""

    def __init__(self, spellings: list[str], length: int) -> None:
        self.length = length
        self.beginnings: dict[str, _Beginning] = {}
        for spelling in sorted(spellings, key=len, reverse=True):
            beginning = self.beginnings.setdefault(spelling[:length], _Beginning())
            if len(spelling) > _LONG:
                beginning.long.setdefault(spelling[:_LONG], []).append(spelling)
            elif len(spelling) not in beginning.lengths[-1:]:
                beginning.lengths.append(len(spelling))
        self._pattern = None
        if len(self.beginnings) <= _FEW:
            columns = map("".join, map(set, zip(*self.beginnings, strict=True)))
            classes = [f"[{re.escape(characters)}]" for characters in columns]
            self._pattern = re.compile(f"(?={''.join(classes)})")

    def find_candidates(self, text: str) -> Iterator[int]:
        """The positions in `text` where a spelling may begin, in order."""
        if self._pattern:
            return (match.start() for match in self._pattern.finditer(text))
        positions = range(len(text) - self.length + 1)
        return (at for at in positions if text[at : at + self.length] in self.beginnings)


class _Search:
    """One search of a text or value, with its work counted."""

    def __init__(self, spellings: _Spellings) -> None:
        self._spellings = spellings
        self._comparisons = 0
        self._types: tuple[type, ...] = (str, dict, list)  # of values that are searched
        if spellings.has_numbers:
            self._types += _NUMBERS

    def text(self, text: str) -> str:
        if len(text) < self._spellings.shortest:
            return text
        spans = []
        for table in self._spellings.tables:
            for at in table.find_candidates(text):
                end = self._find_end(table, text, at)
                if end:
                    spans.append((at, end))
        pieces = []
        done = 0
        for at, end in sorted(spans):
            if at >= done:
                pieces += [text[done:at], MARK]
            done = max(done, end)
        return "".join([*pieces, text[done:]])

    def _find_end(self, table: _Table, text: str, at: int) -> int:
        """The end of the longest spelling that begins at `at`; 0 if none does."""
        beginning = table.beginnings.get(text[at : at + table.length])
        if beginning is None:
            return 0
        self._count(1)
        for spelling in beginning.long.get(text[at : at + _LONG], ()):
            self._count(1 + len(spelling) // _COMPARED_AT_ONCE)
            if text.startswith(spelling, at):
                return at + len(spelling)
        for length in beginning.lengths:
            self._count(1)
            if text[at : at + length] in self._spellings.all:
                return at + length
        return 0

    def remove_begun(self, text: str) -> str:
        """`text` without a possible beginning of a secret at its very end."""
        spellings = self._spellings
        for at in range(max(0, len(text) - spellings.longest + 1), len(text)):
            start = text[at : at + MIN_SECRET_CHARACTERS]
            if start not in spellings.starts and len(start) == MIN_SECRET_CHARACTERS:
                continue
            self._count(1 + (len(text) - at) // _COMPARED_AT_ONCE)
            if spellings.has_beginning(text[at:]):
                return text[:at]
        return text

    def value(self, value: JSON) -> JSON:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            members = zip(map(self.text, value), self._list_values(value.values()), strict=True)
            return dict(members)
        if isinstance(value, list):
            return list(self._list_values(value))
        if isinstance(value, _NUMBERS) and not isinstance(value, bool):
            return MARK if write_number(value) in self._spellings.all else value
        return value

    def _list_values(self, values: Iterable[JSON]) -> Iterator[JSON]:
        for value in values:  # a call for each would take twice as long for a list of numbers
            yield self.value(value) if isinstance(value, self._types) else value

    def _count(self, comparisons: int) -> None:
        self._comparisons += comparisons
        if self._comparisons > _MAX_COMPARISONS:
            raise _TooMuchWork


_NUMBERS: Final = (int, Number)


def _is_number(text: str) -> bool:
    """Whether `text` is a JSON number that the reader accepts, not one out of range (68e99999)."""
    try:
        return bool(NUMBER.fullmatch(text)) and number_from(text) is not None
    except NumberError:
        return False


def write_number(number: int | Number) -> str:
    """A number as it is written in JSON."""
    if isinstance(number, Number):
        return number.lexeme
    return str(number)


def _list_spellings(secret: str) -> Iterator[str]:
    parts = [secret]
    if len(secret.strip()) >= MIN_SECRET_CHARACTERS:
        parts.append(secret.strip())
    if "\n" in secret:
        lines = map(str.strip, secret.splitlines())
        parts += [line for line in lines if len(line) >= MIN_LINE_CHARACTERS]
    for part in parts:
        yield from _spell(part)


def _spell(secret: str) -> Iterator[str]:
    yield secret
    for ensure_ascii in (True, False):
        text = json.dumps(secret, ensure_ascii=ensure_ascii)[1:-1]
        yield text
        yield text.replace("/", "\\/")
        yield json.dumps(text, ensure_ascii=ensure_ascii)[1:-1]  # JSON inside JSON
    yield repr(secret)[1:-1]
    yield html.escape(secret)
    raw = secret.encode("utf-8", "surrogatepass")
    yield repr(raw)[2:-1]
    yield raw.hex()
    yield raw.hex().upper()
    for text in (quote(raw), quote(raw, safe=""), quote_plus(raw)):
        yield text
        yield re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), text)
        yield quote(text, safe="")  # encoded twice, as in a redirect's address
    yield from _spell_in_base64(raw)


def _spell_in_base64(raw: bytes) -> Iterator[str]:
    """`raw` inside the base64 of a longer text ("user:secret"), at each of the three offsets."""
    for skip, first in ((0, 0), (1, 2), (2, 3)):
        # The characters before `first` also hold bits of the text before; those after `last`, of
        # the text after.
        last = (skip + len(raw)) * 8 // 6
        text = base64.b64encode(bytes(skip) + raw)[first:last].decode()
        if len(text) >= MIN_SECRET_CHARACTERS:
            yield text
            yield text.replace("+", "-").replace("/", "_")
