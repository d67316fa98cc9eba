"""The filters of a query, `name:value`: the conditions that each stands for, and the values that it takes.

The suggestions of the search field, the help and the parser read them from `FILTERS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from catalog.index.document import EFFECT_TOKENS, GroupKind, token_of_group
from catalog.index.tokenizer import key_of
from toolspec.catalog_names import group_key
from toolspec.exports import FORMATS
from toolspec.lint.assessment import keys_from, usable_key

Polarity = Literal["with", "without"]

CHOICES: Final = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
JSON_TYPES: Final = ("string", "number", "integer", "boolean", "array", "object", "null")
_HAS: Final = {
    "examples": "f_examples", "returns": "f_returns", "configuration": "f_configurable", "parameters": "f_takes",
    "toolkit": "f_toolkit",
}  # fmt: skip
# Keys of conditions that the index cannot answer alone.
RUNNABLE: Final = "@runnable"
PASSING: Final = "@passing"
STARRED: Final = "@starred"
OWNER: Final = "@owner:"  # followed by a user name, or `ME`
ME: Final = "me"
_IS: Final = {
    "runnable": RUNNABLE, **EFFECT_TOKENS,
    "deprecated": "f_deprecated", "configurable": "f_configurable", "assessed": "f_judged", "starred": STARRED,
}  # fmt: skip
_USABLE: Final = {key: usable_key(key) for key in FORMATS}

NEVER: Final = "f_never"  # no tool has this key


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a tool: it has (`holds`), or does not have, a key of the index such as `t_location_string`.

    `others`: other keys that also satisfy it. Keys that begin with `@` are not in the index.
    """

    key: str
    holds: bool = True
    others: tuple[str, ...] = ()

    @property
    def is_indexed(self) -> bool:
        return not self.key.startswith("@")

    @property
    def owner(self) -> str:
        """The name of the user who must own the tool, or `ME`; "" for other conditions."""
        return self.key.removeprefix(OWNER) if self.key.startswith(OWNER) else ""


Found = Iterable[Condition] | str  # conditions, or what is wrong


def _field(letter: str, condition: str) -> Callable[[str], Found]:
    """A reader of `name` or `name:type`; `letter` is the prefix of the index's keys for such fields."""

    def read(text: str) -> Found:
        name, _, json_type = (
            text.rpartition(":")
            if text.lower().rpartition(":")[2] in JSON_TYPES
            else (text, "", "")
        )
        name, json_type = (name, json_type) if name else (text, "")
        key = key_of(name)
        if not key:
            return f"`{condition}:` takes the name of a field and optionally its type: `{condition}:location:string`."
        return [
            Condition(f"{letter}_{key}_{json_type.lower()}" if json_type else f"{letter}_{key}")
        ]

    return read


def _needs(text: str) -> Found:
    if text.lower() == "configuration":
        return [Condition("f_configurable")]
    if text.lower() in {"nothing", "none"}:
        return [Condition("f_configurable", holds=False)]
    return _field("c", "needs")(text)


def _one_of(name: str, keys: Mapping[str, str]) -> Callable[[str], Found]:
    words = {
        key: word for word, key in reversed(list(keys.items()))
    }  # the first of the words for each key

    def read(text: str) -> Found:
        key = keys.get(text.lower())
        return (
            f"`{name}:` takes {', '.join(reversed(words.values()))}."
            if key is None
            else [Condition(key)]
        )

    return read


def _whether(name: str, key: str) -> Callable[[str], Found]:
    def read(text: str) -> Found:
        holds = CHOICES.get(text.lower())
        return f"`{name}:` takes yes or no." if holds is None else [Condition(key, holds)]

    return read


def _named(kind: GroupKind) -> Callable[[str], Found]:
    def read(text: str) -> Found:
        return (
            [Condition(token_of_group(kind, text))]
            if group_key(text)
            else f"`{kind}:` takes a name."
        )

    return read


_SCORE: Final = re.compile(r"(?P<sign><=|>=|<|>|=|)(?P<number>[0-9]{1,3})")


