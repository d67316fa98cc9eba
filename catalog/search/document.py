"""The search document of a tool: the tokens that go into the index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Final, Literal, NamedTuple

from catalog.jsontext.containers import items_of, members_of
from catalog.jsontext.reader import JSON
from catalog.search.schema_fields import Field, fields_of
from catalog.search.tokenizer import (
    folded_letters,
    identifier_tokens_of,
    joined_tokens_of,
    key_of,
    parts_of,
    runs_of,
    token_of,
    tokens_of_run,
)
from catalog.specs.spec import ToolSpec

MAX_TEXT_CHARS: Final = (
    20_000  # of a description, and of all parameters (or return fields, ...) together
)
MAX_KEYS: Final = 400  # of all parameters (or return fields, ...)
MAX_TAGS: Final = 50
MAX_GROUP_KEY_CHARS: Final = 100
MAX_TOOLKIT_CHARS: Final = 100
MAX_GROUP_NAME_CHARS: Final = 1_000  # the rest of a name is ignored
LONG_NAME_WORDS: Final = 5  # names with this many words or more count as equally long

FieldPart = Literal["parameter", "return", "configuration"]
GroupKind = Literal["toolkit", "tag"]
GROUP_PREFIXES: Final[Mapping[GroupKind, str]] = {"toolkit": "kx_", "tag": "gx_"}
LETTERS: Final[dict[FieldPart, str]] = {"parameter": "t", "return": "r", "configuration": "c"}


@dataclass(frozen=True, slots=True)
class MetadataTerms:
    """The searchable facts of a tool that are not in its spec.

    Attributes:
        owner: the owner's primary key; None for none.
        toolkit: its toolkit's name; "" for none.
        tags: all its tags.
        keys: further tokens for conditions; each begins with `f_`.
        audience: the primary key of the audience that may see it; None for everyone.
    """

    owner: int | None = None
    toolkit: str = ""
    tags: tuple[str, ...] = ()
    archived: bool = False
    deprecated: bool = False
    keys: tuple[str, ...] = ()
    audience: int | None = None


@dataclass(frozen=True, slots=True)
class SpecTerms:
    """The part of a search document that depends on the spec only: nearly all the work.

    Attributes:
        names, about, takes, fields: as in `SearchDocument`.
        id_tokens, other_tokens: parts of `SearchDocument.around`: from the id, and from returns and configuration.
        facts, name_keys, field_keys: parts of `SearchDocument.keys`.
        prefix: the toolkit in the id.
        counted, runs: as in `SearchDocument`, for these parts.
    """

    names: str
    about: str
    takes: str
    fields: str
    id_tokens: tuple[str, ...]
    other_tokens: tuple[str, ...]
    facts: tuple[str, ...]
    name_keys: tuple[str, ...]
    field_keys: tuple[str, ...]
    prefix: str
    counted: frozenset[str] = field(repr=False)
    runs: frozenset[str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class SearchDocument:
    """One tool as the index stores it.

    Attributes:
        names, about, takes, around: tokens of its name and id; of its description; of its parameters; of its toolkit,
            returns, configuration and tags. There is a space before and after each token.
        keys: tokens for conditions: `t_` a parameter's name, with `_` and a type; `r_`, `c_` the same for returns and
            configuration; `kx_` toolkit, `gx_` tag, by the whole name; `o_` owner; `v_` audience; `f_` facts; `n_` a
            word of the name, `n3_` of a name of three words, `x_` the whole name.
        fields: for explanations; one field per line: letter (see `LETTERS`), name and description, separated by tabs.
        counted: the tokens that the vocabulary counts: words and facts.
        runs: the words of all texts, as written.
    """

    names: str
    about: str
    takes: str
    around: str
    keys: str
    fields: str
    counted: frozenset[str] = field(repr=False)
    runs: frozenset[str] = field(repr=False)


class IndexedText(NamedTuple):
    """The indexed tokens of a tool, with a space before and after each (see `SearchDocument`)."""

    names: str
    about: str
    takes: str
    around: str
    deprecated: bool = False


def names_in(fields: str, part: FieldPart) -> Iterator[str]:
    """The names of the fields of one kind in `SearchDocument.fields`."""
    beginning = f"{LETTERS[part]}\t"
    return (line.split("\t")[1] for line in fields.split("\n") if line.startswith(beginning))


def counted_tokens(names: str, about: str, takes: str, around: str, keys: str) -> frozenset[str]:
    """`SearchDocument.counted`, computed from the stored columns."""
    facts = (key for key in keys.split() if key.startswith("f_"))
    return frozenset(chain(names.split(), about.split(), takes.split(), around.split(), facts))


def spec_terms_of(spec: ToolSpec) -> SpecTerms:
    """The search terms of `spec`; takes 0.1 ms for a typical one."""
    return _TermsBuilder(spec).terms()


def document_for(terms: SpecTerms, metadata: MetadataTerms) -> SearchDocument:
    """The search document of a tool; `terms` are those of its current spec."""
    toolkit, tags = metadata.toolkit, metadata.tags
    groups = [token_of_group("tag", tag) for tag in tags]
    if toolkit:
        groups.append(token_of_group("toolkit", toolkit))
    named = [
        _identifier(name) for name in (*((toolkit,) if toolkit != terms.prefix else ()), *tags)
    ]
    group_tokens = [token for tokens, _ in named for token in tokens]
    facts = [*terms.facts, *_facts(metadata)]
    keys = [*facts, *terms.name_keys, *groups]
    if metadata.owner is not None:
        keys.append(f"o_{metadata.owner}")
    if metadata.audience is not None:
        keys.append(f"v_{metadata.audience}")
    keys += terms.field_keys
    return SearchDocument(
        names=terms.names,
        about=terms.about,
        takes=terms.takes,
        around=_spaced(dict.fromkeys([*terms.id_tokens, *group_tokens, *terms.other_tokens])),
        keys=_spaced(dict.fromkeys(keys)),
        fields=terms.fields,
        counted=terms.counted.union(group_tokens, facts),
        runs=terms.runs.union(*(runs for _, runs in named)),
    )


def token_of_group(kind: GroupKind, name: str) -> str:
    """The token of each tool of a toolkit or tag in the index."""
    return GROUP_PREFIXES[kind] + group_key(name)


def group_key(name: str) -> str:
    """A toolkit's or tag's name in the form used for comparisons: letters and digits, without case and accents."""
    return _group_key(name[:MAX_GROUP_NAME_CHARS])


@lru_cache(maxsize=65_536)
def _group_key(name: str) -> str:
    return folded_letters(name)[:MAX_GROUP_KEY_CHARS]


def toolkit_of(tool_id: str) -> str:
    """The toolkit in a tool's id, as tools store it: the part before the first dot; "" if there is no dot."""
    prefix, point, name = tool_id.partition(".")
    return " ".join(prefix.split())[:MAX_TOOLKIT_CHARS] if point and name else ""


