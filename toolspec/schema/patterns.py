r"""Regular expressions as JSON Schema defines them, matched in bounded time.

They are those of ECMA-262 with the `u` flag. The `regex` module matches, as it stops a search that
takes too long. The engine of `jsonschema-rs` cannot be stopped: a pattern with a lookahead takes it
2.5 s for 30,000 characters, and no limit of backtracking ends that.

It is more lenient than the standard where real schemas need it: an escaped punctuation character
stands for itself (`\-`, `\@`, `\"`), so does a brace or bracket that closes nothing, `[\w-.]`
contains a hyphen, and any lookaround may be repeated.

Sources: ECMA-262, "Patterns" and "Pattern Semantics"; JSON Schema 2020-12 Core, section 6.4.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import regex

MAX_PATTERN_CHARACTERS: Final = 8_192
MAX_TRANSLATED_CHARACTERS: Final = 40_000  # the engine takes about 10 µs for each to compile
MAX_GROUP_DEPTH: Final = 50
MAX_REPEATED_CHARACTERS: Final = 20_000  # `(?:ab){n}` spelled out, as the engine does in memory
# CPU time of one search; bounds its memory too, which grows by 1 MB per ms at worst.
MATCH_TIMEOUT_S: Final = 0.05

_ESCAPE: Final = r"""
      (?P<pair>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})
    | (?P<code>\\u\{[0-9a-fA-F]{1,6}\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2})
    | (?P<control>\\c[a-zA-Z])
    | (?P<set>\\[dDwWsS])
    | (?P<property>\\[pP]\{[A-Za-z0-9_=]{1,100}\})
    | (?P<nul>\\0(?![0-9]))
