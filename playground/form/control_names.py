"""Names of controls: `form:tag:path`, from which a submitted form is read back without its schema.

A path is a chain of tokens: `/.name` for a member (percent-encoded) and `/@id` for a row of a list
or of an object's extra entries. A row's id has no meaning and stays the same when rows move, so no
control is ever renamed.

tag  | on                       | meaning
-----|--------------------------|-----------------------------------------------------------
o a  | hidden                   | this value is an object; a list
r    | hidden, one per row      | a list's row; `~id` is a folded run of rows
m    | hidden, one per row      | an object's extra entry
k l  | text                     | the entry's key; the key as a JSON literal
t x  | text, checkbox           | text that is absent when empty, unless the box is ticked
s    | text                     | the same as t, in drafts that earlier versions stored in browsers
q    | text                     | text as a JSON literal, if HTML could not carry it
n    | text                     | a number as it is typed; "" is absent
b    | radio                    | true, false or ""
j    | hidden, select, textarea | JSON text; "" is absent
i    | checkbox                 | one item of a list with distinct choices, as JSON text
e    | textarea                 | JSON text that the user edits; stays as typed
z    | textarea                 | JSON text of a folded container
f g  | file, hidden             | an uploaded file; how its bytes are written as text
c p d| hidden, password, checkbox| the token of a stored secret; its replacement; remove it
u v  | hidden, select           | the branch of a union in force; the one selected
y    | select                   | the type selected
w    | hidden                   | how the value is shown: "rows", "free"
all  | hidden                   | every node has its type selector
h    | hidden                   | the snapshot of another branch, encrypted
nk   | text                     | the key of the entry to be added
op   | button (no form, no tag) | the operation pressed
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote, unquote

OPERATION: Final = "op"
NEW_KEY: Final = "nk"

MAX_TOKENS: Final = 256

_ROW = re.compile(r"@~?[0-9]{1,9}")


def member_path(path: str, name: str) -> str:
    """The path of the member `name` of the object at `path`."""
    return f"{path}/.{quote(name, safe='', errors='surrogatepass')}"


def row_path(path: str, row: str) -> str:
    """The path of the row whose id is `row`, of the list or object at `path`."""
    return f"{path}/@{row}"


def split_path(path: str) -> list[str] | None:
    """The tokens of `path`, with members unquoted (".name", "@id"); None if it is not a path."""
    if not path:
        return []
    if not path.startswith("/"):
        return None
    tokens = path[1:].split("/", MAX_TOKENS)
    if len(tokens) > MAX_TOKENS:
        return None
    for index, token in enumerate(tokens):
        if token.startswith("."):
            tokens[index] = unquote(token, errors="surrogatepass")
        elif not _ROW.fullmatch(token):
            return None
    return tokens


def control_name(
    form: str,
    tag: str,
    path: str,
) -> str:
    """The name of a control."""
    return f"{form}:{tag}:{path}"


def is_row(row: str) -> bool:
    """Whether `row` can be the id of a row."""
    return _ROW.fullmatch(f"@{row}") is not None