def tags_of(spec: ToolSpec) -> list[str]:
    """The tags that a spec declares, in a member that is not part of the format: {"tags": ["mail", …]}."""
    tags = items_of(members_of(spec.document["definition"]).get("tags"))
    return [tag for tag in tags if isinstance(tag, str)][:MAX_TAGS]


def is_deprecated(spec: ToolSpec) -> bool:
    """Whether a spec declares itself deprecated, as in JSON Schema and OpenAPI: {"deprecated": true}."""
    definition = spec.document["definition"]
    return isinstance(definition, dict) and definition.get("deprecated") is True


class _TermsBuilder:
    """Builds the terms of one spec, and collects the words that went into them."""

    def __init__(self, spec: ToolSpec) -> None:
        self.spec = spec
        self.runs: list[str] = []

    def terms(self) -> SpecTerms:
        spec = self.spec
        fields: dict[FieldPart, list[Field]] = {
            "parameter": _fields(spec.parameters),
            "return": _fields(spec.return_type),
            "configuration": _fields(spec.configuration),
        }
        prefix = toolkit_of(spec.tool_id)
        own_id = (spec.tool_id.partition(".")[2] if prefix else spec.tool_id).lstrip(".")
        names = [
            *self.identifier(spec.name),
            *(self.identifier(own_id) if own_id != spec.name else ()),
        ]
        about, takes = self.text(spec.description), self.fields(fields["parameter"])
        id_tokens = (*self.identifier(prefix), *joined_tokens_of(spec.tool_id))
        other_tokens = (*self.fields(fields["return"]), *self.fields(fields["configuration"]))
        return SpecTerms(
            names=_spaced(names),
            about=_spaced(about),
            takes=_spaced(takes),
            fields="\n".join(
                f"{LETTERS[part]}\t{one.name}\t{one.description}"
                for part, listed in fields.items()
                for one in listed
            ),
            id_tokens=id_tokens,
            other_tokens=other_tokens,
            facts=tuple(_facts_of_spec(spec, takes_any=bool(fields["parameter"]))),
            name_keys=tuple(_name_keys(spec.name)),
            field_keys=tuple(
                key for part, letter in LETTERS.items() for key in _field_keys(letter, fields[part])
            ),
            prefix=prefix,
            counted=frozenset(names).union(about, takes, id_tokens, other_tokens),
            runs=frozenset(self.runs),
        )

    def text(self, text: str) -> list[str]:
        runs = runs_of(text[:MAX_TEXT_CHARS])
        self.runs += runs
        return list(chain.from_iterable(map(tokens_of_run, runs)))

    def identifier(self, name: str) -> tuple[str, ...]:
        tokens, runs = _identifier(name)
        self.runs += runs
        return tokens

    def fields(self, fields: Iterable[Field]) -> list[str]:
        tokens: list[str] = []
        for name, description, _ in fields:
            tokens += self.identifier(name)
            if description:
                tokens += self.text(description)
        return tokens


