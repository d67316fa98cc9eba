r"""Text of a stranger in Java source, XML and Markdown: string literals, text blocks, comments.

Java translates `\uXXXX` before it reads anything else, also in comments. So a backslash of the text
is always doubled in literals, and an HTML entity in comments.

Sources: Java Language Specification 17, sections 3.3, 3.7, 3.10.5 to 3.10.7; Java Virtual Machine
Specification, section 4.4.7 (a constant has at most 65,535 bytes).
"""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

MAX_CONSTANT_BYTES: Final = 65_535
MAX_CHARACTER_BYTES: Final = 6  # of a character in a constant
MAX_COMMENT: Final = 400  # characters of a text in a comment
LINE: Final = 100
PIECE: Final = LINE - 20  # of a long text in one line, beside indent, quotes and plus sign
SHORTEST_PIECE: Final = 40  # that is divided at a space or a comma
INDENT: Final = "  "

_ESCAPES: Final = {
    "\\": "\\\\",
    '"': '\\"',
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\b": "\\b",
    "\f": "\\f",
}
_SPECIAL: Final = re.compile(r'["\\]|[^ -~]')
_OTHER_SPACE: Final = re.compile(r"[^\S \n]")
_BREAK: Final = re.compile(r".*[ ,]", re.DOTALL)
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


# Strings


def literal(text: str) -> str:
    """An expression for `text` on one line. It is a constant if `is_constant(text)`."""
    constants = [f'"{_escape(part)}"' for part in _divide_into_constants(text)]
    return _write_expression(constants)


def is_constant(text: str) -> bool:
    """Whether `text` fits into one constant, which annotations demand."""
    if len(text) * MAX_CHARACTER_BYTES <= MAX_CONSTANT_BYTES:
        return True
    return sum(map(_count_bytes, text)) <= MAX_CONSTANT_BYTES


def text_block(text: str, indent: str) -> str:
    """A readable expression for `text`: a literal if it is short, else text blocks.

    Java removes spaces at the ends of the lines of a text block, also those that are written as
    escapes.
    """
    is_short = len(text) <= LINE - 30 and "\n" not in text
    if is_short or _OTHER_SPACE.search(text):
        return literal(text)
    blocks = [_write_block(part, indent) for part in _divide_into_constants(text)]
    return _write_expression(blocks)


def _write_expression(constants: list[str]) -> str:
    """Constants are not joined by `+`, which would make one constant of them."""
    if len(constants) == 1:
        return constants[0]
    return f'String.join("", {", ".join(constants)})'


def _write_block(text: str, indent: str) -> str:
    """A text block. At its end, a quote would belong to the delimiter, and Java strips a space."""
    end = {'"': '\\"', " ": "\\s"}.get(text[-1:], "")
    if end:
        text = text[:-1]
    lines = map(_write_block_line, _divide_into_lines(text))
    body = f"\\\n{indent}".join(lines)
    return f'"""\n{indent}{body}{end}"""'


def _write_block_line(text: str) -> str:
    """One line of a text block. Java strips the spaces at its start, so the first is an escape."""
    # Of three quotes in a row, one must be escaped; others need not be.
    line = _escape(text).replace('\\"', '"').replace('"""', '""\\"')
    if line.startswith(" "):
        return f"\\s{line[1:]}"
    return line


def _divide_into_lines(text: str) -> Iterator[str]:
    """`text` in parts for one line each, divided after a line break, a space or a comma."""
    start = 0
    while start < len(text):
        line = text[start : start + PIECE]
        if "\n" in line:
            line, line_break, _ = line.partition("\n")
            line += line_break
        elif start + len(line) < len(text):
            match = _BREAK.match(line)
            if match and match.end() > SHORTEST_PIECE:
                line = match.group()
        yield line
        start += len(line)


def _divide_into_constants(text: str) -> list[str]:
    """`text` in parts that each fit into a constant; one part for an empty text."""
    if is_constant(text):
        return [text]
    size = MAX_CONSTANT_BYTES // MAX_CHARACTER_BYTES
    return [text[start : start + size] for start in range(0, len(text), size)]


def _count_bytes(character: str) -> int:
    code = ord(character)
    if code >= 0x10000:
        return MAX_CHARACTER_BYTES
    if code >= 0x800:
        return 3
    return 1 if 0 < code < 0x80 else 2


def _escape(text: str) -> str:
    return _SPECIAL.sub(_escape_character, text)


def _escape_character(match: re.Match[str]) -> str:
    character = match.group()
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    if character < " ":
        return f"\\{ord(character):03o}"  # `\\u000a` would be a line break within the literal
    units = character.encode("utf-16-be", "surrogatepass").hex(" ", 2)
    return "".join(f"\\u{unit}" for unit in units.split())


# Comments


def comment_text(text: str) -> str:
    """`text` on one line of Javadoc: without markup, tags, ends of comments and escapes."""
    line = _shorten(_replace_unprintable(text[: 4 * MAX_COMMENT]))
    line = html.escape(line, quote=False)
    return line.replace("\\", "&#92;").replace("@", "&#64;").replace("*/", "*&#47;")


def _replace_unprintable(text: str, *, allowed: str = "") -> str:
    """`text` with a space for each character that cannot be seen and is not `allowed`."""
    for character in set(text):
        if not character.isprintable() and character not in allowed:
            text = text.replace(character, " ")
    return text


def _shorten(text: str) -> str:
    """`text` on one line, at most `MAX_COMMENT` characters."""
    line = " ".join(text.split())
    if len(line) <= MAX_COMMENT:
        return line
    return f"{line[: MAX_COMMENT - 1]}…"


def doc_comment(
    paragraphs: Sequence[str], tags: Sequence[tuple[str, str]] = (), indent: str = ""
) -> list[str]:
    """The lines of a Javadoc comment.

    Args:
        paragraphs: made by `comment_text`.
        tags: ("@param name", text).
        indent: before each line.
    """
    lines: list[str] = []
    for paragraph in paragraphs:
        if not lines:
            lines += _wrap(paragraph, indent)
            continue
        lines.append("")
        lines += _wrap(f"<p>{paragraph}", indent)
    if tags:
        lines.append("")
    for name, text in tags:
        lines += _wrap(f"{name} {text}", indent, hanging="    ")
    if len(lines) == 1:
        return [f"{indent}/** {lines[0]} */"]
    inner = [f"{indent} * {line}".rstrip() for line in lines]
    return [f"{indent}/**", *inner, f"{indent} */"]


def _wrap(text: str, indent: str, hanging: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        LINE - len(indent) - 3,
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )


# XML and Markdown


def xml_text(text: str) -> str:
    """`text` for an element of a pom.xml; a space divides `${`, which Maven would replace."""
    allowed = _NOT_XML.sub(" ", text[: 4 * MAX_COMMENT])
    line = _shorten(allowed.replace("${", "$ {"))
    return html.escape(line, quote=False)


def markdown_code(text: str) -> str:
    """`text` as code within a line."""
    line = " ".join(_replace_unprintable(text).split())
    if "`" not in line:
        return f"`{line}`"
    fence = "`" * (_count_backticks(line) + 1)
    return f"{fence} {line} {fence}"


def markdown_block(text: str) -> str:
    """`text` as a block of preformatted lines."""
    block = _replace_unprintable(text, allowed="\n").strip("\n")
    fence = "`" * max(3, _count_backticks(block) + 1)
    return f"{fence}text\n{block}\n{fence}"


def _count_backticks(text: str) -> int:
    """The length of the longest row of backticks."""
    return max(map(len, re.findall("`+", text)), default=0)
