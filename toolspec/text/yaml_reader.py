"""A strict reader of YAML as JSON values, by YAML 1.2's core schema, which OpenAPI documents use.

libyaml parses the text into events; this module turns the events into JSON values. `no`, `on` and
`2020-01-01` are strings, `012` is 12, `1_000` is a string, numbers are exact and remember how they
were written, and names of members are strings (`200:` is "200"). Aliases and merge keys (`<<`) are
resolved. Everything that JSON cannot represent is refused with line and column: other tags,
infinities, duplicate names.

    documents_in(data)   -> the documents of a file, each with its first line
    loads(data)          -> one document, or YAMLTextError with line, column and a sentence

The work is bounded by the size of the text and by the number of nodes, counting those that aliases
repeat.

Sources: YAML 1.2.2, chapters 7 to 10 (10.3 is the core schema); the merge key of YAML 1.1; OpenAPI
3.1, "Format".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, NoReturn

from yaml import (
    AliasEvent,
    CSafeLoader,
    DocumentEndEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)
from yaml.error import MarkedYAMLError, YAMLError

from toolspec.errors import Problem, YAMLTextError
from toolspec.text.numbers import NUMBER, NumberError, number_from
from toolspec.text.pointers import pointer_join, split_pointer
from toolspec.text.positions import Lines
from toolspec.text.reader import JSON, MAX_BYTES, MAX_DEPTH, decode

MAX_NODES: Final = 200_000  # names and values, each alias expanded
MAX_CHARS: Final = 8 * 1024 * 1024  # of all nodes together
# Expanded characters per character of the text, and one more per 250 characters of the text.
MAX_GROWTH: Final = 4
FREE_GROWTH_CHARS: Final = 4 * 1024
MAX_BASED_CHARS: Final = 200  # of an integer such as 0x1F
MAX_DIRECTIVES: Final = 10  # libyaml compares each one with all others

# A line that starts like this is a marker, even inside a string (9.1.2). Content is anything else
# but comments.
_MARKER: Final = re.compile(rb"^(?:---|\.\.\.)(?=\s|\Z)", re.MULTILINE)
_CONTENT: Final = re.compile(rb"^(?!---[ \t]*(?:#.*)?\r?$|%)[ \t]*[^\s#]", re.MULTILINE)
_DIRECTIVE: Final = re.compile(r"^%", re.MULTILINE)
_YAML_LINE: Final = re.compile(
    rb"(?:[ \t\r]*+(?:\#[^\n]*+)?\n)*+"
    rb"""(?:---\s|%YAML\s|(?:-[ ]++)*+(?:[\w$.-]++|"[^"\n]*"|'[^'\n]*'):(?:\s|\Z))"""
)

_UNREADABLE: Final = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# libyaml reads YAML 1.1, where the first three end a line and the last is refused
_MISTAKEN: Final = "\x85\u2028\u2029\ufeff"

_WORDS: Final[dict[str, JSON]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMERIC: Final = frozenset("+-.0123456789")
_BASES: Final = {"0o": (8, re.compile("0o[0-7]+")), "0x": (16, re.compile("0x[0-9a-fA-F]+"))}
_DECIMAL: Final = re.compile(r"([-+]?)(?=\.?[0-9])([0-9]*)(\.?)([0-9]*)((?:[eE][-+]?[0-9]+)?)")
_NOT_FINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")

_Event = Any  # of PyYAML; its attributes depend on its class
_Mark = Any

_TAG: Final = "tag:yaml.org,2002:"
_STR, _MERGE, _UNSPECIFIC = f"{_TAG}str", f"{_TAG}merge", "!"
# The types that a plain scalar with this tag may have.
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    f"{_TAG}null": (type(None),),
    f"{_TAG}bool": (bool,),
    f"{_TAG}int": (int,),
    f"{_TAG}float": (int, float),
}


def looks_like_yaml(start: bytes) -> bool:
    """Whether a text that starts like this is YAML, not JSON, by its first line of content."""
    return _YAML_LINE.match(start) is not None


