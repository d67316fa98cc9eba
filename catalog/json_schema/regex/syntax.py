r"""The syntax tree of a regular expression of ECMA-262, with the `u` flag.

The tree has two visitors: `translate` writes it for the engine, `sample` makes a string that matches. The parser is
linear in the pattern and does not recurse. It supports only ECMA-262, so no other feature of the engine can be used.

It is more lenient than the standard where real schemas need it: an escaped punctuation character stands for itself
(`\-`, `\@`, `\"`), so does a brace or bracket that closes nothing, and `[\w-.]` contains a hyphen. `is_regex` is
strict.

Sources: ECMA-262, "Patterns" and "Pattern Semantics"; JSON Schema 2020-12 Core, section 6.4.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from catalog.json_schema.regex.characters import (
    DECIMAL,
    MAX_NAME_CHARACTERS,
    CharacterSet,
    PatternReader,
    PatternSyntaxError,
    bounded_int,
)

MAX_GROUP_DEPTH: Final = 50
MAX_REPEATED_CHARACTERS: Final = (
    20_000  # `(?:ab){n}` spelled out, as the engine does in memory when it compiles
)


# -- the tree ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Character:
    """A character that stands for itself. One that is escaped is a `CharacterSet` of one."""

    code: int


@dataclass(frozen=True, slots=True)
class Dot:
    """Any character; without `dot_all` not the end of a line."""

    dot_all: bool


@dataclass(frozen=True, slots=True)
class Assertion:
    r"""`^`, `$`, `\b` or `\B`. `multiline`: `^` and `$` match at the ends of lines too."""

    sign: Literal["^", "$", "b", "B"]
    multiline: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to the group `number`. Before that group is closed, it matches the empty string."""

    number: int
    closed: bool


@dataclass(frozen=True, slots=True)
class Disjunction:
    """Alternatives, each a sequence; the whole pattern is one, and so is what a group contains."""

    alternatives: tuple[tuple[Node, ...], ...]


GroupKind: TypeAlias = Literal["capture", "plain", "modifiers", "=", "!", "<=", "<!"]
_LOOKAROUND: Final = re.compile(r"\(\?<?[=!]")


@dataclass(frozen=True, slots=True)
class Group:
    """A group, or a lookaround. `ignore_case`: set by its modifiers; None if they do not change it."""

    kind: GroupKind
    content: Disjunction
    ignore_case: bool | None = None


@dataclass(frozen=True, slots=True)
class Repetition:
    """`node`, at least `low` times and at most `high` times; None: without limit."""

    node: Node
    low: int
    high: int | None
    lazy: bool


Node: TypeAlias = Character | CharacterSet | Dot | Assertion | Reference | Group | Repetition


def parse(source: str) -> Disjunction:
    """The syntax tree of `source`, leniently read. Its groups are at most `MAX_GROUP_DEPTH` deep.

    Raises:
        PatternSyntaxError: the syntax is wrong, or the pattern exceeds a limit.
    """
    return _Parser(PatternReader(source, strict=False)).run()


def is_regex(source: str) -> bool:
    """Whether `source` is a regular expression by the letter of ECMA-262. Linear, of any length."""
    try:
        _Parser(PatternReader(source, strict=True)).run()
    except PatternSyntaxError:
        return False
    return True


def has_lookaround(source: str) -> bool:
    """Whether `source` contains a lookahead or a lookbehind."""
    if "(?" not in source:
        return False
    try:
        waiting: list[Disjunction | Node] = [parse(source)]
    except PatternSyntaxError:
        return _LOOKAROUND.search(source) is not None
    while waiting:
        node = waiting.pop()
        if isinstance(node, Group):
            if node.kind in _LOOKAROUNDS:
                return True
            waiting.append(node.content)
        elif isinstance(node, Repetition):
            waiting.append(node.node)
        elif isinstance(node, Disjunction):
            for alternative in node.alternatives:
                waiting.extend(alternative)
    return False


# -- the parser -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _OpenGroup:
    """A group that is not closed yet, with the state to restore after its closing parenthesis."""

    kind: GroupKind
    alternatives: list[tuple[Node, ...]]
    nodes: list[Node]
    multiline: bool
    dot_all: bool
    weight: int
    number: int | None = None
    ignore_case: bool | None = None

    def may_repeat(self, *, strict: bool) -> bool:
        return self.kind not in ({"=", "!", "<=", "<!"} if strict else {"<=", "<!"})


