r"""A regular expression of ECMA-262 (with the `u` flag) written out in the words of the `regex` module.

Nothing here knows Django. The scanner never recurses and is linear in the pattern; what ECMA-262 does not have is a
syntax error, so nothing of `regex` beyond it can be reached.

Read more kindly than the standard, because real schemas are written so: an escaped punctuation character stands for
itself (`\-`, `\@`, `\"`), so does a brace or bracket that closes nothing, and `[\w-.]` holds a hyphen. `is_regex` is
the strict reading.

Sources: ECMA-262, "Patterns" and "Pattern Semantics"; JSON Schema 2020-12 Core, section 6.4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from catalog.json_schema.regex.syntax import (
    DECIMAL,
    MAX_NAME_CHARACTERS,
    PatternReader,
    PatternSyntaxError,
    bounded_int,
    character_of,
)

MAX_GROUP_DEPTH: Final = 50
MAX_REPEATED_CHARACTERS: Final = 20_000  # what `(?:ab){n}` spells out: `regex` does so, in memory, when it compiles


def translate(source: str) -> str:
    """`source` in the words of `regex` (VERSION0).

    Raises:
        PatternSyntaxError: ECMA-262 does not know it, or it asks for too much.
    """
    return _Translator(PatternReader(source, strict=False)).run()


def is_regex(source: str) -> bool:
    """Whether `source` is a regular expression by the letter of ECMA-262. Linear, of any length."""
    try:
        _Translator(PatternReader(source, strict=True)).run()
    except PatternSyntaxError:
        return False
    return True


_LINE_END = r"\n\r\u2028\u2029"
_AT_WORD = "[A-Za-z0-9_]"
_BOUNDARY = f"(?:(?<={_AT_WORD})(?!{_AT_WORD})|(?<!{_AT_WORD})(?={_AT_WORD}))"
_NO_BOUNDARY = f"(?:(?<={_AT_WORD})(?={_AT_WORD})|(?<!{_AT_WORD})(?!{_AT_WORD}))"


@dataclass(slots=True)
class _Group:
    """A group that is open: what its closing parenthesis has to bring back."""

    number: int | None
    multiline: bool
    dot_all: bool
    may_repeat: bool = True
    weight: int = 0  # of what stands before it in the group around


@dataclass(slots=True)
class _Translator:
    """One pass over one pattern.

    Attributes:
        out: what is written so far.
        open_groups, closed, count: the groups around; the numbers of those that are closed; how many were opened.
        names, total: the numbers of all named groups, and how many groups there are, further on too.
        multiline, dot_all: which modifiers are in force.
        repeatable: whether what was just read can take a quantifier.
        weight, atom_weight: characters spelled out by the open group so far, and by what was just read.
    """

    reader: PatternReader
    out: list[str] = field(default_factory=list)
    open_groups: list[_Group] = field(default_factory=list)
    closed: set[int] = field(default_factory=set)
    count: int = 0
    names: dict[str, int] = field(default_factory=dict)
    total: int = 0
    multiline: bool = False
    dot_all: bool = False
    repeatable: bool = False
    weight: int = 0
    atom_weight: int = 0

    def run(self) -> str:
        self._count_groups()
        while self.reader.at < len(self.reader.source):
            character = self.reader.source[self.reader.at]
            self.reader.at += 1
            handler = _HANDLERS.get(character)
            if handler is None:
                self._atom(character_of(ord(character)))
                continue
            handler(self)
        if self.open_groups:
            raise self.reader.error("A group is never closed.")
        return "".join(self.out)

    # What a handler leaves behind.

    def _atom(self, text: str, *, weight: int = 1) -> None:
        self.out.append(text)
        self.repeatable = True
        self._weigh(weight)

    def _assertion(self, text: str) -> None:
        self.out.append(text)
        self.repeatable = False
        self.atom_weight = 0

    def _weigh(self, weight: int) -> None:
        self.atom_weight = weight
        self.weight += weight
        if self.weight > MAX_REPEATED_CHARACTERS and not self.reader.strict:
            raise self.reader.error("The pattern repeats too much.")

    # Groups.

    def _count_groups(self) -> None:
        """Find how many groups there are and what they are called: a reference may stand before its group."""
        at, in_class, source = 0, False, self.reader.source
        while at < len(source):
            character = source[at]
            if character == "\\":
                at += 1
            elif in_class:
                in_class = character != "]"
            elif character == "[":
                in_class = True
            elif character == "(":
                self._count_group(at)
            at += 1

    def _count_group(self, at: int) -> None:
        source = self.reader.source
        if not source.startswith("?", at + 1):
            self.total += 1
        elif source.startswith("?<", at + 1) and source[at + 3 : at + 4] not in {"=", "!"}:
            self.total += 1
            end = source.find(">", at + 3, at + 3 + MAX_NAME_CHARACTERS)
            name = source[at + 3 : end]
            if end < 0 or not name.replace("$", "_").isidentifier():
                raise PatternSyntaxError("A group's name is a word.", at)
            if name in self.names:
                raise PatternSyntaxError(f"Two groups have the name {name[:40]!r}.", at)
            self.names[name] = self.total

    def _open_group(self) -> None:
        group = _Group(None, self.multiline, self.dot_all, weight=self.weight)
        if not self.reader.take("?"):
            self._open_capture(group)
        elif self.reader.take(":"):
            self.out.append("(?:")
        elif self.reader.take("=") or self.reader.take("!"):
            group.may_repeat = not self.reader.strict
            self.out.append("(?" + self.reader.source[self.reader.at - 1])
        elif self.reader.take("<=") or self.reader.take("<!"):
            group.may_repeat = False
            self.out.append("(?<" + self.reader.source[self.reader.at - 1])
        elif self.reader.take("<"):
            self.reader.until(">")  # _count_groups has looked at the name
            self._open_capture(group)
        else:
            self._open_modifiers()
        self.open_groups.append(group)
        if len(self.open_groups) > MAX_GROUP_DEPTH and not self.reader.strict:
            raise self.reader.error(f"Groups are nested deeper than {MAX_GROUP_DEPTH}.")
        self.repeatable = False
        self.weight = 0

    def _open_capture(self, group: _Group) -> None:
        self.count += 1
        group.number = self.count
        self.out.append("(")

    def _open_modifiers(self) -> None:
        """`(?i:`, `(?s-m:`; only these two forms are left after `(?`."""
        start = self.reader.peek()
        added, minus, removed = (self.reader.until(":") or "").partition("-")
        letters = added + removed
        if not letters or len(set(letters)) < len(letters) or not set(letters) <= set("ims"):
            raise self.reader.error(_strange_group(start))
        if "m" in letters:
            self.multiline = "m" in added
        if "s" in letters:
            self.dot_all = "s" in added
        self.out.append("(?i:" if "i" in added else "(?-i:" if minus and "i" in removed else "(?:")

    def _close_group(self) -> None:
        if not self.open_groups:
            raise self.reader.error("A group is closed that was never opened.")
        group = self.open_groups.pop()
        self.multiline, self.dot_all = group.multiline, group.dot_all
        if group.number is not None:
            self.closed.add(group.number)
        self.out.append(")")
        inside, self.weight = self.weight, group.weight
        self.repeatable = group.may_repeat
        self._weigh(max(inside, 1))

    def _alternative(self) -> None:
        self._assertion("|")

    # Assertions, the dot, quantifiers.

    def _start(self) -> None:
        self._assertion(f"(?<![^{_LINE_END}])" if self.multiline else r"\A")

    def _end(self) -> None:
        self._assertion(f"(?![^{_LINE_END}])" if self.multiline else r"\Z")

    def _dot(self) -> None:
        self._atom("(?s:.)" if self.dot_all else f"[^{_LINE_END}]")

    def _star(self) -> None:
        self._quantify("*", 0)

    def _plus(self) -> None:
        self._quantify("+", 1)

    def _optional(self) -> None:
        self._quantify("?", 0)

    def _braces(self) -> None:
        bounds = self._bounds()
        if bounds is None:
            self._literal_unless_strict("{")
            return
        low, high = bounds
        if high is not None and high < low:
            raise self.reader.error("The bounds of a repetition are out of order.")
        if low > MAX_REPEATED_CHARACTERS and not self.reader.strict:
            raise self.reader.error("The pattern repeats too much.")
        upper = "" if high is None or high > 2**31 else str(high)
        self._quantify(f"{{{low},{upper}}}", low)

    def _bounds(self) -> tuple[int, int | None] | None:
        """`n}`, `n,}` or `n,m}`; None, and nothing read, where it is something else."""
        start = self.reader.at
        low, comma, high = (self.reader.until("}") or "").partition(",")
        if not low or not DECIMAL.issuperset(low) or not DECIMAL.issuperset(high):
            self.reader.at = start
            return None
        if not comma:
            high = low
        return bounded_int(low), bounded_int(high) if high else None

    def _quantify(self, quantifier: str, low: int) -> None:
        if not self.repeatable:
            raise self.reader.error("There is nothing to repeat.")
        self.out.append(quantifier + ("?" if self.reader.take("?") else ""))
        self.repeatable = False
        if low > 1 and not self.reader.strict:
            self._weigh(self.atom_weight * (low - 1))

    def _literal_unless_strict(self, character: str) -> None:
        if self.reader.strict:
            raise self.reader.error(f"{character!r} stands alone.")
        self._atom(character_of(ord(character)))

    def _closing_brace(self) -> None:
        self._literal_unless_strict("}")

    def _closing_bracket(self) -> None:
        self._literal_unless_strict("]")

    # Escapes.

    def _escape(self) -> None:
        character = self.reader.peek()
        if character in {"b", "B"}:
            self.reader.at += 1
            self._assertion(_BOUNDARY if character == "b" else _NO_BOUNDARY)
        elif character in DECIMAL and character != "0":
            self._reference(self.reader.digits())
        elif character == "k":
            self.reader.at += 1
            self._reference(self._name())
        else:
            text = self.reader.character_set()
            self._atom(f"[{text}]" if text is not None else character_of(self.reader.character_escape()))

    def _name(self) -> int:
        name = self.reader.until(">") if self.reader.take("<") else None
        if name is None or name not in self.names:
            raise self.reader.error("'\\k' needs the name of a group.")
        return self.names[name]

    def _reference(self, group: int) -> None:
        """A reference to a group that has not matched matches the empty text; in `regex` it would never match."""
        if group > self.total:
            raise self.reader.error(f"There is no group {group}.")
        self._atom(f"(?({group})\\{group}|)" if group in self.closed else "(?:)")

    def _class(self) -> None:
        self._atom(self.reader.character_class())


_HANDLERS: dict[str, Callable[[_Translator], None]] = {
    "(": _Translator._open_group,
    ")": _Translator._close_group,
    "|": _Translator._alternative,
    "^": _Translator._start,
    "$": _Translator._end,
    ".": _Translator._dot,
    "*": _Translator._star,
    "+": _Translator._plus,
    "?": _Translator._optional,
    "{": _Translator._braces,
    "}": _Translator._closing_brace,
    "[": _Translator._class,
    "]": _Translator._closing_bracket,
    "\\": _Translator._escape,
}


def _strange_group(start: str) -> str:
    if start == "P":
        return "A named group is written '(?<name>…)', a reference to it '\\k<name>'."
    return "'(?' is not followed by anything that ECMA-262 knows."