def documents_in(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Each document in `data` that is not empty, with the line, from 1, that its text starts in."""
    line = 1
    counted = 0  # the offset up to which lines are counted
    for start, end in _split_documents(data):
        if _CONTENT.search(data, start, end):
            line += data.count(b"\n", counted, start)
            counted = start
            yield line, data[start:end]


def _split_documents(data: bytes) -> Iterator[tuple[int, int]]:
    start = 0
    is_marked = False
    for marker in _MARKER.finditer(data):
        if marker[0] == b"...":
            yield start, marker.start()
            start = marker.end()
            is_marked = False
            continue
        if is_marked or _CONTENT.search(data, start, marker.start()):
            yield start, marker.start()
            start = marker.start()
        is_marked = True  # directives and comments belong to the document that follows
    yield start, len(data)


@dataclass(slots=True)
class _Node:
    """A value, its position, and its entries by name or index.

    `nodes`, `chars` and `height` (levels inside it) count an alias as the value that it repeats.
    """

    value: JSON
    line: int
    column: int
    entries: dict[str, _Node] = field(default_factory=dict)
    nodes: int = 1
    chars: int = 1
    height: int = 0


@dataclass(frozen=True, slots=True)
class YAMLDocument:
    """A document as a JSON value.

    Parts that aliases repeat are the same objects, so do not change them.
    """

    value: JSON
    _root: _Node = field(repr=False)

    def locate(self, pointers: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Line and column, from 1, of the value at each pointer.

        If there is no such value, they are those of the innermost value around it that exists.
        """
        return {pointer: self._find_position(pointer) for pointer in pointers}

    def _find_position(self, pointer: str) -> tuple[int, int]:
        node = self._root
        for token in split_pointer(pointer):
            if token not in node.entries:
                break
            node = node.entries[token]
        return node.line, node.column


def loads(
    data: bytes | str, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH
) -> YAMLDocument:
    """The one document in `data`: at most `max_bytes` bytes of UTF-8, at most `max_depth` levels.

    Raises:
        DocumentError: a JSONTextError if it is too big or not UTF-8, a YAMLTextError if it is not
            YAML that JSON can represent; one problem, with line and column.
    """
    return _Reader(decode(data, max_bytes=max_bytes), max_depth).read_document()


class _Reader:
    """Reads one document, event by event."""

    def __init__(self, text: str, max_depth: int) -> None:
        self._max_depth = max_depth
        growth = MAX_GROWTH + len(text) // 250
        self._max_chars = min(MAX_CHARS, growth * len(text) + FREE_GROWTH_CHARS)
        self._nodes = 0
        self._chars = 0
        self._anchors: dict[str, _Node | None] = {}  # None while the node is being read
        self._path: list[str | int] = []
        self._text, self._originals = self._replace_misread(text)

    def _replace_misread(self, text: str) -> tuple[str, dict[int, str]]:
        """`text` with stand-ins for the characters that libyaml misreads, and the originals."""
        originals: dict[int, str] = {}
        if not text.isascii():
            stand_ins = (chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in text)
            for character in _MISTAKEN:
                if character in text:
                    stand_in = next(stand_ins)
                    originals[ord(stand_in)] = character
                    text = text.replace(character, stand_in)
        if unreadable := _UNREADABLE.search(text):
            position = Lines(text).position(unreadable.start())
            message = (
                f"The character U+{ord(unreadable[0]):04X} is not allowed here; write it as "
                "an escape in double quotes."
            )
            self._refuse(position, message, "yaml.character")
        directives = [match.start() for match in _DIRECTIVE.finditer(text)]
        if len(directives) > MAX_DIRECTIVES:
            position = Lines(text).position(directives[MAX_DIRECTIVES])
            message = f"At most {MAX_DIRECTIVES} directive lines (%) are allowed."
            self._refuse(position, message, "yaml.directives")
        return text, originals

    def read_document(self) -> YAMLDocument:
        loader: Any = CSafeLoader(self._text)
        self._next_event: Callable[[], _Event] = loader.get_event
        try:
            self._next_event()  # the start of the stream
            if isinstance(self._next_event(), StreamEndEvent):  # or the start of a document
                message = "The text is empty; a YAML document is expected."
                self._refuse((1, 1), message, "yaml.syntax")
            root = self._read_node(self._next_event())
            while not isinstance(event := self._next_event(), StreamEndEvent):
                if not isinstance(event, DocumentEndEvent):
                    self._refuse(event.start_mark, "A second document starts here.", "yaml.syntax")
        except YAMLError as error:
            self._explain(error)
        finally:
            loader.dispose()
        return YAMLDocument(root.value, root)

    def _read_node(self, event: _Event) -> _Node:
        mark = event.start_mark
        if isinstance(event, AliasEvent):
            return self._resolve_alias(event)
        anchor: str | None = event.anchor
        if anchor is not None:
            self._anchors[anchor] = None
        nodes_before = self._nodes
        chars_before = self._chars
        self._count(mark, 1, 1)
        node = _Node(None, mark.line + 1, mark.column + 1)
        if isinstance(event, ScalarEvent):
            node.value = self._read_scalar(event)
        else:
            self._read_container(node, event)
        node.nodes = self._nodes - nodes_before
        node.chars = self._chars - chars_before
        if anchor is not None:
            self._anchors[anchor] = node
        return node

    def _read_container(self, node: _Node, event: _Event) -> None:
        if len(self._path) >= self._max_depth:
            message = f"This is nested more than {self._max_depth} levels deep."
            self._refuse(event.start_mark, message, "json.depth")
        if isinstance(event, MappingStartEvent):
            self._read_members(node, event)
        else:
            self._read_items(node, event)
        node.height = 1 + max((entry.height for entry in node.entries.values()), default=0)

    def _resolve_alias(self, event: _Event) -> _Node:
        mark = event.start_mark
        name = event.anchor
        node = self._anchors.get(name)
        if node is None:
            reason = "names no anchor before it"
            if name in self._anchors:
                reason = "is inside the value that it names"
            self._refuse(mark, f"The alias {_quote('*' + name)} {reason}.", "yaml.alias")
        if len(self._path) + node.height > self._max_depth:
            message = f"This alias makes the nesting deeper than {self._max_depth} levels."
            self._refuse(mark, message, "json.depth")
        self._count(mark, node.nodes, node.chars)
        return replace(node, line=mark.line + 1, column=mark.column + 1)

    def _count(self, mark: _Mark, nodes: int, chars: int) -> None:
        self._nodes += nodes
        self._chars += chars
        if self._nodes > MAX_NODES:
            message = f"There are more than {MAX_NODES:,} keys and values."
            self._refuse(mark, message, "yaml.too-large")
        if self._chars > self._max_chars:
            message = "The aliases repeat too much text; use fewer of them."
            self._refuse(mark, message, "yaml.too-large")

    # Values

    def _read_items(self, node: _Node, event: _Event) -> None:
        self._check_tag(event, f"{_TAG}seq")
        items: list[JSON] = []
        node.value = items
        while not isinstance(event := self._next_event(), SequenceEndEvent):
            self._path.append(len(items))
            item = node.entries[str(len(items))] = self._read_node(event)
            items.append(item.value)
            self._path.pop()

    def _read_members(self, node: _Node, event: _Event) -> None:
        self._check_tag(event, f"{_TAG}map")
        members = node.entries
        merged_nodes: list[_Node] | None = None
        while not isinstance(event := self._next_event(), MappingEndEvent):
            is_merge, name = self._read_name(event)
            self._path.append(name)
            is_duplicate = merged_nodes is not None if is_merge else name in members
            if is_duplicate:
                message = f"The key {_quote(name)} is a duplicate."
                self._refuse(event.start_mark, message, "yaml.duplicate")
            value = self._read_node(self._next_event())
            if is_merge:
                merged_nodes = self._list_sources(value)
            else:
                members[name] = value
            self._path.pop()
        for source in merged_nodes or ():
            for name, member in source.entries.items():
                members.setdefault(name, member)
        node.value = {name: member.value for name, member in members.items()}

    def _read_name(self, event: _Event) -> tuple[bool, str]:
        """Whether `event` is a merge key, and the name."""
        mark = event.start_mark
        if not isinstance(event, ScalarEvent):
            message = "A key must be a string, not an alias, a list or a mapping."
            self._refuse(mark, message, "yaml.name")
        self._count(mark, 1, len(event.value))
        is_plain = event.tag is None and event.implicit[0]
        if is_plain and event.value == "":
            self._refuse(mark, "The key before this colon is missing.", "yaml.name")
        if event.tag == _MERGE or (is_plain and event.value == "<<"):
            return True, "<<"
        if event.tag is not None and event.tag not in _TYPES:
            self._check_tag(event, _STR)
        name = self._read_string(event)
        if event.anchor is not None:
            node = _Node(name, mark.line + 1, mark.column + 1, chars=1 + len(name))
            self._anchors[event.anchor] = node
        return False, name

    def _list_sources(self, value: _Node) -> list[_Node]:
        sources = list(value.entries.values()) if isinstance(value.value, list) else [value]
        for source in sources:
            if not isinstance(source.value, dict):
                message = "A merge key (<<) takes a mapping, or a list of mappings."
                self._refuse((source.line, source.column), message, "yaml.merge")
        return sources

    def _read_scalar(self, event: _Event) -> JSON:
        text = event.value
        tag = event.tag
        self._count(event.start_mark, 0, len(text))
        if tag in _TYPES:
            value = self._read_plain(text, event.start_mark)
            is_boolean = isinstance(value, bool)
            if isinstance(value, _TYPES[tag]) and is_boolean == (tag == f"{_TAG}bool"):
                return value
            message = f"{_quote(text)} is not of type {tag.removeprefix(_TAG)}."
            self._refuse(event.start_mark, message, "yaml.tag")
        if tag is None and event.implicit[0]:
            return self._read_plain(text, event.start_mark, event)
        if tag is not None:
            self._check_tag(event, _STR)
        return self._read_string(event)

    def _read_plain(self, text: str, mark: _Mark, event: _Event | None = None) -> JSON:
        """The value of a scalar without quotes, by the core schema."""
        if text in _WORDS:
            return _WORDS[text]
        if text[0] in _NUMERIC:
            try:
                number = _parse_number(text)
            except NumberError as error:
                self._refuse(mark, str(error), error.rule)
            if number is not None:
                return number
            if _NOT_FINITE.fullmatch(text):
                self._refuse(mark, f"JSON has no {text}; put strings in quotes.", "yaml.number")
        if event:
            return self._read_string(event)
        return text

    def _read_string(self, event: _Event) -> str:
        text: str = event.value
        if "\0" in text:
            message = "This string contains the character U+0000; remove it."
            self._refuse(event.start_mark, message, "yaml.character")
        if self._originals:
            return text.translate(self._originals)
        return text

    # Refusals

    def _check_tag(self, event: _Event, own: str) -> None:
        tag = event.tag
        if tag not in {None, own, _UNSPECIFIC}:
            if tag.startswith(_TAG):
                tag = f"!!{tag.removeprefix(_TAG)}"
            message = f"The tag {_quote(tag)} is not supported; remove it."
            self._refuse(event.start_mark, message, "yaml.tag")

    def _refuse(self, at: _Mark | tuple[int, int], message: str, rule: str) -> NoReturn:
        if isinstance(at, tuple):
            line, column = at
        else:
            line = at.line + 1
            column = at.column + 1
        pointer = pointer_join("", *self._path)
        raise YAMLTextError([Problem(pointer, message, rule, line=line, column=column)]) from None

    def _explain(self, error: YAMLError) -> NoReturn:
        """Refuse the text for an error of libyaml."""
        if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
            self._refuse((1, 1), f"This is not valid YAML: {error}.", "yaml.syntax")
        mark = error.problem_mark
        problem = error.problem or "it cannot be read"
        character = self._text[mark.index : mark.index + 1]
        if character == "\t" and "token" in problem:
            self._refuse(mark, "There is a tab here; YAML is indented with spaces.", "yaml.tab")
        if character in {"@", "`", "%"} and "token" in problem:
            message = f"In YAML, a string that starts with {character} must be quoted."
            self._refuse(mark, message, "yaml.syntax")
        message = f"This is not valid YAML: {problem}."
        if problem in _INDENTATION_ERRORS:
            message += " Check the indentation, and the quotes and brackets above."
        context = error.context_mark
        if context is not None and context.line != mark.line:
            message += f" The part that this belongs to starts on line {context.line + 1}."
        self._refuse(mark, message, "yaml.syntax")


_INDENTATION_ERRORS: Final = frozenset(
    {
        "mapping values are not allowed in this context",
        "did not find expected key",
        "did not find expected '-' indicator",
    }
)


def _parse_number(text: str) -> JSON:
    """The number that a plain scalar means; None if it is not a number.

    Raises:
        NumberError: too many digits, or beyond the range of a double.
    """
    if NUMBER.fullmatch(text):
        return number_from(text)
    prefix = text[:2]
    if prefix in _BASES:
        base, grammar = _BASES[prefix]
        if not grammar.fullmatch(text):
            return None
        if len(text) > MAX_BASED_CHARS:
            message = (
                f"This integer has {len(text)} characters; at most {MAX_BASED_CHARS} are supported."
            )
            raise NumberError("json.number-digits", message)
        return int(text, base)
    match = _DECIMAL.fullmatch(text)
    if match is None:
        return None
    sign, whole, point, fraction, exponent = match.groups()
    lexeme = sign.strip("+") + (whole.lstrip("0") or "0")
    if point:
        lexeme += f".{fraction or '0'}"
    return number_from(lexeme + exponent)


def _quote(text: str) -> str:
    """`text` in quotes, shortened if it is long."""
    if text.isprintable():
        return repr(text[:60])
    if len(text) > 60:
        text = f"{text[:60]}…"
    return ascii(text)