@lru_cache(maxsize=65_536)
def _identifier(name: str) -> tuple[tuple[str, ...], list[str]]:
    """The tokens of a name, and its runs."""
    return identifier_tokens_of(name), runs_of(name)


def _fields(schema: JSON) -> list[Field]:
    """The first fields of a schema, up to `MAX_TEXT_CHARS` together."""
    fields = []
    remaining = MAX_TEXT_CHARS
    for one in fields_of(schema):
        remaining -= len(one.name) + len(one.description)
        if remaining < 0:
            break
        fields.append(one)
    return fields


def _facts_of_spec(spec: ToolSpec, *, takes_any: bool) -> Iterator[str]:
    yield "f_tool"  # matches all tools
    if spec.configuration is not None:
        yield "f_configurable"
    if spec.examples:
        yield "f_examples"
    if spec.return_type is not None:
        yield "f_returns"
    if takes_any:
        yield "f_takes"


def _facts(metadata: MetadataTerms) -> Iterator[str]:
    if metadata.archived:
        yield "f_archived"
    if metadata.deprecated:
        yield "f_deprecated"
    yield from metadata.keys


def _name_keys(name: str) -> Iterator[str]:
    """Keys of a name's words, for finding tools whose names contain few other words first."""
    parts = parts_of(name)
    length = min(len(parts), LONG_NAME_WORDS)
    if key := key_of(name):
        yield f"x_{key}"
    for part in parts:
        if token := token_of(part):
            yield f"n_{token}"
            yield f"n{length}_{token}"


def _field_keys(letter: str, fields: Iterable[Field]) -> list[str]:
    keys: list[str] = []
    for name, _, types in fields:
        keys += _keys_of_field(letter, name, types)
        if len(keys) > MAX_KEYS:
            return keys[:MAX_KEYS]
    return keys


@lru_cache(maxsize=65_536)
def _keys_of_field(letter: str, name: str, types: frozenset[str]) -> tuple[str, ...]:
    """Keys of a field: its whole name and each word, alone and with its types."""
    names = [key for part in dict.fromkeys([name, *parts_of(name)]) if (key := key_of(part))]
    suffixes = ("", *(f"_{name}" for name in sorted(types)))
    return tuple(f"{letter}_{key}{suffix}" for key in names for suffix in suffixes)


def _spaced(tokens: Iterable[str]) -> str:
    """The tokens with a space before and after each, so that it contains " get " if "get" is one of them."""
    return f" {' '.join(tokens)} "
