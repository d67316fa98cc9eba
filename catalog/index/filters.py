"""The filters of a query, `name:value`: their conditions, and the values that they take.

The suggestions of the search field, the help and the parser read them from `FILTERS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from catalog.index.boolean_query import Expression, Token, any_of
from catalog.index.document import EFFECT_TOKENS, GroupKind, token_of_group
from catalog.index.tokenizer import key_of
from toolspec.catalog_names import group_key
from toolspec.exports import FORMATS
from toolspec.lint.assessment import keys_from, usable_key

Polarity = Literal["with", "without"]

CHOICES: Final = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
JSON_TYPES: Final = ("string", "number", "integer", "boolean", "array", "object", "null")
_HAS: Final = {
    "examples": "f_examples",
    "returns": "f_returns",
    "configuration": "f_configurable",
    "parameters": "f_takes",
    "toolkit": "f_toolkit",
}
# Keys of conditions that the index cannot answer alone.
RUNNABLE: Final = "@runnable"
PASSING: Final = "@passing"
STARRED: Final = "@starred"
OWNER: Final = "@owner:"  # followed by a user name, or `ME`
ME: Final = "me"
_IS: Final = {
    "runnable": RUNNABLE,
    **EFFECT_TOKENS,
    "deprecated": "f_deprecated",
    "configurable": "f_configurable",
    "assessed": "f_judged",
    "starred": STARRED,
}
_USABLE: Final = {key: usable_key(key) for key in FORMATS}

NEVER: Final = "f_never"  # no tool has this key


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a tool: it has (`holds`), or does not have, a key such as `t_location_string`.

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

    @property
    def expression(self) -> Expression:
        """Matches tools with any of the keys, whether or not the condition requires one."""
        return any_of(map(Token, (self.key, *self.others)))


class WrongValue(Exception):
    """A filter does not take a value. The message is a sentence that says what it takes."""


Reader = Callable[[str], list[Condition]]  # raises `WrongValue`


def _make_field_reader(letter: str, filter_name: str) -> Reader:
    """A reader of `name` or `name:type`; `letter` is the prefix of the index's keys for fields."""

    def read(text: str) -> list[Condition]:
        name, _, json_type = text.rpartition(":")
        json_type = json_type.lower()
        if not name or json_type not in JSON_TYPES:
            name, json_type = text, ""
        key = key_of(name)
        if not key:
            raise WrongValue(
                f"`{filter_name}:` takes the name of a field and optionally its type: "
                f"`{filter_name}:location:string`."
            )
        parts = [letter, key, json_type]
        return [Condition("_".join(filter(None, parts)))]

    return read


_read_configuration_field: Final = _make_field_reader("c", "needs")


def _read_needs(text: str) -> list[Condition]:
    if text.lower() == "configuration":
        return [Condition("f_configurable")]
    if text.lower() in {"nothing", "none"}:
        return [Condition("f_configurable", holds=False)]
    return _read_configuration_field(text)


def _make_choice_reader(name: str, keys: Mapping[str, str]) -> Reader:
    def read(text: str) -> list[Condition]:
        key = keys.get(text.lower())
        if key is None:
            raise WrongValue(f"`{name}:` takes {', '.join(keys)}.")
        return [Condition(key)]

    return read


def _make_yes_no_reader(name: str, key: str) -> Reader:
    def read(text: str) -> list[Condition]:
        holds = CHOICES.get(text.lower())
        if holds is None:
            raise WrongValue(f"`{name}:` takes yes or no.")
        return [Condition(key, holds)]

    return read


def _make_group_reader(kind: GroupKind) -> Reader:
    def read(text: str) -> list[Condition]:
        if not group_key(text):
            raise WrongValue(f"`{kind}:` takes a name.")
        return [Condition(token_of_group(kind, text))]

    return read


_SCORE: Final = re.compile(r"(?P<sign><=|>=|<|>|=|)(?P<number>[0-9]{1,3})")


