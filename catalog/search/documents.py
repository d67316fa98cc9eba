"""What of a tool can be found: the tokens that go into the search index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Final, Literal

from catalog.search.fields import Field, fields_of
from catalog.search.words import (
    fold,
    identifier_tokens_of,
    joined_tokens_of,
    key_of,
    parts_of,
    runs_of,
    token_of,
    tokens_of_run,
)
from catalog.spec import ToolSpec

MAX_TEXT_CHARS: Final = 20_000  # of a description, and of all fields of one place together
MAX_KEYS: Final = 400  # of fields of one place
MAX_TAGS: Final = 50
MAX_GROUP_KEY_CHARS: Final = 100
LONG_NAME_WORDS: Final = 5  # names with as many words or more are not told apart by their length

Place = Literal["parameter", "return", "configuration"]
LETTERS: Final[dict[Place, str]] = {"parameter": "t", "return": "r", "configuration": "c"}


@dataclass(frozen=True, slots=True)
class Standing:
    """What is to be found of a tool besides its spec.

    Attributes:
        owner: the primary key of the person; None where nobody owns it.
        toolkit: the name of the one that it belongs to; "" where it belongs to none.
        tags: all it has.
        keys: more tokens that conditions may ask for; each begins with `f_`.
    """

    owner: int | None = None
    toolkit: str = ""
    tags: tuple[str, ...] = ()
    archived: bool = False
    deprecated: bool = False
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchDocument:
    """One tool as the index stores it.

    Attributes:
        names, about, takes, around: tokens of its name and id; of its description; of its parameters; of its toolkit,
            returns, configuration and tags. Each token stands between two spaces.
        keys: tokens that conditions ask for: `t_` a parameter's name, with `_` and a type; `r_`, `c_` the same of
            returns and configuration; `k_` toolkit, `g_` tag, by the whole name or a word of it, `kx_` and `gx_` by
            the whole name; `o_` owner; `f_` facts; `n_` a word of the name, `n3_` of a name of three words, `x_` the
            whole name.
        fields: what reasons are told from; one field per line: place, name and description, a tab between them.
        counted: the tokens that the vocabulary counts: words and facts.
        runs: the words of all texts, as they are written.
        groups: the names of its toolkit and its tags by their tokens (`kx_`, `gx_`); {} where it is archived.
    """

    names: str
    about: str
    takes: str
    around: str
    keys: str
    fields: str
    counted: frozenset[str] = field(repr=False)
    runs: frozenset[str] = field(repr=False)
    groups: Mapping[str, str] = field(repr=False)


def counted_tokens(names: str, about: str, takes: str, around: str, keys: str) -> frozenset[str]:
    """`SearchDocument.counted` of what was stored of a document."""
    facts = (key for key in keys.split() if key.startswith("f_"))
    return frozenset(chain(names.split(), about.split(), takes.split(), around.split(), facts))


def counted_groups(keys: str) -> list[str]:
    """The tokens of `SearchDocument.groups` by what was stored of `SearchDocument.keys`."""
    return [] if " f_archived " in keys else [key for key in keys.split() if key.startswith(("kx_", "gx_"))]


def document_for(spec: ToolSpec, standing: Standing) -> SearchDocument:
    """The search document of a tool whose current spec is `spec`."""
    return _Writing(spec, standing).document()


@lru_cache(maxsize=65_536)
def group_key(name: str) -> str:
    """The name of a toolkit or a tag as they are compared: letters and digits, without case and accents."""
    return "".join(map(fold, runs_of(name)))[:MAX_GROUP_KEY_CHARS]


def toolkit_of(tool_id: str) -> str:
    """The group that a tool belongs to by its id: what stands before the first point; "" where there is none."""
    prefix, point, name = tool_id.partition(".")
    return prefix.strip() if point and name else ""


def tags_of(spec: ToolSpec) -> list[str]:
    """The tags that a spec gives itself, in a member that the format does not know: {"tags": ["mail", …]}."""
    definition = spec.document["definition"]
    tags = definition.get("tags") if isinstance(definition, dict) else None
    return [tag for tag in tags if isinstance(tag, str)][:MAX_TAGS] if isinstance(tags, list) else []


def is_deprecated(spec: ToolSpec) -> bool:
    """Whether a spec calls itself deprecated, as JSON Schema and OpenAPI do: {"deprecated": true}."""
    definition = spec.document["definition"]
    return isinstance(definition, dict) and definition.get("deprecated") is True


class _Writing:
    """Makes one document; remembers the words that went into it."""

    def __init__(self, spec: ToolSpec, standing: Standing) -> None:
        self.spec = spec
        self.standing = standing
        self.runs: list[str] = []

    def document(self) -> SearchDocument:
        spec, standing = self.spec, self.standing
        fields: dict[Place, list[Field]] = {
            "parameter": _bounded(fields_of(spec.parameters)),
            "return": _bounded(fields_of(spec.return_type)),
            "configuration": _bounded(fields_of(spec.configuration)),
        }
        prefix, toolkit, tags = toolkit_of(spec.tool_id), standing.toolkit, standing.tags
        own_id = spec.tool_id[len(prefix) :].lstrip(".")
        names = [*self.identifier(spec.name), *(self.identifier(own_id) if own_id != spec.name else ())]
        around = [*self.identifier(prefix), *joined_tokens_of(spec.tool_id)]
        for group in (*((toolkit,) if toolkit != prefix else ()), *tags):
            around += self.identifier(group)
        around += self.fields(fields["return"])
        around += self.fields(fields["configuration"])
        facts = [*_facts(spec, fields, standing), *standing.keys]
        keys = [*facts, *_name_keys(spec.name)]
        keys += _group_keys("k", [toolkit])
        keys += _group_keys("g", tags)
        groups = {f"gx_{group_key(tag)}": tag for tag in tags}
        if toolkit:
            groups[f"kx_{group_key(toolkit)}"] = toolkit
        keys += groups
        if standing.owner is not None:
            keys.append(f"o_{standing.owner}")
        for place, letter in LETTERS.items():
            keys += _field_keys(letter, fields[place])
        about, takes = self.text(spec.description), self.fields(fields["parameter"])
        return SearchDocument(
            names=_spaced(names),
            about=_spaced(about),
            takes=_spaced(takes),
            around=_spaced(dict.fromkeys(around)),
            keys=_spaced(dict.fromkeys(keys)),
            fields="\n".join(
                f"{LETTERS[place]}\t{one.name}\t{one.description}" for place, listed in fields.items() for one in listed
            ),
            counted=frozenset(names).union(about, takes, around, facts),
            runs=frozenset(self.runs),
            groups={} if standing.archived else groups,
        )

    def text(self, text: str) -> list[str]:
        runs = runs_of(text[:MAX_TEXT_CHARS])
        self.runs += runs
        return [token for tokens in map(tokens_of_run, runs) for token in tokens]

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


def _bounded(fields: Iterable[Field]) -> list[Field]:
    """The first of `fields`, as many as may be looked for."""
    kept = []
    left = MAX_TEXT_CHARS
    for one in fields:
        left -= len(one.name) + len(one.description)
        if left < 0:
            break
        kept.append(one)
    return kept


def _facts(spec: ToolSpec, fields: dict[Place, list[Field]], standing: Standing) -> list[str]:
    facts = {
        "f_tool": True,  # to look for all of them
        "f_configurable": spec.configuration is not None,
        "f_examples": bool(spec.examples),
        "f_returns": spec.return_type is not None,
        "f_takes": bool(fields["parameter"]),
        "f_archived": standing.archived,
        "f_deprecated": standing.deprecated,
    }
    return [key for key, holds in facts.items() if holds]


def _name_keys(name: str) -> Iterator[str]:
    """Keys of a name's words, by which the tools whose names say little else are found first."""
    parts = parts_of(name)
    length = min(len(parts), LONG_NAME_WORDS)
    if key := key_of(name):
        yield f"x_{key}"
    for part in parts:
        if token := token_of(part):
            yield f"n_{token}"
            yield f"n{length}_{token}"


def _group_keys(letter: str, names: Iterable[str]) -> Iterator[str]:
    """Keys of a group, by its whole name and by each of its words."""
    for name in names:
        for part in dict.fromkeys([name, *runs_of(name)]):
            if key := group_key(part):
                yield f"{letter}_{key}"


def _field_keys(letter: str, fields: Iterable[Field]) -> list[str]:
    keys: list[str] = []
    for name, _, types in fields:
        keys += _keys_of_field(letter, name, types)
        if len(keys) > MAX_KEYS:
            return keys[:MAX_KEYS]
    return keys


@lru_cache(maxsize=65_536)
def _keys_of_field(letter: str, name: str, types: frozenset[str]) -> tuple[str, ...]:
    """Keys of a field, by its whole name and by each of its words, alone and with its types."""
    names = [key for part in dict.fromkeys([name, *parts_of(name)]) if (key := key_of(part))]
    return tuple(f"{letter}_{key}{kind}" for key in names for kind in ("", *(f"_{kind}" for kind in sorted(types))))


def _spaced(tokens: Iterable[str]) -> str:
    """With a space before and after each, so that " get " stands in it if the token does."""
    return f" {' '.join(tokens)} "
