"""Members of a spec that the format does not define, but that are probably misspelt.

The format allows other members, so a typo such as `paramters` leaves a tool without parameters, and
nothing fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from toolspec.errors import Problem
from toolspec.text.containers import items_of
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

Object = Mapping[str, JSON]

RULE: Final = "member-misspelt"
MAX_MEMBERS: Final = 200  # of one object, that are looked at
_SIMILAR: Final = 0.75
_SHORTEST: Final = 4  # letters of a name that is compared by its letters

_TEXT: Final = (str,)
_SCHEMA: Final = (dict, bool)
_DEFINED: Final[Mapping[str, Mapping[str, tuple[type, ...]]]] = {
    "top": {"definition": (dict,), "configuration": _SCHEMA},
    "definition": {
        "id": _TEXT, "name": _TEXT, "description": _TEXT, "parameters": _SCHEMA,
        "returnType": _SCHEMA, "examples": (list,),
    },
    "example": {"description": _TEXT, "parameters": (dict,), "returnValue": (dict,)},
}  # fmt: skip
"""The members of each object of a spec, with the types of their values."""

_OTHER_NAMES: Final[Mapping[str, Mapping[str, frozenset[str]]]] = {
    "top": {
        "configuration": frozenset({"config", "configschema", "configurationschema", "settings"}),
    },
    "definition": {
        "id": frozenset({"toolid", "identifier"}),
        "name": frozenset({"toolname"}),
        "description": frozenset({"desc", "descr", "tooldescription"}),
        "parameters": frozenset({
            "inputschema", "input", "inputs", "params", "param", "args", "arguments",
            "parametersschema", "parametersjsonschema", "argsschema",
        }),
        "returnType": frozenset({
            "outputschema", "output", "outputs", "returns", "return", "returnschema",
            "responseschema", "response", "resulttype", "resultschema", "returntypeschema",
            "responsejsonschema",
        }),
        "examples": frozenset({"inputexamples"}),
    },
    "example": {
        "description": frozenset({"desc"}),
        "parameters": frozenset({"params", "args", "arguments", "input", "inputs"}),
        "returnValue": frozenset({
            "result", "output", "return", "returns", "returnedvalue", "response",
        }),
    },
}  # fmt: skip
"""Other names of these members: in lower case, without hyphens and underscores."""

# Members that other software reads, and that are similar to a defined one.
_OTHER_MEMBERS: Final = frozenset(
    {"title", "titles", "tags", "deprecated", "annotations", "icons", "type", "strict"}
)


@dataclass(frozen=True, slots=True)
class MisnamedMember:
    """The member at `pointer`; the format defines `meant` in its place.

    `fits`: its value is one of that member's.
    """

    pointer: str
    name: str
    meant: str
    fits: bool

    @property
    def message(self) -> str:
        problem = f"`{self.name}` is not part of the format and has no effect"
        return f"{problem}; did you mean `{self.meant}`?"


def find_misnamed(document: Object) -> Iterator[MisnamedMember]:
    """The members of `document`, a spec, that are probably misspelt, in the order of the text."""
    yield from _find_in_object(document, "top", "")
    definition = document.get("definition")
    if not isinstance(definition, dict):
        return
    yield from _find_in_object(definition, "definition", "/definition")
    for index, example in enumerate(items_of(definition.get("examples"))):
        if isinstance(example, dict):
            yield from _find_in_object(example, "example", f"/definition/examples/{index}")


def misnamed_members(document: Object) -> tuple[Problem, ...]:
    """The same as problems, for a report."""
    return tuple(Problem(each.pointer, each.message, RULE) for each in find_misnamed(document))


def _find_in_object(value: Object, kind: str, pointer: str) -> Iterator[MisnamedMember]:
    defined = _DEFINED[kind]
    if value.keys() <= defined.keys():
        return
    names = set(value)
    for name in list(value)[:MAX_MEMBERS]:
        if name in defined or name in _OTHER_MEMBERS or name.startswith(("x-", "$", "_")):
            continue
        meant = _find_meant(name, kind, value[name])
        if meant is not None and meant not in names:
            names.add(meant)
            fits = isinstance(value[name], defined[meant])
            yield MisnamedMember(pointer_join(pointer, name), name, meant, fits)


def _find_meant(name: str, kind: str, value: JSON) -> str | None:
    """The defined member that `name` is a spelling of, or another word for if its value fits."""
    defined = {member.casefold(): member for member in _DEFINED[kind]}
    plain = "".join(letter for letter in name.casefold() if letter not in "_-. ")
    if plain in defined:
        return defined[plain]
    for member, others in _OTHER_NAMES[kind].items():
        if plain in others and isinstance(value, _DEFINED[kind][member]):
            return member
    if not _SHORTEST <= len(plain) <= 30:
        return None
    candidates = []
    for candidate in defined:
        if candidate[0] == plain[0] and abs(len(candidate) - len(plain)) <= 2:
            candidates.append(candidate)
    close = get_close_matches(plain, candidates, n=1, cutoff=_SIMILAR)
    return defined[close[0]] if close else None