def _read_score(text: str) -> list[Condition]:
    match = _SCORE.fullmatch(text)
    if match is None or int(match["number"]) > 100:
        raise WrongValue(
            "`score:` takes a minimum score from 0 to 100, or a comparison such as `<70`."
        )
    sign = match["sign"]
    number = int(match["number"])
    # "at most 70" is "not 71 or more"
    limit = number + 1 if sign in {">", "<="} else number
    key, *others = keys_from(limit) or (NEVER,)
    at_least = Condition(key, others=tuple(others))
    if sign not in {"<", "<="}:
        return [at_least]
    if limit == 0:
        return [Condition(NEVER)]
    return [Condition("f_judged"), replace(at_least, holds=False)]  # others have no score


def apply_polarity(conditions: list[Condition], polarity: Polarity) -> list[Condition]:
    """The conditions; for "without", the conditions that express "not all of them"."""
    if polarity == "with":
        return conditions
    if len(conditions) > 1:  # not (assessed and below 70): the only one of this kind
        conditions = [condition for condition in conditions if condition.key != "f_judged"]
    return [replace(condition, holds=not condition.holds) for condition in conditions]


def _read_owner(text: str) -> list[Condition]:
    if not any(map(str.isalnum, text)):
        raise WrongValue("`owner:` takes a user name, or `me`.")
    name = ME if text.lower() == ME else text
    return [Condition(OWNER + name)]


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter `name:value`.

    Attributes:
        read: the conditions of a value; raises `WrongValue`.
        about: which tools it finds: "with this tag".
        values: all values, or the usual ones, each with what it finds if that is not obvious.
    """

    read: Reader
    about: str
    values: Mapping[str, str] = field(default_factory=dict)


_YES_OR_NO: Final = {"yes": "", "no": ""}

FILTERS: Final[Mapping[str, Filter]] = {
    "takes": Filter(_make_field_reader("t", "takes"), "with a parameter of this name"),
    "returns": Filter(
        _make_field_reader("r", "returns"), "with a property of this name in the return type"
    ),
    "needs": Filter(
        _read_needs,
        "with a property of this name in the configuration",
        {"configuration": "that need a configuration", "nothing": "that need no configuration"},
    ),
    "has": Filter(
        _make_choice_reader("has", _HAS),
        "with this part",
        dict.fromkeys(("examples", "returns", "parameters", "configuration", "toolkit"), ""),
    ),
    "is": Filter(
        _make_choice_reader("is", _IS),
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
        _make_yes_no_reader("deprecated", "f_deprecated"), "that are deprecated, or not", _YES_OR_NO
    ),
    "toolkit": Filter(_make_group_reader("toolkit"), "of this toolkit"),
    "tag": Filter(_make_group_reader("tag"), "with this tag"),
    "usable": Filter(
        _make_choice_reader("usable", _USABLE),
        "that this format accepts without changes",
        {key: fmt.label for key, fmt in FORMATS.items()},
    ),
    "score": Filter(
        _read_score,
        "with this lint score",
        {">=90": "90 and above", "<70": "below 70", "100": "without any finding"},
    ),
    "runnable": Filter(
        _make_yes_no_reader("runnable", RUNNABLE), "that can be run, or not", _YES_OR_NO
    ),
    "examples": Filter(
        _make_choice_reader("examples", {"pass": PASSING}),
        "by their examples",
        {"pass": "that all passed when last run"},
    ),
    "owner": Filter(_read_owner, "of this user", {ME: "that you own"}),
}


# A value that the parser reads without quotation marks.
_UNQUOTED: Final = re.compile(r"[\w<>=]\S*")
_QUOTATION_MARK: Final = re.compile('["“”]')


def write_filter(name: str, value: str) -> str:
    """`name:value`. Quotation marks in a toolkit's or tag's name have no meaning: they go."""
    value = _QUOTATION_MARK.sub(" ", value)
    return f"{name}:{value}" if _UNQUOTED.fullmatch(value) else f'{name}:"{value}"'


def is_valid(name: str, value: str) -> bool:
    if name not in FILTERS:
        return False
    try:
        FILTERS[name].read(value)
    except WrongValue:
        return False
    return True