"""
_TOKEN: Final = re.compile(
    rf"""
      {_ESCAPE}
    | \\(?P<boundary>[bB])
    | \\(?P<number>[1-9][0-9]{{0,4}})
    | \\k<(?P<name>\w{{1,100}})>
    | (?P<escaped>\\.?)
    | \(\?<(?P<named_group>[^\W\d]\w{{0,99}})>
    | \(\?(?P<modifiers>(?=[ims-])[ims]*(?:-[ims]+)?):
    | (?P<group>\((?:\?(?:[:=!]|<[=!]))?(?!\?))
    | (?P<unknown_group>\(\?)
    | (?P<end_group>\))
    | (?P<empty_class>\[\^?\])
    | (?P<class>\[\^?)
    | (?P<quantifier>(?:[*+?]|\{{(?P<low>[0-9]{{1,99}})(?:,(?P<high>[0-9]{{0,99}}))?\}})\??)
    | (?P<dot>\.)
    | (?P<sign>[|^$])
    | (?P<literal>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_CLASS_TOKEN: Final = re.compile(
    rf"""
      {_ESCAPE}
    | (?P<escaped>\\.?)
    | (?P<end_class>\])
    | (?P<hyphen>-)
    | (?P<literal>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_SET_FOLLOWS: Final = re.compile(r"\\(?:[dDwWsS]|[pP]\{)")
# Escapes and classes come first, because what looks like a lookaround in them is none.
_LOOKAROUND: Final = re.compile(
    r"\\. | \[ (?: \\. | [^\]\\] )* \] | (?P<lookaround> \(\?<?[=!] )",
    re.VERBOSE | re.DOTALL,
)
_CONTROL_ESCAPES: Final = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}
_MAX_BOUND: Final = 2**31  # of the engine
_MAX_CODE: Final = 0x10FFFF

# What is inside the brackets of the class with the same meaning.
_SETS: Final = {
    r"\d": "0-9",
    r"\D": r"\x00-/:-\U0010ffff",
    r"\w": "0-9A-Z_a-z",
    r"\W": r"\x00-/:-@\x5b-\x5e`{-\U0010ffff",
    r"\s": r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff",
    r"\S": (
        r"\x00-\x08\x0e-\x1f!-\x9f\xa1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e"
        r"\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\U0010ffff"
    ),
}
_LINE_END: Final = r"\n\r\u2028\u2029"
_AT_WORD: Final = "[0-9A-Z_a-z]"
_ANY: Final = "(?s:.)"
_NOTHING: Final = "(?!)"
_HYPHEN: Final = r"\-"
_NOT_REPEATABLE: Final = frozenset(
    {"", "quantifier", "sign", "boundary", "group", "named_group", "modifiers"}
)
_SIGNS: Final = {"|": "|", "^": r"\A", "$": r"\Z"}
_MULTILINE_SIGNS: Final = {"|": "|", "^": f"(?<![^{_LINE_END}])", "$": f"(?![^{_LINE_END}])"}
_BOUNDARIES: Final = {
    "b": f"(?:(?<={_AT_WORD})(?!{_AT_WORD})|(?<!{_AT_WORD})(?={_AT_WORD}))",
    "B": f"(?:(?<={_AT_WORD})(?={_AT_WORD})|(?<!{_AT_WORD})(?!{_AT_WORD}))",
}


@dataclass(frozen=True, slots=True)
class PatternError:
    """Why a pattern cannot be used; `position` counts characters from 0."""

    message: str
    position: int


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern. `translated`: the same in the syntax of `regex` (VERSION0)."""

    source: str
    translated: str = field(repr=False)
    _compiled: regex.Pattern[str] = field(repr=False)

    def found_in(self, text: str, *, timeout_s: float = MATCH_TIMEOUT_S) -> bool:
        """Whether the pattern matches somewhere in `text`.

        Raises:
            TimeoutError: it took longer than `timeout_s` (s of CPU time).
        """
        return self._compiled.search(text, timeout=timeout_s) is not None


@lru_cache(maxsize=2048)
def compile_pattern(source: str) -> Pattern | PatternError:
    """`source` compiled, or why it cannot be used.

    Takes about 1 ms per 100 characters, at most 0.5 s; cached.
    """
    if len(source) > MAX_PATTERN_CHARACTERS:
        message = f"it is longer than {MAX_PATTERN_CHARACTERS} characters."
        return PatternError(message, MAX_PATTERN_CHARACTERS)
    translator = _Translator(source)
    try:
        translated = translator.run()
        if len(translated) > MAX_TRANSLATED_CHARACTERS:
            return PatternError("it is too long once its escapes are expanded; shorten it.", 0)
        return Pattern(source, translated, regex.compile(translated, regex.VERSION0))
    except _Refusal as error:
        return PatternError(str(error), error.position)
    except regex.error as error:
        reason, _, position = str(error).partition(" at position ")
        return PatternError(f"{reason}."[:200], translator.find_source_position(int(position or 0)))
    except RecursionError:
        return PatternError("it is nested too deeply.", 0)


def matches(source: str, text: str) -> bool:
    """Whether the pattern `source` is usable, and is found in `text` in time."""
    pattern = compile_pattern(source)
    try:
        return isinstance(pattern, Pattern) and pattern.found_in(text)
    except TimeoutError:
        return False


def has_lookaround(source: str) -> bool:
    """Whether `source` contains a lookahead or a lookbehind."""
    return any(match["lookaround"] for match in _LOOKAROUND.finditer(source))


class _Refusal(Exception):
    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


@dataclass(frozen=True, slots=True)
class _Scope:
    """A group that is open. `weight`: of the group around it, so far."""

    weight: int
    is_multiline: bool
    is_dot_all: bool


@dataclass(slots=True)
class _Translator:
    """One pass over the tokens of one pattern.

    Attributes:
        starts: for each token, where it starts in the translation and in the source.
        previous: the kind of the token before.
        weight: how many characters the open group spells out so far.
        atom_weight: how many its last atom does.
        is_multiline, is_dot_all: which modifiers are in force.
    """

    source: str
    starts: list[tuple[int, int]] = field(default_factory=list)
    scopes: list[_Scope] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    previous: str = ""
    weight: int = 0
    atom_weight: int = 0
    is_multiline: bool = False
    is_dot_all: bool = False

    def run(self) -> str:
        """The pattern in the syntax of `regex`.

        Raises:
            _Refusal: an escape or a group is not of ECMA-262, or the pattern exceeds a limit. The
                engine finds the other errors.
        """
        parts: list[str] = []
        length = 0
        position = 0
        in_class = False
        while position < len(self.source):
            tokens = _CLASS_TOKEN if in_class else _TOKEN
            token = tokens.match(self.source, position)
            if token is None or token.lastgroup is None:
                raise AssertionError  # the last alternative matches any character
            kind = token.lastgroup
            translate = self._translate_class_item if in_class else self._translate_item
            part = translate(kind, token)
            if kind in {"class", "end_class"}:
                in_class = kind == "class"
            self.starts.append((length, position))
            parts.append(part)
            length += len(part)
            position = token.end()
            self.previous = "literal" if part == _HYPHEN else kind
        self.starts.append((length, position))
        return "".join(parts)

    def find_source_position(self, position: int) -> int:
        """Where the token starts in the source whose translation contains `position`."""
        index = bisect_right(self.starts, (position, len(self.source))) - 1
        return self.starts[index][1]

    def _translate_item(self, kind: str, token: re.Match[str]) -> str:
        match kind:
            case "sign":
                return self._translate_sign(token[0])
            case "boundary":
                return _BOUNDARIES[token[kind]]
            case "group" | "named_group" | "modifiers":
                return self._open_group(kind, token)
            case "unknown_group":
                raise _Refusal(_explain_group(self.source, token.end()), token.start())
            case "end_group":
                return self._close_group()
            case "quantifier":
                return self._quantify(token)
        return self._translate_atom(kind, token)

    def _translate_atom(self, kind: str, token: re.Match[str]) -> str:
        self._add_atom()
        match kind:
            case "set":
                return f"[{_SETS[token[0]]}]"
            case "dot":
                if self.is_dot_all:
                    return _ANY
                return f"[^{_LINE_END}]"
            case "property" | "class":
                return token[0]
            case "empty_class":
                if token[0] == "[^]":
                    return _ANY
                return _NOTHING
            case "number":
                # A reference to a group that took no part never matches in `regex`; in ECMA-262
                # it matches "".
                return f"(?({token[kind]})\\{token[kind]}|)"
            case "name":
                return f"(?({token[kind]})(?P={token[kind]})|)"
        return _escape(_read_code_point(kind, token))

    def _translate_class_item(self, kind: str, token: re.Match[str]) -> str:
        match kind:
            case "set":
                return _SETS[token[0]]
            case "property" | "end_class":
                return token[0]
            case "hyphen":
                is_range = self.previous not in {"class", "set", "property", "hyphen"}
                if is_range and not _SET_FOLLOWS.match(self.source, token.end()):
                    return "-"
                return _HYPHEN
            case "escaped" if token[0] == r"\b":
                return r"\x08"
        return _escape(_read_code_point(kind, token))

    def _translate_sign(self, sign: str) -> str:
        self.atom_weight = 0
        if self.is_multiline:
            return _MULTILINE_SIGNS[sign]
        return _SIGNS[sign]

    def _open_group(self, kind: str, token: re.Match[str]) -> str:
        if len(self.scopes) == MAX_GROUP_DEPTH:
            message = f"groups are nested more than {MAX_GROUP_DEPTH} levels deep."
            raise _Refusal(message, token.start())
        self.scopes.append(_Scope(self.weight, self.is_multiline, self.is_dot_all))
        self.weight = 0
        if kind == "named_group":
            return self._open_named_group(token)
        if kind == "modifiers":
            return self._open_modifiers(token[kind])
        return token[0]

    def _open_named_group(self, token: re.Match[str]) -> str:
        name = token["named_group"]
        if name in self.names:
            raise _Refusal(f"two groups are named {name[:40]!r}.", token.start())
        self.names.add(name)
        return f"(?P<{name}>"

    def _open_modifiers(self, letters: str) -> str:
        added, _, removed = letters.partition("-")
        if "m" in letters:
            self.is_multiline = "m" in added
        if "s" in letters:
            self.is_dot_all = "s" in added
        if "i" in added:
            return "(?i:"
        return "(?-i:" if "i" in removed else "(?:"

    def _close_group(self) -> str:
        if self.scopes:  # the engine refuses a parenthesis that closes nothing
            scope = self.scopes.pop()
            self.atom_weight = max(self.weight, 1)
            self.weight = scope.weight + self.atom_weight
            self.is_multiline = scope.is_multiline
            self.is_dot_all = scope.is_dot_all
        return ")"

    def _quantify(self, token: re.Match[str]) -> str:
        if self.previous in _NOT_REPEATABLE:
            message = "a quantifier (`*`, `+`, `?` or `{n}`) has nothing to repeat."
            raise _Refusal(message, token.start())
        low = int(token["low"] or 0)
        if low > 1:
            self.weight += self.atom_weight * (low - 1)
        if max(self.weight, low) > MAX_REPEATED_CHARACTERS:
            raise _Refusal("it repeats too much.", token.start())
        if int(token["high"] or 0) <= _MAX_BOUND:
            return token[0]
        return token[0].replace(token["high"], "")

    def _add_atom(self) -> None:
        self.atom_weight = 1
        self.weight += 1


def _explain_group(source: str, position: int) -> str:
    if source.startswith("P", position):
        return "write a named group as `(?<name>…)`, and a reference to it as `\\k<name>`."
    return "`(?` does not start a group type of ECMA-262."


def _read_code_point(kind: str, token: re.Match[str]) -> int:
    """The code point that a token stands for."""
    text = token[0]
    match kind:
        case "pair":
            high = int(text[2:6], 16) & 0x3FF
            low = int(text[8:], 16) & 0x3FF
            return 0x10000 + (high << 10) + low
        case "code":
            code = int(text[2:].strip("{}"), 16)
            if code <= _MAX_CODE:
                return code
        case "control":
            return ord(text[2]) % 32
        case "nul":
            return 0
        case "escaped" if text[1:] in _CONTROL_ESCAPES:
            return _CONTROL_ESCAPES[text[1:]]
        case "escaped" if text[1:] and not text[1:].isalnum():
            return ord(text[1:])
        case "literal" | "hyphen":
            return ord(text)
    if text == "\\":
        raise _Refusal("it ends with a backslash.", token.end())
    message = f"`{text[:40]}` is not an escape in ECMA-262."
    raise _Refusal(message, token.start())


def _escape(code: int) -> str:
    """A code point, escaped so that it can be used inside and outside of a class."""
    character = chr(code)
    if character.isascii() and character.isalnum():
        return character
    return f"\\U{code:08x}"
