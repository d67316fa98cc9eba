r"""Text of a stranger in Java source, XML and Markdown: string literals, text blocks, comments.

Java translates `\uXXXX` before it reads anything else, also in comments. So a backslash of the text is always doubled
in literals, and an HTML entity in comments.

Sources: Java Language Specification 17, sections 3.3, 3.7, 3.10.5 to 3.10.7; Java Virtual Machine Specification,
section 4.4.7 (a constant has at most 65,535 bytes).
"""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

MAX_CONSTANT_BYTES: Final = 65_535
MAX_COMMENT: Final = 400  # characters of a text in a comment
LINE: Final = 100
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
    return _expression([f'"{_escaped(part)}"' for part in _parts(text)])


def is_constant(text: str) -> bool:
    """Whether `text` fits into one constant, which annotations demand."""
    return (
        len(text) * 6 <= MAX_CONSTANT_BYTES or sum(map(_constant_bytes, text)) <= MAX_CONSTANT_BYTES
    )


def text_block(text: str, indent: str) -> str:
    """An expression for `text` that is readable: a literal if it is short, else text blocks indented by `indent`.

    Java removes spaces at the ends of the lines of a text block, also those that are written as escapes.
    """
    if _OTHER_SPACE.search(text) or (len(text) <= LINE - 30 and "\n" not in text):
        return literal(text)
    return _expression([_block(part, indent) for part in _parts(text)])


def _expression(parts: list[str]) -> str:
    """Parts are not joined by `+`, which would make one constant of them."""
    return parts[0] if len(parts) == 1 else f'String.join("", {", ".join(parts)})'


def _block(text: str, indent: str) -> str:
    """A text block. At its end, a quote would belong to the delimiter, and Java strips a space."""
    end = {'"': '\\"', " ": "\\s"}.get(text[-1:], "")
    lines = [_block_line(piece) for piece in _pieces(text[:-1] if end else text)] or [""]
    return f'"""\n{indent}' + f"\\\n{indent}".join(lines) + f'{end}"""'


def _block_line(piece: str) -> str:
    """One line of a text block. Java strips the spaces at its start, so the first one is an escape."""
    line = _SPECIAL.sub(
        lambda match: '"' if match.group() == '"' else _escape(match.group()), piece
    )
    line = line.replace('"""', '""\\"')
    return f"\\s{line[1:]}" if line.startswith(" ") else line


def _pieces(text: str) -> Iterator[str]:
    """`text` in pieces for one line each, divided after a line break, a space or a comma if possible."""
    start = 0
    while start < len(text):
        piece = text[start : start + LINE - 20]
        if "\n" in piece:
            piece = piece[: piece.index("\n") + 1]
        elif (
            start + len(piece) < len(text)
            and (divided := _BREAK.match(piece))
            and len(divided.group()) > 40
        ):
            piece = divided.group()
        yield piece
        start += len(piece)


def _parts(text: str) -> list[str]:
    """`text` in parts that each fit into a constant; one part for an empty text."""
    if is_constant(text):
        return [text]
    size = MAX_CONSTANT_BYTES // 6  # a character has at most 6 bytes in a constant
    return [text[start : start + size] for start in range(0, len(text), size)]


def _constant_bytes(character: str) -> int:
    code = ord(character)
    if code >= 0x10000:
        return 6
    return 1 if 0 < code < 0x80 else 2 if code < 0x800 else 3


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda match: _escape(match.group()), text)


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    if character < " ":
        return f"\\{ord(character):03o}"  # `\\u000a` would be a line break within the literal
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


# Comments


def comment_text(text: str) -> str:
    """`text` on one line for a Javadoc comment: without markup, tags, ends of comments and escapes."""
    plain = _on_one_line("".join(c if c.isprintable() else " " for c in text[: 4 * MAX_COMMENT]))
    return (
        html.escape(plain, quote=False)
        .replace("\\", "&#92;")
        .replace("@", "&#64;")
        .replace("*/", "*&#47;")
    )


def _on_one_line(text: str) -> str:
    """`text` on one line, at most `MAX_COMMENT` characters."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_COMMENT else f"{line[: MAX_COMMENT - 1]}…"


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
    for number, paragraph in enumerate(paragraphs):
        lines += (
            ["", *_wrapped(f"<p>{paragraph}", indent)] if number else _wrapped(paragraph, indent)
        )
    if tags:
        lines += [
            "",
            *(line for name, text in tags for line in _wrapped(f"{name} {text}", indent, "    ")),
        ]
    if len(lines) == 1:
        return [f"{indent}/** {lines[0]} */"]
    return [f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */"]


def _wrapped(text: str, indent: str, hanging: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        LINE - len(indent) - 3,
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )


# XML and Markdown


def xml_text(text: str) -> str:
    """`text` for an element of a pom.xml. Maven replaces `${…}` there, so the two characters are separated."""
    return html.escape(
        _on_one_line(_NOT_XML.sub(" ", text[: 4 * MAX_COMMENT]).replace("${", "$ {")), quote=False
    )


def markdown_code(text: str) -> str:
    """`text` as code within a line."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    fence = "`" * (_longest_backticks(plain) + 1)
    return f"{fence} {plain} {fence}" if "`" in plain else f"`{plain}`"


def markdown_block(text: str) -> str:
    """`text` as a block of preformatted lines."""
    plain = "".join(c if c.isprintable() or c == "\n" else " " for c in text).strip("\n")
    fence = "`" * max(3, _longest_backticks(plain) + 1)
    return f"{fence}text\n{plain}\n{fence}"


def _longest_backticks(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
