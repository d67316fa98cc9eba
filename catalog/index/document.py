"""The search document of a tool: the tokens that go into the index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from typing import Final, Literal, NamedTuple

from catalog.index.schema_fields import Field, find_fields
from catalog.index.tokenizer import (
    identifier_tokens_of,
    joined_tokens_of,
    key_of,
    parts_of,
    runs_of,
    token_of,
    tokens_of,
)
from toolspec.catalog_names import group_key, toolkit_of
from toolspec.spec import ToolSpec
from toolspec.text.containers import members_of
from toolspec.text.reader import JSON

# Of a description, and of all parameters (or return fields, ...) together.
MAX_TEXT_CHARS: Final = 20_000

MAX_KEYS: Final = 400  # of all parameters (or return fields, ...)

LONG_NAME_WORDS: Final = 5  # names with this many words or more count as equally long

Effect = Literal["", "read-only", "destructive"]  # "": not declared

EFFECT_TOKENS: Final = {"read-only": "f_readonly", "destructive": "f_destructive"}

_EFFECTS_OF_METHODS: Final[Mapping[str, Effect]] = {
    "GET": "read-only",
    "HEAD": "read-only",
    "OPTIONS": "read-only",
    "DELETE": "destructive",
}

FieldPart = Literal["parameter", "return", "configuration"]

GroupKind = Literal["toolkit", "tag"]

GROUP_PREFIXES: Final[Mapping[GroupKind, str]] = {"toolkit": "kx_", "tag": "gx_"}

LETTERS: Final[dict[FieldPart, str]] = {"parameter": "t", "return": "r", "configuration": "c"}


@dataclass(frozen=True, slots=True)
class SearchDocument:
    """One tool as the index stores it.

    Attributes:
        names, about, takes, around: tokens of its name and id; of its description; of its
            parameters; of its toolkit, returns, configuration and tags. There is a space before and
            after each token.
        keys: tokens for conditions: `t_` a parameter's name, with `_` and a type; `r_`, `c_` the
            same for returns and configuration; `kx_` toolkit, `gx_` tag, by the whole name; `o_`
            owner; `v_` audience; `f_` facts; `n_` a word of the name, `n3_` of a name of three
            words, `x_` the whole name.
        fields: for explanations; one field per line: letter (see `LETTERS`), name and description,
            separated by tabs.
        runs: the words of all texts, as written.
    """

    names: str
    about: str
    takes: str
    around: str
    keys: str
    fields: str
    runs: frozenset[str] = field(repr=False)

    @property
    def columns(self) -> tuple[str, str, str, str, str]:
        """The texts with tokens."""
        return self.names, self.about, self.takes, self.around, self.keys

    def add_metadata(self, names: Iterable[str], keys: Iterable[str]) -> SearchDocument:
        """The document with metadata that is not in the spec.

        Args:
            names: of the toolkit and the tags.
            keys: tokens for conditions.
        """
        around = self.around.split()
        all_keys = [*self.keys.split(), *keys]
        runs = set(self.runs)
        for name in names:
            around += identifier_tokens_of(name)
            runs.update(runs_of(name))
        return replace(
            self,
            around=_join_distinct(around),
            keys=_join_distinct(all_keys),
            runs=frozenset(runs),
        )


class IndexedText(NamedTuple):
    """The indexed tokens of a tool, with a space before and after each (see `SearchDocument`)."""

    names: str
    about: str
    takes: str
    around: str
    is_deprecated: bool = False


def list_names(fields: str, part: FieldPart) -> Iterator[str]:
    """The names of the fields of one kind in `SearchDocument.fields`."""
    beginning = f"{LETTERS[part]}\t"
    for line in fields.split("\n"):
        if line.startswith(beginning):
            yield line.split("\t")[1]


def collect_counted_tokens(*columns: str) -> frozenset[str]:
    """The tokens of a document's columns that the vocabulary counts: words and facts."""
    *texts, keys = columns
    tokens = {key for key in keys.split() if key.startswith("f_")}
    for text in texts:
        tokens.update(text.split())
    return frozenset(tokens)


