"""Changes of what a model reads besides the schemas: words, hints, and instructions that are gone.

A model follows descriptions and titles, so a change of these has a verdict of its own, "wording".

Source: MCP 2025-11-25, "ToolAnnotations", for the hints and their defaults.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from toolspec.diff.changes import Change, Part, Verdict
from toolspec.diff.differences import Nothing
from toolspec.diff.keywords import is_annotation
from toolspec.schema.index import Node, SchemaMap
from toolspec.schema.validation.equality import equal
from toolspec.spec import ToolSpec
from toolspec.text.containers import members_of
from toolspec.text.pointers import pointer_join
from toolspec.text.pretty import print_json
from toolspec.text.reader import JSON, dumps

MAX_NODES: Final = 10_000  # as many as `policy` allows
MAX_NEW_WORDS: Final = 20  # changes for words that no other change shows
LEAST_PHRASE: Final = 3  # words
MAX_SENTENCES: Final = 3
# Characters of an annotation on several lines; a longer one is shown on one line.
MAX_PRINTED: Final = 20_000
MAX_SENTENCE_CHARS: Final = 200
Pointers: TypeAlias = tuple[str | None, str | None]  # into the specs before and now

_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|\s*\n\s*|(?<=\u3002)")
_INSTRUCTION: Final = re.compile(
    r"\b(?:ask|asks|asking|confirm\w*|never|must|always|only|do not|don't|cannot|approv\w+"
    r"|permission|consent|careful\w*|warn\w*|require[sd]?|irreversibl[ey]|destructive|dangerous)\b",
    re.IGNORECASE,
)

# The hints of a tool: what each promises, the value that promises it, and the value of a hint that
# is absent.
_HINTS: Final[Mapping[str, tuple[str, bool, bool]]] = {
    "readOnlyHint": ("read-only", True, False),
    "destructiveHint": ("not destructive", False, True),
    "idempotentHint": ("idempotent", True, False),
    "openWorldHint": ("limited to a closed world", False, True),
}
_MCP: Final = "x-mcp"
# Members of `x-mcp` that clients get, besides annotations.
_SERVED: Final = ("title", "icons", "execution", "_meta")
_OPENAPI: Final = "x-openapi"


def make_words_change(
    kind: str,
    sentence: str,
    pointers: Pointers,
    texts: tuple[str, str],
    *,
    part: Part = "definition",
) -> Change:
    """A change of words alone. `texts`: the words before and now."""
    note = quote_gone_instructions(*texts)
    return Change(part, (), kind, sentence, "wording", *pointers, note=note, texts=texts)


def quote_gone_instructions(before: str, after: str) -> str:
    """A sentence that quotes the instructions which `before` has and `after` does not.

    "" if there are none.
    """
    gone = find_gone_instructions(before, after)
    if not gone:
        return ""
    quotes = [f"“{sentence[:MAX_SENTENCE_CHARS]}”" for sentence in gone[:MAX_SENTENCES]]
    note = f"Instructions that are gone: {', '.join(quotes)}"
    more = len(gone) - len(quotes)
    if more > 0:
        note += f" and {more} more"
    return f"{note}."


def find_gone_instructions(before: str, after: str) -> list[str]:
    """The sentences that tell the caller to ask, confirm or refrain, and that `after` lacks."""
    present = _normalize(after)
    gone = []
    for sentence in _SENTENCE_END.split(before):
        text = sentence.strip()
        if _INSTRUCTION.search(text) and _normalize(text) not in present:
            gone.append(text)
    return gone


def _normalize(text: str) -> str:
    return " ".join(text.casefold().split())


def compare_metadata(old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    """Changes of the metadata of an MCP server, and of the request of an OpenAPI operation."""
    before, after = members_of(old.document.get(_MCP)), members_of(new.document.get(_MCP))
    for name in _SERVED:
        if not equal(before.get(name), after.get(name)):
            member = "The title" if name == "title" else f"`{name}`"
            yield make_words_change(
                f"{name.lstrip('_')}-changed",
                f"{member} of the tool changed.",
                (_pointer(before, name), _pointer(after, name)),
                (text_of(before.get(name)), text_of(after.get(name))),
            )
    hints_before, hints_after = before.get("annotations"), after.get("annotations")
    yield from _compare_hints(members_of(hints_before), members_of(hints_after))
    yield from _compare_requests(old, new)


def _compare_hints(before: dict[str, JSON], after: dict[str, JSON]) -> Iterator[Change]:
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name), after.get(name)
        if equal(old, new):
            continue
        verdict, sentence = _hint_verdict(name, old, new)
        pointers = (_pointer(before, "annotations", name), _pointer(after, "annotations", name))
        texts = (f"{name}: {_as_json(old)}", f"{name}: {_as_json(new)}")
        yield Change("definition", (), "hint-changed", sentence, verdict, *pointers, texts=texts)


def _hint_verdict(name: str, old: JSON, new: JSON) -> tuple[Verdict, str]:
    """A promise that is lost may break callers who rely on it.

    Anything else is a change of words.
    """
    changed = f"`{name}` changed from {_as_json(old)} to {_as_json(new)}"
    if name not in _HINTS:
        return "wording", f"The annotation {changed}."
    promise, value, default = _HINTS[name]
    was_promised = _hint_value(old, default) is value
    is_promised = _hint_value(new, default) is value
    if was_promised and not is_promised:
        return "unknown", f"The tool is no longer declared {promise}: {changed}."
    if new is not None and not is_promised:
        return "unknown", f"The tool is now declared not to be {promise}: {changed}."
    if is_promised and not was_promised:
        return "wording", f"The tool is now declared {promise}: {changed}."
    return "wording", f"The annotation {changed}."


def _hint_value(hint: JSON, default: bool) -> bool:
    return hint if isinstance(hint, bool) else default


def _compare_requests(old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    before, after = _request_of(old), _request_of(new)
    if before and after and before != after:
        sentence = f"The request changed from `{before}` to `{after}`."
        where = f"/{_OPENAPI}"
        yield Change("definition", (), "request-changed", sentence, "unknown", where, where)


def _request_of(spec: ToolSpec) -> str:
    """The method and path of an OpenAPI operation; "" for another tool."""
    operation = members_of(spec.document.get(_OPENAPI))
    return f"{operation.get('method')} {operation.get('path')}" if operation else ""


def list_new_words(
    part: Part, prefix: str, before: JSON, after: JSON, changes: Sequence[Change]
) -> Iterator[Change]:
    """Words of the schema `after` that `before` does not have and that none of `changes` lists.

    The comparison of values visits only what can apply to a value, but a model reads every word.
    The words of a new subschema come with the change that added it; they are listed if there is no
    such change.

    `prefix` is the pointer to both schemas in the spec, `changes` those of its `part` that are
    listed.
    """
    old = SchemaMap(before, max_nodes=MAX_NODES)
    known = {dumps(value) for node in old.nodes for _, value in _words_of(node)}
    old_pointers = {node.pointer for node in old.nodes}
    explained = {change.after for change in changes if change.texts is not None}
    has_other_changes = any(change.texts is None for change in changes)
    count = 0
    for node in SchemaMap(after, max_nodes=MAX_NODES).nodes:
        if has_other_changes and node.pointer not in old_pointers:
            continue
        for keyword, value in _words_of(node):
            pointer = pointer_join(prefix + node.pointer, keyword)
            if dumps(value) in known or pointer in explained or count >= MAX_NEW_WORDS:
                continue
            count += 1
            sentence = f"`{keyword[:80]}` has words that were not there before."
            pointers, texts = (None, pointer), ("", text_of(value))
            yield make_words_change("words-changed", sentence, pointers, texts, part=part)


def _words_of(node: Node) -> Iterator[tuple[str, JSON]]:
    """The annotations of a subschema that contain words, also those that no draft defines."""
    for keyword, value in members_of(node.schema).items():
        if is_annotation(keyword, value, node.dialect) and has_words(keyword, value):
            yield keyword, value


def has_words(keyword: str, value: JSON | Nothing) -> bool:
    """Whether a model may follow its words: one in a title or description, else a phrase."""
    least = 1 if keyword in {"title", "description"} else LEAST_PHRASE
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, str) and len(inner.split()) >= least:
            return True
        if isinstance(inner, dict):
            waiting += [*inner, *inner.values()]
        elif isinstance(inner, list):
            waiting += inner
    return False


def _pointer(members: dict[str, JSON], *tokens: str) -> str | None:
    return pointer_join(f"/{_MCP}", *tokens) if tokens[-1] in members else None


def verdict_of_annotation(keyword: str, before: JSON | Nothing, after: JSON | Nothing) -> Verdict:
    """The verdict on a changed annotation, which makes no value valid or invalid.

    A caller that omits a parameter gets its default, so a changed default may change what a call
    does.
    """
    if keyword == "default":
        return "unknown"
    return "wording" if has_words(keyword, before) or has_words(keyword, after) else "compatible"


def text_of(value: JSON | Nothing) -> str:
    """An annotation as text; "" if it is absent."""
    if value is None or isinstance(value, Nothing):
        return ""
    if isinstance(value, str):
        return value
    return print_json(value, most=MAX_PRINTED)


def _as_json(value: JSON) -> str:
    return "absent" if value is None else dumps(value)[:100]
