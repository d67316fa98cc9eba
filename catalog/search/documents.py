"""What of a tool can be found: the tokens that go into the search index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Final, Literal

from catalog.search.fields import Field, fields_of
from catalog.search.words import joined_tokens_of, key_of, parts_of, runs_of, token_of, tokens_of_run
from catalog.spec import ToolSpec

MAX_TEXT_CHARS: Final = 20_000  # of a description, and of all fields of one place together
MAX_KEYS: Final = 400  # of fields of one place
MAX_TAGS: Final = 50
LONG_NAME_WORDS: Final = 5  # names with as many words or more are not told apart by their length

Place = Literal["parameter", "return", "configuration"]
LETTERS: Final[dict[Place, str]] = {"parameter": "t", "return": "r", "configuration": "c"}


@dataclass(frozen=True, slots=True)
class SearchDocument:
    """One tool as the index stores it.

    Attributes:
        names, about, takes, around: tokens of its name and id; of its description; of its parameters; of its toolkit,
            returns, configuration and tags. Each token stands between two spaces.
        keys: tokens that conditions ask for: `t_` a parameter's name, with `_` and a type; `r_`, `c_` the same of
            returns and configuration; `k_` toolkit, `g_` tag, `f_` facts; `n_` a word of the name, `n3_` of a name of
            three words, `x_` the whole name.
        fields: what reasons are told from; one field per line: place, name and description, a tab between them.
        runs: the words of all texts, as they are written.
    """

    names: str
    about: str
    takes: str
    around: str
    keys: str
    fields: str
    runs: frozenset[str] = field(repr=False)

    @property
    def counted(self) -> frozenset[str]:
        """The tokens that the vocabulary counts."""
        return counted_tokens(self.names, self.about, self.takes, self.around, self.keys)


def counted_tokens(names: str, about: str, takes: str, around: str, keys: str) -> frozenset[str]:
    """The tokens of a document that the vocabulary counts: words and facts."""
    facts = (key for key in keys.split() if key.startswith("f_"))
    return frozenset(chain(names.split(), about.split(), takes.split(), around.split(), facts))


def document_for(spec: ToolSpec, *, archived: bool) -> SearchDocument:
    """The search document of a tool whose current spec is `spec`."""
    return _Writing(spec).document(archived=archived)


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

    def __init__(self, spec: ToolSpec) -> None:
        self.spec = spec
        self.runs: set[str] = set()

    def document(self, *, archived: bool) -> SearchDocument:
        spec = self.spec
        fields: dict[Place, list[Field]] = {
            "parameter": list(fields_of(spec.parameters)),
            "return": list(fields_of(spec.return_type)),
            "configuration": list(fields_of(spec.configuration)),
        }
        toolkit, tags = toolkit_of(spec.tool_id), tags_of(spec)
        own_id = spec.tool_id[len(toolkit) :].lstrip(".")
        own_words = self.identifier(own_id) if own_id != spec.name else []
        names = [*self.identifier(spec.name), *own_words]
        around = [
            *self.identifier(toolkit),
            *joined_tokens_of(spec.tool_id),
            *chain.from_iterable(map(self.identifier, tags)),
            *self.fields(fields["return"]),
            *self.fields(fields["configuration"]),
        ]
        keys = [
            *_facts(spec, fields, archived=archived),
            *_name_keys(spec.name),
            *_group_keys("k", [toolkit]),
            *_group_keys("g", tags),
            *chain.from_iterable(_field_keys(LETTERS[place], fields[place]) for place in LETTERS),
        ]
        return SearchDocument(
            names=_spaced(names),
            about=_spaced(self.text(spec.description)),
            takes=_spaced(self.fields(fields["parameter"])),
            around=_spaced(dict.fromkeys(around)),
            keys=_spaced(dict.fromkeys(keys)),
            fields="\n".join(_lines(fields)),
            runs=frozenset(self.runs),
        )

    def text(self, text: str) -> list[str]:
        runs = runs_of(text[:MAX_TEXT_CHARS])
        self.runs.update(runs)
        return [token for run in runs for token in tokens_of_run(run)]

    def identifier(self, name: str) -> list[str]:
        """The tokens of a name: its words, and its words as one."""
        tokens = self.text(name)
        return [*tokens, *(joined for joined in joined_tokens_of(name) if joined not in tokens)]

    def fields(self, fields: Iterable[Field]) -> Iterator[str]:
        left = MAX_TEXT_CHARS
        for one in fields:
            left -= len(one.name) + len(one.description)
            if left < 0:
                return
            yield from self.identifier(one.name)
            yield from self.text(one.description)


def _facts(spec: ToolSpec, fields: dict[Place, list[Field]], *, archived: bool) -> Iterator[str]:
    facts = {
        "f_tool": True,  # to look for all of them
        "f_configurable": spec.configuration is not None,
        "f_examples": bool(spec.examples),
        "f_returns": spec.return_type is not None,
        "f_takes": bool(fields["parameter"]),
        "f_archived": archived,
        "f_deprecated": is_deprecated(spec),
    }
    return (key for key, holds in facts.items() if holds)


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
            if key := key_of(part):
                yield f"{letter}_{key}"


def _field_keys(letter: str, fields: Iterable[Field]) -> Iterator[str]:
    return islice(chain.from_iterable(_keys_of_field(letter, one) for one in fields), MAX_KEYS)


def _keys_of_field(letter: str, one: Field) -> Iterator[str]:
    """Keys of a field, by its whole name and by each of its words, alone and with its types."""
    for part in dict.fromkeys([one.name, *parts_of(one.name)]):
        if key := key_of(part):
            yield f"{letter}_{key}"
            yield from (f"{letter}_{key}_{kind}" for kind in sorted(one.types))


def _lines(fields: dict[Place, list[Field]]) -> Iterator[str]:
    for place, listed in fields.items():
        left = MAX_TEXT_CHARS
        for one in listed:
            left -= len(one.name) + len(one.description)
            if left < 0:
                break
            yield f"{LETTERS[place]}\t{one.name}\t{one.description}"


def _spaced(tokens: Iterable[str]) -> str:
    """With a space before and after each, so that " get " stands in it if the token does."""
    return f" {' '.join(tokens)} "