def document_of(spec: ToolSpec) -> SearchDocument:
    """The search document of a spec, without metadata: nearly all the work.

    Takes 0.1 ms for a typical spec.
    """
    parameters = _take_fields(spec.parameters)
    returns = _take_fields(spec.return_type)
    configuration = _take_fields(spec.configuration)
    toolkit = toolkit_of(spec.tool_id)
    own_id = spec.tool_id.partition(".")[2] if toolkit else spec.tool_id
    names = list(dict.fromkeys([spec.name, own_id.lstrip(".")]))
    description = spec.description[:MAX_TEXT_CHARS]
    around = [*identifier_tokens_of(toolkit), *joined_tokens_of(spec.tool_id)]
    around += _tokenize_fields(returns)
    around += _tokenize_fields(configuration)
    keys = list(_list_facts(spec))
    if parameters:
        keys.append("f_takes")
    keys += _make_name_keys(spec.name)
    lines = []
    for letter, fields in zip(LETTERS.values(), (parameters, returns, configuration), strict=True):
        keys += _make_field_keys(letter, fields)
        for field_name, about, _ in fields:
            lines.append(f"{letter}\t{field_name}\t{about}")
    text = "\n".join(lines)
    return SearchDocument(
        names=_join(chain.from_iterable(map(identifier_tokens_of, names))),
        about=_join(tokens_of(description)),
        takes=_join(_tokenize_fields(parameters)),
        around=_join_distinct(around),
        keys=_join_distinct(keys),
        fields=text,
        runs=frozenset(runs_of("\n".join([*names, toolkit, description, text]))),
    )


def token_of_group(kind: GroupKind, name: str) -> str:
    """The token of each tool of a toolkit or tag in the index."""
    return GROUP_PREFIXES[kind] + group_key(name)


def effect_of(spec: ToolSpec) -> Effect:
    """The effect of a call, as the tool's MCP server or the method of its HTTP request declares it.

    Source: MCP, `ToolAnnotations`; HTTP Semantics (RFC 9110), section 9.2.1.
    """
    hints = members_of(members_of(spec.document.get("x-mcp")).get("annotations"))
    if hints.get("readOnlyHint") is True:
        return "read-only"
    if hints.get("destructiveHint") is True:
        return "destructive"
    method = members_of(spec.document.get("x-openapi")).get("method")
    return _EFFECTS_OF_METHODS.get(method, "") if isinstance(method, str) else ""


def _take_fields(schema: JSON) -> list[Field]:
    """The first fields of a schema, up to `MAX_TEXT_CHARS` together."""
    fields = []
    remaining = MAX_TEXT_CHARS
    for schema_field in find_fields(schema):
        remaining -= len(schema_field.name) + len(schema_field.description)
        if remaining < 0:
            break
        fields.append(schema_field)
    return fields


def _list_facts(spec: ToolSpec) -> Iterator[str]:
    yield "f_tool"  # matches all tools
    if spec.configuration is not None:
        yield "f_configurable"
    if spec.examples:
        yield "f_examples"
    if spec.return_type is not None:
        yield "f_returns"
    if effect := effect_of(spec):
        yield EFFECT_TOKENS[effect]


def _tokenize_fields(fields: Iterable[Field]) -> list[str]:
    tokens: list[str] = []
    for name, description, _ in fields:
        tokens += identifier_tokens_of(name)
        tokens += tokens_of(description)
    return tokens


def _make_name_keys(name: str) -> Iterator[str]:
    """Keys of a name's words, for finding tools whose names contain few other words first."""
    parts = parts_of(name)
    length = min(len(parts), LONG_NAME_WORDS)
    if key := key_of(name):
        yield f"x_{key}"
    for part in parts:
        if token := token_of(part):
            yield f"n_{token}"
            yield f"n{length}_{token}"


def _make_field_keys(letter: str, fields: Iterable[Field]) -> list[str]:
    keys: list[str] = []
    for name, _, types in fields:
        keys += _make_keys(letter, name, types)
        if len(keys) > MAX_KEYS:
            return keys[:MAX_KEYS]
    return keys


@lru_cache(maxsize=65_536)
def _make_keys(letter: str, name: str, types: frozenset[str]) -> tuple[str, ...]:
    """Keys of a field: its complete name and each word, alone and with its types."""
    keys = []
    for part in dict.fromkeys([name, *parts_of(name)]):
        if key := key_of(part):
            keys.append(f"{letter}_{key}")
            keys += [f"{letter}_{key}_{json_type}" for json_type in sorted(types)]
    return tuple(keys)


def _join(tokens: Iterable[str]) -> str:
    """The tokens with a space before and after each, so that a search for " get " finds "get"."""
    return f" {' '.join(tokens)} "


def _join_distinct(tokens: Iterable[str]) -> str:
    return _join(dict.fromkeys(tokens))