def _score(text: str) -> Found:
    match = _SCORE.fullmatch(text)
    if match is None or int(match["number"]) > 100:
        return "`score:` takes a minimum score from 0 to 100, or a comparison such as `<70`."
    sign, number = match["sign"], int(match["number"])
    if sign in {"<", "<="}:
        return _score_below(number if sign == "<" else number + 1)
    return _score_from(number + 1 if sign == ">" else number)


def _score_from(lowest: int) -> list[Condition]:
    key, *others = keys_from(lowest) or (NEVER,)
    return [Condition(key, others=tuple(others))]


def _score_below(limit: int) -> list[Condition]:
    """Tools that are not assessed have no score, and are left out."""
    [from_limit] = _score_from(limit)
    return (
        [Condition(NEVER)]
        if limit == 0
        else [Condition("f_judged"), replace(from_limit, holds=False)]
    )


def with_polarity(found: Iterable[Condition], polarity: Polarity) -> Iterator[Condition]:
    """The conditions; without polarity "with", the conditions that express "not all of them"."""
    if polarity == "with":
        yield from found
        return
    opposites = [replace(one, holds=not one.holds) for one in found]
    if len(opposites) > 1:  # not (assessed and below 70): the only one of this kind
        opposites = [one for one in opposites if one.key != "f_judged"]
    yield from opposites


def _owner(text: str) -> Found:
    if not any(map(str.isalnum, text)):
        return "`owner:` takes a user name, or `me`."
    return [Condition(OWNER + (ME if text.lower() == ME else text))]


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter `name:value`.

    Attributes:
        read: the conditions of a value, or what is wrong with it.
        about: which tools it finds: "with this tag".
        values: all values, or the usual ones, each with what it finds if that is not obvious.
    """

    read: Callable[[str], Found]
    about: str
    values: Mapping[str, str] = field(default_factory=dict)


_YES_OR_NO: Final = {"yes": "", "no": ""}

FILTERS: Final[Mapping[str, Filter]] = {
    "takes": Filter(_field("t", "takes"), "with a parameter of this name"),
    "returns": Filter(_field("r", "returns"), "with a property of this name in the return type"),
    "needs": Filter(
        _needs,
        "with a property of this name in the configuration",
        {"configuration": "that need a configuration", "nothing": "that need no configuration"},
    ),
    "has": Filter(
        _one_of("has", _HAS),
        "with this part",
        dict.fromkeys(("examples", "returns", "parameters", "configuration", "toolkit"), ""),
    ),
    "is": Filter(
        _one_of("is", _IS),
        "in this state",
        {
            "runnable": "that can be run here",
            "read-only": "that declare to change nothing",
            "destructive": "that declare to delete or overwrite",
            "starred": "by you",
            "deprecated": "",
            "configurable": "",
            "assessed": "that have a lint score",
        },
    ),
    "deprecated": Filter(
        _whether("deprecated", "f_deprecated"), "that are deprecated, or not", _YES_OR_NO
    ),
    "toolkit": Filter(_named("toolkit"), "of this toolkit"),
    "tag": Filter(_named("tag"), "with this tag"),
    "usable": Filter(
        _one_of("usable", _USABLE),
        "that this format accepts without changes",
        {key: fmt.label for key, fmt in FORMATS.items()},
    ),
    "score": Filter(
        _score,
        "with this lint score",
        {">=90": "90 and above", "<70": "below 70", "100": "without any finding"},
    ),
    "runnable": Filter(_whether("runnable", RUNNABLE), "that can be run, or not", _YES_OR_NO),
    "examples": Filter(
        _one_of("examples", {"pass": PASSING}),
        "by their examples",
        {"pass": "that all passed when last run"},
    ),
    "owner": Filter(_owner, "of this user", {ME: "that you own"}),
}


_UNQUOTED: Final = re.compile(
    r"[\w<>=]\S*"
)  # a value that the parser reads without quotation marks
_QUOTATION_MARK: Final = re.compile('["“”]')


def write_filter(name: str, value: str) -> str:
    """`name:value`. Quotation marks in a name of a toolkit or tag have no meaning, and become spaces."""
    value = _QUOTATION_MARK.sub(" ", value)
    return f"{name}:{value}" if _UNQUOTED.fullmatch(value) else f'{name}:"{value}"'


def is_valid(name: str, value: str) -> bool:
    return name in FILTERS and not isinstance(FILTERS[name].read(value), str)