@dataclass(slots=True)
class _Parser:
    """One pass over one pattern.

    Attributes:
        alternatives, nodes: the alternatives that are complete, and the one that is being read.
        open_groups, closed, count: the groups around; the numbers of closed groups; how many were opened.
        names, total: the numbers of all named groups, and how many groups the whole pattern has.
        multiline, dot_all: which modifiers are in force.
        repeatable: whether the last node can take a quantifier.
        weight, atom_weight: how many characters the open group spells out so far, and the last node does.
    """

    reader: PatternReader
    alternatives: list[tuple[Node, ...]] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    open_groups: list[_OpenGroup] = field(default_factory=list)
    closed: set[int] = field(default_factory=set)
    count: int = 0
    names: dict[str, int] = field(default_factory=dict)
    total: int = 0
    multiline: bool = False
    dot_all: bool = False
    repeatable: bool = False
    weight: int = 0
    atom_weight: int = 0

    def run(self) -> Disjunction:
        self._count_groups()
        while self.reader.at < len(self.reader.source):
            character = self.reader.source[self.reader.at]
            self.reader.at += 1
            handler = _HANDLERS.get(character)
            if handler is None:
                self._atom(Character(ord(character)))
            else:
                handler(self)
        if self.open_groups:
            raise self.reader.error("missing `)`.")
        return self._disjunction()

    def _disjunction(self) -> Disjunction:
        return Disjunction((*self.alternatives, tuple(self.nodes)))

    def _atom(self, node: Node, *, weight: int = 1) -> None:
        self.nodes.append(node)
        self.repeatable = True
        self._weigh(weight)

    def _assertion(self, node: Assertion) -> None:
        self.nodes.append(node)
        self.repeatable = False
        self.atom_weight = 0

    def _weigh(self, weight: int) -> None:
        self.atom_weight = weight
        self.weight += weight
        if self.weight > MAX_REPEATED_CHARACTERS and not self.reader.strict:
            raise self.reader.error("it repeats too much.")

    # Groups.

    def _count_groups(self) -> None:
        """Count and name the groups in advance: a reference may precede its group."""
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
                raise PatternSyntaxError("the name of a group must be a word.", at)
            if name in self.names:
                raise PatternSyntaxError(f"two groups are named {name[:40]!r}.", at)
            self.names[name] = self.total

    def _open_group(self) -> None:
        group = _OpenGroup(
            "plain", self.alternatives, self.nodes, self.multiline, self.dot_all, self.weight
        )
        self.alternatives, self.nodes = [], []
        if not self.reader.take("?"):
            self._open_capture(group)
        elif (
            kind := next((kind for kind in _LOOKAROUNDS if self.reader.take(kind)), None)
        ) is not None:
            group.kind = kind
        elif self.reader.take("<"):
            self.reader.until(">")  # _count_groups has checked the name
            self._open_capture(group)
        elif not self.reader.take(":"):
            self._open_modifiers(group)
        self.open_groups.append(group)
        if len(self.open_groups) > MAX_GROUP_DEPTH and not self.reader.strict:
            raise self.reader.error(f"groups are nested more than {MAX_GROUP_DEPTH} levels deep.")
        self.repeatable = False
        self.weight = 0

    def _open_capture(self, group: _OpenGroup) -> None:
        self.count += 1
        group.kind, group.number = "capture", self.count

    def _open_modifiers(self, group: _OpenGroup) -> None:
        """`(?i:`, `(?s-m:`; nothing else is left after `(?`."""
        start = self.reader.peek()
        added, _, removed = (self.reader.until(":") or "").partition("-")
        letters = added + removed
        if not letters or len(set(letters)) < len(letters) or not set(letters) <= set("ims"):
            raise self.reader.error(_unknown_group(start))
        group.kind = "modifiers"
        if "m" in letters:
            self.multiline = "m" in added
        if "s" in letters:
            self.dot_all = "s" in added
        if "i" in letters:
            group.ignore_case = "i" in added

    def _close_group(self) -> None:
        if not self.open_groups:
            raise self.reader.error("`)` without a matching `(`.")
        group = self.open_groups.pop()
        node = Group(group.kind, self._disjunction(), group.ignore_case)
        self.alternatives, self.nodes = group.alternatives, group.nodes
        self.multiline, self.dot_all = group.multiline, group.dot_all
        if group.number is not None:
            self.closed.add(group.number)
        inside, self.weight = self.weight, group.weight
        self._atom(node, weight=max(inside, 1))
        self.repeatable = group.may_repeat(strict=self.reader.strict)

    def _alternative(self) -> None:
        self.alternatives.append(tuple(self.nodes))
        self.nodes = []
        self.repeatable = False
        self.atom_weight = 0

    # Quantifiers.

    def _braces(self) -> None:
        bounds = self._bounds()
        if bounds is None:
            self._literal_unless_strict("{")
            return
        low, high = bounds
        if high is not None and high < low:
            raise self.reader.error("the maximum of this repetition is less than its minimum.")
        if low > MAX_REPEATED_CHARACTERS and not self.reader.strict:
            raise self.reader.error("it repeats too much.")
        self._quantify(low, high)

    def _bounds(self) -> tuple[int, int | None] | None:
        """`n}`, `n,}` or `n,m}`; None, consuming nothing, for anything else."""
        start = self.reader.at
        low, comma, high = (self.reader.until("}") or "").partition(",")
        if not low or not DECIMAL.issuperset(low) or not DECIMAL.issuperset(high):
            self.reader.at = start
            return None
        if not comma:
            high = low
        return bounded_int(low), bounded_int(high) if high else None

    def _quantify(self, low: int, high: int | None) -> None:
        if not self.repeatable:
            raise self.reader.error("a quantifier (`*`, `+`, `?` or `{n}`) has nothing to repeat.")
        self.nodes[-1] = Repetition(self.nodes[-1], low, high, lazy=self.reader.take("?"))
        self.repeatable = False
        if low > 1 and not self.reader.strict:
            self._weigh(self.atom_weight * (low - 1))

    def _literal_unless_strict(self, character: str) -> None:
        if self.reader.strict:
            raise self.reader.error(f"`{character}` must be escaped.")
        self._atom(Character(ord(character)))

    # Escapes and classes.

    def _escape(self) -> None:
        if self.reader.take("b"):
            self._assertion(Assertion("b"))
        elif self.reader.take("B"):
            self._assertion(Assertion("B"))
        elif self.reader.peek() in DECIMAL - {"0"}:
            self._reference(self.reader.digits())
        elif self.reader.take("k"):
            self._reference(self._named_group())
        elif (escape := self.reader.set_escape()) is not None:
            self._atom(CharacterSet((escape,)))
        else:
            code = self.reader.character_escape()
            self._atom(CharacterSet(((code, code),)))

    def _named_group(self) -> int:
        name = self.reader.until(">") if self.reader.take("<") else None
        if name is None or name not in self.names:
            raise self.reader.error(
                "`\\k` must be followed by the name of a group in angle brackets."
            )
        return self.names[name]

    def _reference(self, group: int) -> None:
        if group > self.total:
            raise self.reader.error(f"there is no group {group}.")
        self._atom(Reference(group, closed=group in self.closed))


_LOOKAROUNDS: Final[tuple[GroupKind, ...]] = ("=", "!", "<=", "<!")
_HANDLERS: Final[dict[str, Callable[[_Parser], None]]] = {
    "(": _Parser._open_group,
    ")": _Parser._close_group,
    "|": _Parser._alternative,
    "^": lambda parser: parser._assertion(Assertion("^", parser.multiline)),
    "$": lambda parser: parser._assertion(Assertion("$", parser.multiline)),
    ".": lambda parser: parser._atom(Dot(parser.dot_all)),
    "*": lambda parser: parser._quantify(0, None),
    "+": lambda parser: parser._quantify(1, None),
    "?": lambda parser: parser._quantify(0, 1),
    "{": _Parser._braces,
    "}": lambda parser: parser._literal_unless_strict("}"),
    "[": lambda parser: parser._atom(parser.reader.character_class()),
    "]": lambda parser: parser._literal_unless_strict("]"),
    "\\": _Parser._escape,
}


def _unknown_group(start: str) -> str:
    if start == "P":
        return "write a named group as `(?<name>…)`, and a reference to it as `\\k<name>`."
    return "`(?` does not start a group type of ECMA-262."
